import Yaprak

/// Keeps a list by its updates alone while the database is written, and shows it after each.
///
///     let follower = ListFollower(database, BoardViews.sections(of: BoardViews.departures)) { shown, _ in draw(shown) }
///     …
///     try await database.close()
///     print(try await follower.finish().updates)
struct ListFollower {
    /// What was seen.
    struct Seen: Sendable, Hashable {
        /// Updates after the first, which is the list as it was.
        var updates = 0
        /// Changes of rows in them.
        var rowChanges = 0
        /// Changes that moved a row.
        var moves = 0
    }

    private let task: Task<Seen, any Error>

    /// Starts to follow with the list as it is.
    /// - Parameters:
    ///   - isChecked: whether to compare what is kept with the list, read whole, after each update.
    ///   - onEnd: called when following ends, also by an error.
    ///   - show: called after each update; while it runs, commits are skipped.
    init<View: OrderedView>(
        _ database: Database, _ mappings: ViewMappings<View>, isChecked: Bool = false,
        onEnd: @escaping @Sendable () -> Void = {},
        show: @escaping @Sendable (ShownList, ListUpdate<View>) async throws -> Void = { _, _ in }
    ) where View.Element == Record<Flight, NoMetadata> {
        let updates = database.updates(of: mappings)
        task = Task {
            defer { onEnd() }
            var seen = Seen()
            var shown = ShownList()
            for try await update in updates {
                try shown.apply(update)
                if !update.isReload { seen.updates += 1 }
                seen.rowChanges += update.rowChanges.count
                for case .move in update.rowChanges.map(\.kind) { seen.moves += 1 }
                if isChecked {
                    let whole = ShownList(of: update.mappings, in: update.new)
                    let place = "kept by changes up to commit \(update.new.commitNumber)"
                    try OutOfStep.check(shown.sections, equal: whole.sections, place)
                }
                try await show(shown, update)
            }
            return seen
        }
    }

    /// Waits for the end of the updates, which is the closing of the database.
    /// - Throws: ``OutOfStep``, and what `show` throws.
    func finish() async throws -> Seen { try await task.value }
}

public import YaprakCore
public import YaprakExtensions

/// The updates of one list: one whenever something in it differs. See
/// `database.updates(of:since:reloadAbove:)`.
///
/// Its cursor is one snapshot and the mappings as of it. Nothing is buffered: while the consumer is busy, commits are
/// skipped, and the next update leads from what was delivered last to the newest snapshot at once. So nothing is
/// lost, nothing can get out of step, and a slow consumer costs a fast writer nothing.
public struct ListUpdates<View: OrderedView>: AsyncSequence, Sendable {
    /// One update of the list.
    public typealias Element = ListUpdate<View>
    /// The error if the view is no longer registered.
    public typealias Failure = any Error

    let snapshots: SnapshotSequence
    let mappings: ViewMappings<View>
    let start: Snapshot?
    let limit: Int

    /// An iterator with a cursor of its own. O(1).
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: snapshots.makeAsyncIterator(), mappings: mappings, start: start, limit: limit)
    }

    /// Delivers updates, and knows what it delivered.
    public struct Iterator: AsyncIteratorProtocol {
        private var snapshots: SnapshotSequence.Iterator
        private var mappings: ViewMappings<View>
        /// What the list shows already, until its state was read.
        private var start: Snapshot?
        /// What the list shows: the state that the mappings have.
        private var shown: ViewState?
        private let limit: Int

        init(snapshots: SnapshotSequence.Iterator, mappings: ViewMappings<View>, start: Snapshot?, limit: Int) {
            self.snapshots = snapshots
            self.mappings = mappings
            self.start = start
            self.limit = limit
        }

        /// The next update; waits until something in the list is different. `nil` when the database closes and when
        /// the task is cancelled.
        public mutating func next() async throws -> ListUpdate<View>? {
            while let newest = await snapshots.next() {
                if shown == nil, let start {
                    shown = try mappings.state(in: start)
                    self.start = nil
                }
                guard let old = shown else {
                    let before = mappings
                    try mappings.update(to: newest)
                    shown = try mappings.state(in: newest)
                    let changes = ListChanges.reload(rawChangeCount: mappings.itemCount)
                    return ListUpdate(
                        old: newest, new: newest, mappingsBefore: before, mappings: mappings, changes: changes)
                }
                let new = try mappings.state(in: newest)
                try mappings.fit(to: old)
                let before = mappings
                let changes: ListChanges
                do {
                    changes = try mappings.advance(from: old, to: new, reloadAbove: limit)
                } catch {
                    mappings = before
                    throw error
                }
                shown = new
                guard changes.hasChanges else { continue }
                return ListUpdate(
                    old: old.snapshot, new: newest, mappingsBefore: before, mappings: mappings, changes: changes)
            }
            return nil
        }
    }
}

extension Database {
    /// What happens in a list: an update whenever something in it is different.
    ///
    ///     for try await update in database.updates(of: sections) {
    ///         shown = update.new
    ///         if update.isReload { list.reloadData() } else { list.apply(update.sectionChanges, update.rowChanges) }
    ///     }
    ///
    /// The first element comes at once and is a reload: the list as it is now. With `shown`, the first element is what
    /// changed since that snapshot, if anything did. Commits that change nothing in the list are skipped.
    /// - Parameters:
    ///   - mappings: the list. Each iterator goes on with a copy of its own; ``ListUpdate/mappings`` is the list as of
    ///     each update.
    ///   - shown: the snapshot the list shows already.
    ///   - limit: if more rows than that changed in the groups of the list, the update is a reload.
    /// - Returns: a sequence that throws ``DatabaseError`` with the code `extensionNotRegistered` once a snapshot does not
    ///   have the view, and ends when the database closes and when its task is cancelled.
    /// - Complexity: for each update as ``ViewMappings/advance(from:to:reloadAbove:)``, in the consumer's task.
    public nonisolated func updates<View: OrderedView>(
        of mappings: ViewMappings<View>, since shown: Snapshot? = nil, reloadAbove limit: Int = .max
    ) -> ListUpdates<View> {
        ListUpdates(snapshots: snapshots, mappings: mappings, start: shown, limit: limit)
    }
}

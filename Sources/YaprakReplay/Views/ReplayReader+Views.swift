import YaprakCore
public import YaprakExtensions
public import YaprakLists
public import YaprakModel
import YaprakStorage

extension ReplayReader {
    /// The views that are in the files, in the order of their names.
    ///
    ///     for view in try reader.views() { print(view.name, view.kind, view.commitsDescription) }
    ///
    /// - Throws: `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(bytes of the log and of the checkpoints).
    public func views() throws -> [ReplayView] { try ViewSurvey(store).views }

    /// A view as of a commit, without the program's types: groups, positions, rows.
    ///
    ///     let then = try reader.view("salesRank", at: 42)
    ///     then.groupNames
    ///     then["sci-fi"].prefix(20).map(\.record.object)
    ///     then.place(of: "abc")                              // (group: "sci-fi", index: 3)
    ///
    /// - Parameters:
    ///   - name: the name under which the program registered it.
    ///   - number: the commit; the newest there is if `nil`.
    /// - Throws: `notFound` if the files have no such view; `viewNotShown`, which names the commits that can be shown, if
    ///   not as of this one; `corruptView` if its data are inconsistent; as ``snapshot(at:)-(CommitNumber?)``.
    /// - Complexity: as ``snapshot(at:)-(CommitNumber?)``.
    public func view(_ name: String, at number: CommitNumber? = nil) throws -> ViewReader<StoredRow> {
        try store.reading(asOf: number) { try snapshot(at: $0, ofView: name)[StoredView(name)] }
    }

    /// What happens in a list of a view between two commits, forwards or backwards: the same changes that the program's own
    /// list would get.
    ///
    ///     var sections = ViewMappings(StoredView("salesRank"), groups: ["fantasy", "sci-fi"])
    ///     sections.setRangeForAllGroups(.fixed(length: 20, from: .beginning))
    ///     let update = try reader.update(of: sections, from: 40, to: 42)
    ///     print(update.sectionChanges, update.rowChanges)
    ///
    /// - Returns: both snapshots, the mappings as of each, and the changes.
    /// - Throws: as ``view(_:at:)``.
    /// - Complexity: as ``snapshot(at:)-(CommitNumber?)`` for the later one, with a checkpoint before the earlier one.
    public func update(
        of mappings: ViewMappings<StoredView>, from old: CommitNumber, to new: CommitNumber
    ) throws -> ListUpdate<StoredView> {
        let states = try snapshots(at: [old, new], ofView: mappings.view.name)
        guard let before = states[old], let after = states[new] else { throw unexpected() }
        var mappingsBefore = mappings
        try mappingsBefore.update(to: before)
        var mappingsAfter = mappingsBefore
        let changes = try mappingsAfter.advance(from: before, to: after)
        return ListUpdate(
            old: before, new: after, mappingsBefore: mappingsBefore, mappings: mappingsAfter, changes: changes)
    }

    /// A snapshot that has the view.
    func snapshot(at number: CommitNumber, ofView name: String) throws -> Snapshot {
        guard let snapshot = try snapshots(at: [number], ofView: name)[number] else { throw unexpected() }
        return snapshot
    }

    /// Snapshots that have the view, with what they share in common.
    private func snapshots(at numbers: Set<CommitNumber>, ofView name: String) throws -> [CommitNumber: Snapshot] {
        guard let first = numbers.min() else { return [:] }
        var bases = try store.checkpoints().map(\.number).filter { $0 <= first }.sorted()
        if try store.logReachesBackToFirst() { bases.insert(.zero, at: 0) }
        var known: ReplayView?
        while true {
            let base = bases.popLast() ?? first
            let follower = ViewFollower(only: name)
            let states = try HistoryReader.states(at: numbers, of: store, startingAtOrBefore: base, follower)
                .mapValues { Snapshot($0) }
            if states.values.allSatisfy({ $0.isRegistered(name) }) { return states }
            if let damage = follower.damage[name] { throw damaged(name, damage, first) }
            // An older start may know of the view, where a checkpoint on the way was written without it.
            if known == nil { known = try showable(name, at: numbers) }
            while bases.last == base { bases.removeLast() }
            if bases.isEmpty { throw notShown(name, first, known) }
        }
    }

    /// The view, if it can be shown as of all of some commits.
    private func showable(_ name: String, at numbers: Set<CommitNumber>) throws -> ReplayView {
        let views = try views()
        guard let view = views.first(where: { $0.name == name }) else {
            let names = views.map(\.name.debugDescription).joined(separator: ", ")
            throw DatabaseError(
                .notFound,
                "there is no view \(quoted(name)) in these files, "
                    + (names.isEmpty ? "nor any other" : "which have \(names)")
                    + ". A program's view is in its files if its persistence says so.")
        }
        for number in numbers.sorted() where !view.canBeShown(at: number) { throw notShown(name, number, view) }
        return view
    }

    private func notShown(_ name: String, _ number: CommitNumber, _ view: ReplayView?) -> DatabaseError {
        DatabaseError(
            .viewNotShown,
            "the view \(quoted(name)) can't be shown as of commit \(number): the files don't have its rows of then. "
                + "The commits that can be shown are: \(view?.commitsDescription ?? "none"). "
                + "A view with persistence: .everyCommit can be shown as of each.",
            place: .init(commits: number...number))
    }

    private func damaged(_ name: String, _ what: String, _ number: CommitNumber) -> DatabaseError {
        DatabaseError(
            .corruptView,
            "the data of the view \(quoted(name)) in the files are inconsistent: \(what). No record is affected; the "
                + "program recomputes the view.",
            place: .init(commits: number...number))
    }

    private func unexpected() -> DatabaseError {
        DatabaseError(.commitOutOfReach, "the commits were pruned while they were read. Try again.")
    }
}

extension DatabaseError.Code {
    /// A view can't be shown as of a commit: neither a checkpoint nor the log has its rows.
    public static let viewNotShown = Self(rawValue: "viewNotShown")
    /// The data of a view in the files are inconsistent. Views are derived: no record is affected.
    public static let corruptView = Self(rawValue: "corruptView")
}

extension StoredRow {
    /// The record. O(1).
    public var record: ReplayRecord { ReplayRecord(raw) }
}

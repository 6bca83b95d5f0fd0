public import YaprakCore
public import YaprakModel
import YaprakStorage

/// The difference of two snapshots: one element for each record that differs.
///
///     for change in try reader.changes(from: 10, to: 20) {
///         print(change.collectionName, change.key, change.before?.object, change.after?.object)
///     }
///
/// Ordered by collection, in that by key. It is the difference of the two, not what happened in between: a record that was
/// written and has the same bytes as before is not among it.
public struct ReplayChanges: RandomAccessCollection, Sendable {
    /// The snapshot that is changed from.
    public let before: Snapshot
    /// The snapshot that is changed to.
    public let after: Snapshot
    private let changes: [ReplayChange]

    /// Compares two snapshots of one cursor, or of one reader's ``ReplayReader/changes(from:to:)``; also backwards.
    ///
    /// Others can be compared, too: all their records are compared then. So are those of a collection that has other types in
    /// one of the two, or none. The order of a `Set` is no difference then, and neither is a migration or another coder.
    /// - Complexity: O(*d* · log *n*) with *d* the nodes that the two don't share; O(*n*) for a collection with other types.
    public init(from before: Snapshot, to after: Snapshot) { self.init(from: before, to: after, checking: {}) }

    /// The same; `check` is called for each record that differs, and now and then before; what it throws ends the comparison.
    package init(from before: Snapshot, to after: Snapshot, checking check: () throws -> Void) rethrows {
        self.before = before
        self.after = after
        var changes: [ReplayChange] = []
        // Rows of other types are the same records all the same: those are compared as bytes.
        var retyped = after.collectionNames(withOtherTypesThanIn: before)[...]
        let names =
            retyped.isEmpty ? nil : Set(before.collectionNames).union(after.collectionNames).subtracting(retyped)
        // Trees differ in the order of keys; collections come in the order in which they were made.
        let difference = try after.difference(since: before, in: names, checking: check).orderedByName
        // What was written when means nothing between states that were read one without the other.
        let isRelated = after.isRelated(to: before)
        try difference.forEachRaw { collection, kinds, old, new in
            try check()
            while let name = retyped.first, name < collection {
                retyped.removeFirst()
                changes += try ReplayChange.changes(inCollectionNamed: name, from: before, to: after, checking: check)
            }
            let old = old.map { ReplayRecord($0) }
            let new = new.map { ReplayRecord($0) }
            if old != new {
                let kinds = isRelated ? kinds : ReplayRecord.kinds(from: old, to: new)
                changes.append(ReplayChange(collectionName: collection, kinds: kinds, before: old, after: new))
            }
        }
        for name in retyped {
            changes += try ReplayChange.changes(inCollectionNamed: name, from: before, to: after, checking: check)
        }
        self.changes = changes
    }

    /// The same for collections with types: `netChanges.changes(in: .books)`. Records that were written and are what they
    /// were are among it; of two snapshots that share nothing, all records are, and their kinds say nothing. Of a collection that
    /// has other types in ``before``, all records are inserted.
    /// - Complexity: as ``init(from:to:)``, at each call.
    public var netChanges: NetChanges { after.difference(since: before) }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of records that differ. O(1).
    public var endIndex: Int { changes.count }
    /// The change at a position. O(1).
    /// - Precondition: the position is within `0..<count`.
    public subscript(position: Int) -> ReplayChange { changes[position] }
}

extension ReplayRecord {
    /// What is different of a record.
    fileprivate static func kinds(from old: ReplayRecord?, to new: ReplayRecord?) -> ChangeKinds {
        guard let old else { return .inserted }
        guard let new else { return .removed }
        var kinds: ChangeKinds = []
        if old.objectBytes != new.objectBytes { kinds.insert(.objectChanged) }
        if old.metadataBytes != new.metadataBytes { kinds.insert(.metadataChanged) }
        return kinds.isEmpty ? [.objectTouched, .metadataTouched] : kinds
    }
}

/// One record that differs between two snapshots.
public struct ReplayChange: Sendable, Hashable {
    /// The name of the collection.
    public let collectionName: String
    /// What happened to the record between the two.
    public let kinds: ChangeKinds
    /// The record before; `nil` if it was not there. Where a record took the place of bytes that were set aside
    /// (`UndecodablePolicy.setAside`), these bytes, though its kind is `inserted`.
    public let before: ReplayRecord?
    /// The record after; `nil` if it is not there any more.
    public let after: ReplayRecord?

    package init(collectionName: String, kinds: ChangeKinds, before: ReplayRecord?, after: ReplayRecord?) {
        self.collectionName = collectionName
        self.kinds = kinds
        self.before = before
        self.after = after
    }

    /// The key. O(1).
    public var key: String { (after ?? before)?.key ?? "" }
}

extension ReplayChange {
    /// How the records of a collection differ between two snapshots: key by key, whatever types its rows have in either. Records
    /// with other bytes are the same if they are, as values of the type that one of the two has.
    ///
    /// - Parameter check: is called before the first record and each 4,096th; what it throws ends the comparison.
    /// - Complexity: O(*n*) in the records of both.
    package static func changes(
        inCollectionNamed name: String, from before: Snapshot, to after: Snapshot, checking check: () throws -> Void
    ) rethrows -> [ReplayChange] {
        var (old, new) = (before.untyped(name).makeIterator(), after.untyped(name).makeIterator())
        var (left, right) = (old.next(), new.next())
        // What one of the two has set aside is there, too.
        let (older, newer) = (PresentRecords(in: before), PresentRecords(in: after))
        func isSame(_ from: ReplayRecord?, _ to: ReplayRecord?) -> Bool {
            guard let from, let to else { return false }
            return newer.form(from, in: name) == newer.now(to.key, in: name)
                || older.form(to, in: name) == older.now(from.key, in: name)
        }
        var changes: [ReplayChange] = []
        var count = 0
        while left != nil || right != nil {
            if count & 4095 == 0 { try check() }
            count += 1
            // The lesser key of the two comes first; where both have it, it is one record.
            let isOld = left.map { left in right.map { !$0.key.precedesInBytes(left.key) } ?? true } ?? false
            let isNew = right.map { right in left.map { !$0.key.precedesInBytes(right.key) } ?? true } ?? false
            let from = isOld ? left : right.flatMap { older.now($0.key, in: name) }
            let to = isNew ? right : left.flatMap { newer.now($0.key, in: name) }
            if from != to, !isSame(from, to) {
                let kinds = ReplayRecord.kinds(from: from, to: to)
                changes.append(ReplayChange(collectionName: name, kinds: kinds, before: from, after: to))
            }
            if isOld { left = old.next() }
            if isNew { right = new.next() }
        }
        return changes
    }
}

extension ReplayReader {
    /// The changes from one commit to another, forwards or backwards.
    ///
    ///     let undo = try reader.changes(from: 20, to: 10)
    ///
    /// Both snapshots come with it, and share what they have in common. Where commits between the two can't be read, a
    /// checkpoint behind those leads to the later one. An extension that can't follow on the way has the two states alone.
    /// - Throws: as ``snapshot(at:)-(CommitNumber?)``.
    /// - Complexity: O(bytes of the checkpoint before the earlier one, and of the log from there to the later one).
    public func changes(from source: CommitNumber, to target: CommitNumber) throws -> ReplayChanges {
        let (earlier, later) = try snapshots(at: min(source, target), max(source, target))
        return ReplayChanges(from: source <= target ? earlier : later, to: source <= target ? later : earlier)
    }

    private func snapshots(at earlier: CommitNumber, _ later: CommitNumber) throws -> (Snapshot, Snapshot) {
        let line = try HistoryLine(of: store, at: earlier, types)
        let first = Snapshot(line.state)
        guard earlier < later else { return (first, first) }
        do {
            var commits = try store.commits(from: earlier.next(), through: later)
            while let stored = try commits.next() { try line.apply(ReplayCommit(stored).logged) }
        } catch let error as DatabaseError
            where [.corruptLog, .commitOutOfReach, .extensionFailed].contains(error.code)
        {
            // A checkpoint behind what can't be read may lead there, and what an extension can't follow may be gone there.
            return (first, Snapshot(try HistoryLine(of: store, at: later, types).state))
        }
        guard line.state.commitNumber == later else { throw outOfReach(later, line.state.commitNumber) }
        return (first, Snapshot(line.state))
    }

    func outOfReach(_ wanted: CommitNumber, _ newest: CommitNumber) -> DatabaseError {
        DatabaseError(
            .commitOutOfReach, "commit \(wanted) is not in these files; the newest there is is \(newest).",
            place: .init(commits: min(wanted, newest)...max(wanted, newest)))
    }
}

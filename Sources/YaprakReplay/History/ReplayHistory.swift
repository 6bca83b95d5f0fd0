public import YaprakCore
import YaprakModel
import YaprakStorage

/// What happened to one record, commit by commit.
///
///     for try await revision in reader.history(ofKey: "abc", inCollectionNamed: "books") {
///         print(revision.commit.commitNumber, revision.before?.object, revision.after?.object)
///     }
///
/// Oldest first, as far back as the files reach. A removal of everything is one of this record, if it was there. Where a
/// repair left a hole in the log, it goes on behind the next checkpoint, with the record as it is there. The iterator blocks
/// while it reads files, so that it serves a synchronous `while let revision = try revisions.next()` as well.
public struct ReplayHistory: AsyncSequence, Sendable {
    /// A revision.
    public typealias Element = ReplayRevision

    let reader: ReplayReader
    let key: String
    let collection: String

    /// An iterator that starts at the beginning. O(1).
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Delivers revisions.
    public struct Iterator: AsyncIteratorProtocol {
        private let history: ReplayHistory
        private var commits: ReplayCommits.Iterator?
        private var record: RawRecord?
        /// Whether the last answer is not the end: reading was to stop.
        package private(set) var isStopped = false
        /// The commit that comes next, unless there is a hole.
        private var expected = CommitNumber.zero
        /// The commit that `record` is as of: commits up to it are passed by.
        private var known = CommitNumber.zero

        init(_ history: ReplayHistory) { self.history = history }

        /// The next commit that concerns the record, or `nil` at the end.
        ///
        /// - Throws: `commitOutOfReach`, `corruptLog`, `corruptCheckpoint`, `newerFormat`, `permissionDenied`, `ioFailed`,
        ///   `overLimit`.
        /// - Complexity: O(bytes of the log up to it); the first time also O(bytes of the oldest checkpoint, if the log does
        ///   not reach back to the first commit).
        public mutating func next() throws -> ReplayRevision? { try next(unless: { false }) }

        /// The same, unless reading is to stop; asks after each commit that does not concern the record.
        ///
        /// - Returns: `nil` at the end, or with ``isStopped`` where it stopped: another call goes on from there.
        package mutating func next(unless isStopped: () -> Bool) throws -> ReplayRevision? {
            self.isStopped = false
            if commits == nil { try begin() }
            while let commit = try commits?.next() {
                if commit.commitNumber > expected { try goOn(before: commit.commitNumber) }
                expected = commit.commitNumber.next()
                guard commit.commitNumber > known else { continue }
                guard let (kinds, after) = commit.logged.effect(on: history.key, of: history.collection, was: record)
                else {
                    self.isStopped = isStopped()
                    if self.isStopped { return nil }
                    continue
                }
                defer { record = after }
                return ReplayRevision(
                    commit: commit, kinds: kinds, before: record.map { ReplayRecord($0) },
                    after: after.map { ReplayRecord($0) })
            }
            return nil
        }

        private mutating func begin() throws {
            let start = try history.reader.oldestReachableCommitNumber()
            if start > .zero {
                let untyped = try HistoryReader.state(at: start, of: history.reader.store)
                record = Snapshot(untyped).rawCollection(history.collection)?[history.key]
            }
            (known, expected) = (start, start.next())
            guard try history.reader.store.hasLog() else { return }
            commits = history.reader.commits(from: start.next()).makeAsyncIterator()
        }

        /// Takes the record from the first checkpoint behind a hole, which ends before a commit.
        private mutating func goOn(before number: CommitNumber) throws {
            let store = history.reader.store
            for checkpoint in try store.checkpoints() where checkpoint.number.next() >= number {
                guard let state = try? HistoryReader.state(at: checkpoint.number, of: store) else { continue }
                record = Snapshot(state).rawCollection(history.collection)?[history.key]
                known = checkpoint.number
                return
            }
            // Nothing says what the record was in between.
            known = CommitNumber(.max)
        }
    }
}

/// What one commit did to one record.
public struct ReplayRevision: Sendable {
    /// The commit.
    public let commit: ReplayCommit
    /// What happened to the record.
    public let kinds: ChangeKinds
    /// The record before; `nil` if it was not there.
    public let before: ReplayRecord?
    /// The record after; `nil` if it is not there any more.
    public let after: ReplayRecord?
}

extension ReplayReader {
    /// What happened to the record under `key`, oldest first. O(1) to make.
    public func history(ofKey key: String, inCollectionNamed name: String) -> ReplayHistory {
        ReplayHistory(reader: self, key: key.normalizedKey, collection: name.normalizedKey)
    }
}

extension LoggedCommit {
    /// What the commit made of a record; `nil` if it left it alone.
    fileprivate func effect(
        on key: String, of collection: String, was record: RawRecord?
    ) -> (ChangeKinds, RawRecord?)? {
        var after = clearedAll ? nil : record
        var kinds: ChangeKinds?
        for changes in collections where changes.name == collection {
            if changes.isCleared { after = nil }
            for operation in changes.operations where operation.key.normalizedKey == key {
                kinds = operation.kinds
                after =
                    operation.kinds.contains(.removed)
                    ? nil : PendingRecord(operation, changes.version).record(key, over: after, stamp: 0)
            }
        }
        if let kinds { return record == nil && after == nil ? nil : (kinds, after) }
        return record != nil && after == nil ? (.removed, nil) : nil
    }
}

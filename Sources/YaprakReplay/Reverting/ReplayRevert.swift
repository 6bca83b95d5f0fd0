public import YaprakCore
public import YaprakModel

/// The reverse of some commits: for each record they changed, what it was before.
///
///     let revert = try reader.revert(of: 17...17, in: database.snapshot)
///     for conflict in revert.conflicts { print(conflict.key, "was changed since") }
///
/// A record that is still as the commits left it becomes what it was before them. One that was changed since is a conflict.
/// One that already is what it was needs nothing. Commits that removed everything are reverted like any other. Records are
/// compared as values of the type that is bound in the snapshot, so that a migration or another coder since is no change, and
/// a record that was set aside is one that is there; without a type, byte for byte. The order of a `Set` is no change. That of a
/// type of the program's own is one, where it encodes the same elements in another order each time.
///
/// Only records are reverted. Operations of primary extensions stay; ``extensionNames`` names the extensions whose state
/// the commits changed that way.
public struct ReplayRevert: Sendable {
    /// A record that is to become what it was.
    public struct Change: Sendable, Hashable {
        /// The name of the collection.
        public let collectionName: String
        /// The key.
        public let key: String
        /// What it is now; `nil` if it is not there.
        public let now: ReplayRecord?
        /// What the commits left; `nil` if they removed it.
        public let left: ReplayRecord?
        /// What it was before them, and is to become; `nil` if it was not there.
        public let then: ReplayRecord?
        /// Whether it was changed since; of a revert of some fields, whether one of them was.
        public let isConflict: Bool
        /// The chosen fields that become what they were; `nil` if all of the record does.
        let fields: Set<String>?

        /// The same as a change from what the record is to what it was.
        package var change: ReplayChange {
            var kinds: ChangeKinds = now == nil ? .inserted : then == nil ? .removed : []
            if kinds.isEmpty, now?.objectBytes != then?.objectBytes { kinds.insert(.objectChanged) }
            if kinds.isDisjoint(with: [.inserted, .removed]), now?.metadataBytes != then?.metadataBytes {
                kinds.insert(.metadataChanged)
            }
            return ReplayChange(collectionName: collectionName, kinds: kinds, before: now, after: then)
        }
    }

    /// The commits.
    public let commits: ClosedRange<CommitNumber>
    /// Every record that is not what it was before the commits, conflicts included; ordered by collection and key.
    public let changes: [Change]
    /// The primary extensions whose operations the commits logged, ascending.
    public let extensionNames: [String]
    /// Which of the commits are reverted wholly or in part.
    let coverage: Coverage

    /// What undoes the changes of a commit in a snapshot: records that are what they were before need nothing.
    ///
    /// - Parameter check: is called before each; what it throws ends the work.
    package static func changes(
        undoing changes: some Sequence<ReplayChange>, in snapshot: Snapshot, checking check: () throws -> Void
    ) rethrows -> [Change] {
        let present = PresentRecords(in: snapshot)
        var found: [Change] = []
        for change in changes {
            try check()
            let span = Choice.Span(
                collectionName: change.collectionName, key: change.key, then: change.before, left: change.after)
            if let change = span.reverted(in: present) { found.append(change) }
        }
        return found
    }

    /// The records that were changed since.
    public var conflicts: [Change] { changes.filter(\.isConflict) }
}

extension ReplayReader {
    /// The changes that revert commits in a snapshot, such as the newest.
    ///
    /// The files are read without the types that the reader was given: those that count are the snapshot's.
    ///
    /// - Parameters:
    ///   - commits: the commits to revert.
    ///   - snapshot: of this database; its commits include those that are reverted.
    ///   - choice: what of the commits to revert.
    /// - Throws: `commitOutOfReach` if the files don't lead to the commits, or to the one before them; `corruptLog`,
    ///   `corruptCheckpoint`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: as ``changes(from:to:)``.
    public func revert(
        of commits: ClosedRange<CommitNumber>, in snapshot: Snapshot, choosing choice: ReplayRevert.Choice = .init()
    ) throws -> ReplayRevert {
        try revert(of: commits, in: snapshot, choosing: choice, unless: { false })
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks now and then.
    ///
    /// - Throws: `CancellationError` if `isCancelled` was true; as the other.
    package func revert(
        of commits: ClosedRange<CommitNumber>, in snapshot: Snapshot, choosing choice: ReplayRevert.Choice,
        unless isCancelled: @escaping () -> Bool
    ) throws -> ReplayRevert {
        let logged = try ReplayRevert.LoggedChanges(of: commits, choice, untyped, in: snapshot, unless: isCancelled)
        return logged.revert(in: snapshot)
    }
}

/// The records that were changed since, of a revert that was not forced. Nothing was written.
public struct ReplayRevertConflict: Error, Sendable, CustomStringConvertible {
    /// The revert.
    public let revert: ReplayRevert

    /// The conflicts of a revert.
    public init(revert: ReplayRevert) { self.revert = revert }

    /// Which records, the first few.
    public var description: String {
        let conflicts = revert.conflicts
        let shown = conflicts.prefix(3).map { "\($0.key.debugDescription) of \($0.collectionName.debugDescription)" }
        let more = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
        return "\(shown.joined(separator: ", "))\(more) changed since"
    }
}

extension Database {
    /// Reverts commits as one new commit: each record that they changed becomes what it was before them.
    ///
    ///     let revert = try await database.revert(17...17)
    ///
    /// The new commit's info is `{"reverts": [17]}`; extensions follow it as they follow any other. Of a choice it names the
    /// commits that a chosen change is of, and under `partly` those of them of which something stays:
    /// `{"reverts": [16, 17], "partly": [17]}`. If there is nothing to do, no commit is made. What happened in between stays
    /// in the history.
    ///
    /// The commits are read from the files first, on a thread that no task waits for; other writes go on meanwhile. The write's
    /// own turn reads no file: it compares what was read with what the records are then. What is changed or pruned in between
    /// is no fault: a record that was changed is a conflict.
    ///
    /// Reactions and the rules of relationships run as for any write, but what is reverted becomes what it was whatever they
    /// write there: what they wrote in the commits is reverted with them.
    ///
    /// - Parameters:
    ///   - overwritesConflicts: whether records that were changed since are reverted, too.
    ///   - choice: what of the commits to revert.
    /// - Returns: what was written.
    /// - Throws: ``ReplayRevertConflict`` if records were changed since; `commitOutOfReach` if the log does not reach back, does
    ///   not have the commits yet, or there is none, in memory; `notFound`, `notADatabase`, `corruptLog`, `corruptCheckpoint`,
    ///   `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit` where files are read; `undecodableRecord`, `migrationFailed`
    ///   where a record does not fit the type that is bound now; `CancellationError` if the task is cancelled before the write
    ///   begins; and as `write`. Nothing was changed then.
    /// - Complexity: as ``ReplayReader/changes(from:to:)``; in the write's turn, O(*c* · log *n*) with *c* the changes of the
    ///   commits. Reading what happened to all records of a range is not ended by cancelling the task.
    @discardableResult
    public nonisolated(nonsending) func revert(
        _ commits: ClosedRange<CommitNumber>, choosing choice: ReplayRevert.Choice = .init(),
        overwritesConflicts: Bool = false, origin: String = "revert"
    ) async throws -> ReplayRevert {
        try await revert(
            commits, choosing: choice, overwritesConflicts: overwritesConflicts, origin: origin, unless: { false })
    }

    /// The same, unless it takes so long that nobody waits for it any more. `isCancelled` ends it as cancelling the task does.
    package nonisolated(nonsending) func revert(
        _ commits: ClosedRange<CommitNumber>, choosing choice: ReplayRevert.Choice, overwritesConflicts: Bool,
        origin: String, unless isCancelled: @escaping @Sendable () -> Bool
    ) async throws -> ReplayRevert {
        guard let path, let makeStoreReader else {
            throw DatabaseError(
                .commitOutOfReach, "a database in memory keeps no log. Keep a snapshot, and restore that.",
                place: .init(commits: commits))
        }
        return try await revert(
            commits, choosing: choice, overwritesConflicts: overwritesConflicts, origin: origin,
            by: { ReplayReader(path, makeStoreReader()) }, unless: isCancelled)
    }

    /// The same, with a reader of these files that is made where it may block.
    nonisolated(nonsending) func revert(
        _ commits: ClosedRange<CommitNumber>, choosing choice: ReplayRevert.Choice, overwritesConflicts: Bool,
        origin: String, by makeReader: @escaping @Sendable () throws -> ReplayReader,
        unless isCancelled: @escaping @Sendable () -> Bool = { false }
    ) async throws -> ReplayRevert {
        // Before the turn: other writes go on while files are read.
        let seen = snapshot
        let logged = try await BlockingWork.run { cancellation in
            try ReplayRevert.LoggedChanges(of: commits, choice, makeReader(), in: seen) {
                cancellation.isCancelled || isCancelled()
            }
        }
        try Task.checkCancellation()
        if isCancelled() { throw CancellationError() }
        return try await write(origin: origin) { transaction in
            let revert = logged.revert(in: transaction.before)
            guard overwritesConflicts || revert.conflicts.isEmpty else { throw ReplayRevertConflict(revert: revert) }
            try transaction.undo(revert.changes)
            if !revert.changes.isEmpty { transaction.setInfo(RevertInfo(reverts: revert)) }
            return revert
        }
    }
}

extension WriteTransaction {
    /// Makes records what they were.
    ///
    /// Reactions run, for what the records were part of and was not reverted, such as a sum in a record that was not chosen.
    /// Where they write a record that is reverted, it becomes what it was all the same: what it was had their share already.
    /// Of a revert of some fields, those that it changes; reactions may write others, chosen or not.
    package mutating func undo(_ changes: some Sequence<ReplayRevert.Change>) throws {
        for change in changes { try undo(change) }
        try runReactions { transaction, snapshot in
            let present = PresentRecords(in: snapshot)
            for change in changes {
                let now = present.now(change.key, in: change.collectionName)
                let span = ReplayRevert.Choice.Span(
                    collectionName: change.collectionName, key: change.key, then: change.then, left: now)
                let rest: ReplayRevert.Change?
                if let fields = change.fields {
                    rest = span.reverting(fields, in: present)
                } else {
                    rest = span.reverted(in: present)
                }
                if let rest { try transaction.undo(rest) }
            }
        }
    }

    /// Makes a record what it was.
    private mutating func undo(_ change: ReplayRevert.Change) throws {
        if let then = change.then {
            try put(
                object: then.objectBytes, metadata: then.metadataBytes, version: then.version, for: change.key,
                inCollectionNamed: change.collectionName)
        } else {
            removeUntyped(change.key, inCollectionNamed: change.collectionName)
        }
    }
}

/// What a revert attaches to its commit.
private struct RevertInfo: Codable, Sendable {
    var reverts: [UInt64]
    var partly: [UInt64]?

    init(reverts revert: ReplayRevert) {
        reverts = revert.coverage.reverted.map(\.rawValue)
        partly = revert.coverage.partly.isEmpty ? nil : revert.coverage.partly.map(\.rawValue)
    }
}

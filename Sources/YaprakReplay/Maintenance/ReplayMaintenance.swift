public import SystemPackage
import YaprakCore
public import YaprakModel
import YaprakStorage

/// Checkpoints and the pruning of history, without the program's types.
///
///     let maintenance = ReplayMaintenance("shop.yaprak")
///     try maintenance.checkpoint()
///     print(try maintenance.compact(keeping: .commits(1000), isDryRun: true).removedByteCount)
///
/// Each call opens the database as the engine does, takes its lock, and closes it: no program may have it open. A dry run does
/// that, too. Where the database was not closed before, that removes temporary files, writes commits again that are not proven
/// durable, and ends the log. To look at files that are to stay as they are, read them with a ``ReplayReader``.
///
/// Records stay the bytes they are; the state of primary extensions is kept. What a checkpoint keeps of views belongs to its
/// commit: a checkpoint that is written here has nothing of them, and they are recomputed at the next launch.
public struct ReplayMaintenance: Sendable {
    /// What was done, or would be.
    public struct Outcome: Sendable, Hashable {
        /// The newest commit.
        public let commitNumber: CommitNumber
        /// Whether a checkpoint of it had to be written.
        public let writesCheckpoint: Bool
        /// Views that are recomputed at the next launch because of that.
        public let viewsWithoutState: [String]
        /// Files that were removed, relative to the directory.
        public let removedFiles: [String]
        /// Their bytes.
        public let removedByteCount: UInt64
        /// The oldest commit whose state can be had afterwards; 0 is the empty database.
        public let oldestReachableCommitNumber: CommitNumber
    }

    /// The directory.
    public let path: FilePath

    /// Maintenance of the database at a path. O(1).
    public init(_ path: FilePath) { self.path = path }

    /// Writes a checkpoint of the newest commit, unless there is one. Nothing is removed.
    ///
    /// - Throws: `alreadyOpen`, `notFound`, `notADatabase`, `corruptLog`, `corruptCheckpoint`, `newerFormat`,
    ///   `permissionDenied`, `ioFailed`, `overLimit`, `diskFull`, `writeFailed`, `syncFailed`.
    /// - Complexity: O(records of the database, bytes of the log since its newest checkpoint).
    @discardableResult
    public func checkpoint() throws -> Outcome { Outcome(try Maintenance(path).checkpoint()) }

    /// Writes a checkpoint of the newest commit, unless there is one, and removes the history that `retention` gives up.
    ///
    /// - Parameters:
    ///   - retention: how much history to keep.
    ///   - isDryRun: reports what would be removed, removes none of it and writes no checkpoint. The database is opened and
    ///     closed as ever.
    /// - Throws: as ``checkpoint()``; `writeFailed` also if files could not be removed. - Complexity: as ``checkpoint()``.
    @discardableResult
    public func compact(keeping retention: Retention, isDryRun: Bool = false) throws -> Outcome {
        Outcome(try Maintenance(path).compact(retention, isDryRun: isDryRun))
    }

    /// Removes the whole history: what is left are two equal checkpoints of the newest state, and an empty log.
    ///
    /// Nothing that was deleted or overwritten stands in any file of the directory afterwards. The device may keep it in
    /// blocks that no file has, and so may backups and forks.
    /// - Parameter isDryRun: reports what would be removed, removes none of it and writes no checkpoint. The database is opened
    ///   and closed as ever.
    /// - Throws: as ``checkpoint()``. - Complexity: as ``checkpoint()``.
    @discardableResult
    public func purgeHistory(isDryRun: Bool = false) throws -> Outcome {
        Outcome(try Maintenance(path).purge(isDryRun: isDryRun))
    }
}

extension ReplayReader {
    /// Writes the newest state into a new directory: one checkpoint, no log, and the tags. A program may be writing meanwhile.
    ///
    /// Nothing that was deleted or overwritten stands in any file of the new directory, also if the process is killed before
    /// it has its name.
    /// - Throws: `alreadyExists`, `notFound` if there is no such parent directory; `corruptLog`, `corruptCheckpoint`,
    ///   `corruptTags`, `newerFormat`, `diskFull`, `writeFailed`, `syncFailed`. There is no new directory then, unless the sync
    ///   of its name failed. - Complexity: O(bytes of the nearest checkpoint and of the log since then).
    package func writeState(to path: FilePath) throws -> ReplayMaintenance.Outcome {
        ReplayMaintenance.Outcome(
            try Maintenance.writeState(of: store, to: path) { number in
                try tags().filter { $0.number <= number }.flatMap { Array("\($0.name) \($0.number)\n".utf8) }
            })
    }
}

extension ReplayMaintenance.Outcome {
    init(_ outcome: Maintenance.Outcome) {
        self.init(
            commitNumber: outcome.number, writesCheckpoint: outcome.writesCheckpoint,
            viewsWithoutState: outcome.dropped,
            removedFiles: outcome.pruned.checkpoints.map(\.file) + outcome.pruned.segments,
            removedByteCount: outcome.pruned.bytes, oldestReachableCommitNumber: outcome.pruned.oldestKept)
    }
}

package import SystemPackage

/// Reads a database directory without a lock and without writing, also while a writer is at work.
///
///     let reader = try StoreReader.open("shop.yaprak")
///     var commits = try reader.commits(from: 100)
///     while let commit = try commits.next() { print(commit.number, commit.item.count) }
package final class StoreReader: Sendable {
    /// Opens a directory for reading.
    ///
    /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
    package static func open(
        _ path: FilePath, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> StoreReader { throw unbuilt }

    /// A segment of the log.
    package struct Segment: Sendable {
        package let file: String
        package let bytes: UInt64
        package let first: CommitNumber
        package let epoch: UInt64
        /// The newest commit in it; nil for one without commits, or without a header that verifies.
        package let last: CommitNumber?
        package let createdNs: Int64
        /// When the last group was written, from the seal.
        package let lastWrittenNs: Int64?
        package let isSealed: Bool
    }

    /// A checkpoint file.
    package struct Checkpoint: Sendable {
        package let file: String
        package let bytes: UInt64
        package let number: CommitNumber
        package let createdNs: Int64
    }

    /// One commit as it lies in the log.
    package struct Commit: Sendable {
        package let number: CommitNumber
        package let item: [UInt8]
        /// The file and the offset of the frame it came from.
        package let file: String
        package let offset: UInt64
        /// The bytes of the frame's payload as stored.
        package let frameStoredBytes: Int
    }

    /// Walks commits in order. Ends at the newest complete commit at the time of the call.
    package struct Commits {
        /// The next commit, or nil at the end.
        ///
        /// - Throws: `corruptLog`, `ioFailed`, `commitOutOfReach` (pruned meanwhile).
        package mutating func next() throws(DatabaseError) -> Commit? { throw unbuilt }
    }

    /// The identity of the database.
    package var databaseID: DatabaseID { DatabaseID(high: 0, low: 0) }
    /// The segments, oldest first, as the directory lists them now.
    package func segments() throws(DatabaseError) -> [Segment] { throw unbuilt }
    /// The checkpoints, oldest first, as the directory lists them now; not yet verified.
    package func checkpoints() throws(DatabaseError) -> [Checkpoint] { throw unbuilt }
    /// Verifies and opens a checkpoint.
    package func openCheckpoint(_ number: CommitNumber) throws(DatabaseError) -> CheckpointReader { throw unbuilt }
    /// The newest checkpoint at or before `number` that verifies; nil if there is none.
    package func checkpoint(atOrBefore number: CommitNumber) throws(DatabaseError) -> CheckpointReader? { throw unbuilt }
    /// The commits from `first` on, to `last` or the newest there is.
    ///
    /// - Throws: `commitOutOfReach` if `first` is older than the log.
    package func commits(
        from first: CommitNumber, through last: CommitNumber? = nil
    ) throws(DatabaseError) -> Commits { throw unbuilt }
    /// The newest complete commit there is now.
    package func newest() throws(DatabaseError) -> CommitNumber { throw unbuilt }
    /// Checks the directory. Level 0: names, headers, chain, gaps. Level 1: every sum, decompression, every item.
    package func verify(level: Int) throws(DatabaseError) -> VerifyReport { throw unbuilt }
}

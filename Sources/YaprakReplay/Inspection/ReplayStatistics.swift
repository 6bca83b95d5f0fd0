import YaprakCore
public import YaprakModel
import YaprakStorage

/// What is in a database directory: files, commits, records.
///
///     let statistics = try reader.statistics()
///     print(statistics.newestCommitNumber, statistics.logByteCount, statistics.records)
public struct ReplayStatistics: Sendable {
    /// A file of the log.
    public struct Segment: Sendable, Hashable {
        /// The name, relative to the directory.
        public let file: String
        /// Its length; space that is taken ahead included.
        public let byteCount: UInt64
        /// The first commit in it, or the one it waits for.
        public let firstCommitNumber: CommitNumber
        /// The last commit in it; `nil` if it has none yet.
        public let lastCommitNumber: CommitNumber?
        /// Whether it is complete: nothing will be appended.
        public let isSealed: Bool
    }

    /// A checkpoint.
    public struct Checkpoint: Sendable, Hashable {
        /// The name, relative to the directory.
        public let file: String
        /// Its length.
        public let byteCount: UInt64
        /// The commit whose state it is.
        public let commitNumber: CommitNumber
        /// When it was begun, in nanoseconds since 1970.
        public let nanosecondsSince1970: Int64
    }

    /// The identity in every file of the database: thirty-two hexadecimal digits; empty before the first commit, which makes the
    /// first file.
    public let databaseID: String
    /// The newest commit; 0 in a new database.
    public let newestCommitNumber: CommitNumber
    /// The commits in the log; `nil` if it has none.
    public let commits: ClosedRange<CommitNumber>?
    /// The earliest and the latest time at which a commit of the log was made, in nanoseconds since 1970.
    public let nanosecondsSince1970: ClosedRange<Int64>?
    /// The changes of single records in the log.
    public let changeCount: Int
    /// The bytes of the log's commits before compression.
    public let rawByteCount: UInt64
    /// The commits of the log and their changes, over time.
    public let activity: ReplayActivity
    /// The records of each collection in the newest state, in the order of the names.
    public let records: [(collectionName: String, count: Int)]
    /// The segments of the log, oldest first.
    public let segments: [Segment]
    /// The checkpoints, oldest first.
    public let checkpoints: [Checkpoint]

    /// The bytes of all segments.
    public var logByteCount: UInt64 { segments.reduce(0) { $0.addingClamped($1.byteCount) } }
    /// The bytes of all checkpoints.
    public var checkpointByteCount: UInt64 { checkpoints.reduce(0) { $0.addingClamped($1.byteCount) } }
}

extension ReplayReader {
    /// Counts what there is.
    ///
    /// - Throws: `notADatabase` if no file has a header that verifies; `corruptLog`, `corruptCheckpoint`, `newerFormat`,
    ///   `commitOutOfReach` if the files lead to no state; `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(bytes of the log and of the newest checkpoint).
    public func statistics() throws -> ReplayStatistics {
        let id = try isBlank() ? "" : "\(store.databaseID())"
        let oldest = try oldestCommitNumber()
        var first: ReplayCommit?, last: ReplayCommit?
        var changes = 0, rawBytes: UInt64 = 0, activity = ReplayActivity()
        var earliest = Int64.max, latest = Int64.min
        if let oldest {
            var commits = commits(from: oldest).makeAsyncIterator()
            while let commit = try commits.next() {
                first = first ?? commit
                last = commit
                changes += commit.changeCount
                activity.add(commit.nanosecondsSince1970, changes: commit.changeCount)
                earliest = min(earliest, commit.nanosecondsSince1970)
                latest = max(latest, commit.nanosecondsSince1970)
                rawBytes += UInt64(commit.byteCount)
            }
        }
        let snapshot = try snapshot()
        return ReplayStatistics(
            databaseID: id, newestCommitNumber: snapshot.commitNumber,
            commits: first.flatMap { first in last.map { first.commitNumber...$0.commitNumber } },
            nanosecondsSince1970: earliest <= latest ? earliest...latest : nil,
            changeCount: changes, rawByteCount: rawBytes, activity: activity,
            records: snapshot.collectionNames.map { ($0, snapshot.count(inCollectionNamed: $0)) },
            segments: try segments(), checkpoints: try checkpoints())
    }

    /// The files of the log, oldest first.
    ///
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(number of frames the first time): their headers are read.
    public func segments() throws(DatabaseError) -> [ReplayStatistics.Segment] {
        try store.segments().map {
            .init(
                file: $0.file, byteCount: $0.bytes, firstCommitNumber: $0.first, lastCommitNumber: $0.last,
                isSealed: $0.isSealed)
        }
    }

    /// The checkpoints, oldest first. They are not verified.
    ///
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit`. - Complexity: O(number of checkpoints).
    public func checkpoints() throws(DatabaseError) -> [ReplayStatistics.Checkpoint] {
        try store.checkpoints().map {
            .init(file: $0.file, byteCount: $0.bytes, commitNumber: $0.number, nanosecondsSince1970: $0.createdNs)
        }
    }
}

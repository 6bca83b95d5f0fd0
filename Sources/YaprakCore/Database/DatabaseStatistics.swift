public import YaprakModel
import YaprakStorage
import YaprakTrees

/// Counts of a database at one moment: for metrics, and to find out who keeps memory.
///
///     let statistics = database.statistics
///     print(statistics.heldStateCount, statistics.oldestHeldState?.commitNumber ?? 0)
public struct DatabaseStatistics: Sendable, Hashable {
    /// A state that is in memory.
    public struct HeldState: Sendable, Hashable {
        /// The commit.
        public let commitNumber: CommitNumber
        /// The time of the commit, nanoseconds since 1970; `nil` for the state that the database was opened with, and
        /// where a collection was bound or an extension registered since.
        public let nanosecondsSince1970: Int64?
    }

    /// The newest commit that readers see.
    public let commitNumber: CommitNumber
    /// The writers in line, the one at work included.
    public let pendingWriteCount: Int
    /// Streams of changesets that are consumed, and sequences that are kept and were not iterated yet.
    public let changesetStreamCount: Int
    /// States in memory: the newest, and each that a snapshot, a connection, a cursor or a fork holds.
    public let heldStateCount: Int
    /// The oldest of them. What has changed since is in memory twice: a snapshot that is kept for long shows here.
    public let oldestHeldState: HeldState?
    /// What was written since the database was opened; `nil` in memory.
    public let log: LogStatistics?
}

/// What a database wrote since it was opened.
public struct LogStatistics: Sendable, Hashable {
    /// Commits acknowledged.
    public let commitCount: Int
    /// Syncs of log segments. Fewer than commits where writers share them.
    public let syncCount: Int
    /// Bytes of the commits before compression.
    public let rawByteCount: UInt64
    /// Bytes written to the log.
    public let storedByteCount: UInt64
    /// Checkpoints finished.
    public let checkpointCount: Int
    /// Bytes of the log since the newest checkpoint: what the next opening has to read beside that.
    public let byteCountSinceCheckpoint: UInt64
}

extension Database {
    /// The states in memory that are oldest, at most `most`, oldest first; without those whose commit is not known.
    package nonisolated func oldestHeldStates(max most: Int) -> [DatabaseStatistics.HeldState] {
        timeline.oldestPins(max: most).compactMap { label in
            label.map { .init(commitNumber: CommitNumber($0.number), nanosecondsSince1970: $0.nanoseconds) }
        }
    }

    /// Counts of this moment. Takes a lock of each of its sources for a moment, one after the other: the counts
    /// are not of one instant.
    public nonisolated var statistics: DatabaseStatistics {
        let pins = timeline.pins
        return DatabaseStatistics(
            commitNumber: commitNumber, pendingWriteCount: pendingWriteCount,
            changesetStreamCount: publication.streamCount, heldStateCount: pins.count,
            oldestHeldState: pins.oldest.map {
                .init(commitNumber: CommitNumber($0.number), nanosecondsSince1970: $0.nanoseconds)
            },
            log: files.map { files in
                let statistics = files.store.statistics
                return LogStatistics(
                    commitCount: statistics.commits, syncCount: statistics.syncs, rawByteCount: statistics.rawBytes,
                    storedByteCount: statistics.storedBytes, checkpointCount: statistics.checkpoints,
                    byteCountSinceCheckpoint: statistics.bytesSinceCheckpoint)
            })
    }
}

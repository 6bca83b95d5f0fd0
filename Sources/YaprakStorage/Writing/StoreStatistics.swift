/// What a store has done since it was opened.
package struct StoreStatistics: Sendable, Hashable {
    /// Commits acknowledged.
    package var commits = 0
    /// Groups written: one write each.
    package var groups = 0
    /// Commit frames written.
    package var frames = 0
    /// Syncs of segments: of a group, of a new segment, of a seal.
    package var syncs = 0
    /// Bytes of the items that were appended.
    package var rawBytes: UInt64 = 0
    /// Bytes written to segments, frames and padding included.
    package var storedBytes: UInt64 = 0
    /// Segments made.
    package var segments = 0
    /// Checkpoints finished.
    package var checkpoints = 0
    /// Bytes of all segments since the newest checkpoint began: what a replay would have to read.
    package var bytesSinceCheckpoint: UInt64 = 0
    /// Segments behind the one in which the newest checkpoint began, or behind the first.
    package var segmentsSinceCheckpoint = 0

    package init() {}
}

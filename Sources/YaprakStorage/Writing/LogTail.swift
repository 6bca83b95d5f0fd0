/// The end of the log before this opening has written anything.
struct LogTail: Sendable {
    /// The newest segment; nil if there is none.
    var segment: FileName?
    /// The salt of that segment.
    var salt: UInt64 = 0
    /// The end of its last frame, and the chain there.
    var end: UInt64 = 0
    var chain: UInt64 = 0
    /// The newest commit. All commits up to it are durable.
    var last: UInt64 = 0
    /// Whether commits are missing between the end of the segment and the newest: the next segment says so.
    var endsInHole = false
    /// Whether the segment was closed. If not, its name may not be durable: the sync of its directory may have failed.
    var isClosed = false
    /// Bytes of the log after the checkpoint.
    var bytes: UInt64 = 0
    /// Segments of the log behind the first that was read after the checkpoint.
    var segmentCount = 0
}

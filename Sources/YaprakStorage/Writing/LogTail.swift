/// Where the log ends, before this opening has written anything.
struct LogTail: Sendable {
    /// The newest segment; nil if there is none.
    var segment: FileName?
    /// The salt of that segment.
    var salt: UInt64 = 0
    /// Where its last frame ends, and the chain there.
    var end: UInt64 = 0
    var chain: UInt64 = 0
    /// The newest commit; every one up to it is durable.
    var last: UInt64 = 0
    /// Bytes of the log behind the checkpoint.
    var bytes: UInt64 = 0
}

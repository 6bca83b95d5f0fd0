/// How far a long operation is.
public struct ReplayProgress: Sendable, Hashable {
    /// What is being done.
    public enum Phase: String, Sendable {
        /// Files are read and their sums checked; counted in bytes.
        case checking
        /// Commits are replayed; counted in commits.
        case replaying
    }
    /// What is being done.
    public let phase: Phase
    /// How much is done.
    public let done: UInt64
    /// How much there is to do.
    public let total: UInt64
    /// The number of commits looked at so far.
    public let commitCount: Int
}

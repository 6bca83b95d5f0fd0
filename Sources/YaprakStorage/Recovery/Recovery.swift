/// What `Store.open` found: a proven checkpoint, and the way to the commits after it.
package final class Recovery {
    /// What was found and done so far; complete once `replay` has returned.
    package private(set) var report = RecoveryReport()

    /// The newest checkpoint that verifies; nil when the log starts at the first commit.
    package let checkpoint: CheckpointReader?

    init(checkpoint: CheckpointReader?) { self.checkpoint = checkpoint }

    /// Hands over every commit after the checkpoint, in order, then makes the store ready for appends.
    ///
    /// The bytes are valid during the call only. Commits that were readable but never proven durable are written into a
    /// new segment and synced before this returns: what is served is on disk. No byte of the log is destroyed.
    ///
    /// - Throws: `corruptLog` with the file, the offset and the lost commits if the log proves that a commit was durable
    ///   which can't be read; `newerFormat`; `ioFailed`; what `body` throws. The store then takes no commits.
    package func replay(_ body: (CommitNumber, UnsafeRawBufferPointer) throws -> Void) throws { throw unbuilt }
}

package import YaprakModel

/// The plan of a repair. Only ``Repair`` fills it.
package struct RepairPlan: Sendable {
    /// Commits that will not be in the result.
    package struct Loss: Sendable, Hashable {
        package let commits: ClosedRange<CommitNumber>
        package let file: String
        package let offset: UInt64
        package let what: String
    }

    /// Commits within the history of the result that are missing.
    package struct Hole: Sendable, Hashable {
        package let loss: Loss
        /// The first commit after them whose state can be reached: that of a checkpoint.
        package let nextState: CommitNumber
    }

    /// The first state of the result: a checkpoint's commit, or 0.
    package internal(set) var first = CommitNumber.zero
    /// The last commit of the result.
    package internal(set) var last = CommitNumber.zero
    /// The lost commits.
    package internal(set) var losses: [Loss] = []
    /// Commits that later states of the result include, and whose changes can't be read.
    package internal(set) var holes: [Hole] = []
    /// Checkpoints that are kept, and those of them that lose their state of extensions.
    package internal(set) var checkpoints: [CommitNumber] = []
    package internal(set) var checkpointsWithoutDerived: [CommitNumber] = []
    /// Checkpoints that don't verify and are left out, by file name.
    package internal(set) var damagedCheckpoints: [String] = []
    /// Whether commits are missing in the middle of the result.
    package var isSalvaged: Bool { losses.contains { $0.commits.upperBound < last } }
}

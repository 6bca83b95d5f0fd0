public import YaprakCore

/// One commit that a ``HistoryCursor`` passed: the database before it and after it, in whichever direction the cursor went.
public struct ReplayStep: Sendable {
    /// The commit, as the log has it.
    public let commit: ReplayCommit
    /// The database before the commit.
    public let before: Snapshot
    /// The database after the commit.
    public let after: Snapshot

    /// What the commit changed, record by record, with the values before and after. Net: a record that was set and is
    /// what it was is not among it, and a removal of everything is a removal of each.
    /// - Complexity: O(changes), at each call.
    public var changes: ReplayChanges { ReplayChanges(from: before, to: after) }
}

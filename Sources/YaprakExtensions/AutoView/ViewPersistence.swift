/// What of an ``AutoView`` is stored in files.
///
///     AutoView("salesRank", of: .books, groupedBy: \.genre, sortedBy: \.salesRank, persistence: .everyCommit)
public enum ViewPersistence: Sendable, Hashable {
    /// Nothing: the view is recomputed at each launch.
    case rebuilt
    /// The view as of each checkpoint. A launch restores it, and reads what changed since.
    case checkpoints
    /// Also, in each commit, which rows it took out of which group and put where: O(changed rows) in bytes, and
    /// O(changed rows · log *n*) in time. A program without the view's code, such as `yaprak view`, can show the view as of
    /// any commit then.
    case everyCommit
}

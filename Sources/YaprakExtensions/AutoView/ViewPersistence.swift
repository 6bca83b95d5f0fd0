import YaprakCBOR
package import YaprakCore

/// What of an ``AutoView`` is stored in files.
///
///     AutoView("salesRank", of: .books, groupedBy: \.genre, sortedBy: \.salesRank, persistence: .everyCommit)
public enum ViewPersistence: Sendable, Hashable {
    /// Nothing: the view is computed anew at each launch.
    case none
    /// The view as of each checkpoint. A launch takes it over, and reads what changed since.
    case checkpoints
    /// Also, in each commit, which rows it took out of which group and put where: O(changed rows) in bytes, and
    /// O(changed rows · log *n*) in time. A program without the view's code, such as `yaprak view`, can show the view as of
    /// any commit then.
    case everyCommit
}

extension AutoView: HistoryLogging {
    package var logsHistory: Bool { persistence == .everyCommit }

    package func historyItem(from before: ViewRoot?, to after: ViewRoot) throws -> HistoryItem {
        guard let history = ViewHistory(from: before, to: after) else { return .unchanged }
        return .changed(try CBOREncoder().encode(history))
    }
}

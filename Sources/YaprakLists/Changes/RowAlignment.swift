import YaprakCore
import YaprakExtensions

/// How the rows of one group before a change lie beside those after it.
///
/// Rows that were neither removed nor inserted are *kept*; they stand in the same order on both sides, so that the
/// number of a kept row says where it was and where it is, by arithmetic on what was removed and inserted alone:
///
///     before   a  b  c  d  e             removed   b (1)
///     after    a  x  c  d  e  y          inserted  x (1), y (5)
///     kept     0     1  2  3             kept 2 = d: was at 3, is at 3
///
/// A row that was removed and inserted again is a *pair*. Of the pairs, a longest run that kept its order is counted
/// among the kept rows (with content that may have changed); only the others moved.
///
/// Every question is O(log *d*) in the size *d* of the difference.
struct RowAlignment {
    let oldCount: Int
    let newCount: Int
    /// Old positions that have no counterpart in the same order; ascending.
    private(set) var removed: [RowDifference.Entry]
    /// New positions that have no counterpart in the same order; ascending.
    private(set) var inserted: [RowDifference.Entry]
    /// Pairs that kept their order among the kept rows; both positions ascending.
    private(set) var settled: [(old: Int, new: Int, row: RowID)] = []
    /// Kept rows whose content changed.
    let replaced: [(old: Int, new: Int, row: RowID, kinds: ChangeKinds)]
    /// Whether no row kept its place, pairs apart: the group was cleared and filled again, or sorted anew.
    let isReplaced: Bool
    /// Whether rows were removed and inserted again.
    private(set) var hasPairs = false

    init(
        _ difference: RowDifference, oldCount: Int, newCount: Int, isSortedAnew: Bool = false,
        content: (RowID) -> ChangeKinds = { _ in [] }
    ) {
        self.oldCount = oldCount
        self.newCount = newCount
        removed = difference.removed
        inserted = difference.inserted
        replaced = difference.replaced
        isReplaced = isSortedAnew || difference.removed.count == oldCount
        hasPairs = isSortedAnew
        assert(oldCount - removed.count == newCount - inserted.count, "what is kept is on both sides")
        if difference.isSettled {
            hasPairs = hasPairs || removed.contains { $0.counterpart >= 0 }
        } else {
            settlePairs(content)
        }
    }

    var keptCount: Int { oldCount - removed.count }
    var isUnchanged: Bool { removed.isEmpty && inserted.isEmpty && settled.isEmpty && replaced.isEmpty }

    func keptBefore(old position: Int) -> Int { position - Self.count(removed, below: position) }
    func keptBefore(new position: Int) -> Int { position - Self.count(inserted, below: position) }
    func oldPosition(ofKept number: Int) -> Int { Self.position(ofKept: number, among: removed) }
    func newPosition(ofKept number: Int) -> Int { Self.position(ofKept: number, among: inserted) }

    /// Where the row at `position` after the change was before, or `nil` if it is new there.
    func oldPosition(ofNew position: Int) -> Int? {
        let below = Self.count(inserted, below: position)
        if below < inserted.count && inserted[below].position == position { return nil }
        return oldPosition(ofKept: position - below)
    }

    private static func count(_ list: [RowDifference.Entry], below position: Int) -> Int {
        prefixCount(list.count) { list[$0].position < position }
    }

    private static func position(ofKept number: Int, among gaps: [RowDifference.Entry]) -> Int {
        number + prefixCount(gaps.count) { gaps[$0].position - $0 <= number }
    }
}

extension RowAlignment {
    /// Counts the pairs that kept their order among the kept rows, and notes where the others went. The difference of a
    /// view's group has done so already; that of anything else hasn't.
    private mutating func settlePairs(_ content: (RowID) -> ChangeKinds) {
        let pairs = RowPairs(removed: removed, inserted: inserted)
        hasPairs = hasPairs || !pairs.all.isEmpty
        for pair in pairs.all {
            removed[pair.removed].counterpart = inserted[pair.inserted].position
            removed[pair.removed].kinds = content(removed[pair.removed].row)
            inserted[pair.inserted].counterpart = removed[pair.removed].position
        }
        let run = pairs.staying
        settled = run.map { (removed[$0.removed].position, inserted[$0.inserted].position, removed[$0.removed].row) }
        removed.remove(atAscending: run.map(\.removed))
        inserted.remove(atAscending: run.map(\.inserted))
    }
}

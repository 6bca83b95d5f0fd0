/// How the rows of the old group lie beside those of the new one.
///
/// Kept rows stand in the same order on both sides, so that the number of a kept row gives its old and its new position, by
/// arithmetic on what was removed and inserted alone:
///
///     before   a  b  c  d  e             removed   b (1)
///     after    a  x  c  d  e  y          inserted  x (1), y (5)
///     kept     0     1  2  3             kept 2 = d: was at 3, is at 3
///
/// - Complexity: each O(log *d*) in the size *d* of the difference, ``isReplaced`` and ``hasRowsInCommon`` O(*d*) at most.
extension GroupDifference {
    /// The number of rows that were neither removed nor inserted.
    package var keptCount: Int { oldCount - removed.count }

    /// Whether the group was emptied and filled again, or sorted by something else: no row is known to have kept its place.
    package var isReplaced: Bool { isResorted || removed.count == oldCount }

    /// Whether any row of the old group is in the new one, in its place or elsewhere.
    package var hasRowsInCommon: Bool { keptCount > 0 || removed.contains { $0.counterpart >= 0 } }

    /// How many kept rows stand before a position of the old group.
    package func keptBefore(old position: Int) -> Int { position - Self.count(removed, below: position) }
    /// How many kept rows stand before a position of the new group.
    package func keptBefore(new position: Int) -> Int { position - Self.count(inserted, below: position) }
    /// Where a kept row was.
    package func oldPosition(ofKept number: Int) -> Int { Self.position(ofKept: number, among: removed) }
    /// Where a kept row is.
    package func newPosition(ofKept number: Int) -> Int { Self.position(ofKept: number, among: inserted) }

    private static func count(_ list: [PlacedRow], below position: Int) -> Int {
        prefixCount(list.count) { list[$0].position < position }
    }

    private static func position(ofKept number: Int, among gaps: [PlacedRow]) -> Int {
        number + prefixCount(gaps.count) { gaps[$0].position - $0 <= number }
    }
}

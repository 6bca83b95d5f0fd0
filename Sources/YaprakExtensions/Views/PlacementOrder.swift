import YaprakCore
package import YaprakTrees

/// An order of placements: by what they were sorted by, then by collection and key. This one by collection and key alone.
package class PlacementOrder: RowOrder, @unchecked Sendable {
    /// Whether larger sort keys come first. Equals are in ascending order of their keys all the same.
    final let isDescending: Bool

    init(isDescending: Bool = false) { self.isDescending = isDescending }

    /// Compares what two placements with the same hint were sorted by, ascending.
    func compareSortKeys(_ a: Placement, _ b: Placement) -> Int { compareRecords(a.record, b.record) }

    /// Compares two records in an order that takes no value from them, ascending.
    func compareRecords(_ a: RecordBox, _ b: RecordBox) -> Int { 0 }

    /// A column for what sortings of this order take from records.
    func makeColumn() -> SortColumn { SortColumn(self) }

    /// Whether two placements of one row stand at the same place.
    final func haveSameSortKey(_ a: Placement, _ b: Placement) -> Bool {
        a.hint == b.hint && compareSortKeys(a, b) == 0
    }

    override package func compare(_ a: TreeRow, _ b: TreeRow) -> Int {
        let (x, y) = (unsafeDowncast(a, to: Placement.self), unsafeDowncast(b, to: Placement.self))
        let order = x.hint == y.hint ? compareSortKeys(x, y) : x.hint < y.hint ? -1 : 1
        if order != 0 { return isDescending ? -order : order }
        if x.collection != y.collection { return x.collection < y.collection ? -1 : 1 }
        return super.compare(a, b)
    }

    override package func prefix(of row: TreeRow) -> UInt64 {
        prefix(ofHint: unsafeDowncast(row, to: Placement.self).hint)
    }

    /// The word of a placement with this hint.
    final func prefix(ofHint hint: UInt64) -> UInt64 { isDescending ? ~hint : hint }
}

/// The same order for a tree whose rows stand in the right sequence already, whatever a comparator says of it.
final class GivenOrder: PlacementOrder, @unchecked Sendable {
    private let order: PlacementOrder

    init(_ order: PlacementOrder) {
        self.order = order
        super.init(isDescending: order.isDescending)
    }

    override func compare(_ a: TreeRow, _ b: TreeRow) -> Int { 0 }
    override func prefix(of row: TreeRow) -> UInt64 { order.prefix(of: row) }
}

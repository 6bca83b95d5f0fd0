package import YaprakCore
package import YaprakExtensions

/// What changed in one group between two moments, without what the rows were ordered by; positions ascend.
package struct RowDifference: Sendable {
    /// Positions before, of rows that did not keep their place in the order.
    package var removed: [(position: Int, row: RowID)] = []
    /// Positions after, of rows that did not keep their place in the order.
    package var inserted: [(position: Int, row: RowID)] = []
    /// Rows that kept their place in the order, and whose content changed.
    package var replaced: [(old: Int, new: Int, row: RowID, kinds: ChangeKinds)] = []

    package init() {}

    init(_ difference: GroupDifference) {
        removed = difference.removed.map { ($0.position, $0.row) }
        inserted = difference.inserted.map { ($0.position, $0.row) }
        replaced = difference.replaced.map { ($0.old, $0.new, $0.row, $0.kinds) }
    }
}

package import YaprakCore
package import YaprakExtensions

/// What changed in one group between two moments, without what the rows were ordered by; positions ascend.
package struct RowDifference: Sendable {
    /// A row that did not keep its place in the order.
    package struct Entry: PositionedRow, Sendable {
        package let position: Int
        package let row: RowID
        /// Where the same row is on the other side, in the same group; -1 if it isn't, or if nobody has looked.
        var counterpart = -1
        /// What changed in the content of a removed row that has a counterpart.
        var kinds: ChangeKinds = []

        package init(_ position: Int, _ row: RowID) {
            self.position = position
            self.row = row
        }

        init(_ placed: GroupDifference.PlacedRow) {
            self.init(placed.position, placed.row)
            counterpart = placed.counterpart
            kinds = placed.kinds
        }
    }

    /// Positions before, of rows that did not keep their place in the order.
    package var removed: [Entry] = []
    /// Positions after, of rows that did not keep their place in the order.
    package var inserted: [Entry] = []
    /// Rows that kept their place in the order, and whose content changed.
    package var replaced: [(old: Int, new: Int, row: RowID, kinds: ChangeKinds)] = []
    /// Whether counterparts are known, and those that stayed between the same neighbours are among the replaced.
    let isSettled: Bool

    package init() { isSettled = false }

    init(_ difference: GroupDifference) {
        removed = difference.removed.map { Entry($0) }
        inserted = difference.inserted.map { Entry($0) }
        replaced = difference.replaced.map { ($0.old, $0.new, $0.row, $0.kinds) }
        isSettled = true
    }
}

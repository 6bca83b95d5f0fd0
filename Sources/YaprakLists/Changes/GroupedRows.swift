package import YaprakCore

/// A row of a view, by what it is a row of: the number of its collection among the view's, and its key.
package struct RowID: Hashable, Sendable {
    package var collection: Int
    package var key: String

    package init(collection: Int = 0, key: String) {
        self.collection = collection
        self.key = key
    }
}

/// A view in one snapshot: groups, and rows in their order.
package protocol GroupedRows: Sendable {
    /// The names of the groups that hold rows, ascending.
    var groupNames: [String] { get }
    /// The number of rows; 0 if there is no such group. O(log groups).
    func count(ofGroup group: String) -> Int
    /// The row at a position. O(log *n*).
    func rowID(inGroup group: String, at index: Int) -> RowID
    /// Where a row is: in no group, one, or several.
    func place(of row: RowID) -> [(group: String, index: Int)]
}

/// What changed in one group between two snapshots; positions ascend.
package struct RowDifference: Sendable {
    package var removed: [(position: Int, row: RowID)]
    package var inserted: [(position: Int, row: RowID)]
    package var replaced: [(old: Int, new: Int, row: RowID, kinds: ChangeKinds)]

    package init(
        removed: [(position: Int, row: RowID)] = [], inserted: [(position: Int, row: RowID)] = [],
        replaced: [(old: Int, new: Int, row: RowID, kinds: ChangeKinds)] = []
    ) {
        self.removed = removed
        self.inserted = inserted
        self.replaced = replaced
    }
}

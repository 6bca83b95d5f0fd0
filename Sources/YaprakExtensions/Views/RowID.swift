/// Who a row is, in one view: its collection, as a number in that view, and its key.
package struct RowID: Hashable, Sendable {
    package let collection: Int
    package let key: String

    package init(collection: Int, key: String) {
        self.collection = collection
        self.key = key
    }
}

extension RowID: CustomStringConvertible {
    package var description: String { collection == 0 ? key : "\(key) of \(collection)" }
}

/// Rows in groups, as whatever turns groups into sections wants them. Names are in ascending order of their bytes.
package protocol GroupedRows: Sendable {
    /// The names of the groups, ascending. O(number of groups).
    var groupNames: [String] { get }
    /// The number of rows in a group; 0 if there is no such group. O(log *groups*).
    func count(ofGroup name: String) -> Int
    /// The row at a position of a group. O(log *n*).
    func rowID(inGroup name: String, at index: Int) -> RowID
    /// Where a row is; empty if it is not in the view. O(log *n*).
    func place(of row: RowID) -> [(group: String, index: Int)]
}

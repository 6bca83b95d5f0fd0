/// Rows in groups: what a list reads of a view to turn its groups into sections. Names are in ascending order of their bytes.
package protocol GroupedRows: Sendable {
    /// The names of the groups, ascending. O(number of groups).
    var groupNames: [String] { get }
    /// The number of rows in a group; 0 if there is no such group. O(log *groups*).
    func count(ofGroup name: String) -> Int
    /// The numbers of rows in several groups.
    func counts(ofGroups names: [String]) -> [Int]
    /// The row at a position of a group. O(log *n*).
    func rowID(inGroup name: String, at index: Int) -> RowID
    /// The rows at a range of positions of a group, in order. O(log *n* + rows) where they stand side by side in a view.
    func forEachRow(inGroup name: String, at positions: Range<Int>, _ body: (Int, RowID) -> Void)
    /// Where a row is; empty if it is not in the view. O(log *n*).
    func place(of row: RowID) -> [(group: String, index: Int)]
}

extension GroupedRows {
    package func counts(ofGroups names: [String]) -> [Int] { names.map(count(ofGroup:)) }

    package func forEachRow(inGroup name: String, at positions: Range<Int>, _ body: (Int, RowID) -> Void) {
        for position in positions { body(position, rowID(inGroup: name, at: position)) }
    }
}

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

/// The identity of a row of a list: unique in the list, and the same as long as it is the same row.
///
/// In a view that puts a record into several groups, it is another row in each of them. Where a view begins or ceases to do so,
/// its list is to be reloaded: ``ListChanges/isReload``.
public struct ListItemID: Hashable, Sendable {
    /// The name of the record's collection.
    public let collectionName: String
    /// The key of the record.
    public let key: String
    /// The group, in a view that puts records into several; `nil` in other views.
    public let group: String?
}

extension ListItemID: CustomStringConvertible {
    /// `books/abc`.
    public var description: String { "\(group.map { "\($0): " } ?? "")\(collectionName)/\(key)" }
}

extension RowChange {
    /// The identity of the row in the list after the change; for a delete, in the list before it. O(1).
    public var itemID: ListItemID {
        ListItemID(collectionName: collectionName, key: key, group: context.rowsHaveOnePlace ? nil : group)
    }
}

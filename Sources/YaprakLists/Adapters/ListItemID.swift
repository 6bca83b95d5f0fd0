public import YaprakCore
public import YaprakExtensions

/// Who a row of a list is, for whoever keeps items by identity: unique in a list, the same as long as it is the same row.
///
/// In a view that puts a record into several groups, it is another row in each of them.
public struct ListItemID: Hashable, Sendable {
    /// The name of the record's collection.
    public let collectionName: String
    /// The key of the record.
    public let key: String
    /// The group, in a view that puts records into several; `nil` otherwise.
    public let group: String?
}

extension ListItemID: CustomStringConvertible {
    /// `books/abc`.
    public var description: String { "\(group.map { "\($0): " } ?? "")\(collectionName)/\(key)" }
}

extension RowChange {
    /// Who the row is now. O(1).
    public var itemID: ListItemID {
        ListItemID(collectionName: collectionName, key: key, group: rowsHaveOnePlace ? nil : group)
    }
}

extension Snapshot {
    /// Who the rows of each section of a list are: what data sources that work by identity want to know.
    ///
    ///     for section in snapshot.itemIDs(of: sections) { dataSource.append(section.items, to: section.name) }
    ///
    /// - Precondition: the view is registered in this snapshot, and the mappings were updated to it.
    /// - Complexity: O(*r* log *n*) in the number of rows that are shown.
    public func itemIDs<View: OrderedView>(of mappings: ViewMappings<View>) -> [(name: String, items: [ListItemID])] {
        let state = self[mappings.view].state
        let names = state.root.configuration.collectionNames
        let onePlace = state.root.configuration.rowsHaveOnePlace
        return (0..<mappings.numberOfSections).map { section in
            let items = (0..<mappings.numberOfItems(inSection: section)).compactMap { row in
                mappings.place(at: ListPath(section: section, row: row)).map { place in
                    let row = state.rowID(inGroup: place.group, at: place.index)
                    return ListItemID(
                        collectionName: names[row.collection], key: row.key, group: onePlace ? nil : place.group)
                }
            }
            return (mappings.group(forSection: section) ?? "", items)
        }
    }
}

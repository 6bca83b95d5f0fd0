public import YaprakCore
public import YaprakExtensions

extension Snapshot {
    /// The identities of the rows of each section of a list, for data sources that work by identity.
    ///
    ///     for section in snapshot.itemIDs(of: sections) { dataSource.append(section.items, to: section.name) }
    ///
    /// If the mappings have not been updated to this snapshot, it is the list as it is after that. It is empty where that is
    /// impossible: the snapshot does not have the index of the list's search.
    /// - Precondition: the view is registered in this snapshot.
    /// - Complexity: O(*r* log *n*) in the number of rows that are shown.
    public func itemIDs<View: OrderedView>(of mappings: ViewMappings<View>) -> [(name: String, items: [ListItemID])] {
        let state = self[mappings.view].state
        guard let mappings = try? mappings.fitted(to: state) else { return [] }
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

extension ListChanges {
    /// What happened in one section, as a difference of the standard library. Rows are named by ``RowChange/itemID``.
    ///
    ///     if let difference = changes.difference(ofSection: 0, before: 0) { names = names.applying(difference)! }
    ///
    /// Rows that moved within the section are associated; rows that only changed are not in it.
    /// - Parameters:
    ///   - section: the number of the section after the changes.
    ///   - before: its number before them: the same, unless sections came, went or moved.
    /// - Returns: `nil` if the list is to be reloaded.
    /// - Complexity: O(*c*) in the number of changes.
    public func difference(ofSection section: Int, before: Int) -> CollectionDifference<ListItemID>? {
        if isReload { return nil }
        var steps: [CollectionDifference<ListItemID>.Change] = []
        for change in rowChanges {
            if case .update = change.kind { continue }
            let source = change.source.flatMap { $0.section == before ? $0.row : nil }
            let target = change.target.flatMap { $0.section == section ? $0.row : nil }
            if let source { steps.append(.remove(offset: source, element: change.itemID, associatedWith: target)) }
            if let target { steps.append(.insert(offset: target, element: change.itemID, associatedWith: source)) }
        }
        return CollectionDifference(steps)
    }
}

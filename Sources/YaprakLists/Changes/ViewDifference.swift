package import YaprakCore
package import YaprakExtensions

/// A view at two moments, and how to ask what differs.
package struct ViewDifference {
    package let old: any GroupedRows
    package let new: any GroupedRows
    /// The names of the view's collections.
    package let collectionNames: [String]
    /// Whether the view puts a row in one group at most.
    package let rowsHaveOnePlace: Bool
    /// Whether groups are sorted by something else on the new side.
    package let isSortedAnew: Bool
    /// The names of the groups in which anything differs, ascending by their bytes; `nil` if that is not known.
    package let differingGroups: [String]?
    /// What changed in one group.
    package let difference: (String) -> RowDifference
    /// What changed in the content of a row that is there on both sides.
    package let content: (RowID) -> ChangeKinds

    package init(
        old: any GroupedRows, new: any GroupedRows, collectionNames: [String] = [""], rowsHaveOnePlace: Bool,
        isSortedAnew: Bool = false, differingGroups: [String]? = nil, difference: @escaping (String) -> RowDifference,
        content: @escaping (RowID) -> ChangeKinds
    ) {
        self.old = old
        self.new = new
        self.collectionNames = collectionNames
        self.rowsHaveOnePlace = rowsHaveOnePlace
        self.isSortedAnew = isSortedAnew
        self.differingGroups = differingGroups
        self.difference = difference
        self.content = content
    }

    /// A view in two snapshots, the older first or the newer.
    init(from old: ViewState, to new: ViewState) {
        let differing = new.namesOfDifferingGroups(from: old)
        let isDiffering = Set(differing)
        self.init(
            old: old, new: new, collectionNames: new.root.configuration.collectionNames,
            rowsHaveOnePlace: old.root.configuration.rowsHaveOnePlace && new.root.configuration.rowsHaveOnePlace,
            isSortedAnew: !new.hasSameOrder(as: old), differingGroups: differing,
            difference: { group in
                isDiffering.contains(group) ? RowDifference(new.difference(from: old, ofGroup: group)) : RowDifference()
            },
            content: { row in
                guard let before = old.placements(of: row).first, let after = new.placements(of: row).first else {
                    return []
                }
                return after.kinds(since: before)
            })
    }
}

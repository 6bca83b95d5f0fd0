package import YaprakCore
package import YaprakExtensions

/// A view at two moments, and how to ask what differs.
package struct ViewDifference {
    package var old: any GroupedRows
    package var new: any GroupedRows
    /// The names of the view's collections.
    package let collectionNames: [String]
    /// Whether the view puts a row in one group at most.
    package let rowsHaveOnePlace: Bool
    /// The names of the groups in which anything differs, ascending by their bytes.
    package let differingGroups: [String]
    /// What changed in one group.
    package let difference: (String) -> GroupDifference
    /// What changed in the content of a row that is there on both sides.
    package let content: (RowID) -> ChangeKinds

    /// A view in two snapshots, the older first or the newer.
    package init(from old: ViewState, to new: ViewState) {
        let differing = new.namesOfDifferingGroups(from: old)
        let isDiffering = Set(differing)
        self.old = old
        self.new = new
        let names = (old.root.configuration.collectionNames, new.root.configuration.collectionNames)
        collectionNames = names.0.count > names.1.count ? names.0 : names.1
        rowsHaveOnePlace = old.root.configuration.rowsHaveOnePlace && new.root.configuration.rowsHaveOnePlace
        differingGroups = differing
        difference = { group in
            isDiffering.contains(group)
                ? new.difference(from: old, ofGroup: group) : GroupDifference(unchanged: new.count(ofGroup: group))
        }
        content = Self.content(from: old, to: new)
    }

    init(
        old: any GroupedRows, new: any GroupedRows, collectionNames: [String], rowsHaveOnePlace: Bool,
        differingGroups: [String], difference: @escaping (String) -> GroupDifference,
        content: @escaping (RowID) -> ChangeKinds
    ) {
        self.old = old
        self.new = new
        self.collectionNames = collectionNames
        self.rowsHaveOnePlace = rowsHaveOnePlace
        self.differingGroups = differingGroups
        self.difference = difference
        self.content = content
    }

    /// What changed in the content of a row from one state of a view to another.
    static func content(from old: ViewState, to new: ViewState) -> (RowID) -> ChangeKinds {
        { row in
            guard let before = old.placements(of: row).first, let after = new.placements(of: row).first else {
                return []
            }
            return after.kinds(since: before)
        }
    }
}

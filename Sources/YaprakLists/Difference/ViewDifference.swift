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
        let comparison = Comparison(old, new)
        self.old = old
        self.new = new
        let names = (old.root.configuration.collectionNames, new.root.configuration.collectionNames)
        collectionNames = names.0.count > names.1.count ? names.0 : names.1
        rowsHaveOnePlace = old.root.configuration.rowsHaveOnePlace && new.root.configuration.rowsHaveOnePlace
        differingGroups = comparison.differingGroups
        difference = { comparison.difference(ofGroup: $0) }
        content = { comparison.content(of: $0) }
    }

    /// Two states of a view: one object for both closures.
    private final class Comparison {
        private let old: ViewState
        private let new: ViewState
        /// Ascending by their bytes.
        let differingGroups: [String]

        init(_ old: ViewState, _ new: ViewState) {
            self.old = old
            self.new = new
            differingGroups = new.namesOfDifferingGroups(from: old)
        }

        func difference(ofGroup name: String) -> GroupDifference {
            differs(name)
                ? new.difference(from: old, ofGroup: name) : GroupDifference(unchanged: new.count(ofGroup: name))
        }

        private func differs(_ name: String) -> Bool {
            let place = prefixCount(differingGroups.count) {
                differingGroups[$0].utf8.lexicographicallyPrecedes(name.utf8)
            }
            return place < differingGroups.count && differingGroups[place] == name
        }

        func content(of row: RowID) -> ChangeKinds { ViewDifference.content(of: row, from: old, to: new) }
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
    static func content(of row: RowID, from old: ViewState, to new: ViewState) -> ChangeKinds {
        guard let before = old.placements(of: row).first, let after = new.placements(of: row).first else { return [] }
        return after.kinds(since: before)
    }
}

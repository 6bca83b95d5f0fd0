package import YaprakCore
package import YaprakExtensions

/// The rows of a list at two moments, or of two choices, and what differs.
///
/// An object: an update of a list hands it on several times.
package protocol ViewDifference: AnyObject {
    var old: any GroupedRows { get }
    var new: any GroupedRows { get }
    /// The names of the view's collections.
    var collectionNames: [String] { get }
    /// Whether the view puts a row in one group at most.
    var rowsHaveOnePlace: Bool { get }
    /// The names of the groups in which anything differs, ascending by their bytes.
    var differingGroups: [String] { get }
    /// What changed in one group.
    func difference(ofGroup name: String) -> GroupDifference
    /// What changed in the content of a row that is there on both sides.
    func content(of row: RowID) -> ChangeKinds
}

/// A view in two snapshots, the older first or the newer.
package final class ViewStatesDifference: ViewDifference {
    private let before: ViewState
    private let after: ViewState
    package let collectionNames: [String]
    package let rowsHaveOnePlace: Bool
    package let differingGroups: [String]

    package init(from old: ViewState, to new: ViewState) {
        before = old
        after = new
        let names = (old.root.configuration.collectionNames, new.root.configuration.collectionNames)
        collectionNames = names.0.count > names.1.count ? names.0 : names.1
        rowsHaveOnePlace = new.root.configuration.rowsHaveOnePlace
        differingGroups = new.namesOfDifferingGroups(from: old)
    }

    package var old: any GroupedRows { before }
    package var new: any GroupedRows { after }

    package func difference(ofGroup name: String) -> GroupDifference {
        differs(name)
            ? after.difference(from: before, ofGroup: name) : GroupDifference(unchanged: after.count(ofGroup: name))
    }

    private func differs(_ name: String) -> Bool {
        let place = prefixCount(differingGroups.count) {
            differingGroups[$0].utf8.lexicographicallyPrecedes(name.utf8)
        }
        return place < differingGroups.count && differingGroups[place] == name
    }

    package func content(of row: RowID) -> ChangeKinds { after.contentKinds(of: row, since: before) }
}

/// The same rows on both sides.
final class NoDifference: ViewDifference {
    let old: any GroupedRows
    let collectionNames: [String]
    let rowsHaveOnePlace: Bool

    init(of rows: any GroupedRows, collectionNames: [String], rowsHaveOnePlace: Bool) {
        old = rows
        self.collectionNames = collectionNames
        self.rowsHaveOnePlace = rowsHaveOnePlace
    }

    var new: any GroupedRows { old }
    var differingGroups: [String] { [] }
    func difference(ofGroup name: String) -> GroupDifference { GroupDifference(unchanged: old.count(ofGroup: name)) }
    func content(of row: RowID) -> ChangeKinds { [] }
}

extension ViewState {
    /// What changed in the content of a row that is there on both sides.
    func contentKinds(of row: RowID, since old: ViewState) -> ChangeKinds {
        guard let before = old.placements(of: row).first, let after = placements(of: row).first else { return [] }
        return after.kinds(since: before)
    }
}

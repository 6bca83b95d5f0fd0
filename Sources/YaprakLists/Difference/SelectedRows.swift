package import YaprakCore
package import YaprakExtensions

/// Chooses rows of a view: what a search found of it.
package protocol RowSelection: Sendable {
    /// Stands for what the choice depends on beside the view: as long as it is the same, so are the positions.
    func stamp(in snapshot: Snapshot) throws -> UInt64
    /// The rows that are chosen in a state of a view.
    func positions(in state: ViewState) throws -> RowPositions
}

/// Who chooses rows of a view, and which were chosen. Behind one reference: an optional value of any type is copied by way of
/// the runtime in a structure as large as the mappings, also where it is `nil`.
final class RowChoice: Sendable {
    let selection: any RowSelection
    /// The positions of the chosen rows in the state that the mappings have, and what they depend on beside it.
    let chosen: (positions: RowPositions, stamp: UInt64)?

    init(_ selection: any RowSelection, _ chosen: (positions: RowPositions, stamp: UInt64)? = nil) {
        self.selection = selection
        self.chosen = chosen
    }
}

/// The chosen rows of a view at a moment.
package struct SelectedRows: GroupedRows {
    package let state: ViewState
    package let positions: RowPositions

    package init(_ state: ViewState, _ positions: RowPositions) {
        self.state = state
        self.positions = positions
    }

    package var groupNames: [String] { positions.groupNames }
    package func count(ofGroup name: String) -> Int { positions[name].count }

    package func rowID(inGroup name: String, at index: Int) -> RowID {
        state.rowID(inGroup: name, at: positions.position(at: index, inGroup: name))
    }

    package func counts(ofGroups names: [String]) -> [Int] {
        var next = 0
        return names.map { name in
            guard let place = positions.place(ofGroup: name, near: next) else { return 0 }
            next = place + 1
            return positions.range(place).count
        }
    }

    package func forEachRow(inGroup name: String, at positions: Range<Int>, _ body: (Int, RowID) -> Void) {
        let its = self.positions[name]
        let first = its.startIndex
        state.forEachRow(inGroup: name, at: its[first + positions.lowerBound..<first + positions.upperBound]) {
            body($0 - first, $1)
        }
    }

    package func place(of row: RowID) -> [(group: String, index: Int)] {
        state.place(of: row).compactMap { place in
            positions.index(ofPosition: place.index, inGroup: place.group).map { (place.group, $0) }
        }
    }

    /// What leads from the rows of a group at another moment, or from another choice, to these.
    /// - Complexity: O(rows of both) where the view is the same and both stand as in the view; else O(*r* log *r*).
    func difference(from old: SelectedRows, ofGroup name: String) -> GroupDifference {
        let (before, after) = (old.positions[name], positions[name])
        if old.state.root.identity == state.root.identity, old.positions.isInViewOrder, positions.isInViewOrder {
            return GroupDifference(fromPositions: Array(before), to: Array(after), ofGroup: name, in: state)
        }
        return GroupDifference(
            from: old.state.placements(ofGroup: name, at: before), to: state.placements(ofGroup: name, at: after))
    }
}

/// Chosen rows of a view at two moments, or two choices at one.
final class SelectedRowsDifference: ViewDifference {
    private let before: SelectedRows
    private let after: SelectedRows
    // Each needs a box as a value of any type: made once, not for each row.
    let old: any GroupedRows
    let new: any GroupedRows
    let collectionNames: [String]
    let rowsHaveOnePlace: Bool

    init(from old: SelectedRows, to new: SelectedRows) {
        before = old
        after = new
        self.old = old
        self.new = new
        let (was, now) = (old.state.root.configuration, new.state.root.configuration)
        // Rows of both are named.
        collectionNames =
            was.collectionNames.count > now.collectionNames.count ? was.collectionNames : now.collectionNames
        rowsHaveOnePlace = now.rowsHaveOnePlace
    }

    /// All: a choice may differ anywhere.
    var differingGroups: [String] {
        Set(before.groupNames).union(after.groupNames).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func difference(ofGroup name: String) -> GroupDifference { after.difference(from: before, ofGroup: name) }

    func content(of row: RowID) -> ChangeKinds {
        if before.state.root.identity == after.state.root.identity { return [] }
        return after.state.contentKinds(of: row, since: before.state)
    }
}

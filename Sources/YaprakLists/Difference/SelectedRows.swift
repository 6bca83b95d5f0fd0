package import YaprakCore
package import YaprakExtensions

/// Chooses rows of a view: what a search found of it.
package protocol RowSelection: Sendable {
    /// Stands for what the choice depends on beside the view: as long as it is the same, so are the positions.
    func stamp(in snapshot: Snapshot) throws -> UInt64
    /// The rows that are chosen in a state of a view.
    func positions(in state: ViewState) throws -> RowPositions
}

/// Positions in the groups of a view, without the view: what a list keeps of a choice.
package struct RowPositions: Sendable {
    /// The names of the groups that have any, ascending by their bytes.
    package let groupNames: [String]
    private let positions: [String: [UInt32]]
    /// Whether rows stand as in the view, so that positions ascend.
    package let isInViewOrder: Bool

    /// - Parameter groups: the positions of each group, in the order in which they are shown; groups ascend by the bytes of
    ///   their names, and have at least one.
    package init(_ groups: [(name: String, positions: [UInt32])], isInViewOrder: Bool) {
        groupNames = groups.map(\.name)
        positions = Dictionary(uniqueKeysWithValues: groups.map { ($0.name, $0.positions) })
        self.isInViewOrder = isInViewOrder
    }

    /// All rows of a view.
    package init(allOf state: ViewState) {
        self.init(
            state.groupNames.map { ($0, (0..<UInt32(state.count(ofGroup: $0))).map { $0 }) }, isInViewOrder: true)
    }

    package subscript(group: String) -> [UInt32] { positions[group] ?? [] }

    /// Which of a group's rows that are chosen has a position in the view.
    package func index(ofPosition position: Int, inGroup group: String) -> Int? {
        guard let wanted = UInt32(exactly: position) else { return nil }
        let all = self[group]
        guard isInViewOrder else { return all.firstIndex(of: wanted) }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low] == wanted ? low : nil
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
        state.rowID(inGroup: name, at: Int(positions[name][index]))
    }

    package func forEachRow(inGroup name: String, at positions: Range<Int>, _ body: (Int, RowID) -> Void) {
        state.forEachRow(inGroup: name, at: self.positions[name][positions], body)
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
            return GroupDifference(fromPositions: before, to: after, ofGroup: name, in: state)
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
        collectionNames = new.state.root.configuration.collectionNames
        rowsHaveOnePlace =
            old.state.root.configuration.rowsHaveOnePlace && new.state.root.configuration.rowsHaveOnePlace
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

import HashTreeCollections
import YaprakCore
import YaprakExtensions

extension ListCore {
    /// Moves on to the new side of `view`, and returns the changes.
    ///
    /// - Parameter rawChangesMax: above it the answer is a reload.
    package mutating func advance(over view: any ViewDifference, rawChangesMax: Int = .max) -> ListChanges {
        guard isFitted else {
            refresh(to: view.new)
            return .reload(rawChangeCount: layout.groups.reduce(0) { $0 + $1.count })
        }
        let before = layout
        if let touched = touchedGroups(of: view) {
            if touched.isEmpty { return ListChanges() }
            if let groups = follow(view, in: touched) {
                var count = 0
                for index in groups.indices { count += groups[index].rawChangeCount }
                return changes(since: before, over: view, .touched(groups), rawChangeCount: count, rawChangesMax)
            }
        }
        var rawChangeCount = 0
        var differences: [String: GroupDifference] = [:]
        let names = source.groups(in: view.new)
        for name in names {
            if before.index(of: name) != nil {
                let difference = view.difference(ofGroup: name)
                rawChangeCount += difference.rawChangeCount
                differences[name] = difference
            } else {
                rawChangeCount += view.new.count(ofGroup: name)
            }
        }
        for group in before.groups where differences[group.name] == nil { rawChangeCount += group.count }
        follow(to: view.new, groups: names, differences: differences)
        return changes(since: before, over: view, .all(differences), rawChangeCount: rawChangeCount, rawChangesMax)
    }

    /// The groups of the list that differ, in its order, and where they are in it, if the others are known to be the same and in
    /// the same order.
    private func touchedGroups(of view: any ViewDifference) -> [(name: String, index: Int?)]? {
        switch source {
        case .all: return view.differingGroups.map { ($0, layout.index(of: $0)) }
        case .fixed: break
        case .chosen:
            // The closures may give another answer now.
            let names = source.groups(in: view.new)
            if names.count != layout.groups.count || zip(names, layout.groups).contains(where: { $0 != $1.name }) {
                return nil
            }
        }
        var touched: [(name: String, index: Int?)] = []
        for name in view.differingGroups {
            if let index = layout.index(of: name) { touched.append((name, index)) }
        }
        if touched.count > 1 { touched.sort { $0.index! < $1.index! } }
        return touched
    }

    private func changes(
        since before: ListLayout, over view: any ViewDifference, _ groups: ListTransition.Groups, rawChangeCount: Int,
        _ rawChangesMax: Int
    ) -> ListChanges {
        if rawChangeCount > rawChangesMax { return .reload(rawChangeCount: rawChangeCount) }
        var transition = ListTransition(
            before: before, after: layout, view: view, groups: groups, dependencies: settings.dependencies)
        return transition.changes(rawChangeCount: rawChangeCount)
    }

    /// What leads from an earlier layout of the same snapshot to this one: other settings, nothing else.
    func changes(
        since earlier: ListCore, in rows: any GroupedRows, collectionNames: [String] = [""],
        rowsHaveOnePlace: Bool = true
    ) -> ListChanges {
        let none = NoDifference(of: rows, collectionNames: collectionNames, rowsHaveOnePlace: rowsHaveOnePlace)
        return changes(since: earlier, over: none)
    }

    /// The same, where other rows of the snapshot are chosen.
    func changes(since earlier: ListCore, from old: SelectedRows, to new: SelectedRows) -> ListChanges {
        let view = SelectedRowsDifference(from: old, to: new)
        if let bits = old.positions.bits, let newBits = new.positions.bits, !settings.dependencies.isAnySet,
            !earlier.layout.isConsolidated, !layout.isConsolidated,
            let table = old.positions.table ?? new.positions.table, table.isTable(of: new.state)
        {
            guard isComparable(to: earlier) else { return .reload(rawChangeCount: 0) }
            let transition = ListTransition(
                before: earlier.layout, after: layout, view: view, groups: .all([:]),
                dependencies: settings.dependencies)
            return transition.changes(exchanging: (old.positions, bits), by: (new.positions, newBits), of: table)
        }
        return changes(since: earlier, over: view, rowsMove: false)
    }

    private func changes(
        since earlier: ListCore, over view: any ViewDifference, rowsMove: Bool = true
    ) -> ListChanges {
        guard isComparable(to: earlier) else { return .reload(rawChangeCount: 0) }
        var differences: [String: GroupDifference] = [:]
        for group in earlier.layout.groups where layout.index(of: group.name) != nil {
            differences[group.name] = view.difference(ofGroup: group.name)
        }
        var transition = ListTransition(
            before: earlier.layout, after: layout, view: view, groups: .all(differences),
            dependencies: settings.dependencies)
        transition.rowsMove = rowsMove
        return transition.changes(rawChangeCount: 0)
    }

    private func isComparable(to earlier: ListCore) -> Bool {
        earlier.isFitted && earlier.hasSameOrientation(as: self)
    }

    private func hasSameOrientation(as other: ListCore) -> Bool {
        if !settings.isReversed.isAnySet, !other.settings.isReversed.isAnySet { return true }
        return layout.groups.allSatisfy { group in
            other.layout.group(named: group.name).map { $0.isReversed == group.isReversed } ?? true
        }
    }
}

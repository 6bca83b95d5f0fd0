import HashTreeCollections
import YaprakCore
import YaprakExtensions

extension ListCore {
    /// Moves on to the new side of `view`, and returns the changes.
    ///
    /// - Parameter rawChangesMax: above it the answer is a reload.
    package mutating func advance(over view: ViewDifference, rawChangesMax: Int = .max) -> ListChanges {
        guard isFitted else {
            refresh(to: view.new)
            return .reload(rawChangeCount: layout.groups.reduce(0) { $0 + $1.count })
        }
        let before = layout
        var step = Step()
        if let touched = touchedGroups(of: view) {
            if touched.isEmpty { return ListChanges() }
            for name in touched { step.add(name, before.group(named: name), view, isInList: !source.isAll) }
            if follow(to: view.new, in: touched, differences: step.differences) {
                return changes(since: before, step, over: view, touched: touched, rawChangesMax)
            }
            step = Step()
        }
        let names = source.groups(in: view.new)
        for name in names { step.add(name, before.group(named: name), view, isInList: true) }
        for group in before.groups where step.differences[group.name] == nil { step.rawChangeCount += group.count }
        follow(to: view.new, groups: names, differences: step.differences)
        return changes(since: before, step, over: view, touched: nil, rawChangesMax)
    }

    /// What is known of the groups of a list between two moments.
    private struct Step {
        var rawChangeCount = 0
        /// Of the groups that are in the list on both sides.
        var differences: [String: GroupDifference] = [:]

        /// - Parameter isInList: the group is in the list on the new side also if it has no rows.
        mutating func add(_ name: String, _ before: ListLayout.Group?, _ view: ViewDifference, isInList: Bool) {
            let count = view.new.count(ofGroup: name)
            guard before != nil, isInList || count > 0 else {
                rawChangeCount += before?.count ?? count
                return
            }
            let difference = view.difference(name)
            rawChangeCount += difference.removed.count + difference.inserted.count + difference.replaced.count
            differences[name] = difference
        }
    }

    /// The groups of the list that differ, in its order, if the others are known to be the same and in the same order.
    private func touchedGroups(of view: ViewDifference) -> [String]? {
        switch source {
        case .all: return view.differingGroups
        case .fixed: break
        case .chosen:
            // The closures may give another answer now.
            let names = source.groups(in: view.new)
            if names.count != layout.groups.count || zip(names, layout.groups).contains(where: { $0 != $1.name }) {
                return nil
            }
        }
        return view.differingGroups.compactMap { name in layout.index(of: name).map { (name, $0) } }
            .sorted { $0.1 < $1.1 }.map(\.0)
    }

    private func changes(
        since before: ListLayout, _ step: Step, over view: ViewDifference, touched: [String]?, _ rawChangesMax: Int
    ) -> ListChanges {
        if step.rawChangeCount > rawChangesMax { return .reload(rawChangeCount: step.rawChangeCount) }
        var transition = ListTransition(
            before: before, after: layout, old: view.old, new: view.new, differences: step.differences,
            touched: touched, dependencies: settings.dependencies, collectionNames: view.collectionNames,
            rowsHaveOnePlace: view.rowsHaveOnePlace, content: view.content)
        return transition.changes(rawChangeCount: step.rawChangeCount)
    }

    /// What leads from an earlier layout of the same snapshot to this one: other settings, nothing else.
    func changes(
        since earlier: ListCore, in rows: any GroupedRows, collectionNames: [String] = [""],
        rowsHaveOnePlace: Bool = true
    ) -> ListChanges {
        changes(
            since: earlier, from: rows, to: rows, collectionNames: collectionNames, rowsHaveOnePlace: rowsHaveOnePlace
        ) { GroupDifference(unchanged: $0.count) }
    }

    /// The same, where other rows of the snapshot are chosen.
    func changes(
        since earlier: ListCore, from old: SelectedRows, to new: SelectedRows, collectionNames: [String],
        rowsHaveOnePlace: Bool
    ) -> ListChanges {
        let hasExchange =
            old.positions.isInViewOrder && new.positions.isInViewOrder && !settings.dependencies.isAnySet
            && !earlier.layout.isConsolidated && !layout.isConsolidated
        return changes(
            since: earlier, from: old, to: new, collectionNames: collectionNames, rowsHaveOnePlace: rowsHaveOnePlace,
            rowsMove: false, exchange: hasExchange ? (old, new) : nil
        ) { new.difference(from: old, ofGroup: $0.name) }
    }

    /// - Parameters:
    ///   - exchange: the rows before and now, if only those that are shown matter.
    ///   - difference: what leads from the rows of a group before to those it has now.
    private func changes(
        since earlier: ListCore, from old: any GroupedRows, to new: any GroupedRows, collectionNames: [String],
        rowsHaveOnePlace: Bool, rowsMove: Bool = true, exchange: (old: SelectedRows, new: SelectedRows)? = nil,
        difference: (ListLayout.Group) -> GroupDifference
    ) -> ListChanges {
        guard earlier.isFitted, earlier.hasSameOrientation(as: self) else { return .reload(rawChangeCount: 0) }
        var differences: [String: GroupDifference] = [:]
        if exchange == nil {
            for group in earlier.layout.groups where layout.index(of: group.name) != nil {
                differences[group.name] = difference(group)
            }
        }
        var transition = ListTransition(
            before: earlier.layout, after: layout, old: old, new: new, differences: differences, touched: nil,
            dependencies: settings.dependencies, collectionNames: collectionNames, rowsHaveOnePlace: rowsHaveOnePlace,
            content: { _ in [] })
        transition.rowsMove = rowsMove
        if let exchange { return transition.changes(exchanging: exchange.old, by: exchange.new) }
        return transition.changes(rawChangeCount: 0)
    }

    private func hasSameOrientation(as other: ListCore) -> Bool {
        layout.groups.allSatisfy { group in
            other.layout.group(named: group.name).map { $0.isReversed == group.isReversed } ?? true
        }
    }
}

import YaprakExtensions

extension ListTransition {
    /// Where other rows of one state of a view are chosen, in their sequence: none moves and none is redrawn, so what is shown on
    /// one side only comes or goes. Other rows are not looked at.
    ///
    /// - Precondition: each group has a section of its own, and no row depends on its neighbours.
    /// - Complexity: O(rows that are shown + *g* log *g*).
    func changes(exchanging old: SelectedRows, by new: SelectedRows) -> ListChanges {
        var changes: [RowChange] = []
        add(old, in: before, notAmong: new, in: after, to: &changes) { .delete($0) }
        changes.sort { $0.source! > $1.source! }
        let deletes = changes.count
        add(new, in: after, notAmong: old, in: before, to: &changes) { .insert($0) }
        // A slice would be a copy.
        changes.withUnsafeMutableBufferPointer { changes in
            var inserts = UnsafeMutableBufferPointer(rebasing: changes[deletes...])
            inserts.sort { $0.target! < $1.target! }
        }
        return ListChanges(sectionChanges: sectionChanges(), rowChanges: changes)
    }

    /// Adds a change for each row that a layout shows and another one does not.
    private func add(
        _ own: SelectedRows, in layout: ListLayout, notAmong other: SelectedRows, in otherLayout: ListLayout,
        to changes: inout [RowChange], _ kind: (ListPath) -> RowChange.Kind
    ) {
        for (index, group) in layout.groups.enumerated() {
            let place = layout.place(ofGroupAt: index)
            if place.section == nil { continue }
            let name = group.name
            let shown = own.positions[name][group.window]
            let rest = shown.indices(
                notIn: otherLayout.group(named: name).map { other.positions[name][$0.window] } ?? [])
            own.state.forEachRow(inGroup: name, at: rest.map { shown[$0] }[...]) { index, row in
                guard let path = place.path(ofPosition: rest[index]) else { return }
                changes.append(
                    RowChange(
                        kind: kind(path), aspects: [], group: name, oldGroup: name,
                        collectionName: collectionNames[row.collection], row: row, rowsHaveOnePlace: rowsHaveOnePlace))
            }
        }
    }
}

extension ArraySlice<UInt32> {
    /// Where those of these numbers are that are not among others. Both ascend.
    fileprivate func indices(notIn others: ArraySlice<UInt32>) -> [Int] {
        if others.isEmpty { return Array<Int>(indices) }
        var found: [Int] = []
        var next = others.startIndex
        for index in indices {
            while next < others.endIndex, others[next] < self[index] { next += 1 }
            if next == others.endIndex || others[next] != self[index] { found.append(index) }
        }
        return found
    }
}

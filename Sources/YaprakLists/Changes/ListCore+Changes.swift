import YaprakCore
import YaprakExtensions

extension ListCore {
    /// Moves on to the new side of `view`, and says what leads there.
    ///
    /// - Parameter rawChangesMax: above it the answer is to draw the list anew.
    package mutating func advance(over view: ViewDifference, rawChangesMax: Int = .max) -> ListChanges {
        let names = source.groups(in: view.new)
        guard isFitted else {
            refresh(to: view.new)
            return .reload(rawChangeCount: layout.groups.reduce(0) { $0 + $1.count })
        }
        let before = layout
        var rawChangeCount = 0
        var alignments: [String: RowAlignment] = [:]
        for name in names {
            guard let group = before.group(named: name) else {
                rawChangeCount += view.new.count(ofGroup: name)
                continue
            }
            let difference = view.difference(name)
            rawChangeCount += difference.removed.count + difference.inserted.count + difference.replaced.count
            alignments[name] = RowAlignment(
                difference, oldCount: group.count, newCount: view.new.count(ofGroup: name),
                isSortedAnew: view.isSortedAnew && group.count > 0, content: view.content)
        }
        for group in before.groups where alignments[group.name] == nil { rawChangeCount += group.count }
        follow(to: view.new, groups: names, alignments: alignments)
        if rawChangeCount > rawChangesMax { return .reload(rawChangeCount: rawChangeCount) }
        var transition = ListTransition(
            before: before, after: layout, old: view.old, new: view.new, alignments: alignments, settings: settings,
            collectionNames: view.collectionNames, rowsHaveOnePlace: view.rowsHaveOnePlace, content: view.content)
        return transition.changes(rawChangeCount: rawChangeCount)
    }

    /// What leads from an earlier layout of the same snapshot to this one: other settings, nothing else.
    func changes(
        since earlier: ListCore, in rows: any GroupedRows, collectionNames: [String] = [""],
        rowsHaveOnePlace: Bool = true
    ) -> ListChanges {
        guard earlier.isFitted, earlier.hasSameOrientation(as: self) else { return .reload(rawChangeCount: 0) }
        var alignments: [String: RowAlignment] = [:]
        for group in earlier.layout.groups where layout.index(of: group.name) != nil {
            alignments[group.name] = RowAlignment(RowDifference(), oldCount: group.count, newCount: group.count)
        }
        var transition = ListTransition(
            before: earlier.layout, after: layout, old: rows, new: rows, alignments: alignments, settings: settings,
            collectionNames: collectionNames, rowsHaveOnePlace: rowsHaveOnePlace, content: { _ in [] })
        return transition.changes(rawChangeCount: 0)
    }

    private func hasSameOrientation(as other: ListCore) -> Bool {
        layout.groups.allSatisfy { group in
            other.layout.group(named: group.name).map { $0.isReversed == group.isReversed } ?? true
        }
    }
}

extension ListCore {
    /// Shows `count` more rows of a group at one end, as the list shows it. No effect on groups without a range.
    mutating func extend(_ group: String, by count: Int, at side: ListRange.Side) {
        precondition(count >= 0, "a range is extended by a number of rows, not less than 0")
        guard let range = settings.ranges[group] else { return }
        let stored = settings.isReversed[group] ? side.opposite : side
        guard var window = windows[group], let shown = layout.group(named: group) else {
            configure { $0.replaceStoredRange(range.extended(by: count, at: stored), of: group) }
            return
        }
        window.extend(by: count, at: stored, positions: shown.window, groupCount: shown.count)
        replaceWindow(window, of: group)
    }
}

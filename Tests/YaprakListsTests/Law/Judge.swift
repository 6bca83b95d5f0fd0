import YaprakExtensions

@testable import YaprakLists

/// Looks at a set of changes that leads to the right list, and asks whether it says what it should and no more.
struct Judge {
    let options: Options
    let old: Contents
    let new: Contents
    let before: NaiveMappings
    let after: NaiveMappings
    let kept: [String: KeptRows]
    let changes: ListChanges

    private struct Place: Hashable {
        let key: Int
        let group: String
    }

    func fault() -> String? {
        var changed: [Place: RowChange] = [:]
        for change in changes.rowChanges where change.target != nil {
            changed[Place(key: Contents.number(change.key), group: change.group)] = change
        }
        let shownBefore = shown(before, old)
        let keysBefore = Set(shownBefore.keys.map(\.key))
        for (place, spot) in shown(after, new) {
            let change = changed[place]
            let isNew = change.map { if case .insert = $0.kind { true } else { false } } ?? false
            if isNew {
                let wasShown = options.rowsHaveOnePlace ? keysBefore.contains(place.key) : shownBefore[place] != nil
                if wasShown { return "k\(place.key) was shown and is inserted" }
                continue
            }
            let oldGroup = change?.oldGroup ?? place.group
            guard let was = shownBefore[Place(key: place.key, group: oldGroup)] else {
                return "k\(place.key) was not shown and is not inserted"
            }
            if oldGroup != place.group && !options.rowsHaveOnePlace { return "k\(place.key) moved between groups" }
            let aspects = change?.aspects ?? []
            if (was.entry.version != spot.entry.version) != aspects.contains(.object) {
                return "k\(place.key): the object \(aspects.contains(.object) ? "did not change" : "changed")"
            }
            if (was.entry.stamp != spot.entry.stamp) != aspects.contains(.metadata) {
                return "k\(place.key): the metadata \(aspects.contains(.metadata) ? "did not change" : "changed")"
            }
            let settled = options.settled(place.group)
            let offsets = settled.offsets.sorted()
            // The row above stays the row above, where a group shows its rows the other way round.
            let turned = options.settled(oldGroup).isReversed != settled.isReversed
            let oldOffsets = turned ? offsets.map { -$0 } : offsets
            let depends =
                neighbours(old, oldGroup, was.position, oldOffsets)
                != neighbours(new, place.group, spot.position, offsets)
            if depends != aspects.contains(.dependency) { return "k\(place.key): neighbours changed is \(depends)" }
            if case .update = change?.kind, aspects.isEmpty { return "k\(place.key) is updated for nothing" }
            if oldGroup == place.group, !isConsolidated, let rows = kept[place.group] {
                let moves = change.map { if case .move = $0.kind { true } else { false } } ?? false
                let stays = rows.oldPositions[spot.position] != nil
                if moves == stays { return "k\(place.key) \(stays ? "kept its place and moves" : "moved and stays")" }
            }
        }
        return nil
    }

    /// Rows change their section together, or share it with other groups.
    private var isConsolidated: Bool {
        before.isConsolidated || after.isConsolidated
    }

    private func neighbours(
        _ contents: Contents, _ group: String, _ position: Int, _ offsets: [Int]
    ) -> [Contents.Entry?] {
        if offsets.isEmpty { return [] }
        let rows = contents.rows(group)
        return offsets.map { offset in
            rows.indices.contains(position + offset) ? rows[position + offset] : nil
        }
    }

    /// The rows that are shown, with the entries they show.
    private func shown(_ mappings: NaiveMappings, _ contents: Contents) -> [Place: (
        entry: Contents.Entry, position: Int
    )] {
        var result: [Place: (entry: Contents.Entry, position: Int)] = [:]
        for (group, window) in mappings.windows {
            let rows = contents.rows(group)
            for position in window { result[Place(key: rows[position].key, group: group)] = (rows[position], position) }
        }
        return result
    }
}

@testable import YaprakLists

/// Looks at a set of changes that leads to the right list, and asks whether it says what it should and no more.
struct Judge {
    let options: Options
    let old: Contents
    let new: Contents
    let before: NaiveMappings
    let after: NaiveMappings
    let changes: ListChanges

    private struct Place: Hashable {
        let key: Int
        let group: String
    }

    func fault() -> String? {
        var told: [Place: RowChange] = [:]
        for change in changes.rowChanges where change.target != nil {
            told[Place(key: Contents.numbers[change.row]!, group: change.group)] = change
        }
        let shownBefore = shown(before, old)
        let keysBefore = Set(shownBefore.keys.map(\.key))
        for (place, spot) in shown(after, new) {
            let change = told[place]
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
                return "k\(place.key): the content \(aspects.contains(.object) ? "did not change" : "changed")"
            }
            let offsets = options.settled(place.group).offsets
            let depends =
                neighbours(old, oldGroup, was.position, offsets) != neighbours(new, place.group, spot.position, offsets)
            if depends != aspects.contains(.dependency) { return "k\(place.key): neighbours changed is \(depends)" }
            if case .update = change?.kind, aspects.isEmpty { return "k\(place.key) is updated for nothing" }
            let stays = was.entry.isSamePlace(as: spot.entry) && oldGroup == place.group
            if case .move = change?.kind, stays, !isConsolidated { return "k\(place.key) kept its place and moves" }
        }
        return nil
    }

    /// Rows change their section together, or share it with other groups.
    private var isConsolidated: Bool {
        before.isConsolidated || after.isConsolidated
    }

    private func neighbours(_ contents: Contents, _ group: String, _ position: Int, _ offsets: Set<Int>) -> [[Int]] {
        if offsets.isEmpty { return [] }
        let rows = contents.rows(group)
        return offsets.sorted().map { offset in
            rows.indices.contains(position + offset)
                ? [rows[position + offset].key, rows[position + offset].version] : []
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

import YaprakCore
import YaprakExtensions

/// Two layouts, and what changed between them: from these come the changes of a list.
///
/// Nothing here is an operation log. The two layouts have what was and what is shown; the differences of the groups have
/// which rows kept their order. Everything else follows by arithmetic on those:
///
///                          shown after
///                          no        yes
///     shown before   no    –         insert
///                    yes   delete    kept: nothing or update · put elsewhere: move
///
/// - Complexity: O((changes + rows that slid into or out of a window) · log *n*), never O(rows).
struct ListTransition {
    let before: ListLayout
    let after: ListLayout
    let old: any GroupedRows
    let new: any GroupedRows
    /// For the groups that are mapped on both sides.
    let differences: [String: GroupDifference]
    /// The groups in which anything differs, in the order of the list, if all others are the same, in the same order, and in
    /// sections of their own on both sides; `nil` if all groups have to be compared.
    let touched: [String]?
    /// At which distances rows stand that the drawing of a row depends on, in the order the groups are stored in.
    let dependencies: GroupSetting<Set<Int>>
    let collectionNames: [String]
    /// Whether a row is in one group at most, so that a change of groups is a move.
    let rowsHaveOnePlace: Bool
    /// Whether a row that leaves one place may be found at another. Not if other rows of one state are chosen.
    var rowsMove = true
    /// What changed in the content of a record that is there on both sides.
    let content: (RowID) -> ChangeKinds

    /// A row at a place.
    struct Spot {
        let row: RowID
        let group: String
        let position: Int
    }

    /// The group whose rows were last asked for, in each of the layouts: rows come group by group.
    struct KnownPlace {
        let name: String
        let place: ListLayout.GroupPlace?
    }
    var knownBefore: KnownPlace?
    var knownAfter: KnownPlace?

    var deletes: [RowChange] = []
    var inserts: [RowChange] = []
    var moves: [RowChange] = []
    var updates: [RowChange] = []
    /// Rows whose content changed in place; asked for where others depend on them.
    var changedInPlace: Set<RowID> = []
    /// Rows that lost their place while shown, and that may be found at another.
    var departures: [Spot] = []
    /// Rows that are shown at a place that is new for them.
    var arrivals: [Spot] = []

    mutating func changes(rawChangeCount: Int) -> ListChanges {
        let reordered = groupsReorderedWithinSection()
        if dependencies.isAnySet {
            for difference in differences.values {
                for entry in difference.replaced where !RowAspects(entry.kinds).isEmpty {
                    changedInPlace.insert(entry.row)
                }
            }
        }
        let olds = touched.map { $0.compactMap(before.group(named:)) } ?? Array(before.groups)
        for group in olds {
            if let difference = differences[group.name], let next = after.group(named: group.name) {
                let isElsewhere = before.isConsolidated != after.isConsolidated || reordered.contains(group.name)
                follow(group, next, difference, isElsewhere: isElsewhere || namesDiffer)
            } else {
                let old = old
                old.forEachRow(inGroup: group.name, at: group.window) { position, row in
                    let spot = Spot(row: row, group: group.name, position: position)
                    if rowsMove { departures.append(spot) } else { delete(spot) }
                }
            }
        }
        let news = touched.map { $0.compactMap(after.group(named:)) } ?? Array(after.groups)
        for group in news where differences[group.name] == nil {
            let new = new
            new.forEachRow(inGroup: group.name, at: group.window) { position, row in
                let spot = Spot(row: row, group: group.name, position: position)
                if rowsMove { arrivals.append(spot) } else { insert(spot) }
            }
        }
        pairDepartures()
        deletes.sort { $0.source! > $1.source! }
        inserts.sort { $0.target! < $1.target! }
        moves.sort { $0.target! < $1.target! }
        updates.sort { $0.target! < $1.target! }
        return ListChanges(
            sectionChanges: sectionChanges(), rowChanges: takeRowChanges(), rawChangeCount: rawChangeCount)
    }

    /// Deletes, inserts, moves and updates, one after the other: in the memory of the first that there are.
    private mutating func takeRowChanges() -> [RowChange] {
        var all: [RowChange] = []
        swap(&all, &deletes)
        func add(_ more: inout [RowChange]) { if all.isEmpty { swap(&all, &more) } else { all += more } }
        add(&inserts)
        add(&moves)
        add(&updates)
        return all
    }

    /// Consolidated under another name: another section.
    private var namesDiffer: Bool { before.consolidatedName != after.consolidatedName }

    private func spot(in rows: any GroupedRows, _ group: String, _ position: Int) -> Spot {
        Spot(row: rows.rowID(inGroup: group, at: position), group: group, position: position)
    }

    /// A group that is mapped on both sides.
    private mutating func follow(
        _ group: ListLayout.Group, _ next: ListLayout.Group, _ rows: GroupDifference, isElsewhere: Bool
    ) {
        let name = group.name
        if rows.isEmpty && group.window == next.window && !isElsewhere { return }
        let gone = rows.removed[in: group.window]
        for (index, entry) in zip(gone.indices, gone) where !next.window.contains(entry.counterpart) {
            GroupDifference.fetch(gone, around: index)
            let spot = Spot(row: entry.row, group: name, position: entry.position)
            if entry.counterpart < 0, rowsMove { departures.append(spot) } else { delete(spot) }
        }
        let come = rows.inserted[in: next.window]
        for (index, entry) in zip(come.indices, come) {
            GroupDifference.fetch(come, around: index)
            let spot = Spot(row: entry.row, group: name, position: entry.position)
            if group.window.contains(entry.counterpart) {
                // Most moves are within a group, and the difference of the group knows them already.
                let source = Spot(row: spot.row, group: name, position: entry.counterpart)
                moveWithNeighbours(source, to: spot, RowAspects(entry.kinds))
            } else if entry.counterpart < 0, rowsMove {
                arrivals.append(spot)
            } else {
                insert(spot)
            }
        }
        let was = rows.keptBefore(old: group.window.lowerBound)..<rows.keptBefore(old: group.window.upperBound)
        let now = rows.keptBefore(new: next.window.lowerBound)..<rows.keptBefore(new: next.window.upperBound)
        for kept in was.subtracting(now) {
            delete(spot(in: old, name, rows.oldPosition(ofKept: kept)))
        }
        for kept in now.subtracting(was) {
            insert(spot(in: new, name, rows.newPosition(ofKept: kept)))
        }
        let staying = was.clamped(to: now)
        let aspects = aspectsOfKept(in: name, rows, staying: staying)
        if isElsewhere {
            for kept in staying {
                let target = spot(in: new, name, rows.newPosition(ofKept: kept))
                let source = Spot(row: target.row, group: name, position: rows.oldPosition(ofKept: kept))
                move(source, to: target, aspects[kept]?.aspects ?? [])
            }
        } else {
            for (kept, found) in aspects {
                let source = Spot(row: found.row, group: name, position: rows.oldPosition(ofKept: kept))
                let target = Spot(row: found.row, group: name, position: rows.newPosition(ofKept: kept))
                guard let from = pathBefore(source), let to = pathAfter(target) else { continue }
                updates.append(rowChange(.update(from: from, to: to), source, target, found.aspects))
            }
        }
    }

    /// Finds the rows that left one place and came to another.
    private mutating func pairDepartures() {
        if departures.isEmpty && arrivals.isEmpty { return }
        var places: [Home: Int] = [:]
        for (index, spot) in arrivals.enumerated() { places[home(of: spot)] = index }
        var isPaired = [Bool](repeating: false, count: arrivals.count)
        for spot in departures {
            guard let index = places[home(of: spot)], !isPaired[index] else {
                delete(spot)
                continue
            }
            isPaired[index] = true
            moveWithNeighbours(spot, to: arrivals[index], RowAspects(content(spot.row)))
        }
        for (index, spot) in arrivals.enumerated() where !isPaired[index] { insert(spot) }
    }

    /// What makes a row the same row: itself, and its group too where it can be in several.
    private struct Home: Hashable {
        let row: RowID
        let group: String
    }

    private func home(of spot: Spot) -> Home { Home(row: spot.row, group: rowsHaveOnePlace ? "" : spot.group) }
}

extension ListTransition {
    private mutating func pathBefore(_ spot: Spot) -> ListPath? {
        if knownBefore.map({ $0.name != spot.group }) ?? true {
            knownBefore = KnownPlace(name: spot.group, place: before.place(ofGroup: spot.group))
        }
        return knownBefore?.place?.path(ofPosition: spot.position)
    }

    private mutating func pathAfter(_ spot: Spot) -> ListPath? {
        if knownAfter.map({ $0.name != spot.group }) ?? true {
            knownAfter = KnownPlace(name: spot.group, place: after.place(ofGroup: spot.group))
        }
        return knownAfter?.place?.path(ofPosition: spot.position)
    }

    private mutating func delete(_ spot: Spot) {
        guard let path = pathBefore(spot) else { return }
        deletes.append(rowChange(.delete(path), spot, spot))
    }

    private mutating func insert(_ spot: Spot) {
        guard let path = pathAfter(spot) else { return }
        inserts.append(rowChange(.insert(path), spot, spot))
    }

    private mutating func moveWithNeighbours(_ source: Spot, to target: Spot, _ aspects: RowAspects) {
        var aspects = aspects
        if neighboursDiffer(from: source, to: target) { aspects.insert(.dependency) }
        move(source, to: target, aspects)
    }

    private mutating func move(_ source: Spot, to target: Spot, _ aspects: RowAspects) {
        guard let from = pathBefore(source), let to = pathAfter(target) else { return }
        moves.append(rowChange(.move(from: from, to: to), source, target, aspects))
    }

    private func rowChange(
        _ kind: RowChange.Kind, _ source: Spot, _ target: Spot, _ aspects: RowAspects = []
    ) -> RowChange {
        RowChange(
            kind: kind, aspects: aspects, group: target.group, oldGroup: source.group,
            collectionName: collectionNames[source.row.collection], row: source.row, rowsHaveOnePlace: rowsHaveOnePlace)
    }
}

extension Range<Int> {
    /// The numbers that are in this range and not in the other, ascending.
    fileprivate func subtracting(_ other: Range<Int>) -> [Int] {
        if other.isEmpty { return Array(self) }
        let head = lowerBound..<Swift.max(lowerBound, Swift.min(upperBound, other.lowerBound))
        let tail = Swift.min(upperBound, Swift.max(lowerBound, other.upperBound))..<upperBound
        return Array(head) + Array(tail)
    }
}

extension Array where Element == GroupDifference.PlacedRow {
    /// The entries whose position is in `window`.
    fileprivate subscript(in window: Range<Int>) -> ArraySlice<Element> {
        let low = prefixCount(count) { self[$0].position < window.lowerBound }
        let high = prefixCount(count) { self[$0].position < window.upperBound }
        return self[low..<high]
    }
}

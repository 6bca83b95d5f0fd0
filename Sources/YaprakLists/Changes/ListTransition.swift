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
/// - Complexity: O((changes + rows that slid into or out of a window) · log *n*), never O(rows). Where drawing depends on
///   neighbours, also O(log *n*) for each row at an offset from one that was replaced, and for each within reach of one that
///   came or went.
struct ListTransition {
    let before: ListLayout
    let after: ListLayout
    let view: any ViewDifference
    let groups: Groups
    /// At which distances rows stand that the drawing of a row depends on, in the order the groups are stored in.
    let dependencies: GroupSetting<Set<Int>>
    // What each row change asks the view for.
    let collectionNames: [String]
    let rowsHaveOnePlace: Bool
    /// Whether a row that leaves one place may be found at another. Not if other rows of one state are chosen.
    var rowsMove = true

    /// What is known of the groups.
    enum Groups {
        /// Those in which anything differs, in the order of the list: all others are the same, in the same order, and in sections
        /// of their own on both sides.
        case touched([TouchedGroup])
        /// All have to be compared. The differences are of the groups that are mapped on both sides.
        case all([String: GroupDifference])
    }

    /// A row at a place.
    struct Spot {
        let row: RowID
        let group: String
        let position: Int
    }

    /// The group whose rows were last asked for, in each of the layouts: rows come group by group.
    var knownBefore: ListLayout.GroupPlace?
    var knownAfter: ListLayout.GroupPlace?

    private var contexts = RowChange.Contexts()

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

    init(
        before: ListLayout, after: ListLayout, view: any ViewDifference, groups: Groups,
        dependencies: GroupSetting<Set<Int>>
    ) {
        self.before = before
        self.after = after
        self.view = view
        self.groups = groups
        self.dependencies = dependencies
        collectionNames = view.collectionNames
        rowsHaveOnePlace = view.rowsHaveOnePlace
    }

    mutating func changes(rawChangeCount: Int) -> ListChanges {
        switch groups {
        case .touched(let groups): follow(groups)
        case .all(let differences): follow(differences)
        }
        pairDepartures()
        if deletes.count > 1 { deletes.sort { $0.source! > $1.source! } }
        if inserts.count > 1 { inserts.sort { $0.target! < $1.target! } }
        if moves.count > 1 { moves.sort { $0.target! < $1.target! } }
        if updates.count > 1 { updates.sort { $0.target! < $1.target! } }
        return ListChanges(
            sectionChanges: sectionChanges(), rowChanges: takeRowChanges(), rawChangeCount: rawChangeCount)
    }

    private mutating func follow(_ touched: [TouchedGroup]) {
        if dependencies.isAnySet {
            for group in touched { if let difference = group.difference { noteChangesInPlace(difference) } }
        }
        for index in touched.indices {
            knownBefore = touched[index].before
            knownAfter = touched[index].after
            guard let was = knownBefore?.group else { continue }
            if let difference = touched[index].difference, let now = knownAfter?.group {
                follow(was, now, difference, isElsewhere: false)
            } else {
                leave(was)
            }
        }
        for index in touched.indices where touched[index].difference == nil {
            if let now = touched[index].after?.group { enter(now) }
        }
    }

    private mutating func follow(_ differences: [String: GroupDifference]) {
        let reordered = groupsReorderedWithinSection()
        if dependencies.isAnySet { for difference in differences.values { noteChangesInPlace(difference) } }
        for group in before.groups {
            if let difference = differences[group.name], let next = after.group(named: group.name) {
                let isElsewhere = before.isConsolidated != after.isConsolidated || reordered.contains(group.name)
                follow(group, next, difference, isElsewhere: isElsewhere || namesDiffer)
            } else {
                leave(group)
            }
        }
        for group in after.groups where differences[group.name] == nil { enter(group) }
    }

    private mutating func noteChangesInPlace(_ difference: GroupDifference) {
        for entry in difference.replaced where !RowAspects(entry.kinds).isEmpty { changedInPlace.insert(entry.row) }
    }

    /// A group that was mapped before only.
    private mutating func leave(_ group: ListLayout.Group) {
        view.old.forEachRow(inGroup: group.name, at: group.window) { position, row in
            let spot = Spot(row: row, group: group.name, position: position)
            if rowsMove { departures.append(spot) } else { delete(spot) }
        }
    }

    /// A group that is mapped after only.
    private mutating func enter(_ group: ListLayout.Group) {
        view.new.forEachRow(inGroup: group.name, at: group.window) { position, row in
            let spot = Spot(row: row, group: group.name, position: position)
            if rowsMove { arrivals.append(spot) } else { insert(spot) }
        }
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
            delete(spot(in: view.old, name, rows.oldPosition(ofKept: kept)))
        }
        for kept in now.subtracting(was) {
            insert(spot(in: view.new, name, rows.newPosition(ofKept: kept)))
        }
        let staying = was.clamped(to: now)
        if !isElsewhere, dependencies[name].isEmpty {
            // Most lists: nothing but the content of rows decides.
            for entry in rows.replaced where staying.contains(rows.keptBefore(new: entry.new)) {
                update(entry.row, in: name, from: entry.old, to: entry.new, RowAspects(entry.kinds))
            }
            return
        }
        let aspects = aspectsOfKept(in: name, rows, staying: staying)
        if isElsewhere {
            for kept in staying {
                let target = spot(in: view.new, name, rows.newPosition(ofKept: kept))
                let source = Spot(row: target.row, group: name, position: rows.oldPosition(ofKept: kept))
                move(source, to: target, aspects[kept]?.aspects ?? [])
            }
        } else {
            for (kept, found) in aspects {
                update(
                    found.row, in: name, from: rows.oldPosition(ofKept: kept), to: rows.newPosition(ofKept: kept),
                    found.aspects)
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
            moveWithNeighbours(spot, to: arrivals[index], RowAspects(view.content(of: spot.row)))
        }
        for (index, spot) in arrivals.enumerated() where !isPaired[index] { insert(spot) }
    }

    /// What makes a row the same row: itself, and its group too where it can be in several.
    private struct Home: Hashable {
        let row: RowID
        let group: String
    }

    private func home(of spot: Spot) -> Home {
        Home(row: spot.row, group: rowsHaveOnePlace ? "" : spot.group)
    }
}

extension ListTransition {
    private mutating func pathBefore(_ spot: Spot) -> ListPath? {
        if knownBefore?.group.name != spot.group { knownBefore = before.place(ofGroup: spot.group) }
        return knownBefore?.path(ofPosition: spot.position)
    }

    private mutating func pathAfter(_ spot: Spot) -> ListPath? {
        if knownAfter?.group.name != spot.group { knownAfter = after.place(ofGroup: spot.group) }
        return knownAfter?.path(ofPosition: spot.position)
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

    private mutating func update(
        _ row: RowID, in group: String, from old: Int, to new: Int, _ aspects: RowAspects
    ) {
        let source = Spot(row: row, group: group, position: old)
        let target = Spot(row: row, group: group, position: new)
        guard !aspects.isEmpty, let from = pathBefore(source), let to = pathAfter(target) else { return }
        updates.append(rowChange(.update(from: from, to: to), source, target, aspects))
    }

    private mutating func rowChange(
        _ kind: RowChange.Kind, _ source: Spot, _ target: Spot, _ aspects: RowAspects = []
    ) -> RowChange {
        let collection = source.row.collection
        let context = contexts.context(
            group: target.group, oldGroup: source.group, collection: collection,
            collectionName: collectionNames[collection], rowsHaveOnePlace: rowsHaveOnePlace)
        return RowChange(kind: kind, aspects: aspects, key: source.row.key, context: context)
    }
}

extension Range<Int> {
    /// The numbers that are in this range and not in the other, ascending.
    fileprivate func subtracting(_ other: Range<Int>) -> [Int] {
        if other.isEmpty { return Array(self) }
        if other.lowerBound <= lowerBound && upperBound <= other.upperBound { return [] }
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

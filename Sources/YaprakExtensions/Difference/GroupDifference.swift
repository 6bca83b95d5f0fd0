package import YaprakCore
import YaprakTrees

/// What leads from a group in one snapshot to the same group in another.
///
/// Rows named by nothing here stay as they are, in the same sequence: taking `removed` out of the old group from the last
/// to the first and putting `inserted` into it from the first to the last gives the new group. A row in both has moved.
/// `replaced` rows keep their place among the others. As few rows move as possible.
///
/// Rows that were neither removed nor inserted are *kept*: see ``keptCount``.
package struct GroupDifference: Sendable {
    package struct PlacedRow: PositionedRow, Sendable {
        package let position: Int
        package let placement: Placement
        /// Where the row is on the other side of the difference, in the same group; -1 if it isn't.
        package fileprivate(set) var counterpart = -1
        /// What changed in the content of a row that moved.
        package fileprivate(set) var kinds: ChangeKinds = []
        package var row: RowID { placement.row }
        package var fingerprint: UInt64 { placement.fingerprint }

        package func isSameRow(as other: PlacedRow) -> Bool { placement.isOfSameRow(as: other.placement) }
    }

    package struct Replacement: Sendable {
        package let old: Int
        package let new: Int
        package let row: RowID
        /// What changed; never empty.
        package let kinds: ChangeKinds
    }

    /// How many rows the old group has.
    package let oldCount: Int
    /// How many rows the new group has.
    package let newCount: Int
    /// Whether the rows of the old group were sorted by something else.
    package let isResorted: Bool
    /// Positions in the old group, ascending.
    package private(set) var removed: [PlacedRow] = []
    /// Positions in the new group, ascending.
    package private(set) var inserted: [PlacedRow] = []
    /// Kept rows whose content changed; ascending in both positions.
    package private(set) var replaced: [Replacement] = []

    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && replaced.isEmpty }
}

extension GroupDifference {
    /// A group of `count` rows in which nothing changed.
    package init(unchanged count: Int) {
        oldCount = count
        newCount = count
        isResorted = false
    }

    /// What leads from some rows to others, however both are ordered. Fewest rows move.
    /// - Complexity: O(*r* log *r*) in the number of rows, but for those that both begin and end with.
    package init(from old: [Placement], to new: [Placement]) {
        oldCount = old.count
        newCount = new.count
        isResorted = false
        var start = 0
        while start < min(old.count, new.count), old[start] === new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] === new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        removed = (start..<oldEnd).map { PlacedRow(position: $0, placement: old[$0]) }
        inserted = (start..<newEnd).map { PlacedRow(position: $0, placement: new[$0]) }
        keepWhatStays {
            old[$0]
        } _: {
            new[$0]
        }
    }

    /// What leads from some rows of a group to others, given by their positions in it, ascending.
    /// - Complexity: O(rows).
    package init(fromPositions old: [UInt32], to new: [UInt32], ofGroup name: String, in state: ViewState) {
        oldCount = old.count
        newCount = new.count
        isResorted = false
        // Places among the positions before and after.
        var (gone, come): ([UInt32], [UInt32]) = ([], [])
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, old[i] == new[j] {
                i += 1
                j += 1
            } else if j == new.count || i < old.count && old[i] < new[j] {
                gone.append(UInt32(i))
                i += 1
            } else {
                come.append(UInt32(j))
                j += 1
            }
        }
        removed = state.placedRows(gone, of: old, ofGroup: name)
        inserted = state.placedRows(come, of: new, ofGroup: name)
    }

    init(from old: TreeRoot, to new: TreeRoot, order: PlacementOrder, isSameOrder: Bool) {
        oldCount = old.count
        newCount = new.count
        isResorted = !isSameOrder && !old.isEmpty
        if old.isIdentical(to: new) { return }
        if isSameOrder || old.isEmpty || new.isEmpty {
            TreeRoot.positionedDifference(from: old, to: new, order: order) { step, oldPosition, newPosition in
                switch step {
                case .removed(let row): removed.append(Self.placed(row, oldPosition))
                case .inserted(let row): inserted.append(Self.placed(row, newPosition))
                case .replaced(let x, let y):
                    let (x, y) = (unsafeDowncast(x, to: Placement.self), unsafeDowncast(y, to: Placement.self))
                    if x.row == y.row {
                        replace(x, oldPosition, y, newPosition)
                    } else {
                        removed.append(Self.placed(x, oldPosition))
                        inserted.append(Self.placed(y, newPosition))
                    }
                }
            }
        } else {
            // Sorted by something else: everything left its place, and what can be said to have stayed is found below.
            old.forEach { removed.append(Self.placed($0, removed.count)) }
            new.forEach { inserted.append(Self.placed($0, inserted.count)) }
        }
        keepWhatStays {
            unsafeDowncast(old.row(at: $0), to: Placement.self)
        } _: {
            unsafeDowncast(new.row(at: $0), to: Placement.self)
        }
    }

    fileprivate static func placed(_ row: TreeRow, _ position: Int) -> PlacedRow {
        PlacedRow(position: position, placement: unsafeDowncast(row, to: Placement.self))
    }

    private mutating func replace(_ old: Placement, _ oldPosition: Int, _ new: Placement, _ newPosition: Int) {
        let kinds = new.kinds(since: old)
        if kinds.isEmpty { return }
        replaced.append(Replacement(old: oldPosition, new: newPosition, row: new.row, kinds: kinds))
    }

    /// Takes back removals and insertions of rows that need not move, and records for every other row that is on both
    /// sides where it went.
    ///
    /// - Parameters:
    ///   - old: the row at a position of the old group.
    ///   - new: the row at a position of the new group.
    private mutating func keepWhatStays(_ old: (Int) -> Placement, _ new: (Int) -> Placement) {
        if removed.count == 1, inserted.count == 1 { return keepWhatStaysOfOne() }
        let pairs = RowPairs(removed: removed, inserted: inserted)
        if pairs.all.isEmpty { return }
        let fewest = FewestMoves(pairs, removed: removed, inserted: inserted, keptCount: keptCount)
        // Kept rows move: fewer of them than of those that would have moved.
        let moved = fewest.moving.joined().map { (old: oldPosition(ofKept: $0), new: newPosition(ofKept: $0)) }
        for (index, (departure, arrival)) in pairs.all.enumerated() {
            if index + Self.fetchedAhead < pairs.all.count {
                let next = pairs.all[index + Self.fetchedAhead]
                Unmanaged<TreeRow>.passUnretained(removed[next.removed].placement.record).fetch()
                Unmanaged<TreeRow>.passUnretained(inserted[next.inserted].placement.record).fetch()
            }
            let kinds = inserted[arrival].placement.kinds(since: removed[departure].placement)
            removed[departure].counterpart = inserted[arrival].position
            removed[departure].kinds = kinds
            inserted[arrival].counterpart = removed[departure].position
            inserted[arrival].kinds = kinds
        }
        let staying = fewest.staying
        for (departure, arrival) in staying {
            replace(
                removed[departure].placement, removed[departure].position, inserted[arrival].placement,
                inserted[arrival].position)
        }
        removed.remove(atAscending: staying.map(\.removed))
        inserted.remove(atAscending: staying.map(\.inserted))
        if !moved.isEmpty { move(moved, old, new) }
        if !staying.isEmpty { replaced.sort { $0.old < $1.old } }
    }

    /// The same for one row that was removed, and one that was inserted: most changes are of one row. If it is the same row, it
    /// stays where as many rows stand before it, or moves.
    private mutating func keepWhatStaysOfOne() {
        guard removed[0].isSameRow(as: inserted[0]) else { return }
        let (before, after) = (removed[0].position, inserted[0].position)
        if before == after {
            replace(removed[0].placement, before, inserted[0].placement, after)
            removed = []
            inserted = []
            replaced.sort { $0.old < $1.old }
            return
        }
        let kinds = inserted[0].placement.kinds(since: removed[0].placement)
        removed[0].counterpart = after
        removed[0].kinds = kinds
        inserted[0].counterpart = before
        inserted[0].kinds = kinds
    }

    /// Records are fetched so many pairs before they are read.
    private static let fetchedAhead = 8

    /// Fetches placements and keys of rows that come soon, where rows are read one after the other and `index` is the next.
    package static func fetch(_ rows: ArraySlice<PlacedRow>, around index: Int) {
        let (soon, next) = (index + 2 * fetchedAhead, index + fetchedAhead)
        if soon < rows.endIndex { Unmanaged<TreeRow>.passUnretained(rows[soon].placement).fetch() }
        if next < rows.endIndex { Unmanaged<KeyedRow>.passUnretained(rows[next].placement).fetchKey() }
    }

    /// Counts rows that kept what they are sorted by among those that moved.
    private mutating func move(
        _ rows: [(old: Int, new: Int)], _ old: (Int) -> Placement, _ new: (Int) -> Placement
    ) {
        let departures = Set(rows.map(\.old))
        replaced.removeAll { departures.contains($0.old) }
        for row in rows {
            var departure = PlacedRow(position: row.old, placement: old(row.old))
            var arrival = PlacedRow(position: row.new, placement: new(row.new))
            departure.counterpart = row.new
            departure.kinds = arrival.placement.kinds(since: departure.placement)
            arrival.counterpart = row.old
            arrival.kinds = departure.kinds
            removed.append(departure)
            inserted.append(arrival)
        }
        removed.sort { $0.position < $1.position }
        inserted.sort { $0.position < $1.position }
    }
}

extension ViewState {
    /// Some rows of those at given positions of a group.
    /// - Parameter places: which of the positions, ascending.
    fileprivate func placedRows(
        _ places: [UInt32], of positions: [UInt32], ofGroup name: String
    ) -> [GroupDifference.PlacedRow] {
        if places.isEmpty { return [] }
        var placed: [GroupDifference.PlacedRow] = []
        placed.reserveCapacity(places.count)
        withExtendedLifetime(snapshot) {
            rows(ofGroup: name).forEach(at: places.map { positions[Int($0)] }[...]) { index, row in
                placed.append(GroupDifference.placed(row.takeUnretainedValue(), Int(places[index])))
            }
        }
        return placed
    }
}

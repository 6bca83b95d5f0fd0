import YaprakCore
import YaprakExtensions
import YaprakTrees

/// The rows of a query, kept up to date from what changes between two snapshots.
///
/// With a limit some more rows are kept than are shown, so that the next ones are at hand when rows go. When they are
/// used up, the rows behind the last one are asked for: cheap where an index has the order of the query.
struct LiveRows: Sendable {
    private let scope: LiveScope
    /// So many rows are kept.
    private let capacity: Int

    private(set) var snapshot: Snapshot
    /// The rows that are shown, and some behind them.
    private(set) var kept: RowList
    /// Whether all matches are kept.
    private var isWhole: Bool

    init<Object, Metadata>(_ query: RecordQuery<Object, Metadata>, in snapshot: Snapshot) {
        scope = LiveScope(query)
        capacity = scope.limit > 1 << 40 ? .max : 2 * scope.limit + 16
        self.snapshot = snapshot
        kept = RowList()
        isWhole = true
        if scope.limit > 0 { (kept, isWhole, _) = run(in: snapshot, behind: scope.start, capacity) }
        kept.snapshot = snapshot
    }

    /// The rows that are shown.
    var rows: RowList { shown(of: kept) }

    /// Those of ``kept``, now or before, that are shown. O(limit) as long as nothing has changed them, O(log *n*) then.
    func shown(of kept: RowList) -> RowList {
        var rows = kept
        rows.truncate(to: limit)
        return rows
    }

    /// Runs the query, for the rows behind one.
    private func run(
        in snapshot: Snapshot, behind row: RecordBox?, _ limit: Int
    ) -> (rows: RowList, isWhole: Bool, isInOrder: Bool) {
        var execution = QueryExecution(
            snapshot, scope.collection, scope.outline, scope.order, limit: limit, after: row)
        execution.run()
        return (RowList(execution.rows), execution.rows.count < limit, execution.isInOrder)
    }

    private var order: RecordOrder { scope.order }
    private var limit: Int { scope.limit }

    /// Goes on to another snapshot of the same database.
    /// - Complexity: O(*c* log *r*) for *c* changed records that concern it and *r* rows; the first change of many rows O(*r*).
    ///   O(*r*) once more where neither the condition nor the order is known to say the same each time, and a record changed that
    ///   was not among the rows.
    mutating func advance(to next: Snapshot) -> QueryChanges {
        let previous = snapshot
        snapshot = next
        guard limit > 0 else { return QueryChanges() }
        let before = kept
        // It has the rows that are taken out below.
        defer { withExtendedLifetime(previous) {} }
        kept.snapshot = next
        let changed = scope.changes(from: previous, to: next)
        if changed.isEmpty { return QueryChanges() }
        if changed.count == 1, let step = replace(changed[0]) { return step }
        // Rows are known up to here; `nil` if all are.
        let edge = isWhole ? nil : before.count > 0 ? before[before.count - 1] : nil
        var gone: [(position: Int, key: String)] = []
        var come: [RecordBox] = []
        // Every row that changed is found: nothing else keeps it from now on.
        var missed: [RecordBox] = []
        for entry in changed {
            if let old = entry.before, scope.mayHaveHad(old) {
                let position = before.position(of: old, in: order)
                if position < before.count, before[position] === old {
                    gone.append((position, old.key))
                } else if !scope.isOrderPure {
                    // An order that has changed its mind does not lead to it.
                    missed.append(old)
                }
            }
            if let new = scope.match(entry.after), edge.map({ order.compare(new, $0) <= 0 }) ?? true {
                come.append(new)
            }
        }
        for position in before.positions(identicalTo: missed) { gone.append((position, before[position].key)) }
        if gone.isEmpty, come.isEmpty { return QueryChanges() }
        gone.sort { $0.position > $1.position }
        come.sort { order.compare($0, $1) < 0 }
        for (position, _) in gone { kept.remove(at: position) }
        var taken: [(position: Int, row: RecordBox)] = []
        for row in come {
            let position = kept.position(of: row, in: order)
            kept.insert(row, at: position)
            taken.append((position, row))
        }
        if kept.count > capacity {
            kept.truncate(to: capacity)
            isWhole = false
        }
        var wasRerun = false
        if !isWhole, kept.count < limit {
            let known = kept.count
            wasRerun = !refill(behind: edge)
            // A row that was written may have gone behind those that were known, and be shown again.
            let keys = Set(gone.map(\.key))
            for position in known..<max(known, min(kept.count, limit)) where keys.contains(kept[position].key) {
                taken.append((position, kept[position]))
            }
        }
        var changes = steps(gone, taken, before.count)
        changes.wasRerun = wasRerun
        return changes
    }

    /// Exchanges one row that stays between its neighbours; `nil` if it does not.
    private mutating func replace(_ entry: ChangeEntry) -> QueryChanges? {
        guard let old = scope.match(entry.before), let new = scope.match(entry.after) else { return nil }
        let position: Int
        if order.compare(old, new) == 0 {
            // It stays where it was, also behind the last row that is known.
            guard let found = kept.exchange(old, for: new, in: order) else { return nil }
            position = found
        } else {
            position = kept.position(of: old, in: order)
            guard position < kept.count, kept[position] === old else { return nil }
            let isBehind = position == 0 || order.compare(kept[position - 1], new) < 0
            // Behind the last row there may be others that are not known.
            let isBefore = position + 1 < kept.count ? order.compare(new, kept[position + 1]) < 0 : isWhole
            guard isBehind, isBefore else { return nil }
            kept.replace(at: position, with: new)
        }
        var changes = QueryChanges()
        if position < limit { changes.updates = [.init(from: position, to: position)] }
        return changes
    }

    /// Asks for the rows behind those that are known.
    /// - Returns: whether they were read in order: from an index, or in that of the keys.
    private mutating func refill(behind edge: RecordBox?) -> Bool {
        let more = run(in: snapshot, behind: edge ?? scope.start, capacity - kept.count)
        // An order that has changed its mind may call rows that are known some behind the last of them.
        var known: Set<ObjectIdentifier> = []
        if !scope.isOrderPure {
            kept.forEach { row in
                known.insert(ObjectIdentifier(row))
                return true
            }
        }
        more.rows.forEach { row in
            if known.isEmpty || !known.contains(ObjectIdentifier(row)) { kept.insert(row, at: kept.count) }
            return true
        }
        isWhole = more.isWhole
        return more.isInOrder
    }

    // MARK: Steps

    /// What happened to the rows that are shown.
    ///
    /// - Parameters:
    ///   - gone: the rows that were taken out, with their positions, descending.
    ///   - come: the rows that were put in, with their positions, ascending.
    private func steps(
        _ gone: [(position: Int, key: String)], _ come: [(position: Int, row: RecordBox)], _ countBefore: Int
    ) -> QueryChanges {
        var changes = QueryChanges()
        let (shownBefore, shown) = (min(countBefore, limit), min(kept.count, limit))
        // A changed row by its key: where it was, and among how many rows that were not written.
        var sources: [String: (position: Int, rank: Int)] = [:]
        for (index, row) in gone.enumerated() {
            // Of those that went, so many stood before it.
            sources[row.key] = (row.position, row.position - (gone.count - 1 - index))
        }
        var both: [(from: Int, to: Int, stays: Bool)] = []
        var isInserted: Set<Int> = []
        for (index, row) in come.enumerated() where row.position < shown {
            if let source = sources.removeValue(forKey: row.row.key), source.position < shownBefore {
                both.append((source.position, row.position, source.rank == row.position - index))
            } else {
                isInserted.insert(row.position)
            }
        }
        for source in sources.values where source.position < shownBefore { changes.removes.append(source.position) }
        changes.inserts = isInserted.sorted()
        // Rows that were not written cross the limit where the balance of the others leaves room, or takes it.
        let stayed = shownBefore - changes.removes.count - both.count
        let stays = shown - changes.inserts.count - both.count
        if stays > stayed {
            changes.inserts = entering(stays - stayed, shown, Set(come.map(\.position))) + changes.inserts
        }
        if stays < stayed { changes.removes += leaving(stayed - stays, shownBefore, Set(gone.map(\.position))) }
        changes.inserts.sort()
        changes.removes.sort(by: >)
        let kept = longestRun(both)
        for (index, row) in both.enumerated() {
            let step = QueryChanges.Step(from: row.from, to: row.to)
            if kept.contains(index) { changes.updates.append(step) } else { changes.moves.append(step) }
        }
        return changes
    }

    /// The last rows that are shown now and were not written: so many were behind the limit.
    private func entering(_ count: Int, _ shown: Int, _ written: Set<Int>) -> [Int] {
        Array((0..<shown).reversed().lazy.filter { !written.contains($0) }.prefix(count))
    }

    private func leaving(_ count: Int, _ shown: Int, _ written: Set<Int>) -> [Int] {
        Array((0..<shown).reversed().lazy.filter { !written.contains($0) }.prefix(count))
    }

    /// Of rows that stand among the same rows that were not written: as many as possible that did not pass each other.
    private func longestRun(_ rows: [(from: Int, to: Int, stays: Bool)]) -> Set<Int> {
        // They ascend by their positions after: a longest run that ascends by those before.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for (index, row) in rows.enumerated() where row.stays {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if rows[ends[middle]].from < row.from { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: Set<Int> = []
        var last = ends.last
        while let index = last {
            run.insert(index)
            last = previous[index]
        }
        return run
    }
}

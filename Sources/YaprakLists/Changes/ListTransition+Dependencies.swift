import YaprakCore
import YaprakExtensions

extension ListTransition {
    /// What has to be looked at again in rows that stay: their content changed, or that of rows they depend on.
    ///
    /// - Parameter staying: the kept rows that are shown on both sides, by number.
    func aspectsOfKept(
        in group: String, _ rows: GroupDifference, staying: Range<Int>
    ) -> [Int: (row: RowID, aspects: RowAspects)] {
        var found: [Int: (row: RowID, aspects: RowAspects)] = [:]
        for entry in rows.replaced {
            let kept = rows.keptBefore(new: entry.new)
            let aspects = RowAspects(entry.kinds)
            if staying.contains(kept) && !aspects.isEmpty { found[kept] = (entry.row, aspects) }
        }
        let offsets = dependencies[group]
        guard !offsets.isEmpty && !staying.isEmpty else { return found }
        for kept in keptNearChanges(rows, offsets, staying: staying) {
            let position = rows.newPosition(ofKept: kept)
            let row = view.new.rowID(inGroup: group, at: position)
            let was = Spot(row: row, group: group, position: rows.oldPosition(ofKept: kept))
            guard neighboursDiffer(from: was, to: Spot(row: row, group: group, position: position)) else { continue }
            found[kept, default: (row, [])].aspects.insert(.dependency)
        }
        return found
    }

    /// The rows that stay and have a change in reach.
    private func keptNearChanges(_ rows: GroupDifference, _ offsets: Set<Int>, staying: Range<Int>) -> Set<Int> {
        let reach = offsets.map(abs).max() ?? 0
        var near: Set<Int> = []
        /// The kept rows on both sides of a gap.
        func add(around kept: Int) {
            let low = max(staying.lowerBound, kept - reach)
            let high = min(staying.upperBound, kept + reach + 1)
            if low < high { near.formUnion(low..<high) }
        }
        for entry in rows.inserted { add(around: rows.keptBefore(new: entry.position)) }
        for entry in rows.removed { add(around: rows.keptBefore(old: entry.position)) }
        for entry in rows.replaced { add(around: rows.keptBefore(new: entry.new)) }
        return near
    }

    /// Whether a row that was at one place and is at another has another neighbour there at one of the offsets its
    /// drawing depends on, or one whose content changed. Past the ends there is none.
    func neighboursDiffer(from source: Spot, to target: Spot) -> Bool {
        let offsets = dependencies[target.group]
        if offsets.isEmpty { return false }
        let (old, new) = (view.old, view.new)
        let oldCount = old.count(ofGroup: source.group)
        let newCount = new.count(ofGroup: target.group)
        // A neighbour is the row that the list shows at a side: the other one as stored, where one group is reversed.
        let isTurned =
            source.group != target.group
            && before.group(named: source.group)?.isReversed != after.group(named: target.group)?.isReversed
        return offsets.contains { offset in
            let was = source.position + (isTurned ? -offset : offset)
            let now = target.position + offset
            guard was >= 0 && was < oldCount else { return now >= 0 && now < newCount }
            guard now >= 0 && now < newCount else { return true }
            let neighbour = new.rowID(inGroup: target.group, at: now)
            return old.rowID(inGroup: source.group, at: was) != neighbour || changedInPlace.contains(neighbour)
                || !RowAspects(view.content(of: neighbour)).isEmpty
        }
    }
}

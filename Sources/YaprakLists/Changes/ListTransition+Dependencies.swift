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
        for kept in keptNearChanges(rows, offsets, staying: staying).joined() {
            let position = rows.newPosition(ofKept: kept)
            let row = view.new.rowID(inGroup: group, at: position)
            let was = Spot(row: row, group: group, position: rows.oldPosition(ofKept: kept))
            guard neighboursDiffer(from: was, to: Spot(row: row, group: group, position: position)) else { continue }
            found[kept, default: (row, [])].aspects.insert(.dependency)
        }
        return found
    }

    /// The rows that stay and may have another neighbour at one of the offsets, or one whose content changed: those around
    /// rows that came or went, and those at the offsets from replaced ones.
    ///
    /// - Returns: disjoint ranges, ascending, so that no row is looked at twice, however many changes are near it.
    /// - Complexity: O(*m* log *m*), with *m* the changes and the offsets from those that were replaced.
    private func keptNearChanges(
        _ rows: GroupDifference, _ offsets: Set<Int>, staying: Range<Int>
    ) -> [Range<Int>] {
        let reach = offsets.map(abs).max() ?? 0
        var near: [Range<Int>] = []
        // So many kept rows stand before the gap where a row came or went.
        for (number, entry) in rows.inserted.enumerated() {
            near.append((entry.position - number - reach)..<(entry.position - number + reach))
        }
        for (number, entry) in rows.removed.enumerated() {
            near.append((entry.position - number - reach)..<(entry.position - number + reach))
        }
        // Where nothing came or went in between, a row and its neighbour are as far from each other among the kept ones.
        for entry in rows.replaced {
            let kept = rows.keptBefore(new: entry.new)
            for offset in offsets { near.append((kept - offset)..<(kept - offset + 1)) }
        }
        near.sort { $0.lowerBound < $1.lowerBound }
        var end = staying.lowerBound
        return near.compactMap { range in
            let start = max(end, range.lowerBound)
            let stop = min(staying.upperBound, range.upperBound)
            guard start < stop else { return nil }
            end = stop
            return start..<stop
        }
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

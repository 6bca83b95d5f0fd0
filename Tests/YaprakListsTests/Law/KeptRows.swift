import Yaprak
import YaprakExtensions

/// Which rows of a group kept their place among the others: the choice of a difference, once it is found to be right.
///
/// Where several choices are as good, the model can't know which one was made. So it asks whether the choice is right, and
/// goes on with it.
struct KeptRows {
    /// For each row of the new group its old position, if it was kept.
    private(set) var oldPositions: [Int?] = []
    /// What is wrong with the difference.
    private(set) var fault: String?

    /// Those of each group.
    static func all(
        of view: MarkView, from old: (contents: Contents, snapshot: Snapshot),
        to new: (contents: Contents, snapshot: Snapshot)
    ) -> [String: KeptRows] {
        let (before, after) = (old.snapshot[view].state, new.snapshot[view].state)
        var all: [String: KeptRows] = [:]
        for name in Contents.names {
            all[name] = KeptRows(
                after.difference(from: before, ofGroup: name), from: old.contents.rows(name),
                to: new.contents.rows(name),
                isSameOrder: old.contents.epoch == new.contents.epoch)
        }
        return all
    }

    init(_ difference: GroupDifference, from old: [Contents.Entry], to new: [Contents.Entry], isSameOrder: Bool) {
        oldPositions = Array(repeating: nil, count: new.count)
        fault = check(difference, old, new, isSameOrder)
    }

    private mutating func check(
        _ difference: GroupDifference, _ old: [Contents.Entry], _ new: [Contents.Entry], _ isSameOrder: Bool
    ) -> String? {
        guard difference.oldCount == old.count, difference.newCount == new.count else { return "counts" }
        guard difference.isResorted == (!isSameOrder && !old.isEmpty) else { return "order" }
        let removed = Set(difference.removed.map(\.position))
        let inserted = Set(difference.inserted.map(\.position))
        let stay = old.indices.filter { !removed.contains($0) }
        let stand = new.indices.filter { !inserted.contains($0) }
        guard stay.map({ old[$0].key }) == stand.map({ new[$0].key }) else { return "kept rows in another order" }
        for (source, target) in zip(stay, stand) { oldPositions[target] = source }
        if stay.count != longestCommon(old.map(\.key), new.map(\.key)) { return "more rows move than have to" }
        // Where the others went, and what changed in those that stayed.
        for row in difference.removed {
            guard Contents.number(row.row.key) == old[row.position].key else { return "\(row.row) was elsewhere" }
            let target = new.firstIndex { $0.key == old[row.position].key } ?? -1
            if row.counterpart != target { return "\(row.row) went to \(target)" }
        }
        for row in difference.inserted {
            guard Contents.number(row.row.key) == new[row.position].key else { return "\(row.row) is elsewhere" }
            let source = old.firstIndex { $0.key == new[row.position].key } ?? -1
            if row.counterpart != source { return "\(row.row) came from \(source)" }
        }
        let changed = zip(stay, stand).filter { !old[$0].hasSameContent(as: new[$1]) }
        guard difference.replaced.map(\.old) == changed.map(\.0), difference.replaced.map(\.new) == changed.map(\.1)
        else { return "replaced rows" }
        return nil
    }
}

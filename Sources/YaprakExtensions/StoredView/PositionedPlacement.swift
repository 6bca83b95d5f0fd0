import YaprakCore
import YaprakTrees

/// A placement of a view whose code is not there: its position comes from the files.
final class PositionedPlacement: Placement, @unchecked Sendable {
    let label: PositionLabel

    init(_ record: RecordBox, collection: Int, group: String, touches: Touches, label: PositionLabel) {
        self.label = label
        super.init(record, collection: collection, group: group, touches: touches, hint: label.head)
    }

    override func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        PositionedPlacement(record, collection: collection, group: group, touches: touches, label: label)
    }
}

/// The order of ``PositionedPlacement``s.
final class PositionOrder: PlacementOrder, @unchecked Sendable {
    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int {
        let x = unsafeDowncast(a, to: PositionedPlacement.self).label.tail
        let y = unsafeDowncast(b, to: PositionedPlacement.self).label.tail
        if x == y { return 0 }
        return x.lexicographicallyPrecedes(y) ? -1 : 1
    }
}

extension ViewEditor {
    /// A label for a row that is to stand at `index` of a group, or at the end if that lies beyond.
    func label(at index: Int, ofGroup name: String) -> PositionLabel {
        let rows = rows(ofGroup: name)
        let index = min(max(0, index), rows.count)
        func label(_ position: Int) -> PositionLabel? {
            guard position >= 0 && position < rows.count else { return nil }
            return unsafeDowncast(rows.row(at: position), to: PositionedPlacement.self).label
        }
        return .between(label(index - 1), label(index))
    }
}

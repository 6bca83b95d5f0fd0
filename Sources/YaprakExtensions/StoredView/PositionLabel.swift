import YaprakCore
import YaprakTrees

/// A place among others, known by nothing but its neighbours: a fraction with as many digits, of 64 bits each, as it takes.
///
/// There is always one between two others, so that no label is ever exchanged: a row that keeps its place keeps its label.
struct PositionLabel: Sendable, Equatable {
    let head: UInt64
    /// Further digits; nearly always none. The last is not 0.
    let tail: [UInt64]

    init(head: UInt64, tail: [UInt64] = []) {
        self.head = head
        self.tail = tail
    }

    /// The label at `index` of `count` that are spread anew, with room at both ends.
    static func spread(_ index: Int, of count: Int) -> PositionLabel {
        PositionLabel(head: (1 << 62) + ((1 << 63 as UInt64) / UInt64(count + 1)) * UInt64(index + 1))
    }

    /// How far apart rows are put that come one behind the other.
    private static let step: UInt64 = 1 << 20

    /// A label between two others, of which the first is the smaller.
    static func between(_ before: PositionLabel?, _ after: PositionLabel?) -> PositionLabel {
        guard let before else {
            guard let after else { return PositionLabel(head: 1 << 63) }
            if after.head > 1 { return PositionLabel(head: after.head - min(after.head / 2, step)) }
            return between(PositionLabel(head: 0), after)
        }
        var digits: [UInt64] = []
        var bound = after
        while true {
            let low = before[digits.count]
            let high = bound.map { $0[digits.count] }
            if let high, high <= low {
                digits.append(low)
                // Equals, which no tree of placements holds: anything behind the first will do.
                if high < low || digits.count > before.count + (after?.count ?? 0) { bound = nil }
                continue
            }
            let room = (high ?? .max) - low
            if room > 1 {
                digits.append(low + min(room / 2, step))
                return PositionLabel(head: digits[0], tail: Array(digits.dropFirst()))
            }
            digits.append(low)
            bound = nil
        }
    }

    private var count: Int { tail.count + 1 }

    private subscript(digit: Int) -> UInt64 {
        digit == 0 ? head : digit - 1 < tail.count ? tail[digit - 1] : 0
    }
}

/// A placement of a view whose code is not there: it was put where the files say.
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

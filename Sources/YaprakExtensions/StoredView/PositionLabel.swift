/// A place between two neighbours: a fraction with as many digits, of 64 bits each, as it takes.
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

    /// The label at `index` of `count` that are spread evenly, with room at both ends.
    static func spread(_ index: Int, of count: Int) -> PositionLabel {
        PositionLabel(head: (1 << 62) + ((1 << 63 as UInt64) / UInt64(count + 1)) * UInt64(index + 1))
    }

    /// How far apart rows are put that come one behind the other, or one before the other.
    private static let step: UInt64 = 1 << 20

    /// A label between two others, of which the first is the smaller.
    ///
    /// The first digit has room for rows that come one behind the other. Rows that come one before the other, behind a row that
    /// stays, use it up after some twenty and go on in the second digit, which has room for those. So digits take turns.
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
            let end = high ?? .max
            if end - low > 1 {
                let distance = min((end - low) / 2, step)
                digits.append(digits.count.isMultiple(of: 2) ? low + distance : end - distance)
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

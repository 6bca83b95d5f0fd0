import Foundation
import YaprakCore
import YaprakTrees

/// A placement that was put somewhere explicitly: a number between those of its neighbours orders it.
final class LabelledPlacement: Placement, @unchecked Sendable {
    /// The number: all there is to compare.
    var label: UInt64 { hint }

    init(_ record: RecordBox, collection: Int, group: String, touches: Touches, label: UInt64) {
        super.init(record, collection: collection, group: group, touches: touches, hint: label)
    }

    override func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        LabelledPlacement(record, collection: collection, group: group, touches: touches, label: label)
    }

    func relabelled(_ label: UInt64) -> LabelledPlacement {
        LabelledPlacement(record, collection: collection, group: group, touches: touches, label: label)
    }
}

/// Numbers for rows that stand in a sequence, with room between them.
///
///     0 ─────────── 2⁶² ──┬───┬───┬─── 3 · 2⁶² ─────────── 2⁶⁴
///                         labels of a new group: room at both ends
enum Labels {
    /// What a row put at an end is away from the one there was.
    private static let step: UInt64 = 1 << 32

    /// The label at `index` of `count` that are spread evenly.
    static func spread(_ index: Int, of count: Int) -> UInt64 {
        (1 << 62) + ((1 << 63 as UInt64) / UInt64(count + 1)) * UInt64(index + 1)
    }

    /// A label between two others, or `nil` if there is no room left.
    static func between(_ before: UInt64?, _ after: UInt64?) -> UInt64? {
        switch (before, after) {
        case (nil, nil): 1 << 63
        case (let before?, nil): before <= .max - step ? before + step : nil
        case (nil, let after?): after >= step ? after - step : nil
        case (let before?, let after?): after - before > 1 ? before + (after - before) / 2 : nil
        }
    }

    /// Labels that have all but some last bits in common: where to spread rows when there is no room between two of them.
    ///
    /// The smallest range that is sparse enough is taken. Larger ranges have to be sparser, so the larger the range that was
    /// spread, the longer it takes until it is crowded again: each row that comes moves O(log *n*) others, amortized. From
    /// Bender, Cole, Demaine, Farach-Colton and Zito, *Two Simplified Algorithms for Maintaining Order in a List* (2002).
    struct Stretch {
        private var bits = 3
        private(set) var low: UInt64
        private(set) var high: UInt64

        init(around label: UInt64) {
            low = label & ~7
            high = label | 7
        }

        /// Twice the range.
        mutating func widen() {
            low &= ~(1 << UInt64(bits))
            high |= 1 << UInt64(bits)
            bits += 1
        }

        /// Whether it is sparse enough with so many rows: at most (4/3)ᵇ among 2ᵇ labels. The widest takes what there is.
        func hasRoom(for count: Int) -> Bool { bits == 64 || Double(count) <= pow(4.0 / 3, Double(bits)) }

        /// The label at `index` of `count` that are spread evenly.
        func spread(_ index: Int, of count: Int) -> UInt64 {
            low + (high - low) / UInt64(count + 1) * UInt64(index + 1)
        }
    }
}

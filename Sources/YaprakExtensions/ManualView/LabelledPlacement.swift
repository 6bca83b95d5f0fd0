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
}

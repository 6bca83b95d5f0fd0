import YaprakCore
import YaprakTrees

/// The place of a group's row, with the sums that the next change starts from.
final class AggregatePlacement<Key: Comparable & Sendable, Summary: Codable & Sendable & Equatable>:
    KeyedPlacement<Key>, SummedPlacement, @unchecked Sendable
{
    let totals: [Int128]

    init(
        _ record: RecordBox, group: String, touches: Touches, sortKey: Key, hint: UInt64, totals: [Int128]
    ) {
        self.totals = totals
        super.init(record, collection: 0, group: group, touches: touches, sortKey: sortKey, hint: hint)
    }

    override func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        AggregatePlacement(
            record, group: group, touches: touches, sortKey: sortKey, hint: hint, totals: totals)
    }

    /// A row that went to another summary and back says what it said.
    override func hasEqualObject(to before: Placement) -> Bool {
        guard before.record is TypedRecord<Summary, NoMetadata> else { return false }
        typealias Row = Record<Summary, NoMetadata>
        return Row(box: before.record).object == Row(box: record).object
    }

    func copy(totals: [Int128]) -> Placement {
        AggregatePlacement(
            record, group: group, touches: touches, sortKey: sortKey, hint: hint, totals: totals)
    }
}

/// An ``AggregatePlacement`` without the type of its sort value.
protocol SummedPlacement: Placement {
    var totals: [Int128] { get }
    /// Another box with other sums.
    func copy(totals: [Int128]) -> Placement
}

extension Placement {
    /// The row of an ``AggregateView``, with its sums.
    var summed: any SummedPlacement {
        guard let summed = self as? any SummedPlacement else {
            preconditionFailure("the rows of an aggregate view have sums")
        }
        return summed
    }
}

/// The configuration of an ``AggregateView``, whose rows are in no collection.
final class AggregateConfiguration<Summary: Codable & Sendable & Equatable>: ViewConfiguration, @unchecked Sendable {
    override package var rowsAreRecords: Bool { false }
    override package func madeObject(of placement: Placement) -> (any Codable & Sendable & Equatable)? {
        Record<Summary, NoMetadata>(box: placement.record).object
    }
}

public import YaprakCore
import YaprakTrees

/// Says in which order the rows of a group stand: by a value taken from each record once, or by comparing two of them.
///
///     .byObject { $0.salesRank }                                  // runs when the object changes
///     .byMetadata { $0?.lastRead ?? .distantPast }
///     .byRow { row in row.object.title + row.key }
///     .byKey                                                      // the record's key, no closure
///     .comparingObjects { a, b in a.surname.localizedCompare(b.surname) == .orderedAscending }
///
/// Equals stand in the order of their collections and keys, so the order of a group is a function of its contents.
/// Prefer values: they are taken once for each change, where a comparison runs about twenty times to find a place among a
/// million. Numbers of floating point are in their total order, with NaN last and −0 equal to 0. Text is in
/// the order of its scalars in NFC. Values of all other types, your own integers included, are in the order of their `<`.
public struct Sorting<Object: Codable & Sendable, Metadata: Codable & Sendable, Value: Comparable & Sendable>: Sendable
{
    let rule: SortingRule<Value>

    init(_ reads: Aspects, _ value: @escaping @Sendable (RecordBox) -> Value) {
        let kind = SortValueKind<Value>()
        rule = SortingRule(reads: reads, makeOrder: { KeyedOrder(kind, isDescending: $0) }) {
            // One order of these values has made the column.
            unsafeDowncast($1, to: KeyedColumn<Value>.self).append(kind.prepare(value($0)))
        } place: { box, collection, group, touches in
            let key = kind.prepare(value(box))
            return KeyedPlacement(
                box, collection: collection, group: group, touches: touches, sortKey: key, hint: kind.hint?(key) ?? 0)
        }
    }

    init(_ reads: Aspects, comparing isAscending: @escaping @Sendable (RecordBox, RecordBox) -> Bool)
    where Value == Comparison {
        rule = SortingRule(reads: reads, makeOrder: { ComparingOrder(isAscending, isDescending: $0) }) {
            $1.append(hint: 0)
        } place: {
            Placement($0, collection: $1, group: $2, touches: $3)
        }
    }

    /// By a value of the key.
    public static func byKey(_ value: @escaping @Sendable (_ key: String) -> Value) -> Self {
        Self(.key) { value($0.key) }
    }

    /// By a value of the object. Runs when the object is set or touched.
    public static func byObject(_ value: @escaping @Sendable (_ object: Object) -> Value) -> Self {
        Self(.object) { $0.lendObject(to: value) }
    }

    /// By a value of the metadata. Runs when the metadata is set or touched.
    public static func byMetadata(_ value: @escaping @Sendable (_ metadata: Metadata?) -> Value) -> Self {
        Self(.metadata) { value(Record<Object, Metadata>(box: $0).metadata) }
    }

    /// By a value of key, object and metadata. Runs whenever the record is set or touched.
    public static func byRow(_ value: @escaping @Sendable (_ row: Record<Object, Metadata>) -> Value) -> Self {
        Self(.row) { value(Record(box: $0)) }
    }
}

/// The value of sortings that have none: records are compared with each other, or stand in the order of their keys.
public enum Comparison: Comparable, Sendable {}

extension Sorting where Value == Comparison {
    /// By the key of the record.
    public static var byKey: Self { Self(byKeyAlone: ()) }

    private init(byKeyAlone: Void) {
        rule = SortingRule(reads: .key, makeOrder: { KeyOrder(isDescending: $0) }) {
            $1.append(hint: firstBytes($0.key))
        } place: {
            Placement($0, collection: $1, group: $2, touches: $3, hint: firstBytes($0.key))
        }
    }

    /// By comparing keys: whether the first comes before the second.
    public static func comparingKeys(_ isAscending: @escaping @Sendable (String, String) -> Bool) -> Self {
        Self(.key, comparing: { isAscending($0.key, $1.key) })
    }

    /// By comparing objects: whether the first comes before the second.
    public static func comparingObjects(_ isAscending: @escaping @Sendable (Object, Object) -> Bool) -> Self {
        Self(.object) { a, b in a.lendObject { a in b.lendObject { b in isAscending(a, b) } } }
    }

    /// By comparing metadata: whether the first comes before the second.
    public static func comparingMetadata(_ isAscending: @escaping @Sendable (Metadata?, Metadata?) -> Bool) -> Self {
        Self(.metadata) {
            isAscending(Record<Object, Metadata>(box: $0).metadata, Record<Object, Metadata>(box: $1).metadata)
        }
    }

    /// By comparing rows: whether the first comes before the second.
    public static func comparingRows(
        _ isAscending: @escaping @Sendable (Record<Object, Metadata>, Record<Object, Metadata>) -> Bool
    ) -> Self {
        Self(.row) { isAscending(Record(box: $0), Record(box: $1)) }
    }
}

/// Whether small or large values come first.
public enum ViewOrder: Sendable, Hashable {
    /// Small values first.
    case ascending
    /// Large values first; equals stay in ascending order of their keys.
    case descending
}

/// A ``Sorting`` without the types of its records.
struct SortingRule<Value>: Sendable {
    let reads: Aspects
    let makeOrder: @Sendable (_ isDescending: Bool) -> PlacementOrder
    /// Adds the value of a record to a column of such an order.
    let take: @Sendable (_ record: RecordBox, _ column: SortColumn) -> Void
    let place: PlacementMaker
}

/// Makes the placement of a record, with what it is ordered by.
typealias PlacementMaker =
    @Sendable (
        _ record: RecordBox, _ collection: Int, _ group: String, _ touches: Touches
    ) -> Placement

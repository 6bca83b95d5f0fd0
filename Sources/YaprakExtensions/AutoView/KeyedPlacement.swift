import YaprakCore
import YaprakTrees

/// A placement ordered by a value that was taken from its record once.
class KeyedPlacement<Key: Comparable & Sendable>: Placement, @unchecked Sendable {
    final let sortKey: Key

    init(_ record: RecordBox, collection: Int, group: String, touches: Touches, sortKey: Key, hint: UInt64) {
        self.sortKey = sortKey
        super.init(record, collection: collection, group: group, touches: touches, hint: hint)
    }

    override func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        KeyedPlacement(record, collection: collection, group: group, touches: touches, sortKey: sortKey, hint: hint)
    }

    override final var sortKeyDescription: String? { String(reflecting: sortKey) }
}

/// The order of ``KeyedPlacement``s.
final class KeyedOrder<Key: Comparable & Sendable>: PlacementOrder, @unchecked Sendable {
    private let kind: SortValueKind<Key>

    init(_ kind: SortValueKind<Key>, isDescending: Bool) {
        self.kind = kind
        super.init(isDescending: isDescending)
    }

    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int {
        guard let compare = kind.compare else { return 0 }
        return compare(
            unsafeDowncast(a, to: KeyedPlacement<Key>.self).sortKey,
            unsafeDowncast(b, to: KeyedPlacement<Key>.self).sortKey)
    }

    override func makeColumn() -> SortColumn { KeyedColumn(kind, self) }
}

/// The order of placements whose records a closure compares.
final class ComparingOrder: PlacementOrder, @unchecked Sendable {
    private let isAscending: @Sendable (RecordBox, RecordBox) -> Bool

    init(_ isAscending: @escaping @Sendable (RecordBox, RecordBox) -> Bool, isDescending: Bool) {
        self.isAscending = isAscending
        super.init(isDescending: isDescending)
    }

    override func compareRecords(_ a: RecordBox, _ b: RecordBox) -> Int {
        isAscending(a, b) ? -1 : isAscending(b, a) ? 1 : 0
    }
}

/// The order of record keys, whatever the collection.
final class KeyOrder: PlacementOrder, @unchecked Sendable {
    override func compareRecords(_ a: RecordBox, _ b: RecordBox) -> Int { a.compareKey(to: b) }

    /// Rows have the keys of their records, which need not be read.
    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int { a.compareKey(to: b) }
}

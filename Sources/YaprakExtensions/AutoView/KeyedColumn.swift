import YaprakCore

/// Sort values of one type, taken from records that have no rows yet.
final class KeyedColumn<Key: Comparable & Sendable>: SortColumn, @unchecked Sendable {
    private let kind: SortValueKind<Key>
    private var keys: [Key] = []

    init(_ kind: SortValueKind<Key>, _ order: PlacementOrder) {
        self.kind = kind
        super.init(order)
    }

    /// Adds a value that was prepared.
    func append(_ key: Key) {
        append(hint: kind.hint?(key) ?? 0)
        keys.append(key)
    }

    override func repeatLast() { append(keys[keys.count - 1]) }

    override func compare(_ a: Int, _ b: Int, _ record: (Int) -> RecordBox) -> Int {
        kind.compare?(keys[a], keys[b]) ?? 0
    }

    override func place(_ number: Int, _ record: RecordBox, collection: Int, group: String) -> Placement {
        KeyedPlacement(
            record, collection: collection, group: group, touches: Touches(), sortKey: keys[number],
            hint: hints[number])
    }
}

import YaprakCore

/// What records are sorted by, before they have rows: a value for each, taken once, in the order in which they came.
///
/// This one is of sortings without values, which compare the records.
class SortColumn: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    private let order: PlacementOrder
    /// What of the values fits into a word, see ``Placement/hint``.
    final private(set) var hints: [UInt64] = []

    init(_ order: PlacementOrder) { self.order = order }

    /// Adds a record without a value.
    final func append(hint: UInt64) { hints.append(hint) }

    /// Adds another row of the record that came last.
    func repeatLast() { hints.append(hints[hints.count - 1]) }

    /// Compares the values of two rows with the same hint, which came as these numbers, ascending.
    ///
    /// - Parameter record: the record that came as a number; read only where it is compared.
    func compare(_ a: Int, _ b: Int, _ record: (Int) -> RecordBox) -> Int {
        order.compareRecords(record(a), record(b))
    }

    /// Makes the row of the record that came as this number.
    func place(_ number: Int, _ record: RecordBox, collection: Int, group: String) -> Placement {
        Placement(record, collection: collection, group: group, touches: Touches(), hint: hints[number])
    }
}

import YaprakCore

/// What a live query asks, without its types: which records it has, and in what order.
struct LiveScope: Sendable {
    let collection: CollectionTypes
    let outline: QueryOutline
    private let conditions: RecordConditions
    let order: RecordOrder
    /// Rows up to this one, and itself, are left out.
    let start: RecordBox?
    /// How many rows are shown.
    let limit: Int
    /// Whether the order says the same of the same records each time.
    let isOrderPure: Bool
    private let isConditionPure: Bool

    init<Object, Metadata>(_ query: RecordQuery<Object, Metadata>) {
        collection = query.collection
        outline = query.outline
        conditions = query.outline.conditions
        order = query.order
        start = query.start
        limit = max(0, query.limit ?? .max)
        isOrderPure = order.sorts.allSatisfy(\.isPure)
        isConditionPure = outline.tests.allSatisfy(\.isPure)
    }

    /// Whether the query may have had a record before. Code of a program may say something else today than it did then.
    func mayHaveHad(_ record: RecordBox) -> Bool {
        if isConditionPure && isOrderPure { return match(record) != nil }
        // What a pure condition says of it now it said then, whatever the order makes of it.
        return !(record is RawRecord) && (!isConditionPure || conditions.hold(for: record))
    }

    /// The record if the query has it.
    func match(_ record: RecordBox?) -> RecordBox? {
        guard let record, !(record is RawRecord), conditions.hold(for: record) else { return nil }
        if let start, order.compare(start, record) >= 0 { return nil }
        return record
    }

    /// The records that differ between two snapshots.
    func changes(from old: Snapshot, to new: Snapshot) -> ChangeEntries { new.changes(since: old, in: collection) }
}

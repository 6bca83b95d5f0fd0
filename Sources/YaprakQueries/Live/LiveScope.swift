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

    init<Object, Metadata>(_ query: RecordQuery<Object, Metadata>) {
        collection = query.collection
        outline = query.outline
        conditions = query.outline.conditions
        order = query.order
        start = query.start
        limit = max(0, query.limit ?? .max)
    }

    /// The record if the query has it.
    func match(_ record: RecordBox?) -> RecordBox? {
        guard let record, !(record is RawRecord), conditions.hold(for: record) else { return nil }
        if let start, order.compare(start, record) >= 0 { return nil }
        return record
    }

    /// The records that differ between two snapshots; `nil` if none does.
    func changes(from old: Snapshot, to new: Snapshot) -> ChangeEntries? {
        guard let boxes = new.difference(since: old, inCollectionNamed: collection.name).boxes(in: collection) else {
            return nil
        }
        precondition(!boxes.isCleared, "the difference of two trees names each record")
        return boxes.entries.isEmpty ? nil : boxes.entries
    }
}

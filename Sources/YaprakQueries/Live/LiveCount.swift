import YaprakCore

/// How many records match a query, kept up to date from what changes between two snapshots.
struct LiveCount: Sendable {
    private let collection: CollectionTypes
    private let outline: QueryOutline
    private let order: RecordOrder
    private let limit: Int
    private let start: RecordBox?
    private var snapshot: Snapshot
    /// The matches, without regard to the limit.
    private var count: Int

    init<Object, Metadata>(_ query: RecordQuery<Object, Metadata>, in snapshot: Snapshot) {
        collection = query.collection
        outline = query.outline
        order = query.order
        limit = max(0, query.limit ?? .max)
        start = query.start
        self.snapshot = snapshot
        var all = query
        all.limit = nil
        count = snapshot.count(of: all)
    }

    /// The number of rows.
    var value: Int { min(count, limit) }

    /// Goes on to another snapshot of the same database. O(changed records of the collection).
    mutating func advance(to next: Snapshot) {
        for entry in next.changes(since: snapshot, in: collection) ?? [] {
            count += (matches(entry.after) ? 1 : 0) - (matches(entry.before) ? 1 : 0)
        }
        snapshot = next
    }

    private func matches(_ record: RecordBox?) -> Bool {
        guard let record, !(record is RawRecord), outline.holds(record) else { return false }
        return start.map { order.compare($0, record) < 0 } ?? true
    }
}

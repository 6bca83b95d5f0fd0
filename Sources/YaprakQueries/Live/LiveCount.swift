import YaprakCore

/// How many records match a query, kept up to date from what changes between two snapshots.
struct LiveCount: Sendable {
    private let scope: LiveScope
    private var snapshot: Snapshot
    /// The matches, without regard to the limit.
    private var count: Int

    init<Object, Metadata>(_ query: RecordQuery<Object, Metadata>, in snapshot: Snapshot) {
        scope = LiveScope(query)
        self.snapshot = snapshot
        var all = query
        all.limit = nil
        count = snapshot.count(of: all)
    }

    /// The number of rows. A condition that changes its mind about a record counts wrong.
    var value: Int { min(max(0, count), scope.limit) }

    /// Goes on to another snapshot of the same database. O(changed records of the collection).
    mutating func advance(to next: Snapshot) {
        for entry in scope.changes(from: snapshot, to: next) {
            count += (scope.match(entry.after) == nil ? 0 : 1) - (scope.match(entry.before) == nil ? 0 : 1)
        }
        snapshot = next
    }
}

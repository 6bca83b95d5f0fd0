public import YaprakCore

/// One update of a query: its rows in two snapshots, and what leads from one to the other.
public struct QueryUpdate<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// The newest snapshot that was looked at and has the rows of the update before; the same as ``new`` in the first.
    ///
    /// Commits that change no row are skipped without an update. So it may be newer than the `new` of the update before.
    public let old: Snapshot
    /// The snapshot that the rows are of.
    public let new: Snapshot
    /// The rows as of ``old``; none in the first update.
    public let oldRows: QueryRows<Object, Metadata>
    /// The rows as of ``new``.
    public let rows: QueryRows<Object, Metadata>
    /// What leads from ``oldRows`` to ``rows``.
    public let changes: QueryChanges
}

/// The updates of one query: one at once, then one whenever its rows differ. See `database.updates(of:)`.
///
/// Nothing is buffered: while the consumer is busy, commits are skipped, and the next update leads from the rows that were
/// delivered last to those of the newest snapshot.
public struct QueryUpdates<Object: Codable & Sendable, Metadata: Codable & Sendable>: AsyncSequence, Sendable {
    /// One update of the query.
    public typealias Element = QueryUpdate<Object, Metadata>
    /// It never fails.
    public typealias Failure = Never

    let snapshots: SnapshotSequence
    let query: RecordQuery<Object, Metadata>

    /// An iterator with rows of its own. O(1).
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: snapshots.makeAsyncIterator(), query: query)
    }

    /// Delivers updates, and knows the rows that it delivered.
    public struct Iterator: AsyncIteratorProtocol {
        private var snapshots: SnapshotSequence.Iterator
        private let query: RecordQuery<Object, Metadata>
        private var live: LiveRows?

        init(snapshots: SnapshotSequence.Iterator, query: RecordQuery<Object, Metadata>) {
            self.snapshots = snapshots
            self.query = query
        }

        /// The next update; waits until a row is different. `nil` when the database closes and when the task is cancelled.
        public mutating func next() async -> QueryUpdate<Object, Metadata>? {
            while let newest = await snapshots.next() {
                if let update = advance(to: newest) { return update }
            }
            return nil
        }

        /// The update that leads to a snapshot; `nil` if no row differs.
        mutating func advance(to newest: Snapshot) -> QueryUpdate<Object, Metadata>? {
            guard let old = live?.snapshot, let before = live?.kept else {
                let live = LiveRows(query, in: newest)
                self.live = live
                return QueryUpdate(
                    old: newest, new: newest, oldRows: QueryRows(RowList()),
                    rows: QueryRows(live.rows, of: query.collection.name),
                    changes: .reload(live.rows.count))
            }
            // In place.
            guard let changes = live?.advance(to: newest), changes.hasChanges, let rows = live?.rows,
                let oldRows = live?.shown(of: before)
            else { return nil }
            return QueryUpdate(
                old: old, new: newest, oldRows: QueryRows(oldRows, of: query.collection.name),
                rows: QueryRows(rows, of: query.collection.name), changes: changes)
        }
    }
}

extension QueryChanges {
    /// What the first update says.
    static func reload(_ count: Int) -> QueryChanges {
        var changes = QueryChanges()
        changes.isReload = true
        changes.inserts = Array(0..<count)
        return changes
    }
}

extension Database {
    /// The rows of a query, and how they change: an update at once, then one whenever a row is different.
    ///
    ///     for await update in database.updates(of: bestsellers) {
    ///         if update.changes.isReload { list.reload(update.rows) } else { list.apply(update.changes) }
    ///     }
    ///
    /// The rows are kept up to date from the records that were written, without running the query. Only where a limit is
    /// used up are the next rows asked for; see ``QueryChanges/wasRerun``. Commits that change no row are skipped.
    ///
    /// - Returns: a sequence that ends when the database closes and when its task is cancelled.
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: the first update as the query; each further one O(*c* log *r*) for *c* changed records that concern it and
    ///   *r* rows, in the consumer's task; the first change of many rows O(*r*), and any change where code of the program decides
    ///   over the condition and the order. Where a limit is used up, a run of the query for the rows behind it.
    public nonisolated func updates<Object, Metadata>(
        of query: RecordQuery<Object, Metadata>
    ) -> QueryUpdates<Object, Metadata> {
        QueryUpdates(snapshots: snapshots, query: query)
    }
}

public import Observation
public import YaprakCore

/// The rows of a query for declarative user interfaces: observed by reading them, kept up to date by ``follow()``.
///
///     struct Bestsellers: SwiftUI.View {
///         let model: QueryModel<Book, NoMetadata>
///         var body: some SwiftUI.View {
///             List(model.rows) { Text($0.object.title) }.task { await model.follow() }
///         }
///     }
///
/// Observers are notified when a row differs, and not when anything else does.
@MainActor @Observable
public final class QueryModel<Object: Codable & Sendable, Metadata: Codable & Sendable> {
    /// The rows.
    public private(set) var rows: QueryRows<Object, Metadata>
    /// What changed last.
    @ObservationIgnored public private(set) var changes: QueryChanges
    @ObservationIgnored private let query: RecordQuery<Object, Metadata>
    @ObservationIgnored private let snapshots: SnapshotSequence
    /// What follows; one for all who follow, so that `rows` are always those of its snapshot.
    @ObservationIgnored private var live: LiveRows?

    /// The rows as they are now.
    /// - Precondition: the collection holds records of these types. - Complexity: as the query.
    public init(_ query: RecordQuery<Object, Metadata>, in database: Database) {
        rows = database.snapshot[query]
        changes = .reload(0)
        self.query = query
        snapshots = database.snapshots
    }

    /// Keeps the rows up to date until the database closes or the task is cancelled.
    public func follow() async {
        live = nil
        for await newest in snapshots { advance(to: newest) }
    }

    /// Goes on to a snapshot that any task which follows has got. One before the newest so far comes late, and shows nothing.
    func advance(to newest: Snapshot) {
        if let live, newest.commitNumber < live.snapshot.commitNumber { return }
        guard let changes = live?.advance(to: newest) else {
            let first = LiveRows(query, in: newest)
            live = first
            return begin(with: QueryRows(first.rows, of: query.collection.name))
        }
        if changes.hasChanges, let rows = live?.rows {
            self.changes = changes
            self.rows = QueryRows(rows, of: query.collection.name)
        } else {
            // The same rows, and nothing for observers; but no snapshot is kept besides the newest.
            _rows = _rows.kept(by: newest)
        }
    }

    /// Takes all rows: most often those that are here.
    private func begin(with all: QueryRows<Object, Metadata>) {
        if isShown(all) {
            _rows = all
        } else {
            changes = .reload(all.count)
            rows = all
        }
    }

    private func isShown(_ other: QueryRows<Object, Metadata>) -> Bool {
        rows.count == other.count && zip(rows, other).allSatisfy { $0.isIdentical(to: $1) }
    }
}

/// One value for declarative user interfaces: a record, a count, anything that a function makes of a snapshot. Observers are
/// notified when it is another value.
///
///     let unread = ValueModel(database.counts(of: unreadMails), now: database.snapshot.count(of: unreadMails))
@MainActor @Observable
public final class ValueModel<Value: Sendable> {
    /// The value.
    public private(set) var value: Value
    @ObservationIgnored private let values: ObservedValues<Value>

    /// The value as it is now.
    public init(_ values: ObservedValues<Value>, now value: Value) {
        self.values = values
        self.value = value
    }

    /// Keeps the value up to date until the database closes or the task is cancelled.
    public func follow() async {
        var iterator = values.makeAsyncIterator(after: value)
        while let next = await iterator.next() { value = next }
    }
}

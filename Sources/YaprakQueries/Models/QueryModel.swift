public import Observation
public import YaprakCore
import YaprakModel

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
        // What comes may be late: another who follows was faster. So each only says that there is something newer.
        for await _ in snapshots { advance(to: snapshots.newest) }
    }

    /// Goes on to the newest snapshot. One before the newest so far comes late, and shows nothing.
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
    /// The commit that the value is of; `nil` before anything was followed.
    @ObservationIgnored private var commitNumber: CommitNumber?

    /// The value as it is now.
    public init(_ values: ObservedValues<Value>, now value: Value) {
        self.values = values
        self.value = value
    }

    /// Keeps the value up to date until the database closes or the task is cancelled.
    public func follow() async {
        var iterator = values.makeAsyncIterator()
        // The value of every snapshot, also where this task had the same before: what is shown may be that of another task.
        while let (next, snapshot) = await iterator.nextOfAny() { show(next, of: snapshot) }
    }

    /// Shows the value of a snapshot that any task which follows has got, unless one of a later snapshot is shown.
    func show(_ next: Value, of snapshot: Snapshot) {
        if let commitNumber {
            if snapshot.commitNumber < commitNumber { return }
            // Binding and registering make several snapshots of one commit. Of these only the newest is known to be no earlier
            // one; if there is a newer one, its value comes next.
            if snapshot.commitNumber == commitNumber, !snapshot.isIdentical(to: values.snapshots.newest) { return }
        }
        commitNumber = snapshot.commitNumber
        if !values.isSame(value, next) { value = next }
    }
}

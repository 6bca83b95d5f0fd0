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
    @ObservationIgnored private let updates: QueryUpdates<Object, Metadata>

    /// The rows as they are now.
    /// - Precondition: the collection holds records of these types. - Complexity: as the query.
    public init(_ query: RecordQuery<Object, Metadata>, in database: Database) {
        rows = database.snapshot[query]
        changes = .reload(0)
        updates = database.updates(of: query)
    }

    /// Keeps the rows up to date until the database closes or the task is cancelled.
    public func follow() async {
        for await update in updates {
            // The first has all rows: most often those that are here.
            if update.changes.isReload, isShown(update.rows) {
                _rows = update.rows
                continue
            }
            changes = update.changes
            rows = update.rows
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

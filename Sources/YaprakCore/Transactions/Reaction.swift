/// Code that runs inside each transaction that concerns it, after the closure: a trigger.
///
/// A reaction sees the net changes of the transaction, may read and write everything, and may throw, which undoes the
/// transaction. Its writes are part of the same commit.
///
///     struct CountBooks: Reaction {
///         let name = "count books"
///         let collectionNames: [String]? = ["books"]
///         func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
///             let more = changes.countDifference(inCollectionNamed: "books")
///             if more != 0 { transaction[.counters]["books"]?.count += more }
///         }
///     }
///
///     try await database.register(CountBooks())
///
/// An extension computes values from records and stores no records; a reaction stores records. A check or a change of one
/// record before it is written needs neither: see ``CollectionConfiguration/prepare(_:)``.
///
/// **Order.** When the closure of a write has returned, the reactions that its changes concern run in the order in which they
/// were registered: round 1. All of a round are given the same changes, and each sees in the transaction what those before
/// it wrote. What was written during a round is given to the reactions in the next one, to the one that wrote it, too. Rounds
/// end when what changed concerns no reaction. After the hundredth round the write throws
/// `reactionsUnsettled` and keeps nothing. Extensions then follow the whole.
///
/// **Only new writes.** The log has what reactions wrote. They do not run when it is replayed or recovered, for
/// ``Database/restore(_:origin:)``, or for what a tool writes without the program's types. A registered reaction comes
/// along in a fork.
public protocol Reaction: Sendable {
    /// The name under which it is registered; unique among the reactions of a database.
    var name: String { get }

    /// The names of the collections whose changes concern it, or `nil`, the default, for all.
    var collectionNames: [String]? { get }

    /// Runs in a round that concerns it.
    ///
    /// - Parameters:
    ///   - changes: what the transaction did, net, since the round before; in the first round everything. A record that was
    ///     removed and inserted again has changed.
    ///   - before: the database before those changes, extensions included.
    ///   - transaction: the write. It must not be kept.
    /// - Throws: anything; it comes out of ``Database/write(origin:_:)`` unchanged, and nothing of the write is kept.
    func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws
}

extension Reaction {
    /// All collections.
    public var collectionNames: [String]? { nil }
}

/// A reaction to each changed record of one collection.
///
///     let stamp = RecordReaction("stamp", to: .books) { change, transaction in
///         guard change.kinds.contains(.objectChanged) else { return }
///         transaction[.audit][change.key] = Entry(title: change.after?.object.title)
///     }
///     try await database.register(stamp)
///
/// Records that a removal of everything (``MutableRecords/removeAll()``) took away come as single removals, in the order of their
/// keys, before the other changes. One that the round itself wrote again comes once, as changed, with the record before.
public struct RecordReaction<Object: Codable & Sendable, Metadata: Codable & Sendable>: Reaction {
    /// The name under which it is registered.
    public let name: String
    /// The name of its collection.
    public var collectionNames: [String]? { [collection.name] }
    private let collection: RecordCollection<Object, Metadata>
    private let body: @Sendable (RecordChange<Object, Metadata>, inout WriteTransaction) throws -> Void

    /// A reaction that calls `body` for each record of `collection` that a round changed, in the order in which they were first
    /// changed.
    public init(
        _ name: String, to collection: RecordCollection<Object, Metadata>,
        _ body: @escaping @Sendable (RecordChange<Object, Metadata>, inout WriteTransaction) throws -> Void
    ) {
        self.name = name
        self.collection = collection
        self.body = body
    }

    /// Calls the closure for each changed record. O(number of changes); of a removal of everything, O(number of records).
    public func react(
        to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction
    ) throws {
        let changed = changes.changes(in: collection)
        guard changed.didRemoveAll else {
            for change in changed { try body(change, &transaction) }
            return
        }
        // What the round itself wrote again, and not what a closure has written since.
        let old = before[collection]
        for record in old where changed[record.key]?.after == nil {
            try body(RecordChange(removed: record), &transaction)
        }
        for change in changed where change.after != nil {
            try body(old.row(for: change.key).map(change.replacing) ?? change, &transaction)
        }
    }
}

/// A reaction that follows up what it writes itself, and is not given that; it also judges the transaction as a whole,
/// once, when all rounds are over.
package protocol JudgingReaction: Reaction {
    /// Extensions whose steps concern it, besides the changes of records.
    var extensionNames: [String] { get }
    /// Runs in a round that concerns it.
    ///
    /// - Parameters:
    ///   - changes: what others did since the round before, net.
    ///   - before: the database before those changes.
    ///   - run: when it ran in the round before; `nil` if it did not.
    ///   - transaction: the write.
    func react(
        to changes: NetChanges, since before: Snapshot, after run: ReactionRun?, in transaction: inout WriteTransaction
    ) throws
    /// Throws if the transaction must not be kept. `changes` are all of it, net.
    func judge(_ changes: NetChanges, from before: Snapshot, to after: Snapshot) throws
}

/// An extension whose promises need a reaction, which comes and goes with it. Those of one kind share one.
package protocol ReactingExtension: DatabaseExtension {
    /// The name of the reaction.
    static var reactionName: String { get }
    /// The reaction that serves this extension and those that `present` serves.
    func reaction(joining present: (any Reaction)?) -> any Reaction
    /// What is left of `present` without this extension; `nil` if nothing is.
    func reaction(leaving present: any Reaction) -> (any Reaction)?
}

/// A run of a reaction.
package struct ReactionRun: Sendable {
    /// The database before the changes that it was given.
    package let before: Snapshot
    /// The database when it began.
    package let began: Snapshot
    /// The database behind what it wrote.
    package let ended: Snapshot
}

package import YaprakTrees

/// Something that keeps itself up to date in the same commit as the records: a view, an index, a counter.
///
/// An extension is a pure function from (its root, what changed) to its next root. The root is a value in the same
/// snapshot as the records, so an extension always equals the records of the snapshot it is read from.
///
///     struct Counter: DatabaseExtension {
///         let name = "counter"
///         func makeRoot() -> [String: Int] { [:] }
///         func update(_ root: inout [String: Int], for changes: NetChanges, in context: ExtensionContext) -> Never? {
///             for collection in changes.collectionNames {
///                 root[collection, default: 0] += changes.countDifference(inCollectionNamed: collection)
///             }
///             return nil
///         }
///     }
///
///     try await database.register(Counter())
///     print(database.snapshot[Counter()]["books"] ?? 0)
///
/// `update` runs inside the write, on the writer's time, once per commit (more often if the transaction reads the
/// extension before it ends). Roots should therefore be values that are cheap to change while an older copy lives on:
/// small ones, or persistent trees. What `update` throws makes the write throw with the code `extensionFailed`, and
/// nothing of the write is kept.
///
/// Each registered extension is hosted by an actor of its own (``ExtensionHost``), which owns its population, its
/// version and its place among the others.
public protocol DatabaseExtension: Sendable {
    /// The state. Immutable once it is in a snapshot.
    associatedtype Root: Sendable
    /// What one commit changed in the root, for consumers of changesets. `Never` if it is not reported.
    associatedtype Changes: Sendable = Never
    /// What one reads through: `snapshot[extension]`. The root itself by default.
    associatedtype Reader = Root

    /// The name under which it is registered; unique in a database.
    var name: String { get }

    /// Says which code made the root. A persisted root is adopted only if its tag is the same, and if it had seen all records
    /// that were there; if not, the extension is populated again. Empty by default. With a tag of more than 65,000 bytes it is
    /// populated at each launch: a checkpoint may have no room for that.
    var versionTag: String { get }

    /// The names of extensions this one reads in `update`. They must be registered before, always catch up before it,
    /// and take it with them when they are unregistered.
    var dependencies: [String] { get }

    /// The names of the collections whose changes can matter, or `nil` for all. Changes elsewhere run no code of the
    /// extension. `nil` by default.
    var collectionNames: [String]? { get }

    /// The root over an empty database.
    func makeRoot() -> Root

    /// Brings `root` up to date and says what changed in it.
    ///
    /// Must depend on nothing but its parameters. While an extension is populated, the records that are there already
    /// come as insertions, in chunks.
    /// - Throws: anything; the write is then undone.
    func update(_ root: inout Root, for changes: NetChanges, in context: ExtensionContext) throws -> Changes?

    /// What one reads through. `snapshot` is the one that `root` is part of. Called at each read: make it O(1).
    func reader(of root: Root, in snapshot: Snapshot) -> Reader

    /// The bytes of `root` for a checkpoint, or `nil` (the default) if it should be recomputed at each launch.
    /// - Throws: anything; the checkpoint is then written without it (not so for a ``PrimaryExtension``).
    func encode(_ root: Root) throws -> [UInt8]?

    /// The root that `encode` made bytes of.
    /// - Throws: anything; the extension is then populated again. For a ``PrimaryExtension`` registering throws instead.
    func decode(_ bytes: [UInt8]) throws -> Root
}

extension DatabaseExtension {
    /// Empty: a persisted root is always adopted.
    public var versionTag: String { "" }
    /// None.
    public var dependencies: [String] { [] }
    /// All collections.
    public var collectionNames: [String]? { nil }
    /// `nil`: recomputed at each launch. Throws nothing.
    public func encode(_ root: Root) throws -> [UInt8]? { nil }
    /// Throws: there is nothing to decode.
    public func decode(_ bytes: [UInt8]) throws -> Root { throw UndecodableRoot() }
}

extension DatabaseExtension where Reader == Root {
    /// The root itself.
    public func reader(of root: Root, in snapshot: Snapshot) -> Root { root }
}

struct UndecodableRoot: Error {}

/// An extension with state of its own: what a program puts into it explicitly, beyond what records say.
///
/// Such state is primary: it can't be recomputed. Every ``Operation`` is logged with its commit, survives a crash like
/// a record, and is kept while the extension is not registered. `encode` and `decode` must be implemented: checkpoints
/// need them. With `nil` from `encode`, or an error, ``Database/register(_:progress:)`` throws `extensionFailed`. Where
/// `encode` returns `nil` later, there is nothing in the checkpoint, and the state is lost when the log before it is removed;
/// what it throws later makes the checkpoint throw.
///
///     try await database.write { transaction in
///         try transaction.perform(.pin("abc"), on: pins)
///     }
public protocol PrimaryExtension: DatabaseExtension {
    /// One explicit operation.
    associatedtype Operation: Codable & Sendable

    /// Applies one step. Must depend on `root` and `operation` alone: it is how the log is replayed.
    /// - Throws: anything; the write is then undone.
    func apply(_ operation: Operation, to root: inout Root) throws -> Changes?

    /// The steps that follow from changed records, such as dropping what was removed. They are logged and applied. Records that
    /// are set aside (``UndecodablePolicy/setAside``) are in no changes, and neither is their removal.
    /// - Throws: anything; the write is then undone.
    func operations(following changes: NetChanges, root: Root, in context: ExtensionContext) throws -> [Operation]
}

extension PrimaryExtension {
    /// Not called: changes of records reach a primary extension through ``operations(following:root:in:)``. Throws nothing.
    public func update(_ root: inout Root, for changes: NetChanges, in context: ExtensionContext) throws -> Changes? {
        nil
    }

    /// None: records don't matter. Throws nothing.
    public func operations(
        following changes: NetChanges, root: Root, in context: ExtensionContext
    ) throws -> [Operation] { [] }
}

/// What an extension may look at while it brings itself up to date.
///
/// Valid during the call it is given to.
public final class ExtensionContext {
    /// The database before the changes. The extension's own root in it is the one before, too.
    ///
    /// While an extension is populated it is the whole state that is being put in, as is ``after``.
    public let before: Snapshot
    /// The writer whose changes are followed; `nil` where `after` is known from the start.
    private let writer: (any FollowedWriter)?
    private var madeAfter: Snapshot?
    private let parentChanges: ReportedChanges?
    private let writersDraft: TreeDraft?
    /// The changes are what happened between the state an extension was populated over, or adopted with, and the
    /// present: nothing records what they did to the extensions this one depends on.
    package let isRegistering: Bool
    /// Whether an extension has to judge the commit once the whole of it is known: see ``JudgingExtension``.
    private(set) var isToBeJudged = false

    /// Between two states that are there.
    init(before: SnapshotState, after: SnapshotState, draft: TreeDraft? = nil, isRegistering: Bool = false) {
        self.isRegistering = isRegistering
        self.before = Snapshot(before)
        madeAfter = Snapshot(after)
        writer = nil
        parentChanges = nil
        writersDraft = draft
    }

    /// From what the extensions of a writer have followed to what it has made.
    init(
        before: SnapshotState, following writer: any FollowedWriter, draft: TreeDraft, parentChanges: ReportedChanges?
    ) {
        isRegistering = false
        self.before = Snapshot(before)
        self.writer = writer
        self.parentChanges = parentChanges
        writersDraft = draft
    }

    /// Forgets what the extension that had it looked at; the next may have it then.
    func forgetAfter() {
        if writer != nil, madeAfter != nil { madeAfter = nil }
    }

    /// Makes sure that the extension is asked to judge the commit.
    package func askToJudge() { isToBeJudged = true }

    /// The trees of the writer whose turn it is.
    package var draft: TreeDraft {
        guard let writersDraft else { preconditionFailure("trees are changed in a writer's turn only") }
        return writersDraft
    }

    /// The database after the changes. Of the extensions in it, those this one depends on are up to date; itself and
    /// others are not.
    ///
    /// It is for this call. One that is kept shows the same records for good; the extensions that were not yet up to date stay
    /// as they were, in forks of it, too. A backup of it, or of such a fork, has the primary ones alone, and those that were
    /// registered again.
    ///
    /// Asking for it freezes the transaction's trees once: O(1), and later changes of the same transaction copy nodes.
    public var after: Snapshot {
        if let madeAfter { return madeAfter }
        // One that is kept has its writer, and the snapshot it has asked for in time.
        let made = Snapshot(writer!.freeze())
        madeAfter = made
        return made
    }

    /// Whether any record may be set aside after the changes. O(1), and nothing is frozen for it.
    package var hasAsides: Bool { writer?.hasAsides ?? madeAfter?.state.directory.hasAsides ?? false }

    /// What the same changes did to an extension this one depends on; empty while populating, and while a persisted root is
    /// brought up to date.
    public func changes<Parent: DatabaseExtension>(of parent: Parent) -> [Parent.Changes] {
        parentChanges?[parent.name].compactMap { $0 as? Parent.Changes } ?? []
    }
}

/// One whose changes extensions follow. Not a closure: that would be an object more for each commit.
protocol FollowedWriter: AnyObject {
    /// The database as the writer has made it, kept as it is.
    func freeze() -> SnapshotState
    /// Whether any record may be set aside in it.
    var hasAsides: Bool { get }
}

/// What the extensions that were updated so far reported of one segment of a transaction, by name. An object, because it grows
/// while all that come later look at it.
final class ReportedChanges {
    private var byName: [String: [any Sendable]] = [:]

    func add(_ changes: any Sendable, of name: String) { byName[name, default: []].append(changes) }

    /// In the order in which they were made. O(1).
    subscript(name: String) -> [any Sendable] { byName[name] ?? [] }
}

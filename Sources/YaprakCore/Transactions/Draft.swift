import YaprakCBOR
import YaprakModel
import YaprakTrees

/// The mutable working copy of a write transaction: trees under change, and notes of what changed.
///
/// One at a time per database, on the Database actor, from the start of a transaction's closure to its end. One object serves all
/// transactions of a database: between two of them it has the state that the first made, which is the newest, or nothing. A new
/// field that a transaction writes to is emptied in `forgetNotes()`, and where `seal` looks at it, `isPlain` asks for it.
///
/// No access to its fields lasts longer than a step of the engine's own code (a user's closure is never called during
/// one), so they go without the runtime's exclusivity checks.
///
/// - Invariant: until `seal()` nothing of it can be seen from outside, except through snapshots frozen on the way,
///   which stay what they were.
@usableFromInline
final class Draft {
    /// The state it began with, and once it is sealed the one it made.
    @exclusivity(unchecked)
    private var start: SnapshotState?
    /// The state it began with.
    var base: SnapshotState { start! }
    /// The number of that state.
    @exclusivity(unchecked)
    private(set) var baseNumber = CommitNumber.zero
    /// Its trees. Unmanaged, because the timeline has the object, and lives while a draft is open: a reference would be counted
    /// at each use. Only this file and `change` use it; `tree` is the same for all others.
    @exclusivity(unchecked)
    var heldTree: Unmanaged<TreeDraft>
    /// Its trees.
    var tree: TreeDraft { heldTree.takeUnretainedValue() }
    /// The stamp it began with.
    @exclusivity(unchecked)
    private(set) var firstStamp: UInt64
    let environment: DraftEnvironment
    /// Whether it can be edited.
    @exclusivity(unchecked)
    private var isOpen = true
    /// Whether the next four are those of `start`.
    @exclusivity(unchecked)
    private var isSettled = false

    @exclusivity(unchecked)
    var directory: CollectionDirectory
    @exclusivity(unchecked)
    var roots: RootVector
    @exclusivity(unchecked)
    var extensions: ExtensionTable
    @exclusivity(unchecked)
    var reactions: ReactionTable
    /// Whether reactions run at the end: not where their results come along.
    @exclusivity(unchecked)
    var runsReactions = true

    // Notes since the extensions last caught up, and before.
    /// Changed where records are edited, by `note`, `clear` and `takeBatch`, and nowhere else.
    @exclusivity(unchecked)
    var recorders = ChangeRecorders()
    @exclusivity(unchecked)
    var clearedAll = false
    @exclusivity(unchecked)
    var segments: [DraftSegment] = []
    @exclusivity(unchecked)
    var caughtUpSegments = 0
    /// Whether extensions follow what the whole transaction did, which is in no segment.
    @exclusivity(unchecked)
    var isAtEnd = false
    @exclusivity(unchecked)
    private var caughtUp: SnapshotState?
    /// The state that extensions have followed up to.
    var lastCaughtUp: SnapshotState {
        get { caughtUp ?? base }
        set { caughtUp = newValue }
    }
    @exclusivity(unchecked)
    var extensionChanges: [(name: String, changes: any Sendable)] = []
    @exclusivity(unchecked)
    var primarySteps: [(name: String, step: [UInt8])] = []
    /// Steps of primary extensions as the log has them; `nil` unless the draft replays a commit.
    @exclusivity(unchecked)
    var loggedSteps: [String: [[UInt8]]]?
    /// The engine's own work, which no limit of operations is for.
    @exclusivity(unchecked)
    var isUnlimited = false
    /// An extension was changed explicitly in a way that isn't logged; a commit all the same.
    @exclusivity(unchecked)
    var isModified = false
    /// Whether an update of an extension left something that it may refuse.
    @exclusivity(unchecked)
    var isToBeJudged = false

    @exclusivity(unchecked)
    var info: CommitContents.Info?
    @exclusivity(unchecked)
    private(set) var callbacks: [@Sendable () -> Void] = []
    @exclusivity(unchecked)
    private var operations = 0
    /// The first thing that went wrong in a place that can't throw; the transaction fails with it at its end.
    @exclusivity(unchecked)
    private(set) var failure: (any Error)?
    @exclusivity(unchecked)
    var frozen: SnapshotState?
    /// Records set aside in whose place this transaction has put others, by slot and key.
    @exclusivity(unchecked)
    var replacedAsides: [Int: [String: RecordBox]] = [:]
    /// Records set aside that went in this transaction, after others had come in their place or its changes had been looked at.
    @exclusivity(unchecked)
    var goneAsides: [Int: [String: RecordBox]] = [:]

    /// - Parameter tree: has begun, and its timeline outlives the draft.
    init(base: SnapshotState, tree: TreeDraft, environment: DraftEnvironment) {
        start = base
        baseNumber = base.number
        heldTree = .passUnretained(tree)
        self.environment = environment
        firstStamp = tree.stamp
        directory = base.directory
        roots = base.roots
        extensions = base.extensions
        reactions = base.reactions
    }

    /// Begins once more. From the state that it made itself, nothing is copied or counted.
    /// - Parameter state: is looked at without being counted, where it is that one.
    @inline(__always)
    func begin(from state: @autoclosure () -> SnapshotState, _ tree: TreeDraft) {
        precondition(!isOpen, "one draft at a time")
        isOpen = true
        isSettled = false
        heldTree = .passUnretained(tree)
        firstStamp = tree.stamp
        if start !== state() { move(to: state()) }
    }

    @inline(never)
    private func move(to state: SnapshotState) {
        start = state
        baseNumber = state.number
        directory = state.directory
        roots = state.roots
        extensions = state.extensions
        reactions = state.reactions
    }

    /// Notes that it was sealed as `state`.
    func settle(as state: SnapshotState) {
        start = state
        baseNumber = state.number
        isSettled = true
        isOpen = false
    }

    /// Notes that it was aborted.
    func noteAbort() { isOpen = false }

    /// Is called when it was sealed or aborted: it keeps nothing but what `state` has, or nothing at all if it has not made that.
    ///
    /// - Parameter state: the newest state, which is not counted.
    @inline(__always)
    func end(at state: @autoclosure () -> SnapshotState) {
        precondition(!isOpen, "a draft ends when it was sealed or aborted")
        forgetNotes()
        if start !== state() || !isSettled { letGo() }
    }

    /// Lets go of the state that it has kept.
    func letGo() {
        start = nil
        directory = .empty
        roots = RootVector()
        extensions = ExtensionTable()
        reactions = .empty
    }

    /// Makes each note what it was at first. Most are that already, and a look costs less than letting go of nothing.
    private func forgetNotes() {
        runsReactions = true
        if !recorders.isEmpty { recorders.removeAll() }
        clearedAll = false
        if !segments.isEmpty { segments = [] }
        caughtUpSegments = 0
        isAtEnd = false
        if caughtUp != nil { caughtUp = nil }
        if !extensionChanges.isEmpty { extensionChanges = [] }
        if !primarySteps.isEmpty { primarySteps = [] }
        if loggedSteps != nil { loggedSteps = nil }
        isUnlimited = false
        isModified = false
        isToBeJudged = false
        if info != nil { info = nil }
        if !callbacks.isEmpty { callbacks = [] }
        operations = 0
        if failure != nil { failure = nil }
        if frozen != nil { frozen = nil }
        if !replacedAsides.isEmpty { replacedAsides = [:] }
        if !goneAsides.isEmpty { goneAsides = [:] }
    }

    /// Keeps code to be run when the commit is published.
    func runAfterCommit(_ body: @escaping @Sendable () -> Void) { callbacks.append(body) }

    /// That code; `nil` where there is none.
    var ownCallbacks: [@Sendable () -> Void]? { callbacks.isEmpty ? nil : callbacks }

    /// Lets that code go.
    func dropCallbacks() { callbacks = [] }

    /// Remembers the first failure; the transaction ends with it.
    @inline(never)
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Counts one more operation; fails if there are too many.
    func countOperation() -> Bool {
        if isUnlimited { return true }
        operations += 1
        if operations > environment.limits.operationsMax {
            fail(
                DatabaseError(
                    .transactionTooLarge,
                    """
                    a transaction has more than \(environment.limits.operationsMax) operations. Write in several \
                    transactions, or raise DatabaseLimits.operationsMax.
                    """
                ))
            return false
        }
        return true
    }

    // MARK: Its trees

    /// The stamp of what is written now.
    @usableFromInline var stamp: UInt64 { heldTree._withUnsafeGuaranteedRef { $0.stamp } }

    /// Makes a version of its trees.
    func sealTree(_ label: VersionLabel) -> TreeVersion {
        heldTree._withUnsafeGuaranteedRef { $0.seal(label: label) }
    }

    /// How many nodes and rows it has retired, once it is sealed.
    var retiredCount: Int { heldTree._withUnsafeGuaranteedRef { $0.retiredCount } }

    // MARK: Looking at it

    /// The database as it stands in this transaction, kept as it is whatever the transaction does next.
    func freeze() -> SnapshotState {
        if let frozen { return frozen }
        precondition(isOpen, "the draft has ended")
        let state = SnapshotState(
            number: baseNumber.next(), directory: directory, roots: roots, extensions: extensions,
            reactions: reactions, version: tree.freeze(), isAheadOfExtensions: !extensions.isEmpty && !isCaughtUp)
        frozen = state
        return state
    }

    /// Called when an extension's root has changed, so that no frozen state shows the one before.
    func forgetFrozen() { frozen = nil }
}

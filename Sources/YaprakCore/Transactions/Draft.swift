import YaprakCBOR
import YaprakModel
import YaprakTrees

/// The mutable working copy of a write transaction: trees under change, and notes of what changed.
///
/// One at a time per database, on the Database actor, from the start of a transaction's closure to its end. One object serves all
/// transactions of a database: between two of them it has the state that the first made, which is the newest, or nothing. A new
/// field that a transaction writes to is emptied in `forgetNotes()`.
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
    /// at each use.
    @exclusivity(unchecked)
    private var heldTree: Unmanaged<TreeDraft>
    /// Its trees.
    var tree: TreeDraft { heldTree.takeUnretainedValue() }
    @exclusivity(unchecked)
    private var firstStamp: UInt64
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
    @exclusivity(unchecked)
    private(set) var recorders = ChangeRecorders()
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
    func begin(from state: SnapshotState, _ tree: TreeDraft) {
        precondition(!isOpen, "one draft at a time")
        isOpen = true
        isSettled = false
        heldTree = .passUnretained(tree)
        firstStamp = tree.stamp
        if start === state { return }
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
    /// - Parameter state: the newest state.
    func end(at state: SnapshotState) {
        precondition(!isOpen, "a draft ends when it was sealed or aborted")
        forgetNotes()
        if start !== state || !isSettled { letGo() }
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

    /// Lets that code go.
    func dropCallbacks() { callbacks = [] }

    /// Remembers the first failure; the transaction ends with it.
    @inline(never)
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    // MARK: Collections

    /// The slot of a typed collection, made if it is new.
    @inlinable
    func slot<Object, Metadata>(of collection: RecordCollection<Object, Metadata>) -> Int {
        guard let slot = slot(named: collection.name, Object.self, Metadata.self) else {
            return makeSlot(for: collection)
        }
        if collection.configuration != nil { checkConfigured(slot) }
        return slot
    }

    /// Fails if a handle brings a configuration along that nobody has bound: its checks and its coder would not be used.
    @usableFromInline @inline(never)
    func checkConfigured(_ slot: Int) {
        let binding = directory.bindings[slot]
        guard !binding.isConfigured, failure == nil else { return }
        fail(
            DatabaseError(
                .notConfigured,
                """
                "\(binding.name)" is in use without a configuration, and a handle brings one: its coder, checks and migrations \
                would not be used. Give the configured handle to Database.open(at:collections:), \
                Database.inMemory(collections:) or bind(_:) first.
                """,
                place: .init(collectionName: binding.name)))
    }

    @usableFromInline
    func slot(named name: String, _ object: any Any.Type, _ metadata: any Any.Type) -> Int? {
        let directory = directory
        guard let slot = directory.slot(of: name) else { return nil }
        directory.check(slot, object, metadata)
        return slot
    }

    @usableFromInline @inline(never)
    func makeSlot<Object, Metadata>(for collection: RecordCollection<Object, Metadata>) -> Int {
        if let error = invalidName(collection.name, of: "collection") { fail(error) }
        return addCollection(TypedBinding(collection))
    }

    @inline(never)
    func addCollection(_ binding: CollectionBinding) -> Int {
        if let error = directory.refusal(of: binding, environment.limits) { fail(error) }
        directory = directory.appending(binding)
        roots.append(TreeRoot())
        frozen = nil
        return roots.count - 1
    }

    // MARK: Records

    /// The stamp of what is written now.
    @usableFromInline var stamp: UInt64 { heldTree._withUnsafeGuaranteedRef { $0.stamp } }

    /// Makes a version of its trees.
    func sealTree(_ label: VersionLabel) -> TreeVersion {
        heldTree._withUnsafeGuaranteedRef { $0.seal(label: label) }
    }

    /// How many nodes and rows it has retired, once it is sealed.
    var retiredCount: Int { heldTree._withUnsafeGuaranteedRef { $0.retiredCount } }

    /// Whether records of a collection are checked before they are written.
    @usableFromInline
    func needsPreparing(_ slot: Int) -> Bool { directory.needsPreparing(slot) }

    /// What is to become of a record.
    @usableFromInline
    enum Edit {
        case keep
        case put(RecordBox, ChangeKinds)
        case remove
    }

    /// Decides about the record under `key` (in its normal form), applies the decision and notes it.
    ///
    /// - Returns: the record there was before.
    @discardableResult
    func edit(_ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit) rethrows -> RecordBox? {
        guard failure == nil, countOperation() else { return nil }
        let (entry, changed, isRemoval) = try change(slot, key, decide)
        let before = entry.before
        note(entry, changed, isRemoval, slot, key)
        return before
    }

    /// The same for those who don't ask what was there. No reference is counted to hand it out.
    @usableFromInline
    func apply(_ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit) rethrows {
        guard failure == nil, countOperation() else { return }
        let (entry, changed, isRemoval) = try change(slot, key, decide)
        note(entry, changed, isRemoval, slot, key)
    }

    @inline(__always)
    private func note(
        _ entry: consuming ChangeEntry, _ changed: Bool, _ isRemoval: Bool, _ slot: Int, _ key: String
    ) {
        if directory.hasAsides { return noteWithAsides(entry, changed, isRemoval, slot, key) }
        if changed { note(slot, entry) }
    }

    /// Decides and applies.
    /// - Returns: what was there and what is there now, whether anything changed, and whether a removal was asked for.
    @inline(__always)
    private func change(
        _ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit
    ) rethrows -> (entry: ChangeEntry, changed: Bool, isRemoval: Bool) {
        var after: RecordBox?
        var kinds: ChangeKinds = []
        var changed = false
        var isRemoval = false
        let old = try key.withKeyBytes { bytes in
            try heldTree._withUnsafeGuaranteedRef { tree in
                try tree.edit(&roots[slot], key: bytes) { row in
                    switch try decide(row.map { unsafeDowncast($0, to: RecordBox.self) }) {
                    case .keep:
                        return .keep
                    case .put(let box, let what):
                        // What is there may go, and stay, whatever the limit was when it came.
                        if row == nil, !admit(key) { return .keep }
                        after = box
                        kinds = row == nil ? .inserted : what
                        changed = true
                        return .put(box)
                    case .remove:
                        isRemoval = true
                        guard row != nil else { return .keep }
                        kinds = .removed
                        changed = true
                        return .remove
                    }
                }
            }
        }
        let before = old.map { unsafeDowncast($0, to: RecordBox.self) }
        return (ChangeEntry(before: before, after: after, kinds: kinds), changed, isRemoval)
    }

    /// Removes everything in a collection. O(1) in the number of records.
    func clear(_ slot: Int) {
        guard failure == nil, countOperation() else { return }
        let asides = directory.hasAsides ? clearAsides(of: slot) : nil
        guard !roots[slot].isEmpty || asides ?? 0 > 0 || recorders.has(slot) else { return }
        recorders.noteClear(of: slot, count: roots[slot].count, ofAsides: asides)
        tree.clear(&roots[slot])
        frozen = nil
    }

    /// Removes everything in all collections.
    func clearAll() {
        for slot in directory.bindings.indices where !directory.bindings[slot].isHidden { clear(slot) }
        if base.roots.contains(where: { !$0.isEmpty }) { clearedAll = true }
    }

    func note(_ slot: Int, _ entry: consuming ChangeEntry) {
        // The tree has the change already.
        let countBefore = roots[slot].count - (entry.before == nil ? 1 : 0) + (entry.after == nil ? 1 : 0)
        recorders.note(entry, in: slot, count: countBefore, firstStamp: firstStamp)
        frozen = nil
    }

    /// Notes that a record was removed of which only the bytes were left, and which nobody counted.
    func noteRemoval(ofAside aside: RecordBox, of slot: Int) {
        recorders.note(
            ChangeEntry(before: aside, after: nil, kinds: .removed), in: slot, count: roots[slot].count,
            firstStamp: firstStamp)
        frozen = nil
    }

    /// Notes that a record was inserted where only bytes were left, which nobody counted.
    func note(_ slot: Int, _ entry: consuming ChangeEntry, inPlaceOf aside: RecordBox) {
        let count = roots[slot].count - 1
        entry.before = aside
        recorders.note(entry, in: slot, count: count, firstStamp: firstStamp)
        frozen = nil
    }

    /// Hands over what was noted since the last time.
    func takeBatch() -> ChangeBatch {
        defer { clearedAll = false }
        return recorders.takeBatch(directory, clearedAll: clearedAll)
    }

    /// Whether a record may be put under a key that has none; fails if not.
    private func admit(_ key: String) -> Bool {
        let most = min(environment.limits.keyBytesMax, DatabaseLimits.storedKeyBytesMax)
        if key.utf8.count > most {
            fail(
                DatabaseError(
                    .keyTooLong,
                    "a key has \(key.utf8.count) bytes, \(most) are allowed. Shorten it, or raise DatabaseLimits.keyBytesMax.",
                    place: .init(key: String(key.prefix(64)))))
            return false
        }
        return true
    }

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

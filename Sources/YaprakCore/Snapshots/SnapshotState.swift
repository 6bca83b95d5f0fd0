public import YaprakModel
public import YaprakTrees

/// What a ``Snapshot`` refers to: one moment of the whole database, immutable.
///
///     SnapshotState ──▶ version      keeps the nodes of every tree below alive; in some states, others do with it
///         │
///         ├──▶ directory             which collections there are, and their types; shared by most snapshots
///         ├──▶ roots[slot]           one tree per collection, in the directory's order
///         ├──▶ extensions            one root per registered extension
///         └──▶ reactions             what runs in the writes that follow
///
/// Two states may have the same commit number: binding a collection and registering an extension make a new state, not
/// a new commit.
@usableFromInline
package final class SnapshotState: Sendable {
    @usableFromInline let number: CommitNumber
    /// The newest commit in it.
    package var commitNumber: CommitNumber { number }
    @usableFromInline let directory: CollectionDirectory
    let roots: RootVector
    package let extensions: ExtensionTable
    /// What runs in writes from here on, in its order.
    let reactions: ReactionTable
    package let version: TreeVersion
    /// Other versions that some of the roots belong to and `version` does not keep. `nil` in all that is published, but for the
    /// first state of a fork of such a one.
    private let otherVersions: [TreeVersion]?
    /// Whether its records were changed by a transaction that its extensions have not followed yet: their roots say nothing of
    /// them then. Only inside of transactions, and where somebody keeps what an extension was shown there.
    package let isAheadOfExtensions: Bool

    init(
        number: CommitNumber, directory: CollectionDirectory, roots: RootVector,
        extensions: ExtensionTable, reactions: ReactionTable = .empty, version: TreeVersion,
        otherVersions: [TreeVersion]? = nil, isAheadOfExtensions: Bool = false
    ) {
        assert(directory.bindings.count == roots.count, "every collection has a tree")
        self.number = number
        self.directory = directory
        self.roots = roots
        self.extensions = extensions
        self.reactions = reactions
        self.version = version
        self.otherVersions = otherVersions
        self.isAheadOfExtensions = isAheadOfExtensions
    }

    /// All versions that a state with these roots and a version of its own has to keep.
    var versions: [TreeVersion] { [version] + (otherVersions ?? []) }

    /// The same state as a database would publish it, for forks to begin with.
    static func forForks(_ state: consuming SnapshotState) -> SnapshotState {
        if !state.isAheadOfExtensions { return state }
        return SnapshotState(
            number: state.number, directory: state.directory, roots: state.roots, extensions: state.extensionsForForks,
            reactions: state.reactions, version: state.version, otherVersions: state.otherVersions)
    }

    /// Its extensions for a fork, where nothing else says that they are behind its records. O(number of extensions) then.
    private var extensionsForForks: ExtensionTable {
        var table = extensions
        if isAheadOfExtensions {
            for index in table.indices { table[index].isBehind = true }
        }
        return table
    }

    /// The same state for a database to begin with: without what only a replay needs. The trees of that belong to the versions
    /// that the state keeps, so nothing is given up.
    static func forDatabases(_ state: consuming SnapshotState) -> SnapshotState {
        if !state.isForReplay { return forForks(state) }
        return state.withoutReplay()
    }

    /// Whether anything in it is for replays alone. O(number of extensions), where no collection is hidden.
    private var isForReplay: Bool {
        directory.hasAsides && directory.bindings.contains(where: \.isForReplay)
            || extensions.indices.contains { extensions.registration(at: $0).isForReplay }
    }

    private func withoutReplay() -> SnapshotState {
        var roots = roots
        for slot in roots.indices where directory.bindings[slot].isForReplay { roots[slot] = TreeRoot() }
        var extensions = extensionsForForks
        for index in extensions.indices.reversed() where extensions.registration(at: index).isForReplay {
            extensions.remove(at: index)
        }
        return SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions, reactions: reactions,
            version: version, otherVersions: otherVersions)
    }

    /// The same state with primary state that nobody has registered for.
    func keeping(_ waiting: [String: StoredExtension]) -> SnapshotState {
        var extensions = extensions
        extensions.waiting = waiting
        return SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions, reactions: reactions,
            version: version, otherVersions: otherVersions, isAheadOfExtensions: isAheadOfExtensions)
    }

    /// A timeline that starts with this state.
    func makeForkedTimeline(_ reclaimer: Reclaimer) -> Timeline {
        reclaimer.makeTimeline { Timeline.fork(from: version, and: otherVersions, onGarbage: $0) }
    }

    /// The root of the collection called `name`, or `nil`.
    func root(ofCollection name: String) -> TreeRoot? {
        directory.slot(of: name).map { roots[$0] }
    }

    /// The root of what was set aside in the collection called `name`; `nil` if nothing ever was.
    func asideRoot(ofCollection name: String) -> TreeRoot? {
        directory.hasAsides ? root(ofCollection: CollectionDirectory.asideName(of: name)) : nil
    }

    /// The root of a collection with these types; of an empty tree if the collection was never written.
    @usableFromInline
    func root(ofCollection name: String, _ object: any Any.Type, _ metadata: any Any.Type) -> TreeRoot {
        guard let slot = directory.slot(of: name) else { return TreeRoot() }
        directory.check(slot, object, metadata)
        return roots[slot]
    }

    /// The entry of the extension called `name`, or `nil`.
    func entry(ofExtension name: String) -> ExtensionEntry? {
        extensions.index(of: name).map { extensions[$0] }
    }
}

extension SnapshotState {
    /// Rows of all collections that were set aside.
    var countOfRecordsSetAside: Int {
        guard directory.hasAsides else { return 0 }
        return zip(directory.bindings, roots).reduce(0) {
            $1.0.isHidden && !$1.0.isForReplay ? $0 + $1.1.count : $0
        }
    }
}

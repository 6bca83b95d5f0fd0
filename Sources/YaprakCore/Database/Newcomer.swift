import YaprakStorage
import YaprakTrees

/// What a new registration starts from.
struct StartingPoint: Sendable {
    /// Makes the root, and the steps that follow from the records as they are.
    var makeRoot: @Sendable (ExtensionContext) throws -> ExtensionRegistration.Update
    /// Steps that a primary extension took for the records that were there.
    var operations: [[UInt8]] = []
    /// The state the root is good for.
    var base: SnapshotState
    var origin: ExtensionHost.Origin
}

/// A derived extension on its way into the database: its root, made and kept up to date outside any writer's turn.
///
///     commits      41 ──── 42 ──── 43 ──── 44 ─────┬─▶ 44, with the extension
///                  │ populate, sort                │ the turn: the rest, and the trees change hands
///     newcomer     └──▶ 41 ─────▶ 43 ─────▶ 44 ────┘
///
/// Its trees are made in a timeline of their own, so that no writer waits. Taking them over costs nothing: that timeline
/// ends without giving them up, and from then on they belong to the versions of the database.
///
/// - Invariant: the draft that takes the trees over begins after ``finish(with:)``, so that its stamp is greater than that
///   of every node in them. A version's rule, *freed when no live version s has birth ≤ s < retirement*, then holds.
final class Newcomer: @unchecked Sendable {
    // Used by one at a time: the registration that made it, which awaits each step.
    private let registration: ExtensionRegistration
    /// How the extension comes by its root.
    let origin: ExtensionHost.Origin
    private let timeline: Timeline
    private let draft: TreeDraft
    private var root: any Sendable
    private var state: SnapshotState
    private let start: SnapshotState
    /// The root as it was adopted from a checkpoint, and what keeps it; `nil` if it was populated.
    private(set) var adopted: (entry: ExtensionEntry, version: TreeVersion)?
    private var changeCount = 0

    /// Rounds of catching up before the turn is taken.
    static let roundsMax = 16
    /// So many changed records are left for the turn.
    static let changesMax = 256

    /// Makes the root where it blocks nobody.
    /// - Throws: what the extension throws.
    static func make(
        _ registration: ExtensionRegistration, _ start: StartingPoint, _ arena: Arena,
        on scheduler: (any WorkScheduler)?
    ) async throws -> Newcomer {
        try await DatabaseFiles.blocking(on: scheduler) { try Newcomer(registration, start, arena, scheduler) }
    }

    private init(
        _ registration: ExtensionRegistration, _ start: StartingPoint, _ arena: Arena,
        _ scheduler: (any WorkScheduler)?
    ) throws {
        self.registration = registration
        origin = start.origin
        state = start.base
        self.start = start.base
        timeline = Reclaimer(on: scheduler).makeTimeline { Timeline(arena: arena, onGarbage: $0) }
        draft = timeline.beginDraft()
        root = ()
        do {
            root = try start.makeRoot(context(to: start.base)).root
        } catch {
            draft.abort(roots: [])
            timeline.close(roots: [])
            throw error
        }
        if start.origin == .adopted { adopted = (entry, draft.freeze()) }
    }

    private func context(to present: SnapshotState) -> ExtensionContext {
        ExtensionContext(before: state, after: present, draft: draft, isRegistering: true)
    }

    /// Follows what was committed since, where it blocks nobody.
    /// - Returns: how many records had changed.
    func catchUp(with present: SnapshotState, on scheduler: (any WorkScheduler)?) async throws -> Int {
        try await DatabaseFiles.blocking(on: scheduler) { try self.follow(present) }
    }

    private func follow(_ present: SnapshotState) throws -> Int {
        let delta = changesLeading(to: present)
        if !delta.isEmpty {
            root = try registration.update(root, for: NetChanges(batch: delta), in: context(to: present)).root
        }
        state = present
        let count = delta.collections.reduce(0) { $0 + $1.entries.count }
        changeCount += count
        return count
    }

    /// A function of its own: the list of the thread sanitizer's false alarms names it.
    @inline(never)
    private func changesLeading(to present: SnapshotState) -> ChangeBatch {
        ChangeBatch(from: state, to: present, names: registration.collectionNames)
    }

    /// Follows the last commits, in the turn, before the draft that takes the root over begins.
    /// - Throws: what the extension throws, also because it refuses the records there are.
    func finish(with present: SnapshotState) throws {
        _ = try follow(present)
        try registration.judge(root)
        draft.seal()
    }

    /// The extension as the database has it from now on.
    var entry: ExtensionEntry {
        var entry = ExtensionEntry(registration: registration, root: root)
        // Adopted from a checkpoint with nothing after it: readers of the files have the same root.
        entry.isInLog = origin == .adopted && start.number == state.number && changeCount == 0
        return entry
    }

    /// The trees of the root.
    var trees: [TreeRoot] { registration.trees(of: root) }

    /// Ends: the database has the trees.
    func handOver() { timeline.close(roots: []) }

    /// Ends: nobody has the trees.
    func discard() {
        let trees = trees
        if draft.isOpen { draft.seal() }
        timeline.close(roots: trees)
    }
}

extension SnapshotState {
    /// The same moment with one more extension, whose trees belong to these versions.
    func adding(_ entry: ExtensionEntry, _ version: TreeVersion, and other: TreeVersion? = nil) -> SnapshotState {
        var extensions = extensions
        extensions.append(entry)
        return SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions, version: version,
            otherVersions: versions + (other.map { [$0] } ?? []))
    }
}

extension ExtensionShelf {
    /// Notes a root that was adopted as one that the base has, too: extensions that are adopted later look at what those they
    /// depend on were at that moment.
    ///
    /// To the base as it is now: since the adoption began, others may have been adopted, or a collection bound.
    mutating func noteAdopted(_ entry: ExtensionEntry, _ version: TreeVersion, and other: TreeVersion? = nil) {
        guard let base, base.entry(ofExtension: entry.name) == nil else { return }
        self.base = base.adding(entry, version, and: other)
    }
}

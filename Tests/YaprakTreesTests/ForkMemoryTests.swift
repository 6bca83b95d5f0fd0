import Synchronization
import TestSupport
import Testing

@testable import YaprakTrees

/// What a fork leaves behind for the next one.
@Suite(.bounded) struct ForkMemoryTests {
    private let arena: Arena
    private let origin: Timeline
    private let root: TreeRoot

    init() {
        arena = Arena()
        origin = Timeline(arena: arena) { while $0.reclaim(limit: 100) {} }
        var root = TreeRoot()
        let draft = origin.beginDraft()
        for number in 0..<1_000 { draft.insert(CountedRow("k\(number)", number), into: &root) }
        draft.seal()
        // Counts are as of the last reclaiming.
        while origin.reclaim(limit: 100) {}
        self.root = root
    }

    /// A fork of the newest version, and its tree with one row replaced.
    private func writtenFork(_ key: String, _ number: Int, changes: Int = 1) -> (Timeline, TreeRoot, TreeDraft) {
        let fork = Timeline.fork(from: origin.newest) { while $0.reclaim(limit: 100) {} }
        var tree = root
        let draft = fork.beginDraft()
        draft.insert(CountedRow(key, number), into: &tree)
        for change in 1..<changes { draft.insert(CountedRow("k\(change)", number), into: &tree) }
        draft.seal()
        return (fork, tree, draft)
    }

    private func value(_ key: String, in tree: TreeRoot) -> Int? { (tree.lookup(key) as? CountedRow)?.value }

    private func close(_ fork: Timeline, _ tree: TreeRoot) {
        fork.close(roots: [tree])
        while fork.reclaim(limit: 100) {}
    }

    @Test func `A fork goes on with the draft that a closed one has left, and reads nothing of it`() {
        // Only its name leaves, so that nobody refers to the draft as its timeline closes.
        func forkOnce() -> (Timeline, TreeRoot, ObjectIdentifier) {
            let (fork, tree, draft) = writtenFork("k7", -7)
            return (fork, tree, ObjectIdentifier(draft))
        }
        let (past, pastTree, name) = forkOnce()
        close(past, pastTree)
        let (fork, tree, draft) = writtenFork("k8", -8)
        #expect(ObjectIdentifier(draft) == name)
        #expect(value("k7", in: tree) == 7 && value("k8", in: tree) == -8)
        #expect(tree.count == 1_000 && tree.firstViolation() == nil)
        close(fork, tree)
        close(origin, root)
    }

    @Test func `A draft that somebody refers to is not handed on`() {
        let (fork, tree, held) = writtenFork("k7", -7)
        close(fork, tree)
        let (second, secondTree, draft) = writtenFork("k8", -8)
        #expect(draft !== held && !held.isOpen)
        close(second, secondTree)
        close(origin, root)
    }

    @Test func `What a fork that is written to takes does not grow with those before it`() {
        for number in 0..<100 {
            let (fork, tree, _) = writtenFork("k\(number)", -number)
            close(fork, tree)
        }
        #expect(arena.counts.rows == 1_000)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test func `Two at once have drafts of their own`() {
        let (one, oneTree, oneDraft) = writtenFork("k1", -1)
        let (two, twoTree, twoDraft) = writtenFork("k2", -2)
        #expect(oneDraft !== twoDraft)
        close(one, oneTree)
        close(two, twoTree)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test func `A fork that was not written to lets go of its origin as it closes, and owes no reclaiming`() {
        let calls = Shared()
        weak var held: TreeVersion?
        let fork: Timeline
        do {
            let draft = origin.beginDraft()
            var tree = root
            draft.insert(CountedRow("new"), into: &tree)
            let version = draft.freeze()
            held = version
            fork = Timeline.fork(from: version) { _ in calls.calls.wrappingAdd(1, ordering: .relaxed) }
            draft.abort(roots: [tree])
        }
        #expect(held != nil)
        fork.close(roots: [])
        #expect(held == nil && calls.calls.load(ordering: .relaxed) == 0)
        #expect(!fork.reclaim(limit: 100))
        while origin.reclaim(limit: 100) {}
        #expect(arena.counts.rows == 1_000)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test func `A version that outlives its closed timeline is reclaimed as it goes`() {
        let (fork, tree, _) = writtenFork("k7", -7, changes: 300)
        var version: TreeVersion? = fork.newest
        fork.close(roots: [tree])
        #expect(value("k7", in: tree) == -7 && version != nil)
        #expect(arena.counts.rows == 1_299)
        version = nil
        #expect(arena.counts.rows == 1_000)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }
}

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

    private func close(_ fork: Timeline, _ trees: TreeRoot...) {
        fork.close(roots: trees)
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

    @Test(arguments: [("k500", -1, 1_000), ("k500-new", -1, 1_001), ("k500", nil, 999)] as [(String, Int?, Int)])
    func `What a dropped fork changed is found without a look at what is beside it`(
        key: String, value: Int?, count: Int
    ) {
        let before = arena.counts
        let fork = Timeline.fork(from: origin.newest) { _ in }
        var tree = root
        let draft = fork.beginDraft()
        if let value { draft.insert(CountedRow(key, value), into: &tree) } else { draft.remove(key, from: &tree) }
        draft.seal()
        #expect(tree.count == count)
        fork.close(roots: [tree])
        // Each row and node that is looked at counts; each of the levels has at least eight.
        #expect(!fork.reclaim(limit: Node.fanOut == 32 ? 12 : 40))
        #expect(arena.counts == before)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test(arguments: [true, false])
    func `Trees that the first draft of a fork takes over are freed with the fork`(changesThem: Bool) {
        let before = arena.counts
        let fork = Timeline.fork(from: origin.newest) { _ in }
        let newcomer = Timeline(arena: arena) { _ in }
        var new = TreeRoot()
        let making = newcomer.beginDraft()
        for number in 0..<300 { making.insert(CountedRow("n\(number)", number), into: &new) }
        making.seal()
        let draft = fork.beginDraft()
        draft.takeOver([new])
        var tree = root
        // Copies of nodes that are younger than what the fork began with.
        if changesThem { for number in 0..<5 { draft.insert(CountedRow("n\(number)", -1), into: &new) } }
        draft.insert(CountedRow("k7", -7), into: &tree)
        draft.seal()
        newcomer.close(roots: [])
        newcomer.reclaimAll()
        #expect(value("n200", in: new) == 200 && value("n1", in: new) == (changesThem ? -1 : 1))
        close(fork, tree, new)
        #expect(arena.counts == before)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test(arguments: [true, false])
    func `A draft on a fork that has no version yet is frozen, sealed or aborted`(isAborted: Bool) {
        let before = arena.counts
        let fork = Timeline.fork(from: origin.newest) { _ in }
        var tree = root
        let draft = fork.beginDraft()
        #expect(fork.pins.count == 1)
        draft.insert(CountedRow("k7", -7), into: &tree)
        var frozen: TreeVersion? = draft.freeze()
        let frozenTree = tree
        #expect(fork.pins.count == 2)
        draft.insert(CountedRow("k7", -8), into: &tree)
        // What the fork began with: made now, older than what was frozen.
        var first: TreeVersion? = fork.newest
        #expect(first!.stamp < frozen!.stamp && first!.covers(root) && !first!.covers(frozenTree))
        if isAborted {
            draft.abort(roots: [tree])
            tree = root
        } else {
            draft.seal()
        }
        fork.reclaimAll()
        #expect(value("k7", in: root) == 7 && value("k7", in: frozenTree) == -7)
        first = nil
        fork.reclaimAll()
        #expect(value("k7", in: root) == 7 && value("k7", in: frozenTree) == -7)
        close(fork, tree)
        #expect(value("k7", in: frozenTree) == -7 && frozen != nil)
        frozen = nil
        fork.reclaimAll()
        #expect(arena.counts == before)
        close(origin, root)
        #expect(arena.counts == ArenaCounts())
    }

    @Test(arguments: [true, false])
    func `A fork keeps trees of several versions, whichever is younger, and frees none of them`(isWritten: Bool) {
        let before = arena.counts
        let draft = origin.beginDraft()
        var other = root
        for number in 0..<300 { draft.insert(CountedRow("k\(number)", -number), into: &other) }
        var frozen: TreeVersion? = draft.freeze()
        draft.abort(roots: [other])
        // The one that it starts from is the older one.
        let fork = Timeline.fork(from: origin.newest, and: [frozen!]) { _ in }
        frozen = nil
        origin.reclaimAll()
        var (mine, others) = (root, other)
        if isWritten {
            let draft = fork.beginDraft()
            draft.insert(CountedRow("k5", 55), into: &mine)
            draft.insert(CountedRow("k6", 66), into: &others)
            draft.seal()
            #expect(value("k5", in: mine) == 55 && value("k6", in: others) == 66)
        }
        #expect(value("k7", in: mine) == 7 && value("k7", in: others) == -7)
        close(fork, mine, others)
        origin.reclaimAll()
        #expect(arena.counts == before)
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

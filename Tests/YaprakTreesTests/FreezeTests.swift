import TestSupport
import Testing

@testable import YaprakTrees

@Suite(.bounded) struct FreezeTests {
    private static func draft(of n: Int, _ janitor: Janitor = Janitor()) -> (Timeline, TreeDraft, TreeRoot) {
        let timeline = janitor.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        for i in 0..<n { draft.insert(CountedRow("k" + String(1000 + i), i), into: &root) }
        return (timeline, draft, root)
    }

    @Test func `An enumeration inside a write sees what was there when it began`() {
        var (timeline, draft, root) = Self.draft(of: 300)
        var seen = 0
        for row in FrozenTree(root, in: draft.freeze()) {
            seen += 1
            draft.remove(row.keyString, from: &root)
            draft.insert(CountedRow(row.keyString + "/new", row.number), into: &root)
            if row.number.isMultiple(of: 100) {
                #expect(FrozenTree(root, in: draft.freeze()).count == 300)
            }
        }
        #expect(seen == 300)
        #expect(root.count == 300 && root.row(at: 0).keyString == "k1000/new")
        #expect(root.firstViolation() == nil)
        draft.seal()
        timeline.close(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test(arguments: [true, false])
    func `A sequence outlives its draft, the abort, and the timeline`(isAborted: Bool) {
        let janitor = Janitor()
        var (timeline, draft, root) = Self.draft(of: 300, janitor)
        let arena = timeline.arena
        var sequence: FrozenTree? = FrozenTree(root, in: draft.freeze())
        for i in 0..<300 where i % 3 == 0 { draft.remove("k" + String(1000 + i), from: &root) }
        if isAborted {
            draft.abort(roots: [root])
            timeline.reclaimAll(limit: 7)
            timeline.close(roots: [])
        } else {
            draft.seal()
            timeline.reclaimAll(limit: 7)
            timeline.close(roots: [root])
        }
        timeline.reclaimAll(limit: 7)
        timeline = Timeline(arena: Arena()) { _ in }
        #expect(sequence?.map(\.number) == Array(0..<300))
        #expect(sequence?.reversed().map(\.number) == Array((0..<300).reversed()))
        sequence = nil
        #expect(arena.counts.rows > 0, "the release itself frees nothing")
        janitor.run(limit: 7)
        #expect(arena.counts == ArenaCounts())
    }

    @Test func `Freezing twice without a change is one version`() {
        var (timeline, draft, root) = Self.draft(of: 10)
        let first = draft.freeze()
        #expect(draft.freeze() === first)
        draft.remove("missing", from: &root)
        #expect(draft.freeze() === first)
        draft.remove("k1003", from: &root)
        #expect(draft.freeze() !== first)
        #expect(draft.seal() === timeline.newest)
        timeline.close(roots: [root])
    }

    @Test func `Aborting restores what was and frees what was made`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<500 { draft.insert(CountedRow("k\(i)", i), into: &root) }
        draft.seal()
        timeline.reclaimAll()
        let counts = timeline.arena.counts
        let content = root.content
        draft = timeline.beginDraft()
        var edited = root
        for i in 0..<500 where i % 2 == 0 { draft.insert(CountedRow("k\(i)", -i), into: &edited) }
        for i in 0..<500 where i % 7 == 0 { draft.remove("k\(i)", from: &edited) }
        draft.abort(roots: [edited])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == counts)
        #expect(root.content == content && root.firstViolation() == nil)
        timeline.close(roots: [root])
    }

    @Test func `A fork copies no node, and neither side sees the other's changes`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<500 { draft.insert(CountedRow("k\(i)", i), into: &root) }
        let version = draft.seal()
        timeline.reclaimAll()
        let counts = timeline.arena.counts
        let fork = Timeline.fork(from: version) { _ in }
        #expect(timeline.arena.counts == counts)
        var forked = root
        let before = root.content
        let inFork = fork.beginDraft()
        inFork.clear(&forked)
        inFork.insert(CountedRow("only"), into: &forked)
        inFork.seal()
        draft = timeline.beginDraft()
        draft.remove("k7", from: &root)
        draft.seal()
        #expect(forked.count == 1 && root.count == 499)
        fork.close(roots: [forked])
        fork.reclaimAll()
        timeline.reclaimAll()
        #expect(timeline.arena.counts.rows == 500)
        #expect(before.count == 500)
        timeline.close(roots: [root])
    }

    @Test func `A draft that has ended, a row of an older draft and a second draft stop the program`() async {
        await #expect(processExitsWith: .failure) {
            let timeline = Timeline(arena: Arena()) { _ in }
            var root = TreeRoot()
            let draft = timeline.beginDraft()
            draft.seal()
            draft.insert(CountedRow("a"), into: &root)
        }
        await #expect(processExitsWith: .failure) {
            let draft = Timeline(arena: Arena()) { _ in }.beginDraft()
            var roots = (TreeRoot(), TreeRoot())
            let row = CountedRow("a")
            draft.insert(row, into: &roots.0)
            _ = draft.freeze()
            draft.insert(row, into: &roots.1)
        }
        await #expect(processExitsWith: .failure) {
            let draft = Timeline(arena: Arena()) { _ in }.beginDraft()
            var roots = (TreeRoot(), TreeRoot(), TreeRoot())
            draft.insert(CountedRow("a"), into: &roots.0)
            let row = CountedRow("b", nested: roots.0)
            draft.insert(row, into: &roots.1)
            draft.insert(row, into: &roots.2)
        }
        await #expect(processExitsWith: .failure) {
            let timeline = Timeline(arena: Arena()) { _ in }
            _ = timeline.beginDraft()
            _ = timeline.beginDraft()
        }
    }
}

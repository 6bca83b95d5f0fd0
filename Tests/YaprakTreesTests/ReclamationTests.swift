import Dispatch
import Synchronization
import TestSupport
import Testing
import YaprakLocks

@testable import YaprakTrees

/// What tasks of a test share.
final class Shared: Sendable {
    let published: YaprakLocks.Mutex<FrozenTree?>
    let isDone = Atomic(false)
    let calls = Atomic(0)
    init(_ tree: FrozenTree? = nil) { published = YaprakLocks.Mutex(tree) }
}

@Suite(.bounded) struct ReclamationTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `What lives is what can be reached, and nothing else, after any history`(seed: UInt64) {
        let history = History(seed: seed)
        for step in 0..<240 {
            history.step()
            if step % 8 == 0, let violation = history.violation() {
                Issue.record("seed \(seed), step \(step): \(violation)")
                return
            }
        }
        for id in history.lines.keys.sorted(by: { _, _ in history.generator.chance(50) }) { history.close(id) }
        if let violation = history.violation() { Issue.record("seed \(seed), closed: \(violation)") }
        // The last pins go from several threads at once, after all timelines have closed.
        let pins = YaprakLocks.Mutex(history.held.map { Optional($0.version) }.shuffled(using: &history.generator))
        history.held = []
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            while true {
                let pin = pins.withLock { $0.popLast() }
                guard let pin else { return }
                _ = consume pin
            }
        }
        history.janitor.run()
        #expect(history.arena.counts == ArenaCounts(), "seed \(seed)")
        #expect(history.census.count == 0, "seed \(seed)")
    }

    @Test func `The versions that are held are listed by their labels, the oldest first`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot(), held: [TreeVersion] = []
        for number in 1...6 as ClosedRange<UInt64> {
            let draft = timeline.beginDraft()
            draft.insert(CountedRow("k\(number)"), into: &root)
            let version = draft.seal(label: VersionLabel(number: number, nanoseconds: Int64(number) * 10))
            if number % 2 == 0 { held.append(version) }
        }
        #expect(timeline.oldestPins(max: 10).map(\.?.number) == [2, 4, 6])
        #expect(timeline.oldestPins(max: 2).map(\.?.nanoseconds) == [20, 40])
        #expect(timeline.oldestPins(max: 0).isEmpty)
        #expect(timeline.pins.count == 3 && timeline.pins.oldest?.number == 2)
        held.removeFirst()
        #expect(timeline.oldestPins(max: 10).map(\.?.number) == [4, 6])
        while timeline.reclaim(limit: .max) {}
        #expect(timeline.oldestPins(max: 10).map(\.?.number) == [4, 6] && timeline.pins.count == 2)
        held = []
        // The newest is held by the timeline.
        #expect(timeline.oldestPins(max: 10).map(\.?.number) == [6])
        timeline.close(roots: [root])
        timeline.reclaimAll()
    }

    @Test func `One old pin costs its own nodes and not those of the versions after it`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<2_000 { draft.insert(CountedRow("k\(i)"), into: &root) }
        let pinned = draft.seal()
        let perVersion = root.statistics.nodes
        var generator = SplitMix64(seed: 5)
        for _ in 0..<3_000 {
            draft = timeline.beginDraft()
            draft.insert(CountedRow("k\(generator.below(2_000))"), into: &root)
            draft.seal()
            while timeline.reclaim(limit: 16) {}
            let counts = timeline.arena.counts
            #expect(counts.nodes <= 2 * perVersion + 8)
            #expect(counts.rows <= 4_000 + 2)
        }
        #expect(withExtendedLifetime(pinned) { timeline.arena.counts.nodes } > perVersion)
        timeline.close(roots: [root])
        timeline.reclaimAll()
    }

    @Test func `Releasing a version frees nothing, and reclaiming frees in slices`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<2_000 { draft.insert(CountedRow("k\(i)"), into: &root) }
        var pinned: TreeVersion? = draft.seal()
        draft = timeline.beginDraft()
        draft.clear(&root)
        draft.seal()
        timeline.reclaimAll()
        let before = timeline.arena.counts
        #expect(before.rows == 2_000 && pinned != nil)
        pinned = nil
        #expect(timeline.arena.counts == before)
        var slices = 0
        var last = before
        var remains = true
        while remains {
            remains = timeline.reclaim(limit: 50)
            let now = timeline.arena.counts
            #expect(last.rows - now.rows + last.nodes - now.nodes <= 50)
            last = now
            slices += 1
        }
        #expect(last == ArenaCounts() && slices > 40)
        timeline.close(roots: [])
        timeline.reclaimAll()
    }

    @Test func `The owner is notified of garbage once, and not of the writer's`() {
        let shared = Shared()
        let timeline = Timeline(arena: Arena()) { _ in shared.calls.wrappingAdd(1, ordering: .relaxed) }
        timeline.reclaimAll()
        var root = TreeRoot()
        var pins: [TreeVersion] = []
        for i in 0..<10 {
            let draft = timeline.beginDraft()
            draft.insert(CountedRow("k\(i)"), into: &root)
            pins.append(draft.seal())
            timeline.reclaimAll()
        }
        #expect(shared.calls.load(ordering: .relaxed) == 0)
        pins.removeFirst()
        #expect(shared.calls.load(ordering: .relaxed) == 1)
        pins.removeFirst(5)
        #expect(shared.calls.load(ordering: .relaxed) == 1)
        timeline.reclaimAll()
        pins.removeAll()
        #expect(shared.calls.load(ordering: .relaxed) == 2)
        timeline.close(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test func `Readers and one writer share a timeline`() async {
        let arena = Arena()
        let timeline = Timeline(arena: arena) { _ in }
        let shared = Shared(FrozenTree(TreeRoot(), in: timeline.newest))
        await withTaskGroup(of: Void.self) { group in
            for reader in 0..<3 {
                group.addTask {
                    var generator = SplitMix64(seed: UInt64(reader))
                    var kept: [FrozenTree] = []
                    while !shared.isDone.load(ordering: .acquiring) {
                        guard let tree = shared.published.withLock({ $0 }) else { return }
                        let sum = tree.reduce(into: 0) { $0 += $1.number }
                        let number = tree.isEmpty ? 0 : tree[generator.below(tree.count)].number
                        if sum != tree.count * number { Issue.record("a version is not of one piece") }
                        if generator.chance(30) { kept.append(tree) }
                        if kept.count > 5 { kept.remove(at: generator.below(kept.count)) }
                        if generator.chance(20) { _ = timeline.reclaim(limit: 40) }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                var root = TreeRoot()
                for round in 1...120 {
                    let draft = timeline.beginDraft()
                    for i in 0..<100 { draft.insert(RowForm.mixed.row("k\(i * 37 % 100)", round), into: &root) }
                    let version = draft.seal()
                    let old = shared.published.withLock { tree in
                        defer { tree = FrozenTree(root, in: version) }
                        return tree
                    }
                    withExtendedLifetime(old) {}  // Released after the lock, as the engine does.
                    _ = timeline.reclaim(limit: 1_000)
                    if round % 8 == 0 { await Task.yield() }
                }
                shared.isDone.store(true, ordering: .releasing)
            }
        }
        let root = shared.published.withLock { $0.take()?.root } ?? TreeRoot()
        timeline.close(roots: [root])
        timeline.reclaimAll()
        #expect(arena.counts == ArenaCounts())
    }
}

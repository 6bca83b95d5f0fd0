import TestSupport
import Testing

@testable import YaprakTrees

/// Gates on bytes, which don't wobble as times do.
@Suite(.bounded) struct BudgetTests {
    @Test(.enabled(if: Node.fanOut == 32, "small nodes, made for checking, cost more"), arguments: [1, 2] as [UInt64])
    func `An index costs 30 bytes a row, and a held one-row version 3,200`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) {}
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        let keys = (0..<20_000).map { _ in String(generator.next(), radix: 16) }
        for key in keys { draft.insert(CountedRow(key), into: &root) }
        draft.seal()
        timeline.reclaimAll(limit: 10_000)
        let before = timeline.arena.counts
        #expect(before.bytes == root.statistics.bytes, "seed \(seed)")
        #expect(before.bytes <= 30 * root.count, "seed \(seed)")
        var pins: [TreeVersion] = []
        for i in 0..<200 {
            draft = timeline.beginDraft()
            draft.insert(CountedRow(keys[i]), into: &root)
            pins.append(draft.seal())
            timeline.reclaimAll()
        }
        let after = timeline.arena.counts
        #expect(after.bytes - before.bytes <= 200 * 3_200, "seed \(seed)")
        #expect(after.nodes - before.nodes <= 200 * root.statistics.depth, "seed \(seed)")
        pins = []
        timeline.reclaimAll()
        #expect(timeline.arena.counts.nodes == before.nodes && pins.isEmpty, "seed \(seed)")
        timeline.close(roots: [root])
    }
}

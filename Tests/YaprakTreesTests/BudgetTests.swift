import TestSupport
import Testing

@testable import YaprakTrees

/// Gates on bytes, which don't wobble as times do.
@Suite(.bounded) struct BudgetTests {
    @Test(.enabled(if: Node.fanOut == 32, "small nodes, made for checking, cost more"), arguments: [1, 2] as [UInt64])
    func `An index costs 30 bytes a row, and a held one-row version 3,200`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
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

    @Test func `Memory of nodes that is kept for later nodes is bounded, and of the right size`() {
        let sizes = [0, 1].flatMap { level in
            stride(from: Node.step, through: Node.fanOut, by: Node.step).map { (level: level, capacity: $0) }
        }
        var rack = NodeRack()
        var stack = NodeStack()
        for (level, capacity) in sizes {
            #expect(rack.take(level: level, capacity: capacity) == nil)
            for _ in 0..<100 {
                rack.keep(.make(level: level, capacity: capacity, born: 1, ordered: false))
                let node = Node.make(level: level, capacity: capacity, born: 1, ordered: false)
                if !stack.push(node) { node.raw.deallocate() }
            }
        }
        var bytes = 0
        var taken: Set<UnsafeMutableRawPointer> = []
        for (level, capacity) in sizes {
            var count = 0
            while let raw = rack.take(level: level, capacity: capacity) {
                #expect(taken.insert(raw).inserted, "two nodes in the same memory")
                // The whole of it is written, for a sanitizer to see.
                let node = Node.make(in: raw, level: level, capacity: capacity, born: 2, ordered: false)
                node.entries.initializeMemory(as: UInt8.self, repeating: 0xFF, count: node.byteCount - Node.headerBytes)
                bytes += node.byteCount
                count += 1
                raw.deallocate()
            }
            #expect(count > 0)
        }
        #expect(bytes <= NodeRack.bytesMax && NodeRack.bytesMax < 32 << 10)
        var count = 0
        while let node = stack.pop() {
            node.raw.deallocate()
            count += 1
        }
        #expect(count == NodeStack.countMax && stack.isEmpty)
    }
}

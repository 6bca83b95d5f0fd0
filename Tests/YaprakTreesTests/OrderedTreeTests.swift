import TestSupport
import Testing
import YaprakLocks

@testable import YaprakTrees

/// Compares as the wind blows.
final class RandomOrder: RowOrder, @unchecked Sendable {
    private let generator: Mutex<SplitMix64>
    init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    override func compare(_ a: TreeRow, _ b: TreeRow) -> Int { generator.withLock { $0.below(3) } - 1 }
    override func prefix(of row: TreeRow) -> UInt64 { generator.withLock { UInt64($0.below(4)) } }
}

/// By a number of which every fifth is NaN: it is neither less nor greater than anything.
final class NaNOrder: RowOrder, @unchecked Sendable {
    override func compare(_ a: TreeRow, _ b: TreeRow) -> Int {
        let (x, y) = (Self.number(of: a), Self.number(of: b))
        return x < y ? -1 : (x > y ? 1 : 0)
    }

    private static func number(of row: TreeRow) -> Double {
        row.number.isMultiple(of: 5) ? .nan : Double(row.number)
    }
}

@Suite(.bounded) struct OrderedTreeTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `A tree in a comparator's order equals a sorted array`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let order = NumberOrder()
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        var model: [TreeRow] = []
        for step in 0..<900 {
            if generator.chance(step < 500 ? 75 : 30) || model.isEmpty {
                let row = RowForm.mixed.row("k\(step)", generator.below(100) - 50)
                let position = draft.insert(row, into: &root, order: order)
                let expected = model.firstIndex { order.compare($0, row) > 0 } ?? model.count
                #expect(position == expected, "seed \(seed)")
                model.insert(row, at: expected)
            } else if generator.chance(30) {
                let position = generator.below(model.count)
                let row = RowForm.mixed.row(model[position].keyString, model[position].number)
                #expect(draft.replace(at: position, with: row, in: &root) === model[position], "seed \(seed)")
                model[position] = row
            } else {
                let row = model[generator.below(model.count)]
                let position = root.position(of: row, order: order)
                #expect(position == model.firstIndex { $0 === row }, "seed \(seed)")
                if let position {
                    #expect(draft.remove(at: position, from: &root) === row, "seed \(seed)")
                    model.remove(at: position)
                }
            }
            if step % 20 == 0 { #expect(root.firstViolation(order: order) == nil, "seed \(seed)") }
        }
        #expect(Array(FrozenTree(root, in: draft.freeze())).map(\.keyString) == model.map(\.keyString), "seed \(seed)")
        draft.abort(roots: [root])
        timeline.close(roots: [])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `A comparator that makes no sense breaks the order and nothing else`(seed: UInt64) {
        for order in [RandomOrder(seed: seed), NaNOrder()] as [RowOrder] {
            var generator = SplitMix64(seed: seed)
            let census = RowCensus()
            let timeline = Timeline(arena: Arena()) { _ in }
            var draft = timeline.beginDraft()
            var root = TreeRoot()
            var alive: Set<String> = []
            for step in 0..<600 {
                if generator.chance(step < 400 ? 70 : 20) || alive.isEmpty {
                    let row = RowForm.mixed.row("k\(step)", generator.below(20), census: census)
                    let position = draft.insert(row, into: &root, order: order)
                    #expect(root.row(at: position) === row, "seed \(seed)")
                    #expect(root.position(of: row, order: order) == position, "seed \(seed)")
                    alive.insert(row.keyString)
                } else {
                    let row = draft.remove(at: generator.below(root.count), from: &root)
                    #expect(alive.remove(row.keyString) != nil, "seed \(seed)")
                }
                if step % 50 == 0 {
                    draft.seal()
                    draft = timeline.beginDraft()
                    #expect(root.firstViolation() == nil, "seed \(seed)")
                }
            }
            var seen: Set<String> = []
            root.forEach { seen.insert($0.keyString) }
            #expect(seen == alive && root.count == alive.count, "seed \(seed)")
            draft.seal()
            timeline.close(roots: [root])
            timeline.reclaimAll()
            #expect(timeline.arena.counts == ArenaCounts() && census.count == 0, "seed \(seed)")
        }
    }

    @Test func `Rows in a comparator's order can be loaded in bulk, equals included`() throws {
        let order = NumberOrder()
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let rows = (0..<900).map { CountedRow("k" + String($0 + 1000), $0 / 3) }
        let root = try draft.build(from: rows, order: order)
        #expect(root.firstViolation(order: order) == nil)
        #expect(root.position(of: rows[512], order: order) == 512)
        #expect(root.lowerBound(of: CountedRow("", 100), order: order) == 300)
        draft.abort(roots: [root])
        timeline.close(roots: [])
    }
}

import TestSupport
import Testing

@testable import YaprakTrees

@Suite(.bounded) struct DifferenceTests {
    /// Checks that the steps lead from `old` to `new`: without the rows they name both are the same rows in one order.
    private static func check(
        _ old: TreeRoot, _ new: TreeRoot, order: RowOrder? = nil, _ note: String
    ) -> DifferenceCost {
        var rows: [TreeRow] = []
        old.forEach { rows.append($0) }
        var expected: [TreeRow] = []
        new.forEach { expected.append($0) }
        var gone: Set<ObjectIdentifier> = []
        var fresh: Set<ObjectIdentifier> = []
        let body: (TreeDifference) -> Void = { step in
            switch step {
            case .removed(let row): gone.insert(ObjectIdentifier(row))
            case .inserted(let row): fresh.insert(ObjectIdentifier(row))
            case .replaced(let a, let b):
                gone.insert(ObjectIdentifier(a))
                fresh.insert(ObjectIdentifier(b))
                #expect(a !== b, "\(note)")
            }
        }
        let cost: DifferenceCost
        if let order {
            cost = TreeRoot.difference(from: old, to: new, order: order, body)
        } else {
            cost = TreeRoot.difference(from: old, to: new, body)
        }
        if let order { checkPositions(old, new, order, rows, expected, note) }
        // What stays is the same rows in the same order on both sides, and everything else was said.
        let kept = rows.filter { !gone.contains(ObjectIdentifier($0)) }.map(ObjectIdentifier.init)
        let keptNew = expected.filter { !fresh.contains(ObjectIdentifier($0)) }.map(ObjectIdentifier.init)
        #expect(kept == keptNew, "\(note)")
        #expect(gone.count + kept.count == rows.count && fresh.count + kept.count == expected.count, "\(note)")
        return cost
    }

    /// Each step reports where its rows stand: removed in the old tree, then inserted in the new one.
    private static func checkPositions(
        _ old: TreeRoot, _ new: TreeRoot, _ order: RowOrder, _ rows: [TreeRow], _ expected: [TreeRow], _ note: String
    ) {
        TreeRoot.positionedDifference(from: old, to: new, order: order) { step, oldPosition, newPosition in
            switch step {
            case .removed(let row): #expect(rows[oldPosition] === row, "\(note)")
            case .inserted(let row): #expect(expected[newPosition] === row, "\(note)")
            case .replaced(let before, let after):
                #expect(rows[oldPosition] === before && expected[newPosition] === after, "\(note)")
            }
        }
    }

    @Test(arguments: KeyShape.allCases, [11, 12] as [UInt64])
    func `The difference of any two versions leads from one to the other, both ways`(shape: KeyShape, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var versions: [(TreeRoot, TreeVersion)] = [(root, timeline.newest)]
        for _ in 0..<8 {
            let draft = timeline.beginDraft()
            if generator.chance(15) { draft.clear(&root) }
            for _ in 0..<generator.below(generator.chance(30) ? 300 : 6) {
                let key = shape.key(&generator)
                if generator.chance(65) {
                    draft.insert(RowForm.mixed.row(key, generator.below(2)), into: &root)
                } else {
                    draft.remove(key, from: &root)
                }
            }
            versions.append((root, draft.seal()))
        }
        for a in versions {
            for b in versions { _ = Self.check(a.0, b.0, "seed \(seed), \(a.1.stamp) to \(b.1.stamp)") }
        }
        timeline.close(roots: [root])
    }

    @Test func `Steps come in ascending order and say old and new`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        for key in ["a", "b", "c", "d"] { draft.insert(RowForm.mixed.row(key, 1), into: &root) }
        let old = root
        let version = draft.freeze()
        draft.insert(CountedRow("b", 2), into: &root)
        draft.remove("c", from: &root)
        draft.insert(CountedRow("bb", 3), into: &root)
        draft.insert(CountedRow("z", 4), into: &root)
        var steps: [String] = []
        TreeRoot.difference(from: old, to: root) { step in
            switch step {
            case .removed(let row): steps.append("-" + row.keyString)
            case .inserted(let row): steps.append("+" + row.keyString)
            case .replaced(let old, let new): steps.append("\(old.keyString)\(old.number)>\(new.number)")
            }
        }
        #expect(steps == ["b1>2", "+bb", "-c", "+z"])
        withExtendedLifetime(version) {}
        draft.abort(roots: [root])
        timeline.close(roots: [])
    }

    @Test(arguments: [21, 22, 23] as [UInt64])
    func `The difference visits the nodes that are not shared and no others`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<6_000 { draft.insert(CountedRow("k\(i)"), into: &root) }
        draft.seal()
        let old = root
        let version = timeline.newest
        for changes in [0, 1, 5, 40] {
            draft = timeline.beginDraft()
            for _ in 0..<changes {
                let key = "k\(generator.below(12_000))"
                if generator.chance(60) {
                    draft.insert(RowForm.mixed.row(key, generator.below(2)), into: &root)
                } else {
                    draft.remove(key, from: &root)
                }
            }
            draft.seal()
            var nodes: (Set<UInt>, Set<UInt>) = ([], [])
            var rows: Set<UInt> = []
            old.collectAddresses(nodes: &nodes.0, rows: &rows)
            rows = []
            root.collectAddresses(nodes: &nodes.1, rows: &rows)
            let unshared = nodes.0.symmetricDifference(nodes.1).count
            let cost = Self.check(old, root, "seed \(seed)")
            // A root that is one of the other tree's inner nodes is looked into once.
            #expect(cost.nodesVisited <= unshared + 2, "seed \(seed), \(changes) changes")
            _ = Self.check(root, old, "seed \(seed)")
        }
        withExtendedLifetime(version) {}
        timeline.close(roots: [root])
    }

    @Test func `The difference of unrelated trees is exact and visits each node once`() throws {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let a = try draft.build(from: (1000..<3000).map { CountedRow("k\($0)") })
        let b = try draft.build(from: (2000..<4000).map { CountedRow("k\($0)") })
        let cost = Self.check(a, b, "unrelated")
        #expect(cost.nodesVisited == a.statistics.nodes + b.statistics.nodes)
        draft.abort(roots: [a, b])
        timeline.close(roots: [])
    }

    @Test(arguments: [31, 32] as [UInt64])
    func `The difference of trees in a comparator's order is exact`(seed: UInt64) {
        for order in [NumberOrder(), RandomOrder(seed: seed), NaNOrder()] as [RowOrder] {
            var generator = SplitMix64(seed: seed)
            let timeline = Timeline(arena: Arena()) { _ in }
            var root = TreeRoot()
            var versions: [(TreeRoot, TreeVersion)] = []
            for _ in 0..<6 {
                let draft = timeline.beginDraft()
                for i in 0..<generator.below(120) {
                    if generator.chance(70) || root.isEmpty {
                        draft.insert(RowForm.mixed.row("k\(i)", generator.below(50)), into: &root, order: order)
                    } else {
                        draft.remove(at: generator.below(root.count), from: &root)
                    }
                }
                versions.append((root, draft.seal()))
            }
            for a in versions { for b in versions { _ = Self.check(a.0, b.0, order: order, "seed \(seed)") } }
            timeline.close(roots: [root])
        }
    }
}

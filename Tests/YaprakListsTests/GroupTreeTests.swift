import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// The groups of a list as a tree, against an array.
@Suite(.bounded) struct GroupTreeTests {
    private static func group(_ name: String, _ count: Int, isDynamic: Bool) -> ListLayout.Group {
        .init(name: name, count: count, window: 0..<count, isReversed: false, isDynamic: isDynamic)
    }

    private static func expectSame(_ tree: GroupTree, _ model: [ListLayout.Group], _ context: String) {
        #expect(Array(tree) == model, "\(context)")
        #expect(tree.count == model.count && tree.indices.allSatisfy { tree[$0] == model[$0] }, "\(context)")
        let shown = model.indices.filter { model[$0].hasSection }
        #expect(tree.sectionCount == shown.count, "\(context)")
        #expect(shown.indices.allSatisfy { tree.place(ofSection: $0) == shown[$0] }, "\(context)")
        var sections: [Int: Int] = [:]
        for (section, place) in shown.enumerated() { sections[place] = section }
        #expect(model.indices.allSatisfy { tree.section(ofGroupAt: $0) == sections[$0] }, "\(context)")
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `Groups that come, go and change are those of an array, with its sections`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model: [ListLayout.Group] = []
        var tree = GroupTree(model)
        let names = [10, 100, 3000][random.below(3)]
        for round in 0..<60 {
            var chosen: Set<Int> = []
            let wanted = random.chance(20) ? names : 1 + random.below(20)
            for _ in 0..<wanted { chosen.insert(random.below(names)) }
            let isShrinking = random.chance(30)
            var edits: [GroupTree.Edit] = []
            var next = model
            for number in chosen.sorted(by: { "\($0)" < "\($1)" }) {
                let name = "\(number)"
                let place = tree.lowerBound(of: name)
                #expect(place == model.firstIndex { !($0.name < name) } ?? model.count, "seed \(seed), round \(round)")
                let isThere = place < model.count && model[place].name == name
                let goes = random.chance(isShrinking ? 90 : 20)
                if goes && !isThere { continue }
                let group = Self.group(name, random.below(3), isDynamic: random.chance(40))
                edits.append(.init(place: place, group: goes ? nil : group, isInsertion: !isThere))
                next.removeAll { $0.name == name }
                if !goes { next.append(group) }
            }
            model = next.sorted { $0.name < $1.name }
            tree = tree.applying(edits)
            Self.expectSame(tree, model, "seed \(seed), round \(round)")
        }
        Self.expectSame(GroupTree(model), model, "seed \(seed), made at once")
    }

    @Test func `A change among 100,000 groups copies the way to it and shares the rest`() {
        let count = 100_000
        let tree = GroupTree((0..<count).map { Self.group("g\(1_000_000 + $0)", 1, isDynamic: true) })
        let changed = Self.group("g1050000", 7, isDynamic: true)
        let replaced = tree.applying([.init(place: 50_000, group: changed, isInsertion: false)])
        #expect(replaced[50_000].count == 7 && tree[50_000].count == 1)
        #expect(replaced.nodeCount(notSharedWith: tree) == 4)
        let inserted = tree.applying([
            .init(place: 50_000, group: Self.group("g104999a", 1, isDynamic: true), isInsertion: true)
        ])
        #expect(inserted.count == count + 1 && inserted[50_001].name == "g1050000")
        #expect(inserted.nodeCount(notSharedWith: tree) <= 8)
        let removed = tree.applying([.init(place: 99_999, group: nil, isInsertion: false)])
        #expect(removed.count == count - 1 && removed.nodeCount(notSharedWith: tree) <= 4)
    }
}

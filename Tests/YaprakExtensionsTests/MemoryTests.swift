import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakCore
@testable import YaprakExtensions

@Suite(.bounded) struct MemoryTests {
    /// Nodes and rows that the newest state keeps alive, against what its arena holds.
    static func check(_ database: Database, _ place: String) async throws {
        while database.timeline.reclaim(limit: .max) {}
        var nodes = Set<UInt>()
        // Each tree has a reference of its own to a row that stands in several.
        var rowCount = 0
        let state = await database.working
        for tree in state.trees {
            var rows = Set<UInt>()
            tree.collectAddresses(nodes: &nodes, rows: &rows)
            rowCount += rows.count
        }
        let counts = database.timeline.arena.counts
        #expect(counts.nodes == nodes.count && counts.rows == rowCount, "\(place): \(counts), \(rowCount) rows")
    }

    /// The addresses of the nodes that a snapshot keeps alive.
    private static func nodes(of snapshot: Snapshot) -> Set<UInt> {
        var nodes = Set<UInt>(), rows = Set<UInt>()
        for tree in snapshot.state.trees { tree.collectAddresses(nodes: &nodes, rows: &rows) }
        return nodes
    }

    @Test(arguments: [UInt64(7), 8, 9]) func `What is alive is what can be reached, after any history`(
        seed: UInt64
    ) async throws {
        let world = World()
        let database = Database.inMemory()
        var writes = RandomWrites(seed: seed, world)
        try await world.register(with: database)
        for round in 0..<6 {
            var held: [Snapshot] = []
            for _ in 0..<20 {
                try await writes.write(to: database)
                if writes.random.chance(30) { held.append(database.snapshot) }
            }
            held = []
            try await Self.check(database, "seed \(seed), round \(round)")
        }
        for name in ["ranks", "tags", "rooms", "bond", "manual"] { try await database.unregister(name) }
        try await Self.check(database, "seed \(seed), without views")
        try await database.write { $0.removeAll() }
        try await Self.check(database, "seed \(seed), empty")
        let left = database.timeline.arena.counts
        #expect(left.nodes == 0 && left.rows == 0 && left.bytes == 0)
    }

    @Test(.disabled(if: Sanitizer.placesObjects), arguments: [ViewOrder.ascending, .descending])
    func `The rows of a page lie side by side in memory after a registration`(order: ViewOrder) async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: 73)
        let ranks = (0..<20_000).shuffled(using: &random)
        try await database.write { transaction in
            for (number, rank) in ranks.enumerated() {
                transaction[.books]["book \(number)"] = Book(title: "", genre: "genre \(rank % 10)", rank: rank)
            }
        }
        let view = AutoView("by rank", of: .books, groupedBy: \.genre, sortedBy: \.rank, order: order)
        try await database.register(view)
        let state = database.snapshot[view].state
        var pages: [Int] = []
        for name in state.groupNames {
            let positions = (0..<UInt32(state.count(ofGroup: name))).map { $0 }
            let placements = state.placements(ofGroup: name, at: positions[...])
            for start in stride(from: 0, to: placements.count, by: 50) {
                let rows = placements[start..<start + 50]
                pages.append(Set(rows.map { UInt(bitPattern: ObjectIdentifier($0)) / 4096 }).count)
            }
        }
        // Two or three of 4 KiB for 50 rows, and more where other tests left room here and there. Made in the order of their
        // keys, each row would have one of its own.
        #expect(pages.count == 400 && pages.reduce(0, +) <= 25 * pages.count, "\(pages)")
    }

    @Test func `A view has one object for a row in one group, and a list of them for a row in several`() async throws {
        let database = Database.inMemory()
        let alone = AutoView("alone", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.rank)
        let twice = AutoView("twice", of: .books, groupedBy: .byEachKey { [$0, "all"] }, sortedBy: .byObject(\.rank))
        try await database.register(alone)
        try await database.register(twice)
        try await database.write { transaction in
            for number in 0..<100 { transaction[.books]["k\(number)"] = Book(rank: number) }
        }
        // Written one by one, changed, touched, built from records that were there, restored: always the same.
        try await database.write { $0[.books]["k5"]?.rank = 500 }
        try await database.write { try $0.touchRow("k6", in: alone) }
        let before = database.snapshot
        try await database.write { $0[.books].remove("k7") }
        try await database.restore(before)
        let late = AutoView("late", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.rank)
        try await database.register(late)
        func objects(_ root: ViewRoot) -> (places: [TreeRow], own: Int) {
            var places: [TreeRow] = []
            for tree in root.places { tree.forEach { places.append($0) } }
            return (places, places.count { $0 is Placement })
        }
        let snapshot = database.snapshot
        for view in [alone, late] {
            let (places, own) = objects(snapshot[view].state.root)
            #expect(places.count == 100 && own == 100, "\(view.name)")
        }
        let (places, own) = objects(snapshot[twice].state.root)
        #expect(places.count == 100 && own == 0)
        withExtendedLifetime(snapshot) {}
    }

    @Test func `A page touches as many nodes as it needs`() async throws {
        let database = Database.inMemory()
        let view = AutoView("view", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.rank)
        try await database.write { transaction in
            for number in 0..<10_000 { transaction[.books]["k\(number)"] = Book(rank: number &* 7919 % 10_007) }
        }
        try await database.register(view)
        let rows = database.snapshot[view].state.rows(ofGroup: "all")
        let statistics = rows.statistics
        #expect(statistics.depth <= 3 && statistics.rows == 10_000)
        // Every leaf but the root holds 8 rows at least: a page lies in a handful, each found in `depth` steps.
        #expect(database.snapshot[view]["all"][5000..<5050].map(\.object.rank).count == 50)
        // One change touches one way from the root to a leaf in each of its trees, whatever the number of rows.
        let before = database.snapshot
        try await database.write { $0[.books]["k5"]?.rank = 20_000 }
        let after = database.snapshot
        // The older one is held, so that no address is of two nodes.
        let copied = Self.nodes(of: after).subtracting(Self.nodes(of: before)).count
        #expect((1...16).contains(copied), "\(copied) nodes were copied for one row")
        withExtendedLifetime(before) {}
    }

    /// A filter that is replaced with each letter that somebody types held the one before it, and what its closure captured.
    @Test func `A filter that is replaced is not kept by the filters behind it`() async throws {
        final class Search: Sendable {
            let text: String
            init(_ text: String) { self.text = text }
        }
        struct Weak {
            weak var search: Search?
        }
        let database = Database.inMemory()
        let view = AutoView("view", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.rank)
        let counts = AggregateView("counts", of: view, row: { "\($0.count)" }, sortedBy: { $0.key })
        let found = FilteredView("found", of: view) { _ in false }
        let shown = FilteredView("shown", of: counts) { _ in true }
        try await database.register(view)
        try await database.register(counts)
        try await database.register(found)
        try await database.register(shown)
        try await database.write { $0[.books]["1"] = Book(title: "search 49", rank: 1) }
        var searches: [Weak] = []
        for number in 0..<50 {
            let search = Search("search \(number)")
            searches.append(Weak(search: search))
            try await database.write { transaction in
                try transaction.setFiltering(
                    of: found, where: .byObject { $0.title == search.text }, versionTag: search.text)
                try transaction.setFiltering(
                    of: shown, where: .byObject { (_: String) in !search.text.isEmpty }, versionTag: search.text)
            }
        }
        for rank in 2..<5 { try await database.write { $0[.books]["1"]?.rank = rank } }
        let kept = searches.count { $0.search != nil }
        #expect(kept < 10, "\(kept) of 50 filters")
        // The last is in force, and the rows that a view has made are still known.
        #expect(database.snapshot[found].count == 1)
        let root = database.snapshot[shown].state.root
        let placement = try #require(database.snapshot[shown].state.placements(ofGroup: "all", at: [0]).first)
        #expect(root.configuration.madeObject(of: placement) as? String == "1")
    }

    @Test func `A difference costs what differs, not what there is`() async throws {
        let database = Database.inMemory()
        let view = AutoView("view", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.rank)
        try await database.write { transaction in
            for number in 0..<20_000 { transaction[.books]["k\(number)"] = Book(rank: number) }
        }
        try await database.register(view)
        let old = database.snapshot[view].state
        try await database.write { $0[.books]["k5"]?.rank = 20_000 }
        let new = database.snapshot[view].state
        let cost = TreeRoot.difference(
            from: old.rows(ofGroup: "all"), to: new.rows(ofGroup: "all"), order: new.root.configuration.order
        ) { _ in }
        #expect(cost.nodesVisited <= 16, "\(cost)")
        let difference = new.difference(from: old, ofGroup: "all")
        #expect(difference.removed.map(\.position) == [5] && difference.inserted.map(\.position) == [19_999])
    }
}

import TestSupport
import Testing
import Yaprak
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore
@testable import YaprakExtensions

/// Random histories of all kinds of views, held against what the records say.
@Suite(.bounded) struct ModelTests {
    static let seeds: [UInt64] = Array(1...12)

    struct Moment {
        var snapshot: Snapshot
        var expected: [String: World.Layout]
    }

    @Test(arguments: seeds) func `Every view equals what the records of its snapshot say, whenever it is asked`(
        seed: UInt64
    ) async throws {
        let world = World()
        let database = Database.inMemory()
        var writes = RandomWrites(seed: seed, world)
        try await world.register(with: database)
        var moments: [Moment] = []
        for step in 0..<100 {
            try await writes.write(to: database)
            let snapshot = database.snapshot
            let expected = world.expected(in: snapshot, writes.codes, manual: writes.manual)
            let shown = world.shown(in: snapshot)
            try #require(shown == expected, "seed \(seed), step \(step): \(Self.differing(shown, expected))")
            let fault = world.fault(in: snapshot)
            try #require(fault == nil, "seed \(seed), step \(step)")
            if writes.random.chance(20) { moments.append(Moment(snapshot: snapshot, expected: expected)) }
        }
        for moment in moments {
            #expect(world.shown(in: moment.snapshot) == moment.expected, "seed \(seed): a held snapshot has changed")
        }
        try Self.checkDifferences(moments, world, seed)
    }

    @Test(arguments: seeds.prefix(4)) func `A view registered late, and one in a fork, equal the others`(
        seed: UInt64
    ) async throws {
        let world = World()
        let database = Database.inMemory()
        var writes = RandomWrites(seed: seed, world)
        try await world.register(with: database)
        for _ in 0..<30 { try await writes.write(to: database) }
        for name in ["picked", "recent", "tagged", "even"] { try await database.unregister(name) }
        try await world.registerFilters(with: database)
        writes.codes.filter = 0
        let past = database.snapshot
        let expected = world.expected(in: past, writes.codes, manual: writes.manual)
        #expect(world.shown(in: past) == expected, "seed \(seed)")

        let fork = database.fork()
        var other = writes
        _ = other.random.next()
        for step in 0..<30 {
            try await writes.write(to: database)
            try await other.write(to: fork)
            for (writes, snapshot) in [(writes, database.snapshot), (other, fork.snapshot)] {
                let expected = world.expected(in: snapshot, writes.codes, manual: writes.manual)
                try #require(world.shown(in: snapshot) == expected, "seed \(seed), step \(step)")
            }
        }
        #expect(world.shown(in: past) == expected, "seed \(seed)")
        try Self.checkDifferences(
            [
                Moment(snapshot: past, expected: expected),
                Moment(snapshot: database.snapshot, expected: world.shown(in: database.snapshot)),
                Moment(snapshot: fork.snapshot, expected: world.shown(in: fork.snapshot)),
            ], world, seed)
    }

    @Test(arguments: seeds.prefix(6)) func `Views are there again after a reopen`(seed: UInt64) async throws {
        let disk = MemoryFileSystem()
        let world = World()
        var writes = RandomWrites(seed: seed, world)
        for round in 0..<4 {
            let database = try await Database.open(
                at: "/db", options: DatabaseOptions(),
                bindings: [
                    TypedBinding(RecordCollection.books), TypedBinding(RecordCollection.movies),
                    TypedBinding(RecordCollection.actors),
                ], fileSystem: disk)
            // Some writes come before the views are there again.
            if round > 0 {
                let key = "late\(round)"
                try await database.write { transaction in
                    transaction[.books][key] = Book(title: "late", rank: round)
                    transaction[.movies][key] = Movie(agent: "007", year: 1)
                }
            }
            try await world.register(with: database)
            writes.codes = World.Codes()
            for step in 0..<15 {
                let expected = world.expected(in: database.snapshot, writes.codes, manual: writes.manual)
                let shown = world.shown(in: database.snapshot)
                try #require(
                    shown == expected, "seed \(seed), round \(round), step \(step): \(Self.differing(shown, expected))")
                try await writes.write(to: database)
                if step == 7, round != 2 { try await database.checkpoint() }
            }
            try #require(world.fault(in: database.snapshot) == nil, "seed \(seed), round \(round)")
            try await database.close()
        }
    }

    // MARK: Differences

    /// Group differences, applied to the old group, give the new one: any two moments, both directions, every view.
    static func checkDifferences(_ moments: [Moment], _ world: World, _ seed: UInt64) throws {
        for (i, a) in moments.enumerated() {
            for (j, b) in moments.enumerated() where i != j {
                let (old, new) = (world.states(in: a.snapshot), world.states(in: b.snapshot))
                for (name, after) in new {
                    let before = old[name]!
                    let place = "seed \(seed), \(name), \(i) → \(j)"
                    let names = Set(after.namesOfDifferingGroups(from: before))
                    for group in Set(before.groupNames + after.groupNames) {
                        let x = (0..<before.count(ofGroup: group)).map { before.placement(inGroup: group, at: $0) }
                        let y = (0..<after.count(ofGroup: group)).map { after.placement(inGroup: group, at: $0) }
                        let difference = after.difference(from: before, ofGroup: group)
                        try #require(difference.isEmpty || names.contains(group), "\(place), \(group)")
                        try check(difference, x, y, "\(place), \(group)")
                    }
                }
            }
        }
    }

    static func check(_ difference: GroupDifference, _ old: [Placement], _ new: [Placement], _ place: String) throws {
        var rows = old.map(\.row)
        for removal in difference.removed.reversed() {
            try #require(rows.remove(at: removal.position) == removal.row, "\(place)")
        }
        for insertion in difference.inserted {
            try #require(insertion.position <= rows.count, "\(place)")
            rows.insert(insertion.row, at: insertion.position)
        }
        try #require(rows == new.map(\.row), "\(place)")
        let moved = Set(difference.removed.map(\.row)).union(difference.inserted.map(\.row))
        let replaced = Dictionary(uniqueKeysWithValues: difference.replaced.map { ($0.row, $0) })
        for (position, placement) in new.enumerated() where !moved.contains(placement.row) {
            let before = old.first { $0.row == placement.row }!
            let change = replaced[placement.row]
            try #require((change == nil) == (placement.kinds(since: before).isEmpty), "\(place), \(placement.row)")
            if let change {
                try #require(change.new == position && old[change.old] === before, "\(place), \(placement.row)")
            }
        }
    }

    static func differing(_ shown: [String: World.Layout], _ expected: [String: World.Layout]) -> String {
        shown.keys.sorted().filter { shown[$0] != expected[$0] }
            .map { "\($0) shows \(shown[$0]!), should show \(expected[$0]!)" }
            .joined(separator: "; ")
    }
}

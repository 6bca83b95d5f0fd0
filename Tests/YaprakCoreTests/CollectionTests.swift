import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore
@testable import YaprakStorage
@testable import YaprakTrees

/// Many collections: each costs what it holds, and a commit what it touches.
@Suite(.bounded) struct CollectionTests {
    typealias Shelf = RecordCollection<Book, NoMetadata>

    static func shelves(_ count: Int) -> [Shelf] { (0..<count).map { Shelf("shelf \($0)") } }

    static var options: DatabaseOptions {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        return options
    }

    // MARK: Growth

    @Test func `Twice the collections take twice as long to make, one in each commit`()
        async throws
    {
        try await expectGrowth("made one by one", 2000) { count in
            let database = Database.inMemory()
            let shelves = Self.shelves(count)
            return try await ProcessorClock().measure {
                for shelf in shelves { try await database.write { $0[shelf]["a"] = Book(title: "x") } }
            }
        }
    }

    @Test func `Twice the collections take twice as long to make in one commit, and to tell of`()
        async throws
    {
        try await expectGrowth("made at once", 2000) { count in
            let database = Database.inMemory()
            let shelves = Self.shelves(count)
            var commits = database.changesets().makeAsyncIterator()
            return try await ProcessorClock().measure {
                try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
                let changeset = try #require(try await commits.next())
                #expect(shelves.allSatisfy { changeset.hasChange(in: $0) })
                let second = try await database.write {
                    for shelf in shelves { $0[shelf]["b"] = Book(title: "y") }
                    return $0.commitNumber
                }
                let both = [changeset, try #require(try await commits.next())]
                #expect(both.netChanges.collectionNames.count == count && both[1].commitNumber == second)
            }
        }
    }

    @Test func `Twice the collections take twice as long to checkpoint, open, replay and close`()
        async throws
    {
        try await expectGrowth("to files and back", 1000) { count in
            let folder = TemporaryDirectory()
            let path = FilePath(folder.appending("shop.yaprak"))
            let shelves = Self.shelves(count)
            return try await ProcessorClock().measure {
                var database = try await Database.open(at: path, options: Self.options)
                try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
                try await database.close()
                database = try await Database.open(at: path, options: Self.options)  // from the log
                try await database.checkpoint()
                try await database.close()
                database = try await Database.open(at: path, options: Self.options)  // from the checkpoint
                #expect(database.snapshot.collectionNames.count == count)
                try await database.close()
            }
        }
    }

    // MARK: What a commit touches

    @Test func `A held snapshot of 10,000 collections costs one way to a root, not all roots`()
        async throws
    {
        let database = Database.inMemory()
        let shelves = Self.shelves(10_000)
        try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
        let held = database.snapshot
        try await database.write { $0[shelves[7_777]]["b"] = Book(title: "y") }
        let newest = database.snapshot
        // Three levels: a chunk of 32 roots, two nodes of 32 references above it; 1.2 kB where all roots have 160 kB.
        let difference = newest.state.roots.difference(from: held.state.roots)
        #expect(difference.nodes == 3 && difference.slots.count == 32)
        #expect(newest.state.directory === held.state.directory)
        #expect(held[shelves[7_777]].count == 1 && newest[shelves[7_777]].count == 2)
    }

    @Test func `The difference of two snapshots looks at the collections that were touched`()
        async throws
    {
        let database = Database.inMemory()
        let shelves = Self.shelves(3000)
        try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
        let before = database.snapshot
        let fork = database.fork()
        try await fork.write {
            $0[shelves[2]]["b"] = Book(title: "y")
            $0[shelves[2000]].removeAll()
            $0[Shelf("new here")]["a"] = Book(title: "z")
        }
        try await database.write { $0[Shelf("new there")]["a"] = Book(title: "z") }
        let after = fork.snapshot
        #expect(after.difference(since: before).collectionNames == ["shelf 2", "shelf 2000", "new here"])
        #expect(before.difference(since: after).collectionNames == ["shelf 2", "shelf 2000", "new here"])
        // One slot, two names: each line of commits has its own.
        #expect(
            after.difference(since: database.snapshot).collectionNames
                == ["shelf 2", "shelf 2000", "new here", "new there"])
        try await fork.restore(before)
        #expect(fork.snapshot.collectionNames == before.collectionNames && fork.snapshot.count == 3000)
        #expect(fork.snapshot[shelves[2000]]["a"]?.title == "x" && fork.snapshot[shelves[2]].count == 1)
    }

    /// All of a difference was found before anybody was asked whether it is to go on.
    @Test func `A difference that is not wanted any more ends on the way`() async throws {
        struct Stop: Error {}
        let database = Database.inMemory()
        let empty = database.snapshot
        try await database.write { transaction in
            for number in 0..<20_000 { transaction[Shelf("many")]["\(number)"] = Book(title: "x") }
        }
        let full = database.snapshot
        for (before, after) in [(empty, full), (full, empty)] {
            var calls = 0
            let ended = try? after.difference(since: before) {
                calls += 1
                if calls == 3 { throw Stop() }
            }
            #expect(ended == nil && calls == 3)
            calls = 0
            let whole = after.difference(since: before) { calls += 1 }
            #expect(whole.collectionNames == ["many"] && calls == 5)
        }
    }

    @Test func `A difference has its collections in the order of their names, if it is asked for so`() async throws {
        let database = Database.inMemory()
        let empty = database.snapshot
        try await database.write { transaction in
            for name in ["c", "a", "é", "b"] {
                for key in ["2", "1"] { transaction[Shelf(name)][key] = Book(title: name) }
            }
        }
        var lines: [String] = []
        database.snapshot.difference(since: empty).orderedByName.forEachRaw { name, _, _, after in
            lines.append("\(name) \(after?.key ?? "")")
        }
        #expect(lines == ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2", "é 1", "é 2"])
    }

    @Test func `A write that is undone gives back what it made in any of many collections`()
        async throws
    {
        struct Stop: Error {}
        let database = Database.inMemory()
        let shelves = Self.shelves(2000)
        try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
        while database.timeline.reclaim(limit: .max) {}
        let before = database.timeline.arena.counts
        for round in 0..<20 {
            await #expect(throws: Stop.self) {
                try await database.write { transaction in
                    for index in 0..<100 {
                        transaction[shelves[(round * 97 + index * 31) % 2000]]["\(index)"] = Book(title: "y")
                    }
                    _ = try transaction.snapshot()
                    transaction[shelves[round]].removeAll()
                    transaction[Shelf("never \(round)")]["a"] = Book(title: "z")
                    throw Stop()
                }
            }
        }
        while database.timeline.reclaim(limit: .max) {}
        #expect(database.timeline.arena.counts == before)
        #expect(database.snapshot.collectionNames.count == 2000)
    }

    @Test func `A removal of everything is replayed as often as it happened`() async throws {
        let folder = TemporaryDirectory()
        let path = FilePath(folder.appending("shop.yaprak"))
        let shelves = Self.shelves(200)
        var database = try await Database.open(at: path, options: Self.options)
        for round in 0..<5 {
            try await database.write { for shelf in shelves { $0[shelf]["\(round)"] = Book(title: "x") } }
            try await database.write { $0.removeAll() }
            try await database.write { $0[shelves[round * 40]]["left"] = Book(title: "y") }
            try await database.write { $0[Shelf("new \(round)")]["left"] = Book(title: "z") }
        }
        let names = database.snapshot.collectionNames
        try await database.close()
        database = try await Database.open(at: path, options: Self.options)
        #expect(database.snapshot.collectionNames == names && names == ["new 4", "shelf 160"])
        #expect(database.snapshot.count == 2)
        try await database.close()
    }

    // MARK: The limit

    @Test func `One collection over the limit is refused, and nothing of the write is kept`() async throws {
        var options = DatabaseOptions()
        options.limits.collectionsMax = 10
        let database = Database.inMemory(options: options)
        let shelves = Self.shelves(12)
        try await database.write { for shelf in shelves.prefix(10) { $0[shelf]["a"] = Book(title: "x") } }
        for write in [0, 1, 2] {
            let error = await #expect(throws: DatabaseError.self) {
                if write == 2 { return try await database.bind(shelves[11]) }
                try await database.write { transaction in
                    transaction[shelves[3]]["b"] = Book(title: "y")
                    if write == 0 {
                        transaction[shelves[10]]["a"] = Book(title: "x")
                    } else {
                        try transaction.setUntyped("x", for: "a", inCollectionNamed: "untyped")
                    }
                }
            }
            #expect(error?.code == .overLimit, "\(write)")
            #expect(error?.message.contains("DatabaseLimits.collectionsMax") == true)
        }
        #expect(database.snapshot.count == 10)
        try await database.write { $0[shelves[3]]["b"] = Book(title: "y") }
        #expect(database.snapshot.count == 11)
    }

    /// More than 65,536 collections could be made, and no checkpoint of them be written.
    @Test func `66,000 collections are made, checkpointed, opened, forked and restored`()
        async throws
    {
        let folder = TemporaryDirectory()
        let path = FilePath(folder.appending("shop.yaprak"))
        let shelves = Self.shelves(66_000)
        var database = try await Database.open(at: path, options: Self.options)
        try await database.write { for shelf in shelves { $0[shelf]["a"] = Book(title: "x") } }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, options: Self.options, collections: shelves[65_999])
        #expect(database.recoveryReport?.checkpointCommitNumber == 1)
        let opened = database.snapshot
        #expect(opened.count == 66_000 && opened[shelves[65_999]]["a"]?.title == "x")
        let fork = database.fork()
        try await fork.write { $0[shelves[65_999]]["a"] = nil }
        try await fork.restore(opened)
        #expect(fork.snapshot[shelves[65_999]].count == 1)
        try await fork.close()
        try await database.close()
    }
}

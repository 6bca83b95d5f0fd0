import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

@testable import YaprakCore
@testable import YaprakTrees

/// Twice the work takes twice as long, within what `expectGrowth` allows. (Collections have theirs in CollectionTests, the log in
/// RecoveryCostTests, lists in CostTests.)
@Suite(.bounded, .serialized) struct GrowthTests {
    private let clock = ProcessorClock()

    // MARK: Extensions

    /// Counts commits; looks at the state after each, or depends on another, if asked to.
    private struct Counter: DatabaseExtension {
        let name: String
        var dependencies: [String] = []
        var looksAfter = false

        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Int? {
            root += 1
            if looksAfter, context.after.commitNumber == context.before.commitNumber { root = 0 }
            return root
        }
    }

    @Test func `Twice the extensions that a commit concerns take it twice as long`() async throws {
        for (what, looksAfter, depend) in [
            ("that look at the changes", false, false), ("that look at the state after them", true, false),
            ("that depend on one", false, true),
        ] {
            func makeDatabase(_ count: Int) async throws -> Database {
                let database = Database.inMemory()
                for index in 0..<count {
                    let parents = depend && index > 0 ? ["0"] : []
                    try await database.register(
                        Counter(name: "\(index)", dependencies: parents, looksAfter: looksAfter))
                }
                return database
            }
            var databases: [Int: Database] = [:]
            try await expectGrowth("\(what)", 1000) { count in
                if databases[count] == nil { databases[count] = try await makeDatabase(count) }
                let database = databases[count]!
                let last = Counter(name: "\(count - 1)")
                let before = database.snapshot[last]
                let time = try await clock.measure { try await database.write { $0[.books]["a"] = Book(title: "x") } }
                #expect(database.snapshot[last] == before + 1)
                return time
            }
        }
    }

    @Test func `Twice the extensions take twice as long to read by their names`() async throws {
        func makeSnapshot(_ count: Int) async throws -> Snapshot {
            let database = Database.inMemory()
            for index in 0..<count { try await database.register(Counter(name: "\(index)")) }
            for index in stride(from: 0, to: count, by: 7) { try await database.unregister("\(index)") }
            let snapshot = database.snapshot, names = snapshot.extensionNames
            #expect(names.allSatisfy { snapshot.isRegistered($0) } && names.count == count - (count + 6) / 7)
            #expect(!snapshot.isRegistered("7") && !snapshot.isRegistered("\(count)"))
            return snapshot
        }
        var snapshots: [Int: Snapshot] = [:]
        // Few, several times: what thousands of them keep in memory is more than the caches have for it.
        try await expectGrowth("reading", 250) { count in
            if snapshots[count] == nil { snapshots[count] = try await makeSnapshot(count) }
            let snapshot = snapshots[count]!
            let counters = (0..<count).filter { $0 % 7 != 0 }.map { Counter(name: "\($0)") }
            return clock.measure {
                for _ in 0..<8 { for counter in counters { #expect(snapshot[counter] == 0) } }
            }
        }
    }

    @Test func `Twice the views that say in the log what commits did take twice as long`() async throws {
        try await expectGrowth("views", 400) { count in
            let folder = TemporaryDirectory()
            var options = DatabaseOptions()
            options.durability = .relaxed
            let database = try await Database.open(at: FilePath(folder.appending("shop.yaprak")), options: options)
            for index in 0..<count {
                try await database.register(
                    AutoView(
                        "\(index)", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.title,
                        persistence: .everyCommit))
            }
            var best = Duration.seconds(3600)
            for round in 0..<5 {
                let time = try await clock.measure {
                    try await database.write { $0[.books]["a"] = Book(title: "\(round)") }
                }
                best = min(best, time)
            }
            try await database.close()
            return best
        }
    }

    @Test func `Twice the views take twice as long to register and to unregister`() async throws {
        try await expectGrowth("views", 60) { count in
            let database = Database.inMemory()
            try await database.write { for index in 0..<300 { $0[.books]["\(index)"] = Book(title: "\(-index)") } }
            return try await clock.measure {
                for index in 0..<count {
                    try await database.register(
                        AutoView("\(index)", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.title))
                }
                for index in 0..<count { try await database.unregister("\(index)") }
            }
        }
    }

    @Test func `A view over twice the rows takes twice as long to register`() async throws {
        try await expectGrowth("rows", 5000) { count in
            let database = Database.inMemory()
            try await database.write { for index in 0..<count { $0[.books]["\(index)"] = Book(title: "\(-index)") } }
            let view = AutoView("v", of: .books, groupedBy: .everything(in: "all"), sortedBy: \.title)
            return try await clock.measure { try await database.register(view) }
        }
    }

    // MARK: Streams and writers

    @Test func `Twice the streams take twice as long to make, to feed, to drop and to close`() async throws {
        for closes in [false, true] {
            try await expectGrowth("streams, \(closes ? "closed" : "dropped")", 400) { count in
                let database = Database.inMemory()
                try await database.write { $0[.books]["a"] = Book(title: "x") }
                return try await clock.measure {
                    var streams = (0..<count).map { _ in database.changesets().makeAsyncIterator() }
                    let number = try await database.write {
                        $0[.books]["a"] = Book(title: "y")
                        return $0.commitNumber
                    }
                    for index in streams.indices { #expect(try await streams[index].next()?.commitNumber == number) }
                    if closes { try await database.close() }
                    streams = []
                    #expect(database.publication.streamCount == 0)
                }
            }
        }
    }

    @Test func `Twice the writers in line take twice as long to cancel`() async throws {
        try await expectGrowth("writers", 400) { count in
            let database = Database.inMemory()
            let first = try await HeldTurn(of: database)
            let line = (0..<count).map { index in
                Task { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
            }
            while database.pendingWriteCount < count + 1 { await Task.yield() }
            let time = await clock.measure {
                // The last first: a search from the front would look at all that are before it.
                for task in line.reversed() { task.cancel() }
                while database.pendingWriteCount > 1 { await Task.yield() }
            }
            try await first.letGo()
            for task in line { _ = await task.result }
            return time
        }
    }

    // MARK: What is dropped

    @Test func `A chain of twice the forks takes twice as long to drop`() async throws {
        try await expectGrowth("forks", 1000) { count in
            var last: Database? = Database.inMemory()
            try await last!.write { $0[.books]["a"] = Book(title: "x") }
            let root = last!.timeline.arena
            weak let arena = root
            for index in 0..<count {
                let fork = last!.fork()
                try await fork.write { $0[.books]["a"] = Book(title: "\(index)") }
                last = fork
            }
            return try await Self.time(untilFreed: arena!) { last = nil }
        }
    }

    @Test func `A tree of twice the rows takes twice as long to free`() async throws {
        try await expectGrowth("rows", 20_000) { count in
            var database: Database? = Database.inMemory()
            try await database!.write { for index in 0..<count { $0[.books]["\(index)"] = Book(title: "x") } }
            let arena = database!.timeline.arena
            return try await Self.time(untilFreed: arena) { database = nil }
        }
    }

    private static func time(untilFreed arena: Arena, _ drop: () -> Void) async throws -> Duration {
        let start = ContinuousClock.now
        drop()
        for _ in 0..<100_000 where arena.counts.rows > 0 { try await Task.sleep(for: .microseconds(200)) }
        #expect(arena.counts.rows == 0)
        return ContinuousClock.now - start
    }

    // MARK: Prototypes

    // Each key was compared with each, and each item of a list went through all keys of the prototype's.
    @Test func `Twice the keys and items take twice as long to compare with a prototype`() async {
        func map(_ keys: [Int]) -> [UInt8] {
            let writer = CBORWriter()
            writer.writeMapHead(count: keys.count)
            for key in keys {
                writer.write(unsigned: UInt64(key))
                writer.writeNull()
            }
            return writer.bytes
        }
        func list(_ count: Int, _ item: [UInt8]) -> [UInt8] {
            let writer = CBORWriter()
            writer.writeArrayHead(count: count)
            for _ in 0..<count { writer.write(encoded: item) }
            return writer.bytes
        }
        func time(_ written: [UInt8], _ read: [UInt8], from prototype: [UInt8]) -> Duration {
            let written = RawRecord(key: "a", object: written[...], metadata: nil, version: 1)
            let read = RawRecord(key: "a", object: read[...], metadata: nil, version: 1)
            var isCompletion = false
            let time = clock.measure {
                var prototypes = PrototypeComparison(SectionPrototypes(object: prototype))
                isCompletion = prototypes.isCompletion(written, of: read)
            }
            #expect(isCompletion)
            return time
        }
        await expectGrowth("keys in another order", 4000) { count in
            time(map(Array(0..<count)), map((0..<count).reversed()), from: map([]))
        }
        await expectGrowth("items that lack a key", 1000) { count in
            time(list(count, map([0, 1])), list(count, map([0])), from: list(1, map(Array(0..<count))))
        }
    }

    // Each hash of such a key took a stack of its own.
    @Test func `Keys of many levels, in another order, are no completion`() {
        func map(_ keys: [Int]) -> [UInt8] {
            let writer = CBORWriter()
            writer.writeMapHead(count: keys.count)
            for key in keys {
                for _ in 0..<17 { writer.writeArrayHead(count: 1) }
                writer.write(unsigned: UInt64(key))
                writer.writeNull()
            }
            return writer.bytes
        }
        let keys = Array(0..<10_000)
        let written = RawRecord(key: "a", object: map(keys)[...], metadata: nil, version: 1)
        let read = RawRecord(key: "a", object: map(keys.reversed())[...], metadata: nil, version: 1)
        let time = clock.measure {
            var prototypes = PrototypeComparison(SectionPrototypes(object: map([])))
            let isCompletion = prototypes.isCompletion(written, of: read)
            #expect(!isCompletion)
        }
        #expect(time < .seconds(1))
    }

    // MARK: Files

    @Test func `Twice the commits take twice as long to open, replay and verify`() async throws {
        try await expectGrowth("commits", 3000) { count in
            let folder = TemporaryDirectory()
            let path = FilePath(folder.appending("shop.yaprak"))
            var options = DatabaseOptions()
            options.durability = .relaxed
            options.checkpoints = .manual
            options.retention = .all
            let database = try await Database.open(at: path, options: options)
            for index in 0..<count { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
            try await database.close()
            return try await clock.measure {
                try await Database.open(at: path, options: options, collections: .books).close()
                #expect(try await Database.replay(path, collections: .books).snapshot.count == count)
                #expect(try ReplayReader(path).verify(.replay).severity == .clean)
            }
        }
    }
}

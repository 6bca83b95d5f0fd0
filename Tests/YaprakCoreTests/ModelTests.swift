import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage
@testable import YaprakTrees

/// Random histories against the plain model: records, snapshots, changes, extensions, forks and reopens.
@Suite(.bounded) struct ModelTests {
    /// More of everything when `YAPRAK_SOAK` is set.
    static let seeds = 0..<(ProcessInfo.processInfo.environment["YAPRAK_SOAK"] == nil ? UInt64(24) : 1000)

    /// What a random history keeps on its way.
    struct History {
        var random: SplitMix64
        var model = ReferenceDatabase()
        var held: [(index: Int, snapshot: Snapshot)] = []
        let seed: UInt64

        init(seed: UInt64) {
            self.seed = seed
            random = SplitMix64(seed: seed)
        }

        var place: Comment { "seed \(seed), commit \(model.states.count - 1)" }

        /// One random transaction: sometimes thrown away, sometimes with walks and extension reads in the middle.
        mutating func step(_ database: Database, keys: Int) async throws {
            let operations = (0..<(1 + random.below(random.chance(5) ? 60 : 6))).map { _ in
                RandomOperation.random(&random, keys: keys)
            }
            let throwsAway = random.chance(10)
            let looksAt = random.chance(30) ? random.below(operations.count) : -1
            struct Away: Error {}
            var expected = model.newest
            do {
                try await database.write { [expected] transaction in
                    var expected = expected
                    var walks: [(Records<Book, Shelf>, [String: ReferenceDatabase.Value])] = []
                    for (index, operation) in operations.enumerated() {
                        operation.apply(to: &transaction)
                        _ = operation.apply(to: &expected)
                        guard index == looksAt else { continue }
                        for collection in ReferenceDatabase.collections {
                            walks.append((transaction[collection].rows, expected[collection.name] ?? [:]))
                        }
                        let snapshot = try transaction.snapshot()
                        #expect(ReferenceDatabase.state(of: snapshot) == expected)
                        #expect(snapshot[Counter()] == ReferenceDatabase.counts(expected))
                    }
                    for (rows, values) in walks {
                        #expect(
                            Dictionary(
                                uniqueKeysWithValues: rows.map {
                                    ($0.key, ReferenceDatabase.Value(book: $0.object, shelf: $0.metadata))
                                })
                                == values)
                    }
                    if throwsAway { throw Away() }
                }
            } catch is Away {
                #expect(ReferenceDatabase.state(of: database.snapshot) == model.newest, place)
                return
            }
            for operation in operations { _ = operation.apply(to: &expected) }
            // A transaction whose effects cancel out makes no commit; the engine's number says which it was.
            if database.commitNumber.rawValue == UInt64(model.states.count) {
                model.states.append(expected)
            } else {
                #expect(expected == model.newest, place)
            }
            #expect(ReferenceDatabase.state(of: database.snapshot) == expected, place)
            #expect(database.snapshot[Counter()] == ReferenceDatabase.counts(expected), place)
            if random.chance(15) { held.append((model.states.count - 1, database.snapshot)) }
            if random.chance(15), !held.isEmpty { held.remove(at: random.below(held.count)) }
        }

        /// Every snapshot is what it was; the difference of any two of them is found both ways.
        mutating func checkHeld() {
            for (index, snapshot) in held {
                #expect(ReferenceDatabase.state(of: snapshot) == model.states[index], place)
            }
            for _ in 0..<4 where held.count > 1 {
                let (from, to) = (held[random.below(held.count)], held[random.below(held.count)])
                let difference = NetChanges(batch: ChangeBatch(from: from.snapshot.state, to: to.snapshot.state))
                #expect(
                    ReferenceDatabase.apply(difference, to: model.states[from.index]) == model.states[to.index], place)
            }
        }

        /// Changesets lead from each commit to the next, and many of them from the first to the last at once.
        func check(_ changesets: [Changeset], from start: Int) {
            var state = model.states[start]
            for (offset, changeset) in changesets.enumerated() {
                guard let next = ReferenceDatabase.apply(changeset.netChanges, to: state) else {
                    Issue.record("commit \(changeset.commitNumber) tells of values that were not there; \(place)")
                    return
                }
                #expect(next == model.states[start + 1 + offset], place)
                state = next
            }
            #expect(ReferenceDatabase.apply(changesets.netChanges, to: model.states[start]) == state, place)
        }
    }

    @Test(arguments: seeds) func `A database equals its model after any history`(seed: UInt64) async throws {
        var history = History(seed: seed)
        let database = Database.inMemory(checkingCoding: seed % 4 == 0)
        try await database.register(Counter())
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        var pinnedAt = 0
        for step in 0..<60 {
            try await history.step(database, keys: 40)
            if history.random.chance(15) {
                history.check(await connection.advance(), from: pinnedAt)
                pinnedAt = history.model.states.count - 1
            }
            if step % 10 == 9 { history.checkHeld() }
        }
        history.check(await connection.advance(), from: pinnedAt)

        // A fork of any snapshot is a history of its own.
        if let start = history.held.randomElement(using: &history.random) {
            var branch = History(seed: seed &+ 1_000_000)
            branch.model.states = Array(history.model.states[...start.index])
            let fork = database.fork(from: start.snapshot)
            for _ in 0..<15 { try await branch.step(fork, keys: 40) }
            branch.checkHeld()
            if seed % 2 == 0 { try await database.close() } else { try await fork.close() }
            branch.checkHeld()
        }
        history.checkHeld()
        while database.timeline.reclaim(limit: .max) {}
    }

    @Test(arguments: seeds) func `A database with files equals its model over any reopens`(seed: UInt64) async throws {
        var history = History(seed: seed)
        let disk = MemoryFileSystem()
        var options = DatabaseOptions()
        options.checkpoints = .manual
        options.retention = seed % 2 == 0 ? .all : .checkpoints(2)
        options.store.segmentBytesMax = 4096
        options.store.preallocationBytes = 2048
        options.store.chunkBytes = 1024
        for launch in 0..<4 {
            let database = try await Database.open(
                at: "/db", options: options, bindings: ReferenceDatabase.collections.map { TypedBinding($0) },
                fileSystem: disk)
            #expect(ReferenceDatabase.state(of: database.snapshot) == history.model.newest, history.place)
            #expect(database.commitNumber.rawValue == UInt64(history.model.states.count - 1), history.place)
            if launch > 0, history.random.chance(50) { try await history.write(database) }
            let host = try await database.register(Counter())
            #expect(database.snapshot[Counter()] == ReferenceDatabase.counts(history.model.newest), history.place)
            if launch == 0 { #expect(await host.origin == .populated) }
            for _ in 0..<15 {
                try await history.step(database, keys: 25)
                if history.random.chance(10) { try await database.checkpoint() }
            }
            history.checkHeld()
            if options.retention == .all {
                // Any commit can be gone to, and what came after is reported again.
                let start = history.random.below(history.model.states.count)
                var changesets: [Changeset] = []
                var iterator = database.changesets(after: CommitNumber(UInt64(start))).makeAsyncIterator()
                while start + changesets.count < history.model.states.count - 1, let next = try await iterator.next() {
                    changesets.append(next)
                }
                history.check(changesets, from: start)
            }
            history.held = []
            try await database.close()
        }
    }
}

extension ModelTests.History {
    /// A write before any extension is registered.
    mutating func write(_ database: Database) async throws {
        var state = model.newest
        let operation = RandomOperation.assign(0, "before registration", Book(title: "\(random.next())"))
        _ = operation.apply(to: &state)
        try await database.write { operation.apply(to: &$0) }
        model.states.append(state)
    }
}

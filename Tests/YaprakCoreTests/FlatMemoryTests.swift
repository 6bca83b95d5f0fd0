import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakStorage

@testable import YaprakCore
@testable import YaprakTrees

/// What is made and dropped again leaves nothing behind, however often.
@Suite(.bounded) struct FlatMemoryTests {
    typealias Shelf = RecordCollection<Book, NoMetadata>

    /// Lets what is reclaimed in the background come to its end: what is held is `expected` then.
    private static func settle(_ database: Database, to expected: ArenaCounts) async throws -> ArenaCounts {
        for _ in 0..<2000 {
            while database.timeline.reclaim(limit: .max) {}
            if database.timeline.arena.counts == expected { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        return database.timeline.arena.counts
    }

    @Test func `What a commit of five thousand records replaces is freed before the write returns`() async throws {
        let database = Database.inMemory()
        for round in 0..<3 {
            try await database.write { for index in 0..<5_000 { $0[.books]["\(index)"] = Book(title: "\(round)") } }
            // A task in the background would begin a millisecond later.
            #expect(database.timeline.arena.counts.rows == 5_000)
        }
    }

    // It kept every record once more, as bytes, with the chunks of the checkpoint they were read from, until its first step.
    @Test func `A line of history with types lets go of the bytes it began with`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for index in 0..<5_000 { $0[.books]["\(index)"] = Book(title: "x") } }
        try await database.checkpoint()
        try await database.close()
        let line = try HistoryLine(
            of: StoreReader.open(path), atOrBefore: 1, ReplayTypes(collections: RecordCollection.books))
        #expect(line.rowCount == 5_000)
        for _ in 0..<2_000 where line.rowCountInAll != 5_000 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(line.rowCountInAll == 5_000)
    }

    @Test func `Ten thousand forks that write and are dropped leave no node and no row`() async throws {
        let database = Database.inMemory()
        try await database.write { for index in 0..<200 { $0[.books]["\(index)"] = Book(title: "x") } }
        while database.timeline.reclaim(limit: .max) {}
        let before = database.timeline.arena.counts
        #expect(before.rows == 200)
        var crowded = 0
        for round in 0..<10_000 {
            let fork = database.fork()
            try await fork.write { $0[.books]["\(round % 200)"] = Book(title: "y") }
            if round % 3 == 0 { try await fork.close() }
            if database.timeline.arena.counts.nodes > before.nodes + 10_000 { crowded += 1 }
        }
        #expect(try await Self.settle(database, to: before) == before)
        // On the way, too: what is dropped is reclaimed while others are made, not at the end. A machine that is busy with other
        // processes may keep the reclaiming task waiting for a while.
        #expect(crowded < 5000, "more than 10,000 nodes waited to be reclaimed in \(crowded) of 10,000 rounds")
    }

    @Test func `Ten thousand collections that are made in forks and dropped leave no node and no row`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "x") }
        while database.timeline.reclaim(limit: .max) {}
        let before = database.timeline.arena.counts
        for round in 0..<100 {
            let fork = database.fork()
            try await fork.write { transaction in
                for index in 0..<100 { transaction[Shelf("\(round)/\(index)")]["a"] = Book(title: "y") }
            }
            if round % 2 == 0 { try await fork.write { $0.removeAll() } }
        }
        #expect(try await Self.settle(database, to: before) == before)
    }

    @Test func `Ten thousand collections that are emptied hold no node and no row`() async throws {
        let database = Database.inMemory()
        for round in 0..<100 {
            try await database.write { transaction in
                for index in 0..<100 { transaction[Shelf("\(round)/\(index)")]["a"] = Book(title: "y") }
            }
            try await database.write { transaction in
                for index in 0..<100 { transaction.removeAll(inCollectionNamed: "\(round)/\(index)") }
            }
        }
        #expect(database.snapshot.count == 0)
        #expect(try await Self.settle(database, to: ArenaCounts()) == ArenaCounts())
    }

    /// What `Scripts/flat-memory` does 10,000 times each.
    @Test(.disabled(if: Sanitizer.keepsFreedMemory), arguments: [11, 12])
    func `What opens, verifies, streams, lists, forks and registers leaves no database, row, file or memory`(seed: Int)
        async throws
    {
        let folder = TemporaryDirectory()
        let end = try await BuiltProgram.run("CrashWriter", [folder.path, "flat", "60", "\(seed)"])
        #expect(end.code == 0 && end.text.hasSuffix("memory is flat\n"), "seed \(seed): \(end.text)")
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

/// A manual view that is not always registered, over records that go on changing.
@Suite(.bounded) struct ManualViewReopeningTests {
    let directory = TemporaryDirectory()
    private let view = ManualView("favourites", of: RecordCollection<Book, Int>.books)

    private var path: FilePath { FilePath(directory.appending("db")) }

    private func open(registered: Bool = true) async throws -> Database {
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        if registered { try await database.register(view) }
        return database
    }

    private func keys(_ snapshot: Snapshot) -> [String] { snapshot[view]["x"].map(\.key) }

    /// Commit 1: a, b, c and their rows.
    private func fill() async throws {
        let database = try await open()
        try await database.write { [view] transaction in
            for key in ["a", "b", "c"] {
                transaction[.books][key] = Book(title: key)
                try transaction.append(key, to: "x", in: view)
            }
        }
        try await database.close()
    }

    @Test func `A view registered over records without a type is refused, and keeps its rows`() async throws {
        try await fill()
        let untyped = try await Database.open(at: path, options: replayable())
        let error = await #expect(throws: DatabaseError.self) { try await untyped.register(view) }
        #expect(error?.code == .extensionFailed && error?.message.contains("\"books\"") == true)
        try await untyped.checkpoint()
        try await untyped.close()
        let database = try await open()
        #expect(keys(database.snapshot) == ["a", "b", "c"])
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `A row whose record went meanwhile stays gone, whatever is written under its key later`(
        hasCheckpoints: Bool
    ) async throws {
        try await fill()
        var database = try await open(registered: false)
        try await database.write { $0[.books]["b"] = nil }
        if hasCheckpoints { try await database.checkpoint() }
        try await database.close()
        database = try await open()
        #expect(keys(database.snapshot) == ["a", "c"])
        try await database.write { $0[.books]["b"] = Book(title: "another") }
        let last = database.commitNumber
        #expect(keys(database.snapshot) == ["a", "c"])
        if hasCheckpoints { try await database.checkpoint() }
        try await database.close()
        database = try await open()
        #expect(keys(database.snapshot) == ["a", "c"] && database.snapshot[.books].count == 3)
        try await database.close()
        let typed = try ReplayReader(path, collections: .books, extensions: view)
        #expect(keys(try typed.snapshot(at: last)) == ["a", "c"])
    }

    @Test func `History with types has no row of a record that went while nobody looked`() async throws {
        try await fill()
        let database = try await open(registered: false)
        try await database.write { $0[.books]["b"] = nil }
        try await database.write { $0[.books]["d"] = Book(title: "d") }
        try await database.close()
        let cursor = try ReplayReader(path, collections: .books, extensions: view).cursor(at: 0)
        var seen: [[String]] = []
        while try cursor.next() != nil { seen.append(keys(cursor.snapshot)) }
        #expect(seen == [["a", "b", "c"], ["a", "c"], ["a", "c"]])
        for (number, expected) in seen.enumerated().reversed() {
            #expect(keys(cursor.snapshot) == expected, "commit \(number + 1), backwards")
            _ = try cursor.previous()
        }
    }

    @Test func `Many rows that go at once are read back in a time that grows with their number`() async throws {
        func seconds(_ count: Int, _ round: Int) async throws -> Double {
            let path = FilePath(directory.appending("many \(count) \(round)"))
            var database = try await Database.open(at: path, options: replayable(), collections: .books)
            try await database.register(view)
            try await database.write { [view] transaction in
                for number in 0..<count {
                    transaction[.books]["\(number)"] = Book(title: "")
                    try transaction.append("\(number)", to: "x", in: view)
                }
            }
            try await database.write { $0[.books].removeAll() }
            try await database.close()
            database = try await Database.open(at: path, options: replayable(), collections: .books)
            let start = ContinuousClock.now
            try await database.register(view)
            let time = start.duration(to: .now)
            #expect(database.snapshot[view].groupNames.isEmpty)
            try await database.close()
            return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        }
        // Sixteen times the rows: 256 times the time if each looked through all the others. A machine has slow seconds: so
        // the least of up to five each.
        var (few, many) = (Double.infinity, Double.infinity)
        for round in 0..<5 where !(many < 100 * max(few, 0.001)) {
            few = min(few, try await seconds(1_000, round))
            many = min(many, try await seconds(16_000, round))
        }
        #expect(many < 100 * max(few, 0.001), "\(many) s, and \(few) s for a sixteenth")
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore

/// What is promised where two features meet: records set aside and restores, names and shelves, limits and removals.
@Suite(.boundedInPool) struct EdgeTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    /// Opens a database in which the record `bad` is set aside, and `good` is not.
    private func openWithBadRecord() async throws -> Database {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for key in ["bad", "good"] { $0[.books][key] = Book(title: key) } }
        try await database.close()
        return try await Database.open(at: path, collections: ReviewTests.lenient)
    }

    // The typed rows came back, and the bytes set aside did not.
    @Test func `A restore that can't bring back what was set aside changes nothing and says so`() async throws {
        let database = try await openWithBadRecord()
        let before = database.snapshot
        #expect(before.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.write { $0[ReviewTests.strict]["good"]?.title = "better" }
        // Still there: only what differs is restored.
        try await database.restore(before)
        #expect(database.snapshot[ReviewTests.strict]["good"]?.title == "good")
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        let mended = database.snapshot
        try await database.write { $0[ReviewTests.strict].removeAll() }
        let number = database.commitNumber
        let error = await #expect(throws: DatabaseError.self) { try await database.restore(mended) }
        #expect(error?.code == .undecodableRecord && error?.place.key == "bad")
        #expect(database.commitNumber == number && database.snapshot[ReviewTests.strict].isEmpty)
        // From there on nothing is set aside, and a restore is one again.
        try await database.write { $0[ReviewTests.strict]["new"] = .init(title: "new") }
        let after = database.snapshot
        try await database.write { $0[ReviewTests.strict].removeAll() }
        try await database.restore(after)
        #expect(database.snapshot[ReviewTests.strict].map(\.key) == ["new"])
        try await database.close()
    }

    // Its state was taken off the shelf, and the next checkpoint was without it.
    @Test func `Primary state that waits for its extension is not lost to a derived one of its name`() async throws {
        let database = Database.inMemory()
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        try await database.unregister("pins")
        let error = await #expect(throws: DatabaseError.self) {
            try await database.register(Counter(name: "pins"))
        }
        #expect(error?.code == .nameTaken)
        try await database.register(Pins())
        #expect(database.snapshot[Pins()] == ["a"])
    }

    @Test func `Info of another type is nil in memory, and the stream goes on`() async throws {
        let database = Database.inMemory()
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0.setInfo("text") }
        let changeset = try #require(await connection.advance().first)
        #expect(try changeset.info(as: Int.self) == nil)
        #expect(try changeset.info(as: String.self) == "text")
    }

    @Test func `A key over the limit that has no record is no error, and one that has can go`() async throws {
        var low = DatabaseOptions()
        low.limits.keyBytesMax = 100
        let long = String(repeating: "k", count: 101)
        let database = Database.inMemory(options: low)
        let removed = try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "x")
            transaction[.books].touchObject(for: long)
            transaction[.books][long] = nil
            return transaction[.books].remove(long) != nil
        }
        #expect(!removed && database.snapshot[.books].count == 1)
        let origin = Database.inMemory()
        let empty = origin.snapshot
        try await origin.write { $0[.books][long] = Book(title: "x") }
        let full = origin.snapshot
        let fork = origin.fork(options: low)
        try await fork.write { $0[.books][long]?.title = "y" }
        #expect(fork.snapshot[.books][long]?.title == "y")
        try await fork.write { $0[.books].remove(long) }
        #expect(fork.snapshot[.books].isEmpty)
        var error = await #expect(throws: DatabaseError.self) {
            try await fork.write { $0[.books][long] = Book(title: "z") }
        }
        #expect(error?.code == .keyTooLong)
        error = await #expect(throws: DatabaseError.self) { try await fork.restore(full) }
        #expect(error?.code == .keyTooLong && fork.snapshot[.books].isEmpty)
        let other = origin.fork(options: low)
        try await other.restore(empty)
        #expect(other.snapshot[.books].isEmpty)
    }

    // The row went into the hidden collection, and the next launch took that for a program's.
    @Test func `Collections of the engine's own can't be written untyped`() async throws {
        let database = try await openWithBadRecord()
        let hidden = try #require(database.snapshot.state.directory.bindings.first { $0.isHidden }).name
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.setUntyped(["title": "x"], for: "x", inCollectionNamed: hidden) }
        }
        #expect(error?.code == .invalidName)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.close()
    }
}

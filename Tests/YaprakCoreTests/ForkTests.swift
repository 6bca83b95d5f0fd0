import TestSupport
import Testing
import Yaprak

/// Databases that start where another one is, and going back.
@Suite(.bounded) struct ForkTests {
    let database = Database.inMemory()
    let counter = Counter()

    private func fill() async throws {
        try await database.register(counter)
        try await database.write { for index in 0..<1000 { $0[.books]["\(index)"] = Book(title: "\(index)") } }
    }

    @Test func `A fork and its origin never see each other's writes`() async throws {
        try await fill()
        let fork = database.fork()
        try await fork.write { $0[.books].removeAll() }
        try await database.write { $0[.books]["new"] = Book(title: "new") }
        #expect(fork.snapshot[.books].isEmpty && fork.snapshot[counter].isEmpty)
        #expect(database.snapshot[.books].count == 1001 && database.snapshot[counter] == ["books": 1001])
        #expect(fork.commitNumber == 2 && database.commitNumber == 2)
    }

    @Test func `A fork starts at any snapshot, and outlives its origin`() async throws {
        var origin: Database? = Database.inMemory()
        try await origin!.write { $0[.books]["a"] = Book(title: "one") }
        let old = origin!.snapshot
        try await origin!.write { $0[.books]["a"] = Book(title: "two") }
        let fork = origin!.fork(from: old)
        try await origin!.close()
        origin = nil
        #expect(fork.snapshot[.books]["a"]?.title == "one")
        try await fork.write { $0[.books]["a"]?.title += " and more" }
        let second = fork.fork()
        try await fork.close()
        try await second.write { $0[.books]["b"] = Book(title: "b") }
        #expect(second.snapshot[.books]["a"]?.title == "one and more" && second.snapshot[.books].count == 2)
    }

    @Test func `Restoring undoes what came after, as one commit`() async throws {
        try await fill()
        let before = database.snapshot
        try await database.write { transaction in
            transaction[.books].removeAll()
            transaction[.authors]["a"] = Author(name: "a")
        }
        try await database.write { $0[.books]["7"] = Book(title: "other") }
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        let number = try await database.restore(before)
        #expect(number == 4)
        #expect(database.snapshot[.books].map(\.object) == before[.books].map(\.object))
        #expect(database.snapshot[.authors].isEmpty)
        #expect(database.snapshot[counter] == ["books": 1000])
        let changeset = try #require(await connection.advance().first)
        #expect(changeset.origin == "restore" && changeset.changes(in: .books).count == 1000)
        #expect(changeset.changes(in: .books)["7"]?.before?.object.title == "other")
        #expect(try await database.restore(before) == 4, "nothing differs, nothing is committed")
        #expect(database.commitNumber == 4)
    }

    @Test func `A snapshot of a fork can be brought home`() async throws {
        try await fill()
        let fork = database.fork()
        try await fork.write { $0[.books]["5"]?.salesRank = 55 }
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.restore(fork.snapshot, origin: "merge")
        #expect(database.snapshot[.books]["5"]?.salesRank == 55)
        let changeset = try #require(await connection.advance().first)
        #expect(changeset.changes(in: .books).map(\.key) == ["5"], "only what differs is written")
    }
}

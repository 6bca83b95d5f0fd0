import TestSupport
import Testing
import Yaprak

/// Places in time, and the streams that go through it.
@Suite(.boundedInPool) struct ConnectionTests {
    let database = Database.inMemory()

    @Test func `A live connection sees the newest, a long-lived read stays where it is`() async throws {
        let connection = database.makeConnection(named: "reader")
        try await database.write { $0[.books]["a"] = Book(title: "1") }
        #expect(await connection.snapshot[.books]["a"]?.title == "1")
        #expect(await connection.beginLongLivedRead().isEmpty)
        try await database.write { $0[.books]["a"] = Book(title: "2") }
        try await connection.write { $0[.books]["b"] = Book(title: "3") }
        #expect(await connection.snapshot[.books]["a"]?.title == "1")
        #expect(await connection.commitNumber == 1)
        let jumped = await connection.advance()
        #expect(jumped.map(\.commitNumber) == [2, 3])
        #expect(jumped.map(\.origin) == ["", "reader"])
        #expect(await connection.advance().isEmpty)
        try await database.write { $0[.books]["a"] = Book(title: "4") }
        #expect(await connection.endLongLivedRead().map(\.commitNumber) == [4])
        #expect(await connection.isInLongLivedRead == false)
        #expect(await connection.snapshot[.books]["a"]?.title == "4")
    }

    @Test func `A stream delivers every commit once and in order, to a slow consumer too`() async throws {
        let changesets = database.changesets()
        let consumer = Task {
            var seen: [CommitNumber] = []
            for try await changeset in changesets {
                seen.append(changeset.commitNumber)
                if seen.count % 50 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            return seen
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { [database] in
                    for index in 0..<100 {
                        try await database.write { $0[.books]["\(writer)-\(index)"] = Book(title: "x") }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await database.close()
        #expect(try await consumer.value == (1...800).map { CommitNumber($0) })
    }

    @Test func `A stream that falls too far behind ends with an error that says so`() async throws {
        var options = DatabaseOptions()
        options.lagLimit = 100
        let database = Database.inMemory(options: options)
        var iterator = database.changesets().makeAsyncIterator()
        for index in 0..<1000 { try await database.write { $0[.books]["a"] = Book(title: "\(index)") } }
        let error = await #expect(throws: DatabaseError.self) { while try await iterator.next() != nil {} }
        #expect(error?.code == .laggedBehind)
    }

    @Test func `Snapshots coalesce and end with the newest`() async throws {
        let hasBegun = Flag()
        let consumer = Task { [database] in
            var counts: [Int] = []
            for await snapshot in database.snapshots {
                hasBegun.set()
                counts.append(snapshot[.books].count)
                try? await Task.sleep(for: .milliseconds(1))
            }
            return counts
        }
        while !hasBegun.isSet { try await Task.sleep(for: .milliseconds(1)) }
        for index in 0..<200 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
        try await database.close()
        let counts = await consumer.value
        #expect(counts.last == 200)
        #expect(counts == counts.sorted())
    }

    @Test func `Cancelling a consumer ends its stream and nobody else's`() async throws {
        // Streams begin where they are made, whenever their tasks do.
        let streams = [database.changesets(), database.changesets()]
        let other = Task {
            var count = 0
            for try await _ in streams[0] { count += 1 }
            return count
        }
        let consumer = Task { for try await _ in streams[1] {} }
        try await Task.sleep(for: .milliseconds(10))
        consumer.cancel()
        try await consumer.value
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.close()
        #expect(try await other.value == 1)
    }

    @Test func `A long chain of missed commits is let go of without recursion`() async throws {
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        for index in 0..<50_000 { try await database.write { $0[.books]["a"] = Book(title: "", salesRank: index) } }
        #expect(await connection.endLongLivedRead().count == 50_000)
        let idle = database.makeConnection()
        await idle.beginLongLivedRead()
        for index in 0..<50_000 { try await database.write { $0[.books]["a"] = Book(title: "", salesRank: index) } }
        // The connection goes, and the whole chain behind it.
    }

    @Test func `After closing, writes are refused, snapshots stay and streams end`() async throws {
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let snapshot = database.snapshot
        try await database.close()
        try await database.close()
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.books]["b"] = Book(title: "b") }
        }
        #expect(error?.code == .closed)
        #expect(snapshot[.books]["a"]?.title == "a" && database.snapshot[.books].count == 1)
        var count = 0
        for try await _ in database.changesets() { count += 1 }
        #expect(count == 0)
    }
}

import TestSupport
import Testing
import Yaprak

/// Where the configuration of a collection is used, and where it would not be.
@Suite(.bounded) struct ConfigurationTests {
    struct EmptyTitle: Error {}

    private var checked: RecordCollection<Book, NoMetadata> {
        RecordCollection.books.configured { $0.prepare { _, book, _ in if book.title.isEmpty { throw EmptyTitle() } } }
    }

    @Test func `A database in memory checks from the first write what was bound with it`() async throws {
        let database = try Database.inMemory(collections: checked, .authors)
        #expect(database.snapshot.commitNumber == 0 && database.snapshot[.books].isEmpty)
        await #expect(throws: EmptyTitle.self) { try await database.write { $0[.books]["a"] = Book(title: "") } }
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        await #expect(throws: EmptyTitle.self) { try await database.write { $0[checked]["b"] = Book(title: "") } }
        let fork = await database.fork()
        await #expect(throws: EmptyTitle.self) { try await fork.write { $0[.books]["b"] = Book(title: "") } }
        try await database.close()
    }

    @Test func `A name that can't be one is refused in memory, too`() {
        let error = #expect(throws: DatabaseError.self) {
            _ = try Database.inMemory(collections: .books, RecordCollection<Author, NoMetadata>("tab\t"))
        }
        #expect(error?.code == .invalidName)
        var options = DatabaseOptions()
        options.limits.collectionsMax = 1
        let second = #expect(throws: DatabaseError.self) {
            _ = try Database.inMemory(options: options, collections: .books, .authors)
        }
        #expect(second?.code == .overLimit)
    }

    @Test func `A configured handle after an unconfigured use is an error, not ignored`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "") }
        for _ in 0..<2 {
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[checked]["b"] = Book(title: "") }
            }
            #expect(error?.code == .notConfigured && error?.place.collection == "books")
            #expect(error?.message.contains("bind(_:)") == true)
        }
        #expect(database.snapshot[.books].map(\.key) == ["a"] && database.commitNumber == 1)
        try await database.bind(checked)
        await #expect(throws: EmptyTitle.self) { try await database.write { $0[checked]["b"] = Book(title: "") } }
        // Within one transaction, too.
        let other = Database.inMemory()
        let error = await #expect(throws: DatabaseError.self) {
            try await other.write { transaction in
                transaction[.books]["a"] = Book(title: "Dune")
                transaction[checked]["b"] = Book(title: "Emma")
            }
        }
        #expect(error?.code == .notConfigured && other.commitNumber == 0)
        // The first use of all binds what it brings.
        let first = Database.inMemory()
        await #expect(throws: EmptyTitle.self) { try await first.write { $0[checked]["b"] = Book(title: "") } }
    }

    @Test func `A fork has options of its own if it is given some`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        var options = DatabaseOptions()
        options.limits.operationsMax = 1
        let fork = await database.fork(options: options)
        let error = await #expect(throws: DatabaseError.self) {
            try await fork.write { for key in ["b", "c"] { $0[.books][key] = Book(title: "x") } }
        }
        #expect(error?.code == .transactionTooLarge && fork.snapshot[.books].count == 1)
        try await database.write { for key in ["b", "c"] { $0[.books][key] = Book(title: "x") } }
        #expect(await database.fork().options.limits == database.options.limits)
    }

    @Test func `The records of a transaction can have a name of their own`() async throws {
        let database = Database.inMemory()
        let count = try await database.write { transaction in
            let count = transaction.with(.books) { books in
                books["dune"] = Book(title: "Dune")
                books["dune"]?.salesRank += 1
                books.set(Book(title: "Emma"), metadata: nil, for: "emma")
                books.remove("emma")
                return books.count
            }
            transaction[.authors]["a"] = Author(name: "Herbert")
            return count
        }
        #expect(count == 1 && database.snapshot[.books]["dune"]?.salesRank == 1)
        await #expect(throws: EmptyTitle.self) {
            try await database.write {
                try $0.with(.books) { (books) throws(EmptyTitle) in
                    books.removeAll()
                    throw EmptyTitle()
                }
            }
        }
        #expect(database.snapshot[.books].count == 1)
    }
}

import Foundation
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
        let fork = database.fork()
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
            #expect(error?.code == .notConfigured && error?.place.collectionName == "books")
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
        let fork = database.fork(options: options)
        let error = await #expect(throws: DatabaseError.self) {
            try await fork.write { for key in ["b", "c"] { $0[.books][key] = Book(title: "x") } }
        }
        #expect(error?.code == .transactionTooLarge && fork.snapshot[.books].count == 1)
        try await database.write { for key in ["b", "c"] { $0[.books][key] = Book(title: "x") } }
        #expect(database.fork().options.limits == database.options.limits)
    }

    @Test func `Writing an equal value makes no commit where the collection skips those`() async throws {
        let database = try Database.inMemory(
            collections: RecordCollection.shelved.configured {
                $0.prepare { _, book, _ in book.title = book.title.uppercased() }
                $0.skipEqualValues()
            })
        try await database.write { $0[.shelved].set(Book(title: "DUNE"), metadata: Shelf(room: "2"), for: "a") }
        try await database.write { transaction in
            transaction[.shelved]["a"] = Book(title: "Dune")
            transaction[.shelved].set(Book(title: "dune"), metadata: Shelf(room: "2"), for: "a")
            let isThere = transaction[.shelved].replaceObject(Book(title: "dune"), for: "a")
            let hasMetadata = transaction[.shelved].replaceMetadata(Shelf(room: "2"), for: "a")
            #expect(isThere && hasMetadata)
        }
        #expect(database.commitNumber == 1)
        try await database.write { _ = $0[.shelved].replaceMetadata(Shelf(room: "3"), for: "a") }
        try await database.write { $0[.shelved]["a"] = Book(title: "Emma") }
        try await database.write { _ = $0[.shelved].touchObject(for: "a") }
        try await database.write { $0[.shelved].set(Book(title: "Emma"), metadata: nil, for: "a") }
        #expect(database.commitNumber == 5 && database.snapshot[.shelved].row(for: "a")?.metadata == nil)
        #expect(database.snapshot[.shelved]["a"]?.title == "EMMA")
        // Without checks, a write of the object is no change of the metadata.
        let bare = try Database.inMemory(collections: RecordCollection.shelved.configured { $0.skipEqualValues() })
        try await bare.write { $0[.shelved].set(Book(title: "Dune"), metadata: Shelf(room: "2"), for: "a") }
        let before = bare.snapshot[.shelved].row(for: "a")
        var changes = bare.changesets().makeAsyncIterator()
        try await bare.write { $0[.shelved]["a"] = Book(title: "Emma") }
        let change = try await changes.next()?.netChanges.changes(in: .shelved)["a"]
        #expect(change?.kinds == .objectChanged && change?.after?.metadata == before?.metadata)
        // No record keeps what says that there is none.
        let books = RecordCollection<Book, NoMetadata>("books").configured { $0.skipEqualValues() }
        let without = try Database.inMemory(collections: books)
        for _ in 0..<2 {
            try await without.write { $0[books].set(Book(title: "x"), metadata: NoMetadata(), for: "a") }
            try await without.write { _ = $0[books].replaceMetadata(NoMetadata(), for: "a") }
        }
        #expect(without.commitNumber == 1)
        let plain = Database.inMemory()
        for _ in 0..<2 { try await plain.write { $0[.books]["a"] = Book(title: "x") } }
        #expect(plain.commitNumber == 2)
    }

    @Test func `A path may be text that is put together, and a URL`() async throws {
        let directory = TemporaryDirectory()
        let folder = directory.appending("a folder %20")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var database = try await Database.open(at: "\(folder)/shop.yaprak", collections: .books)
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        try await database.close()
        let url = URL(filePath: folder).appending(path: "shop.yaprak")
        database = try await Database.open(at: url, collections: .books)
        #expect(database.snapshot[.books].count == 1 && database.path == FilePath("\(folder)/shop.yaprak"))
        try await database.close()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: URL(string: "https://example.org/shop.yaprak")!, collections: .books)
        }
        #expect(error?.code == .notADatabase)
    }

    // Opening alone took them.
    @Test func `Copies are written, restored and replayed at such paths, too`() async throws {
        let directory = TemporaryDirectory()
        let folder = directory.appending("a folder %20")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let url = URL(filePath: folder)
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        try await database.backup(to: "\(folder)/b text")
        try await database.backup(to: url.appending(path: "b url"))
        try database.snapshot.write(to: "\(folder)/s text")
        try database.snapshot.write(to: url.appending(path: "s url"))
        #expect(directory.files(in: "a folder %20") == ["b text", "b url", "s text", "s url"])
        try await database.write { $0[.books].removeAll() }
        let empty = database.snapshot
        for name in directory.files(in: "a folder %20") {
            try await database.restore(from: "\(folder)/\(name)")
            #expect(database.snapshot[.books]["a"]?.title == "Dune")
            try await database.restore(empty)
            try await database.restore(from: url.appending(path: name))
            #expect(database.snapshot[.books]["a"]?.title == "Dune")
            try await database.restore(empty)
            let text = try await Database.replay("\(folder)/\(name)", collections: .books)
            let same = try await Database.replay(url.appending(path: name), collections: .books)
            #expect(text.snapshot[.books].count == 1 && same.snapshot[.books].count == 1)
        }
        let web = URL(string: "https://example.org/shop.yaprak")!
        let refusals = [
            await #expect(throws: DatabaseError.self) { try await database.backup(to: web) },
            await #expect(throws: DatabaseError.self) { try await database.restore(from: web) },
            await #expect(throws: DatabaseError.self) { try await Database.replay(web, collections: .books) },
            #expect(throws: DatabaseError.self) { try database.snapshot.write(to: web) },
        ]
        #expect(refusals.map { $0?.code } == Array(repeating: .notADatabase, count: 4))
    }

    @Test func `The program of the page lends records`() async throws {
        let database = Database.inMemory()
        // snippet: with
        try await database.write { transaction in
            transaction.with(.books) { books in
                books["dune"] = Book(title: "Dune")
                books["dune"]?.salesRank += 1
            }
        }
        // end
        #expect(database.snapshot[.books]["dune"]?.salesRank == 1)
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

import TestSupport
import Testing
import Yaprak

/// The key-value surface of `yapdatabase`'s transactions: every verb, and what it leaves behind.
@Suite(.bounded) struct RecordTests {
    let database = Database.inMemory()

    @Test func `What is written is what is read`() async throws {
        try await database.write { transaction in
            transaction[.books]["abc"] = Book(title: "Dune", genre: "sci-fi", salesRank: 3)
            transaction[.books]["abc"]?.salesRank += 1
        }
        #expect(database.snapshot[.books]["abc"] == Book(title: "Dune", genre: "sci-fi", salesRank: 4))
        #expect(database.commitNumber == 1)
    }

    @Test func `A snapshot keeps its values after a later write`() async throws {
        try await database.write { $0[.books]["a"] = Book(title: "one") }
        let before = database.snapshot
        try await database.write {
            $0[.books]["a"] = Book(title: "two")
            $0[.books]["b"] = Book(title: "three")
        }
        #expect(before[.books]["a"]?.title == "one")
        #expect(before[.books].count == 1)
        #expect(database.snapshot[.books]["a"]?.title == "two")
        #expect(database.snapshot[.books].map(\.key) == ["a", "b"])
    }

    @Test func `Throwing undoes everything and comes out unchanged`() async throws {
        struct Oops: Error, Equatable { var code: Int }
        try await database.write { $0[.books]["a"] = Book(title: "one") }
        await #expect(throws: Oops(code: 7)) {
            try await database.write { transaction in
                transaction[.books]["a"] = nil
                transaction[.books]["b"] = Book(title: "two")
                throw Oops(code: 7)
            }
        }
        #expect(database.snapshot[.books].map(\.key) == ["a"])
        #expect(database.commitNumber == 1)
    }

    @Test func `The subscript keeps metadata, set resets it`() async throws {
        try await database.write { transaction in
            transaction[.shelved].set(Book(title: "Dune"), metadata: Shelf(room: "2"), for: "a")
            transaction[.shelved]["a"]?.salesRank = 9
        }
        #expect(database.snapshot[.shelved].metadata(for: "a") == Shelf(room: "2"))
        try await database.write { $0[.shelved].set(Book(title: "Dune"), metadata: nil, for: "a") }
        #expect(database.snapshot[.shelved].metadata(for: "a") == nil)
        #expect(database.snapshot[.shelved]["a"]?.title == "Dune")
    }

    @Test func `Replacing needs a record and leaves the other half alone`() async throws {
        try await database.write { transaction in
            let missed = (
                transaction[.shelved].replaceObject(Book(title: "x"), for: "none"),
                transaction[.shelved].replaceMetadata(Shelf(room: "x"), for: "none")
            )
            #expect(missed == (false, false))
            transaction[.shelved].set(Book(title: "a"), metadata: Shelf(room: "1"), for: "a")
            let replaced = (
                transaction[.shelved].replaceObject(Book(title: "b"), for: "a"),
                transaction[.shelved].replaceMetadata(Shelf(room: "2"), for: "a")
            )
            #expect(replaced == (true, true))
        }
        let row = try #require(database.snapshot[.shelved].row(for: "a"))
        #expect(row.object.title == "b" && row.metadata == Shelf(room: "2"))
        try await database.write { $0[.shelved].replaceMetadata(nil, for: "a") }
        #expect(database.snapshot[.shelved].metadata(for: "a") == nil)
        #expect(!database.snapshot[.shelved].contains(key: "none"))
    }

    @Test func `A write that changes nothing makes no commit`() async throws {
        try await database.write { _ in }
        try await database.write { $0[.books].remove("nothing") }
        try await database.write { $0[.books].removeAll() }
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction[.books]["a"] = nil
        }
        #expect(database.commitNumber == 0)
        #expect(database.snapshot[.books].isEmpty)
    }

    @Test func `A touch makes a commit and changes no value`() async throws {
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let before = try #require(database.snapshot[.books].row(for: "a"))
        let touched = try await database.write { $0[.books].touchObject(for: "a") }
        #expect(touched)
        #expect(database.commitNumber == 2)
        let after = try #require(database.snapshot[.books].row(for: "a"))
        #expect(after.object == before.object)
        #expect(!after.isIdentical(to: before))
        #expect(try await database.write { $0[.books].touchRow(for: "none") } == false)
        #expect(database.commitNumber == 2)
    }

    @Test func `A walk inside a write sees the state it started from`() async throws {
        try await database.write { transaction in
            for index in 0..<100 { transaction[.books]["\(index)"] = Book(title: "\(index)") }
        }
        let escaped = try await database.write { transaction in
            let rows = transaction[.books].rows
            for row in rows {
                for inner in transaction[.books].rows.prefix(3) {
                    transaction[.books]["new" + inner.key] = inner.object
                }
                transaction[.books].remove(row.key)
            }
            #expect(rows.count == 100)
            return rows
        }
        #expect(escaped.map(\.object.title).sorted() == (0..<100).map(String.init).sorted())
        #expect(database.snapshot[.books].allSatisfy { $0.key.hasPrefix("new") })
    }

    @Test func `Ranges of keys are found by their bounds`() async throws {
        try await database.write { transaction in
            for key in ["a", "b", "b1", "b2", "c", "d"] { transaction[.books][key] = Book(title: key) }
        }
        let books = database.snapshot[.books]
        #expect(books[keys: "b"..<"c"].map(\.key) == ["b", "b1", "b2"])
        #expect(books[keys: "b"..."c"].map(\.key) == ["b", "b1", "b2", "c"])
        #expect(books[keys: "b2"...].map(\.key) == ["b2", "c", "d"])
        #expect(books[keys: ..<"b"].map(\.key) == ["a"])
        #expect(books[prefix: "b"].map(\.key) == ["b", "b1", "b2"])
        #expect(books.reversed().map(\.key) == ["d", "c", "b2", "b1", "b", "a"])
        #expect(books[keys: "b"..<"c"].position(of: "d") == nil)
        #expect(books.position(of: "d") == 5)
        #expect(books.keys.first == "a" && books.objects.last?.title == "d")
        #expect(books.rows(for: ["d", "x", "a"]).map { $0.row?.object.title } == ["d", nil, "a"])
    }

    @Test func `Strings that Swift calls equal are one key`() async throws {
        let composed = "caf\u{e9}"
        let decomposed = "cafe\u{301}"
        try await database.write { $0[.books][decomposed] = Book(title: "one") }
        try await database.write { $0[.books][composed]?.salesRank = 5 }
        #expect(database.snapshot[.books].count == 1)
        #expect(database.snapshot[.books][decomposed]?.salesRank == 5)
        #expect(Array(database.snapshot[.books].first!.key.utf8) == Array(composed.utf8))
    }

    @Test func `Collections are distinguished, listed and searched`() async throws {
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction[.authors]["a"] = Author(name: "a")
            transaction[.authors]["b"] = Author(name: "b")
        }
        let snapshot = database.snapshot
        #expect(snapshot.collectionNames == ["authors", "books"])
        #expect(snapshot.count == 3 && snapshot.count(inCollectionNamed: "authors") == 2)
        #expect(snapshot.collectionNames(containing: "a") == ["authors", "books"])
        #expect(snapshot.collectionNames(containing: "b") == ["authors"])
        try await database.write { $0.removeAll() }
        #expect(database.snapshot.collectionNames.isEmpty && database.snapshot.count == 0)
        #expect(snapshot.count == 3)
    }

    @Test func `Callbacks run after the commit and never after a rollback`() async throws {
        let log = Log()
        try await database.write { [database] transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction.afterCommit { log.add("one \(database.snapshot[.books].count)") }
            transaction.afterCommit { log.add("two") }
            #expect(log.lines.isEmpty)
        }
        #expect(log.lines == ["one 1", "two"])
        _ = try? await database.write { transaction in
            transaction.afterCommit { log.add("never") }
            throw CancellationError()
        }
        #expect(log.lines.count == 2)
    }

    @Test func `What preparing changes is logged, whichever half was set`() async throws {
        let disk = TemporaryDirectory()
        let path = FilePath(disk.appending("prepared.yaprak"))
        let prepared = RecordCollection.shelved.configured {
            $0.prepare { _, book, shelf in
                book.salesRank += 1
                shelf?.room += "!"
            }
        }
        var database = try await Database.open(at: path, collections: prepared)
        try await database.write { $0[.shelved].set(Book(title: "a"), metadata: Shelf(room: "1"), for: "a") }
        try await database.write { $0[.shelved].replaceMetadata(Shelf(room: "2"), for: "a") }
        try await database.write { $0[.shelved]["a"] = Book(title: "b", salesRank: 10) }
        let before = try #require(database.snapshot[.shelved].row(for: "a"))
        try await database.close()
        database = try await Database.open(at: path, collections: prepared)
        let after = try #require(database.snapshot[.shelved].row(for: "a"))
        #expect(after.object == before.object && after.metadata == before.metadata)
        #expect(after.object.salesRank == 11 && after.metadata == Shelf(room: "2!!"))
        try await database.close()
    }

    @Test func `Preparing checks and changes what is set`() async throws {
        struct EmptyTitle: Error {}
        try await database.bind(
            RecordCollection.books.configured {
                $0.prepare { key, book, _ in
                    if book.title.isEmpty { throw EmptyTitle() }
                    book.title += "!"
                }
            })
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        #expect(database.snapshot[.books]["a"]?.title == "a!")
        await #expect(throws: EmptyTitle.self) {
            try await database.write { transaction in
                transaction[.books]["b"] = Book(title: "b")
                transaction[.books]["c"] = Book(title: "")
            }
        }
        #expect(database.snapshot[.books].count == 1)
    }
}

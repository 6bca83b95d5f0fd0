import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

/// The programs that the documentation shows: they compile, they run, and the pages show nothing else.
///
/// A program stands between `// snippet: name` and `// end` in a file of this target. On a page a block of Swift has the
/// comment `<!-- snippet: name -->` on the line before it, and is the same text, indentation aside. Several names stand for
/// several programs, one after the other.
@Suite(.bounded) struct DocumentationTests {
    let directory = TemporaryDirectory()

    @Test func `Getting started is a program that runs`() async throws {
        // snippet: start-write
        let database = Database.inMemory()

        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune", genre: "sci-fi", salesRank: 3)
            transaction[.books]["emma"] = Book(title: "Emma", genre: "romance", salesRank: 8)
        }
        // end

        // snippet: start-read
        let books = database.snapshot[.books]
        print(books["dune"]?.title ?? "no such book")  // Dune
        for row in books where row.object.salesRank < 5 { print(row.key, row.object.title) }
        for row in books[keys: "a"..<"e"] { print(row.key) }  // a range of keys, found in O(log n)
        // end

        // snippet: start-snapshot
        let before = database.snapshot
        try await database.write { $0[.books]["dune"]?.salesRank = 1 }
        let after = database.snapshot
        let ranks = [before, after].map { $0[.books]["dune"]?.salesRank }  // 3, then 1
        // end
        #expect(ranks == [3, 1])

        // snippet: start-follow
        let changesets = database.changesets()  // every commit from here on
        let follower = Task {
            for try await changeset in changesets where changeset.hasChange(in: .books) {
                for change in changeset.changes(in: .books) {
                    print(
                        changeset.commitNumber, change.before?.object.title ?? "new",
                        change.after?.object.title ?? "gone")
                }
            }
        }
        // end

        // snippet: start-register
        try await database.register(Counter())
        try await database.write { $0[.books]["it"] = Book(title: "It", genre: "horror") }
        let count = database.snapshot[Counter()]["books"]  // 3
        // end
        #expect(count == 3)

        // snippet: start-fork
        let preview = database.fork()
        try await preview.write { $0[.books].removeAll() }  // the original keeps its books
        // end
        #expect(preview.snapshot[.books].isEmpty && database.snapshot[.books].count == 3)
        #expect(preview.snapshot[Counter()].isEmpty)

        try await database.close()
        try await follower.value
    }

    @Test func `The program of the README runs`() async throws {
        // snippet: readme
        let database = Database.inMemory()  // or: try await Database.open(at: "shop.yaprak", collections: .books)
        let changes = database.changesets()  // every commit from here on, none dropped

        try await database.write { transaction in  // all of it or nothing; throwing undoes it
            transaction[.books]["abc"] = Book(title: "Dune", salesRank: 3)
            transaction[.books]["abc"]?.salesRank += 1
        }
        let before = database.snapshot  // a value: no await, no lock held, stays what it is
        try await database.write { $0[.books].removeAll() }

        print(before[.books]["abc"]!.title, database.snapshot[.books].count)  // Dune 0
        for try await commit in changes.prefix(2) { print(commit.commitNumber) }  // 1, then 2
        // end
        #expect(before[.books]["abc"]?.salesRank == 4 && database.commitNumber == 2)
    }

    @Test func `A database with a file is opened, closed and opened again`() async throws {
        let path = FilePath(directory.appending("shop.yaprak"))
        // snippet: start-open
        let stored = try await Database.open(at: path, collections: .books)
        try await stored.write { $0[.books]["dune"] = Book(title: "Dune") }
        try await stored.close()
        // end
        let again = try await Database.open(at: path, collections: .books)
        #expect(again.snapshot[.books]["dune"]?.title == "Dune" && again.commitNumber == 1)
        try await again.close()
    }

    // MARK: Concurrency

    // snippet: model
    @MainActor
    final class ShopModel {
        private(set) var titles: [String] = []

        func follow(_ database: Database) async {
            for await snapshot in database.snapshots {
                titles = snapshot[.books].objects.map(\.title)
            }
        }
    }
    // end

    @Test func `A model on the main actor follows the newest snapshot`() async throws {
        let database = Database.inMemory()
        let model = ShopModel()
        let task = Task { await model.follow(database) }
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        try await database.close()
        await task.value
        #expect(await model.titles == ["Dune"])
    }

    @Test func `Long work is cut into writes, or done beside them`() async throws {
        let database = Database.inMemory()
        try await database.write { for index in 0..<2_500 { $0[.books]["\(index)"] = Book(title: "x", salesRank: 9) } }
        // snippet: chunks
        let keys = Array(database.snapshot[.books].keys)
        for start in stride(from: 0, to: keys.count, by: 1_000) {
            let chunk = keys[start..<min(start + 1_000, keys.count)]
            try await database.write { transaction in
                for key in chunk { transaction[.books][key]?.salesRank = 0 }
            }
        }
        // end
        #expect(database.commitNumber == 4 && database.snapshot[.books].objects.allSatisfy { $0.salesRank == 0 })
    }

    // snippet: closing
    func serve(at path: FilePath, _ work: (Database) async throws -> Void) async throws {
        let database = try await Database.open(at: path, collections: .books)
        do {
            try await work(database)
        } catch {
            try? await database.close()  // also where the error is a CancellationError
            throw error
        }
        try await database.close()
    }
    // end

    @Test func `A program that is cancelled while it works closes its database`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let task = Task {
            try await serve(at: path) { database in
                withUnsafeCurrentTask { $0?.cancel() }
                try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
                try await Task.sleep(for: .seconds(60))
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await serve(at: path) { #expect($0.snapshot[.books].count == 1) }
    }

    // snippet: beside
    struct Changed: Error {}

    func improve(_ key: String, in database: Database, by work: (Book) async throws -> Book) async throws {
        guard let seen = database.snapshot[.books].row(for: key) else { return }
        let improved = try await work(seen.object)  // may take long; no other task waits for it
        try await database.write { transaction in
            guard let present = transaction[.books].row(for: key), present.isIdentical(to: seen) else {
                throw Changed()
            }
            transaction[.books][key] = improved
        }
    }
    // end

    @Test func `Work beside a write notices that it was overtaken`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        try await improve("dune", in: database) { Book(title: $0.title + "!") }
        #expect(database.snapshot[.books]["dune"]?.title == "Dune!")
        await #expect(throws: Changed.self) {
            try await improve("dune", in: database) { book in
                try await database.write { $0[.books]["dune"] = Book(title: "other") }
                return book
            }
        }
    }

    // MARK: Snapshots

    @Test func `What is read from one snapshot belongs together`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        // snippet: together
        let snapshot = database.snapshot
        let summary = (books: snapshot[.books].count, authors: snapshot[.authors].count)  // of the same commit
        // end
        #expect(summary == (1, 0))
        // snippet: undo
        let before = database.snapshot
        try await database.write { $0[.books].removeAll() }
        try await database.restore(before)  // a commit of its own; the history keeps both
        // end
        #expect(database.snapshot[.books].count == 1 && database.commitNumber == 3)
    }

    // MARK: Transactions

    @Test func `Every verb does what the page says`() async throws {
        let database = Database.inMemory()
        // snippet: verbs
        try await database.write { transaction in
            transaction[.shelved].set(Book(title: "Dune"), metadata: Shelf(room: "2"), for: "dune")
            transaction[.shelved]["dune"]?.salesRank = 3  // keeps the metadata
            transaction[.shelved].replaceMetadata(Shelf(room: "7"), for: "dune")  // keeps the object
            transaction[.shelved].touchObject(for: "dune")  // writes nothing, reports a change
            let gone = transaction[.shelved].remove("emma")  // nil: there was none
            assert(gone == nil)
        }
        // end
        #expect(database.snapshot[.shelved].metadata(for: "dune") == Shelf(room: "7"))

        // snippet: rollback
        struct SoldOut: Error {}
        do {
            try await database.write { transaction in
                transaction[.shelved]["dune"] = nil
                throw SoldOut()
            }
        } catch is SoldOut {
            print(database.snapshot[.shelved].count)  // 1: nothing happened
        }
        // end
        #expect(database.commitNumber == 1)

        // snippet: walk
        try await database.write { transaction in
            for row in transaction[.books].rows where row.object.genre == "horror" {
                transaction[.books].remove(row.key)  // the walk sees what was there when it began
            }
        }
        // end

        // snippet: info
        let number = try await database.write(origin: "import") { transaction in
            transaction[.books]["emma"] = Book(title: "Emma")
            transaction.setInfo(["source": "catalogue.csv"])
            transaction.afterCommit { print("imported") }
            return transaction.commitNumber
        }
        // end
        #expect(number == 2 && database.commitNumber == 2)

        // snippet: prepare
        struct EmptyTitle: Error {}
        let checked = RecordCollection.books.configured {
            $0.prepare { key, book, _ in
                if book.title.isEmpty { throw EmptyTitle() }
            }
        }
        try await database.bind(checked)
        // end
        await #expect(throws: EmptyTitle.self) { try await database.write { $0[.books]["x"] = Book(title: "") } }
    }

    // MARK: Changes

    @Test func `Changes are asked, followed and resumed`() async throws {
        let database = Database.inMemory()
        // snippet: connection
        let list = database.makeConnection(named: "list")
        await list.beginLongLivedRead()  // stays at this commit …
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        try await list.write { $0[.books]["emma"] = Book(title: "Emma") }
        let shown = await list.snapshot[.books].count  // 0
        let changes = await list.advance()  // … until it moves on
        if changes.hasChange(forKey: "dune", in: .books) { print("redraw Dune") }
        let origins = changes.map(\.origin)  // "", "list"
        // end
        #expect(shown == 0 && origins == ["", "list"])
        // snippet: net
        let net = changes.netChanges.changes(in: .books)  // several commits, asked as one
        for change in net { print(change.key, change.kinds.contains(.inserted)) }
        // end
        #expect(net.map(\.key) == ["dune", "emma"])
        try await database.close()
    }

    // snippet: resume
    func upload(_ database: Database, after last: CommitNumber, _ send: (Changeset) async throws -> Void) async throws {
        for try await changeset in database.changesets(after: last) {
            try await send(changeset)  // then remember changeset.commitNumber
        }
    }
    // end

    @Test func `An upload goes on where it stopped`() async throws {
        let path = FilePath(directory.appending("shop.yaprak"))
        var database = try await Database.open(at: path, collections: .books)
        for index in 0..<3 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
        try await database.close()
        database = try await Database.open(at: path, collections: .books)
        let sent = Log()
        let open = database
        await #expect(throws: CancellationError.self) {
            try await upload(open, after: 1) {
                sent.add("\($0.commitNumber)")
                if $0.commitNumber == 3 { throw CancellationError() }
            }
        }
        #expect(sent.lines == ["2", "3"])
        try await database.close()
    }

    // MARK: Extensions

    @Test func `The extensions of the page work together`() async throws {
        let database = Database.inMemory()
        // snippet: use-extensions
        let counter = Counter()
        let total = Total(counter: counter)
        let pins = Pins()
        try await database.register(counter)  // parents first
        try await database.register(total)
        try await database.register(pins)
        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune")
            try transaction.perform(.pin("dune"), on: pins)
            print(try transaction.reader(of: total))  // 1: a write sees its own changes
        }
        let snapshot = database.snapshot
        print(snapshot[counter], snapshot[total], snapshot[pins])
        // end
        #expect(snapshot[counter] == ["books": 1] && snapshot[total] == 1 && snapshot[pins] == ["dune"])
    }

    @Test func `An extension with an entry for each record follows every write`() async throws {
        let database = Database.inMemory()
        try await database.write {
            for index in 0..<200 { $0[.books]["\(index)"] = Book(title: "Volume \(index % 50)") }
        }
        try await database.register(Titles())
        for round in 0..<60 {
            let before = (database.snapshot, database.snapshot[Titles()])
            try await database.write { transaction in
                var random = SplitMix64(seed: UInt64(round))
                if round == 40 { transaction[.books].removeAll() }
                for _ in 0..<10 {
                    let key = "\(random.below(250))"
                    if random.chance(30) {
                        transaction[.books][key] = nil
                    } else {
                        transaction[.books][key] = Book(title: "Volume \(random.below(50))")
                    }
                }
            }
            for (snapshot, titles) in [before, (database.snapshot, database.snapshot[Titles()])] {
                let keys = Dictionary(grouping: snapshot[.books], by: \.object.title).mapValues { Set($0.map(\.key)) }
                #expect(Dictionary(uniqueKeysWithValues: titles.map { ($0.key, $0.value) }) == keys, "round \(round)")
            }
        }
    }

    // MARK: Testing

    // snippet: double
    func makeDatabase() async throws -> Database {
        var options = DatabaseOptions()
        options.clock = { 1_357_000_000_000_000_000 }  // one clock, one history
        let database = Database.inMemory(checkingCoding: true, options: options)
        try await database.register(Counter())
        try await database.write { for index in 0..<100 { $0[.books]["\(index)"] = Book(title: "Volume \(index)") } }
        return database
    }
    // end

    @Test func `A fork per case starts where the others did`() async throws {
        // snippet: fork-per-case
        let fixture = try await makeDatabase()
        for key in ["0", "50", "99"] {
            let database = fixture.fork(checkingCoding: true)
            try await database.write { $0[.books].remove(key) }
            #expect(database.snapshot[Counter()] == ["books": 99])
        }
        // end
        #expect(fixture.snapshot[.books].count == 100)
    }
}

import Synchronization
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakCore
@testable import YaprakTrees

@Suite(.bounded) struct ReactionTests {
    /// Keeps the number of books of each genre in a collection of counts.
    struct CountGenres: Reaction {
        let name = "count genres"
        let collectionNames: [String]? = ["books"]

        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            let books = changes.changes(in: .books)
            var counts: [String: Int] = [:]
            if books.didRemoveAll { for book in before[.books] { counts[book.object.genre, default: 0] -= 1 } }
            for change in books {
                if let book = change.before { counts[book.object.genre, default: 0] -= 1 }
                if let book = change.after { counts[book.object.genre, default: 0] += 1 }
            }
            for (genre, count) in counts where count != 0 {
                transaction[.counts][genre] = (transaction[.counts][genre] ?? 0) + count
            }
        }
    }

    struct Refusal: Error, Equatable { var key: String }

    /// Calls a closure.
    struct Told: Reaction {
        var name: String
        var collectionNames: [String]? = nil
        var body: @Sendable (NetChanges, Snapshot, inout WriteTransaction) throws -> Void

        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            try body(changes, before, &transaction)
        }
    }

    let database = Database.inMemory()

    @Test func `A reaction writes in the same commit, and is given what the transaction did, net`() async throws {
        try await database.register(CountGenres())
        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune")
            transaction[.books]["emma"] = Book(title: "Emma", genre: "romance")
            transaction[.books]["gone"] = Book(title: "Gone")
            transaction[.books].remove("gone")
        }
        #expect(database.snapshot[.counts].map { "\($0.key) \($0.object)" } == ["romance 1", "sci-fi 1"])
        #expect(database.snapshot.commitNumber == 1)
        try await database.write { $0[.books]["dune"]?.genre = "romance" }
        #expect(database.snapshot[.counts].map { "\($0.key) \($0.object)" } == ["romance 2", "sci-fi 0"])
        try await database.write { transaction in
            transaction[.books].removeAll()
            transaction[.books]["new"] = Book(title: "New")
        }
        #expect(database.snapshot[.counts].map { "\($0.key) \($0.object)" } == ["romance 0", "sci-fi 1"])
        #expect(try await database.unregisterReaction("count genres"))
        #expect(try await !database.unregisterReaction("count genres"))
        try await database.write { $0[.books]["more"] = Book(title: "More") }
        #expect(database.snapshot[.counts]["sci-fi"] == 1 && database.snapshot.reactionNames.isEmpty)
    }

    @Test func `What Yaprak keeps under names of its own can't be taken out by them`() async throws {
        let folder = TemporaryDirectory()
        let path = FilePath(folder.appending("db"))
        do {
            let database = try await Database.open(at: path)
            try await database.write { try $0.setUntyped(["title": 7], for: "odd", inCollectionNamed: "books") }
            try await database.close()
        }
        let books = RecordCollection<Book, NoMetadata>.books.configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, collections: books)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["odd"])
        try await database.write { $0.removeAll(inCollectionNamed: "\u{0}aside/books") }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["odd"] && database.commitNumber == 1)
        #expect(try await !database.unregisterReaction("\u{0}relationships"))
        try await database.close()
    }

    @Test func `Counts stay right over any history, in a file as in memory`() async throws {
        for seed in UInt64(1)...12 {
            var random = SplitMix64(seed: seed)
            let folder = TemporaryDirectory()
            let hasFile = seed.isMultiple(of: 3)
            func open() async throws -> Database {
                let database =
                    hasFile
                    ? try await Database.open(at: folder.appending("shop"), collections: .books, .counts)
                    : Database.inMemory()
                try await database.register(CountGenres())
                return database
            }
            var database = try await open()
            for step in 0..<60 {
                let keys = (0..<1 + random.below(5)).map { _ in "\(random.below(20))" }
                let genres = keys.map { _ in ["a", "b", "c"][random.below(3)] }
                let what = random.below(12)
                do {
                    try await database.write { transaction in
                        for (key, genre) in zip(keys, genres) {
                            if what < 3 {
                                transaction[.books].remove(key)
                            } else {
                                transaction[.books][key] = Book(title: key, genre: genre)
                            }
                        }
                        if what == 4 { transaction[.books].removeAll() }
                        if what == 5 { throw Refusal(key: "") }
                    }
                } catch is Refusal {}
                if what == 6, hasFile {
                    try await database.close()
                    database = try await open()
                }
                if what == 7 { database = hasFile ? database : database.fork() }
                let expected = Dictionary(grouping: database.snapshot[.books], by: \.object.genre).mapValues(\.count)
                let counts = Dictionary(uniqueKeysWithValues: database.snapshot[.counts].map { ($0.key, $0.object) })
                try #require(counts.filter { $0.value != 0 } == expected, "seed \(seed), step \(step)")
            }
            try await database.close()
        }
    }

    @Test func `Reactions run in the order of registration, and again for what was written meanwhile`() async throws {
        let log = Log()
        func told(_ name: String, _ write: @escaping @Sendable (NetChanges, inout WriteTransaction) -> Void) -> Told {
            Told(name: name) { changes, before, transaction in
                let keys = changes.keys(inCollectionNamed: "books").map(\.key).joined()
                log.add("\(name): \(keys), before \(before[.books].count), now \(transaction[.books].count)")
                write(changes, &transaction)
            }
        }
        try await database.register(
            told("first") { changes, transaction in
                if changes.keys(inCollectionNamed: "books").contains(where: { $0.key == "a" }) {
                    transaction[.books]["b"] = Book(title: "")
                }
            })
        try await database.register(
            told("second") { changes, transaction in
                if changes.keys(inCollectionNamed: "books").contains(where: { $0.key == "b" }) {
                    transaction[.books]["c"] = Book(title: "")
                }
            })
        try await database.write { $0[.books]["a"] = Book(title: "") }
        #expect(
            log.lines == [
                "first: a, before 0, now 1", "second: a, before 0, now 2",
                "first: b, before 1, now 2", "second: b, before 1, now 2",
                "first: c, before 2, now 3", "second: c, before 2, now 3",
            ])
        #expect(database.snapshot[.books].map(\.key) == ["a", "b", "c"] && database.snapshot.commitNumber == 1)
    }

    @Test func `What a reaction throws undoes the write and comes out unchanged`() async throws {
        try await database.register(
            Told(name: "refuses") { changes, _, transaction in
                transaction[.books]["trace"] = Book(title: "")
                throw Refusal(key: changes.keys(inCollectionNamed: "books")[0].key)
            })
        let error = await #expect(throws: Refusal.self) {
            try await database.write { $0[.books]["x"] = Book(title: "") }
        }
        #expect(error == Refusal(key: "x"))
        #expect(database.snapshot[.books].isEmpty && database.snapshot.commitNumber == 0)
        #expect(try await database.write { $0[.books].count } == 0)
    }

    @Test func `Reactions that answer each other forever are an error that names them, and nothing is kept`()
        async throws
    {
        for name in ["ping", "pong"] {
            try await database.register(
                Told(name: name, collectionNames: ["books"]) { _, _, transaction in
                    transaction[.books]["a"]?.salesRank += 1
                })
        }
        let rounds = Atomic(0)
        try await database.register(Told(name: "quiet") { _, _, _ in rounds.add(1, ordering: .relaxed) })
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.books]["a"] = Book(title: "") }
        }
        #expect(error?.code == .reactionsUnsettled && rounds.load(ordering: .relaxed) == 100)
        #expect(error?.message.contains("\"ping\", \"pong\".") == true)
        #expect(database.snapshot[.books].isEmpty)
    }

    @Test func `A reaction runs only for changes of its collections`() async throws {
        let calls = Atomic(0)
        try await database.register(
            Told(name: "books", collectionNames: ["books"]) { _, _, _ in calls.add(1, ordering: .relaxed) })
        try await database.write { $0[.authors]["a"] = Author(name: "") }
        try await database.write { $0.setInfo("nothing but info") }
        try await database.write { _ in }
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "")
            transaction[.books].remove("a")
        }
        #expect(calls.load(ordering: .relaxed) == 0)
        try await database.write { $0.removeAll() }
        try await database.write { $0[.books]["a"] = Book(title: "") }
        #expect(calls.load(ordering: .relaxed) == 2)
    }

    @Test func `Extensions are up to date in a reaction, and follow what it writes`() async throws {
        try await database.register(Counter(name: "counter"))
        let log = Log()
        try await database.register(
            Told(name: "reads", collectionNames: ["books"]) { _, before, transaction in
                let counter = Counter(name: "counter")
                let (old, new) = (try before.reader(of: counter), try transaction.reader(of: counter))
                log.add("\(old["books"] ?? 0) → \(new["books"] ?? 0)")
                if transaction[.books].count < 3 {
                    transaction[.books]["\(transaction[.books].count)"] = Book(title: "")
                }
            })
        try await database.write { $0[.books]["x"] = Book(title: "") }
        #expect(log.lines == ["0 → 1", "1 → 2", "2 → 3"])
        #expect(database.snapshot[Counter(name: "counter")]["books"] == 3)
    }

    @Test func `Forks and later snapshots have a reaction; opening, replaying and restoring run none`() async throws {
        let folder = TemporaryDirectory()
        let path = folder.appending("shop")
        let first = try await Database.open(at: path, collections: .books, .counts)
        try await first.write { $0[.books]["0"] = Book(title: "") }
        let early = first.snapshot
        try await first.register(CountGenres())
        #expect(early.reactionNames.isEmpty && first.snapshot.reactionNames == ["count genres"])
        try await first.write { $0[.books]["1"] = Book(title: "") }
        let late = first.snapshot
        let (old, new) = (first.fork(from: early), first.fork())
        for fork in [old, new] { try await fork.write { $0[.books]["2"] = Book(title: "") } }
        #expect(old.snapshot[.counts].isEmpty && new.snapshot[.counts]["sci-fi"] == 2)

        // A restore brings the records back as they were, and the counts with them.
        try await first.write { $0[.books].removeAll() }
        #expect(first.snapshot[.counts]["sci-fi"] == -1)
        try await first.restore(late)
        #expect(first.snapshot[.books].count == 2 && first.snapshot[.counts]["sci-fi"] == 1)
        let error = await #expect(throws: DatabaseError.self) { try await first.register(CountGenres()) }
        #expect(error?.code == .nameTaken)
        try await first.close()

        let again = try await Database.open(at: path, collections: .books, .counts)
        #expect(again.snapshot[.counts]["sci-fi"] == 1 && again.snapshot.reactionNames.isEmpty)
        try await again.close()
        let replayed = try await Database.replay(FilePath(path), upTo: 3, collections: .books, .counts)
        #expect(replayed.snapshot[.counts]["sci-fi"] == -1)
    }

    @Test func `A record reaction is given each record, also of a removal of everything`() async throws {
        let log = Log()
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.register(
            RecordReaction("log", to: .books) { change, transaction in
                log.add("\(change.key) \(change.before?.object.title ?? "-") \(change.after?.object.title ?? "-")")
                transaction.afterCommit { log.add("committed") }
            })
        try await database.write { transaction in
            transaction[.books].removeAll()
            transaction[.books]["b"] = Book(title: "B")
        }
        #expect(log.lines == ["a a -", "c c -", "b b B", "committed", "committed", "committed"])
    }

    @Test func `A record that a closure puts back was removed all the same, and is given as removed and as new`()
        async throws
    {
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        let log = Log()
        try await database.register(
            RecordReaction("count", to: .books) { change, transaction in
                log.add("\(change.key) \(change.before?.object.title ?? "-") \(change.after?.object.title ?? "-")")
                if change.key == "a", change.after == nil { transaction[.books]["b"] = Book(title: "B") }
            })
        try await database.write { $0[.books].removeAll() }
        #expect(log.lines == ["a a -", "b b -", "c c -", "b - B"])
    }

    @Test func `Registering costs nothing to writes that do not concern the reaction`() async throws {
        // Counted, not timed: such a write freezes no trees and copies no node more.
        func nodes(_ database: Database) async throws -> Int {
            try await database.write { for key in 0..<1000 { $0[.books]["\(key)"] = Book(title: "") } }
            while database.timeline.reclaim(limit: .max) {}
            let held = database.snapshot
            let before = database.timeline.arena.counts.nodes
            for key in 0..<50 { try await database.write { $0[.books]["\(key)"] = Book(title: "x") } }
            while database.timeline.reclaim(limit: .max) {}
            withExtendedLifetime(held) {}
            return database.timeline.arena.counts.nodes - before
        }
        let plain = try await nodes(Database.inMemory())
        let other = Database.inMemory()
        try await other.register(Told(name: "elsewhere", collectionNames: ["authors"]) { _, _, _ in })
        #expect(try await nodes(other) == plain)
    }
}

extension RecordCollection where Object == Int, Metadata == NoMetadata {
    fileprivate static var counts: Self { Self("counts") }
}

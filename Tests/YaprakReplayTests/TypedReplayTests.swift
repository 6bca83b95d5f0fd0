import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// With the program's types and extensions history is what it was when it was written, commit by commit.
@Suite(.bounded) struct TypedReplayTests {
    let directory = TemporaryDirectory()
    private let shelves = AutoView("shelves", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)
    private let favourites = ManualView("favourites", of: RecordCollection<Book, Int>.books)
    private var top: FilteredView<AutoView<Record<Book, Int>>> {
        FilteredView("top", versionTag: "1", of: shelves, where: \.isRanked)
    }
    // Two views that only follow what their parent reports.
    private var kept: FilteredView<ManualView<Record<Book, Int>>> {
        FilteredView("kept", versionTag: "1", of: favourites) { (book: Book) in !book.title.isEmpty }
    }
    private var ranks: AggregateView<ManualView<Record<Book, Int>>, [Int]> {
        AggregateView(
            "ranks", versionTag: "1", of: favourites, sums: [{ $0.object.rank }],
            row: { [$0.count, Int($0.totals[0])] }, sortedBy: { $0.key })
    }

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    // Opening a database alone took them.
    @Test func `A reader takes a path given as a string, and a URL`() async throws {
        let folder = directory.appending("a folder %20")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try await Database.open(at: "\(folder)/shop.yaprak", collections: .books)
        try await database.register(shelves)
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        try await database.close()
        let url = URL(filePath: folder).appending(path: "shop.yaprak")
        for reader in [try ReplayReader("\(folder)/shop.yaprak"), try ReplayReader(url)] {
            #expect(try reader.newestCommitNumber() == 1 && reader.path.string == "\(folder)/shop.yaprak")
        }
        let readers = [
            try ReplayReader("\(folder)/shop.yaprak", collections: .books, extensions: shelves),
            try ReplayReader(url, collections: .books, extensions: shelves),
        ]
        for reader in readers {
            let snapshot = try reader.snapshot(at: 1)
            #expect(snapshot[.books]["a"]?.title == "Dune" && snapshot[shelves].count == 1)
        }
        let error = #expect(throws: DatabaseError.self) { try ReplayReader(URL(string: "https://example.org/a")!) }
        #expect(error?.code == .notADatabase)
    }

    /// What one sees of a snapshot, views and all.
    private func seen(_ snapshot: Snapshot) -> [String] {
        let books = snapshot[.books].map { "\($0.key) \($0.object) \(String(describing: $0.metadata))" }
        func rows<View: OrderedView>(_ view: View) -> [String] where View.Element == Record<Book, Int> {
            let reader = snapshot[view]
            return reader.groupNames.map { name in "\(name): \(reader[name].map(\.key))" }
        }
        return books + rows(shelves) + rows(top) + rows(favourites) + children(snapshot)
    }

    /// What one sees of the views that depend on the manual one.
    private func children(_ snapshot: Snapshot) -> [String] {
        let (kept, ranks) = (snapshot[self.kept], snapshot[self.ranks])
        return kept.groupNames.map { name in "\(name): \(kept[name].map { "\($0.key) \($0.object)" })" }
            + ranks.groupNames.flatMap { name in ranks[name].map { "\(name) \($0.key): \($0.object)" } }
    }

    /// Writes random commits with all extensions registered, and notes what was seen after each.
    private func write(_ path: FilePath, _ commits: Int, seed: UInt64) async throws -> [[String]] {
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(shelves)
        try await database.register(top)
        try await database.register(favourites)
        try await database.register(kept)
        try await database.register(ranks)
        var random = SplitMix64(seed: seed)
        var all = [seen(database.snapshot)]
        for number in 1...commits {
            let draw = random.next()
            try await database.write { transaction in
                var random = SplitMix64(seed: draw)
                try arrange(&transaction, &random)
                randomStep(&transaction, number, SplitMix64(seed: draw))
                try arrange(&transaction, &random)
            }
            #expect(Int(database.commitNumber.rawValue) == number)
            all.append(seen(database.snapshot))
            if number % 97 == 0 { try await database.checkpoint() }
        }
        try await database.close()
        return all
    }

    private func arrange(_ transaction: inout WriteTransaction, _ random: inout SplitMix64) throws {
        let key = "book \(random.below(40))"
        switch random.below(6) {
        case 0: try transaction.append(key, to: "a", in: favourites)
        case 1: try transaction.insert(key, at: random.below(3), of: "b", in: favourites)
        case 2: try transaction.remove(key, from: favourites)
        case 3:
            // It comes and goes within the commit.
            if transaction[.books].contains(key: "guest") == false {
                transaction[.books]["guest"] = Book(title: "guest")
                try transaction.append("guest", to: "a", in: favourites)
                transaction[.books]["guest"] = nil
            }
        default: break
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Records and views at every past commit are what they were then`(seed: UInt64) async throws {
        let path = path("shop.yaprak")
        let all = try await write(path, 300, seed: seed)
        let reader = try ReplayReader(
            path, collections: .books, .notes, extensions: shelves, top, favourites, kept, ranks)
        let cursor = try reader.cursor(at: 0)
        for number in 1...300 {
            _ = try cursor.next()
            #expect(seen(cursor.snapshot) == all[number], "seed \(seed), commit \(number), forwards")
        }
        for number in (0..<300).reversed() {
            _ = try cursor.previous()
            #expect(seen(cursor.snapshot) == all[number], "seed \(seed), commit \(number), backwards")
        }
        var random = SplitMix64(seed: seed)
        for _ in 0..<8 {
            let number = random.below(301)
            let snapshot = try reader.snapshot(at: CommitNumber(UInt64(number)))
            #expect(seen(snapshot) == all[number], "seed \(seed), commit \(number), at once")
            let untyped = try ReplayReader(path).snapshot(at: CommitNumber(UInt64(number)))
            #expect(untyped.digest == snapshot.digest, "seed \(seed), commit \(number), untyped")
        }
    }

    // The manual view is built again then, and it reported nothing that the commit did.
    @Test func `Views of a manual view follow a commit in which a placed record came and went`() async throws {
        let path = path("shop.yaprak")
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        try await database.register(favourites)
        try await database.register(kept)
        try await database.register(ranks)
        try await database.write { [favourites] transaction in
            for (rank, key) in ["r", "y", "z"].enumerated() {
                transaction[.books][key] = Book(title: "old", rank: rank + 1)
            }
            try transaction.append("r", to: "x", in: favourites)
            try transaction.append("z", to: "x", in: favourites)
        }
        try await database.write { [favourites] transaction in
            try transaction.append("y", to: "x", in: favourites)
            transaction[.books]["z"] = Book(title: "new", rank: 30)
            transaction[.books]["r"] = nil
            transaction[.books]["guest"] = Book(title: "guest", rank: 100)
            try transaction.append("guest", to: "x", in: favourites)
            transaction[.books]["guest"] = nil
        }
        let atSecond = children(database.snapshot)
        #expect(atSecond.last == "all x: [2, 32]")
        // What only adds up differences is wrong from there on.
        try await database.write { $0[.books]["y"]?.rank = 5 }
        let atThird = children(database.snapshot)
        try await database.close()
        let cursor = try ReplayReader(path, collections: .books, extensions: favourites, kept, ranks).cursor(at: 1)
        _ = try cursor.next()
        #expect(children(cursor.snapshot) == atSecond)
        _ = try cursor.next()
        #expect(children(cursor.snapshot) == atThird)
        try cursor.seek(to: 2)
        #expect(children(cursor.snapshot) == atSecond)
    }

    private static let oldNotes = RecordCollection<String, Int>("notes")
    private static let newNotes = RecordCollection<[String], Int>("notes").configured {
        $0.version = 2
        $0.migrate(from: 1, to: 2) { $0.object = .array([$0.object]) }
    }

    @Test func `Migrated collections are followed through changes of a part`() async throws {
        let path = path("notes.yaprak")
        let (old, new) = (Self.oldNotes, Self.newNotes)
        let database = try await Database.open(at: path, options: replayable(), collections: old)
        try await database.write { $0[old].set("one", metadata: 1, for: "a") }
        try await database.checkpoint()
        try await database.write { $0[old].replaceMetadata(2, for: "a") }
        try await database.write { $0[old].touchObject(for: "a") }
        try await database.write { $0[old].replaceObject("two", for: "a") }
        try await database.close()
        let cursor = try ReplayReader(path, collections: new).cursor(at: 0)
        var seen: [String] = []
        while let step = try cursor.next() {
            let notes = step.after[new]
            seen.append("\(notes["a"] ?? []) \(notes.metadata(for: "a") ?? 0)")
        }
        #expect(seen == [#"["one"] 1"#, #"["one"] 2"#, #"["one"] 2"#, #"["two"] 2"#])
        #expect(cursor.snapshot.collectionNames == ["notes"] && cursor.snapshot.count == 1)
    }

    // The bytes from which they were migrated were there as records of a collection that nobody saw and nothing removed.
    @Test func `A snapshot with migrated records is written and forked without their older forms`() async throws {
        let (old, new) = (Self.oldNotes, Self.newNotes)
        let database = try await Database.open(at: path("notes"), options: replayable(), collections: old)
        try await database.write { $0[old].set("one", metadata: 1, for: "a") }
        try await database.close()
        let snapshot = try ReplayReader(path("notes"), collections: new).snapshot()
        try snapshot.write(to: path("then"))
        let file = try #require(directory.files(in: "then/ckpt").first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.appending("then/ckpt/\(file)")))
        #expect(bytes.range(of: Data("notes".utf8)) != nil && bytes.range(of: Data("older".utf8)) == nil)
        let then = try await Database.open(at: path("then"), options: replayable(), collections: new)
        #expect(then.snapshot[new]["a"] == ["one"] && then.recoveryReport?.setAsideRecordCount == 0)
        try await then.write { $0[new].replaceObject(["two"], for: "a") }
        try await then.checkpoint()
        try await then.write { $0[new].touchObject(for: "a") }
        try await then.close()
        #expect(try ReplayReader(path("then"), collections: new).snapshot()[new]["a"] == ["two"])
        let fork = Database.inMemory().fork(from: snapshot)
        for _ in 0..<2 { try await fork.write { $0.removeAll() } }
        #expect(fork.commitNumber == 2, "there is nothing to remove the second time")
        #expect(snapshot[new]["a"] == ["one"])
    }

    // Rows of other types were not compared: all of them were inserted, and none was removed.
    @Test func `Snapshots with types and without them differ in the records that differ`() async throws {
        let path = path("shop.yaprak")
        do {
            let database = try await Database.open(at: path, options: replayable(), collections: .books)
            try await database.write { transaction in
                for key in ["a", "b", "c"] { transaction[.books].set(Book(title: key), metadata: 1, for: key) }
                for name in ["aisles", "notes", "odd"] {
                    try transaction.setUntyped(1, for: "x", inCollectionNamed: name)
                }
                try transaction.setUntyped("set aside", for: "y", inCollectionNamed: "odd")
            }
            try await database.close()
        }
        let then = try ReplayReader(path).snapshot()
        let database = try await Database.open(at: path, options: replayable())
        let start = database.snapshot
        try await database.bind(.books)
        try await database.bind(RecordCollection<Int, NoMetadata>("odd").configured { $0.undecodable = .setAside })
        let bound = database.snapshot
        for (before, after) in [(start, bound), (bound, start), (then, bound), (bound, then)] {
            #expect(ReplayChanges(from: before, to: after).isEmpty)
        }
        try await database.write { transaction in
            transaction[.books].replaceMetadata(2, for: "b")
            transaction[.books].remove("c")
            transaction[.books]["d"] = Book(title: "d")
            for name in ["aisles", "notes"] { try transaction.setUntyped(2, for: "x", inCollectionNamed: name) }
        }
        let now = database.snapshot
        for before in [start, then] {
            let changes = ReplayChanges(from: before, to: now), reverse = ReplayChanges(from: now, to: before)
            let names = changes.map { "\($0.collectionName) \($0.key)" }
            #expect(names == ["aisles x", "books b", "books c", "books d", "notes x"])
            #expect(changes[1...3].map(\.kinds) == [.metadataChanged, .removed, .inserted] as [ChangeKinds])
            #expect(changes[1].before == then.untyped("books")["b"] && changes[1].after == now.untyped("books")["b"])
            #expect(reverse[1...3].map(\.kinds) == [.metadataChanged, .inserted, .removed] as [ChangeKinds])
            #expect(reverse.map(\.before) == changes.map(\.after) && reverse.map(\.after) == changes.map(\.before))
        }
        try await database.close()
    }

    @Test func `The order of a set, and a migration, are no difference of snapshots with types and without`()
        async throws
    {
        struct Listed: Codable, Sendable { var tags: [Int] }
        struct Tagged: Codable, Sendable { var tags: Set<Int> }
        let path = path("shop.yaprak")
        do {
            let listed = RecordCollection<Listed, NoMetadata>("tagged")
            let database = try await Database.open(at: path, options: replayable(), collections: listed)
            // In all orders of three elements, of which a set has one.
            let orders = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]
            try await database.write { transaction in
                for (number, tags) in orders.enumerated() { transaction[listed]["\(number)"] = Listed(tags: tags) }
            }
            try await database.close()
        }
        let tagged = RecordCollection<Tagged, NoMetadata>("tagged")
        let then = try ReplayReader(path).snapshot()
        let database = try await Database.open(at: path, options: replayable())
        let start = database.snapshot
        try await database.bind(
            tagged.configured {
                $0.version = 2
                $0.migrate(from: 1, to: 2) { _ in }
            })
        let bound = database.snapshot
        for (before, after) in [(start, bound), (bound, start), (then, bound), (bound, then)] {
            #expect(ReplayChanges(from: before, to: after).isEmpty)
        }
        try await database.write { $0[tagged]["4"]?.tags.remove(2) }
        for before in [start, then] {
            let changes = ReplayChanges(from: before, to: database.snapshot)
            #expect(changes.map(\.key) == ["4"] && changes[0].kinds == .objectChanged)
            #expect(ReplayChanges(from: database.snapshot, to: before).map(\.key) == ["4"])
        }
        try await database.close()
    }

    @Test func `A record that does not decode refuses the commit, or is set aside`() async throws {
        let path = path("shop.yaprak")
        try await writeShop(at: path, commits: 5, seed: 1)
        let refusing = RecordCollection<Int, NoMetadata>("notes")
        let cursor = try ReplayReader(path, collections: refusing).cursor(at: 0)
        let error = #expect(throws: DatabaseError.self) { _ = try cursor.next() }
        #expect(error?.code == .undecodableRecord && error?.place.commits == 1...1 && error?.place.key == "last")
        #expect(cursor.commitNumber == 0)
        let lenient = refusing.configured { $0.undecodable = .setAside }
        let other = try ReplayReader(path, collections: lenient).cursor(at: 0)
        try other.seek(to: 5)
        #expect(other.snapshot[lenient].isEmpty)
        #expect(other.snapshot.setAsideKeys(inCollectionNamed: "notes") == ["last"])
    }

    // It had the relationship without its rules: nothing was refused, nothing cascaded.
    @Test func `A fork of a past snapshot follows the rules of its relationships`() async throws {
        let path = path("shop.yaprak")
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.write { transaction in
            transaction[.notes]["sci-fi"] = "spaceships"
            transaction[.books]["dune"] = Book(title: "Dune", genre: "sci-fi")
        }
        try await database.close()
        func fork(_ rule: DeleteRule<Book, Int, String>, allowsMissing: Bool = true) throws -> Database {
            let genre = Relationship(
                "genre", from: .books, \.genre, to: .notes, onDelete: rule, allowsMissing: allowsMissing)
            let reader = try ReplayReader(path, collections: .books, .notes, extensions: genre)
            let cursor = try reader.cursor(at: 0)
            try cursor.step(1)
            return database.fork(from: cursor.snapshot)
        }
        let restricting = try fork(.restrict)
        var error = await #expect(throws: DatabaseError.self) {
            try await restricting.write { _ = $0[.notes].remove("sci-fi") }
        }
        #expect(error?.code == .removalRestricted)
        let cascading = try fork(.cascade)
        try await cascading.write { _ = $0[.notes].remove("sci-fi") }
        #expect(cascading.snapshot.count == 0 && cascading.snapshot.extensionNames == ["genre"])
        let strict = try fork(.none, allowsMissing: false)
        error = await #expect(throws: DatabaseError.self) {
            try await strict.write { $0[.books]["emma"] = Book(title: "Emma", genre: "romance") }
        }
        #expect(error?.code == .danglingReference)
    }

    @Test func `Extensions come after those they read`() throws {
        let path = path("empty.yaprak")
        #expect(throws: DatabaseError.self) {
            _ = try ReplayReader(path, collections: .books, extensions: top, shelves)
        }
    }
}

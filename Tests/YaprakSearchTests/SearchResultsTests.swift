import TestSupport
import Testing
import Yaprak
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore
@testable import YaprakExtensions
@testable import YaprakSearch

/// Views of what a query finds, held against a filter of their parent.
@Suite(.bounded) struct SearchResultsTests {
    static let index = MailIndex("text", of: .mails, \.title, \.body)
    static let byLength = AutoView(
        "byLength", of: .mails, groupedBy: { $0.title.isEmpty ? nil : String($0.title.count % 3) }, sortedBy: \.body)
    static let found = SearchResultsView("found", of: byLength, in: index)
    static let short = FilteredView("short", of: found) { $0.body.count < 40 }

    /// The same groups and order without a parent, and a view that has them for all records.
    static let own = SearchResultsView(
        "own", in: index, groupedBy: { $0.title.isEmpty ? nil : String($0.title.count % 3) }, sortedBy: \.body)
    static let twin = AutoView(
        "twin", of: .mails, groupedBy: { $0.title.isEmpty ? nil : String($0.title.count % 3) }, sortedBy: \.body)
    /// In several groups, the last values first, and what is derived from it.
    static let words = Grouping<Mail, NoMetadata>.byEachObject { $0.title.split(separator: " ").map { $0.prefix(1) } }
    static let ownWords = SearchResultsView(
        "ownWords", in: index, groupedBy: words, sortedBy: .byObject { $0.body.count }, order: .descending)
    static let twinWords = AutoView(
        "twinWords", of: .mails, groupedBy: words, sortedBy: .byObject { $0.body.count }, order: .descending)
    static let shortWords = FilteredView("shortWords", of: ownWords) { $0.body.count < 40 }

    static func register(_ database: Database) async throws {
        try await database.register(index)
        try await database.register(byLength)
        try await database.register(found)
        try await database.register(short)
        try await database.register(own)
        try await database.register(twin)
        try await database.register(ownWords)
        try await database.register(twinWords)
        try await database.register(shortWords)
    }

    static func check(_ snapshot: Snapshot, _ place: String) throws {
        let query = try found.query(in: snapshot)
        let keys = Set(snapshot[index].keys(matching: query))
        for group in Set(snapshot[byLength].groupNames + snapshot[found].groupNames) {
            let expected = snapshot[byLength][group].map(\.key).filter(keys.contains)
            try #require(snapshot[found][group].map(\.key) == expected, "\(place): \(query), \(group)")
            let shortKeys = expected.filter { snapshot[.mails][$0]!.body.count < 40 }
            try #require(snapshot[short][group].map(\.key) == shortKeys, "\(place): \(query), \(group)")
        }
        let report = snapshot[found].state.verify(parent: snapshot[byLength].state)
        try #require(report.isSound, "\(place): \(report)")
        try check(own, against: twin, keys, snapshot, place)
        try check(ownWords, against: twinWords, keys, snapshot, place)
        for group in snapshot[twinWords].groupNames {
            let short = snapshot[ownWords][group].filter { $0.object.body.count < 40 }
            try #require(snapshot[shortWords][group].map(\.key) == short.map(\.key), "\(place): \(query), \(group)")
        }
    }

    private static func check(
        _ own: SearchResultsView<AutoView<Record<Mail, NoMetadata>>, Mail, NoMetadata>,
        against twin: AutoView<Record<Mail, NoMetadata>>, _ keys: Set<String>, _ snapshot: Snapshot, _ place: String
    ) throws {
        for group in Set(snapshot[twin].groupNames + snapshot[own].groupNames) {
            let expected = snapshot[twin][group].map(\.key).filter(keys.contains)
            try #require(snapshot[own][group].map(\.key) == expected, "\(place): \(own.name), \(group)")
        }
        let report = snapshot[own].state.verify()
        try #require(report.isSound, "\(place): \(report)")
    }

    static func setQuery(_ mail: inout RandomMail, in database: Database) async throws {
        let query = mail.query()
        let isUndone = mail.random.chance(15)
        struct Undone: Error {}
        do {
            let comesFirst = mail.random.chance(50)
            try await database.write { transaction in
                if comesFirst { transaction[.mails]["r"] = Mail(title: "the spice", body: query.description) }
                try transaction.setQuery(of: found, to: query)
                try transaction.setQuery(of: own, to: query)
                try transaction.setQuery(of: ownWords, to: query)
                transaction[.mails]["q"] = Mail(title: query.description, body: "the spice")
                if isUndone { throw Undone() }
            }
        } catch is Undone {}
    }

    @Test(arguments: (1...UInt64(Soak.volume(3, soak: 50))).map { $0 })
    func `A results view is a filter of its parent at every commit`(seed: UInt64) async throws {
        let database = Database.inMemory()
        try await Self.register(database)
        #expect(database.snapshot[Self.found].groupNames.isEmpty)
        var mail = RandomMail(seed: seed)
        var kept: [Snapshot] = []
        for step in 0..<40 {
            if mail.random.chance(30) { try await Self.setQuery(&mail, in: database) }
            try await mail.write(to: database, Self.index)
            if step == 20 {
                try await database.write {
                    try $0.setSorting(of: Self.byLength, sortedBy: .byObject { $0.title }, versionTag: "title")
                }
            }
            try Self.check(database.snapshot, "seed \(seed), step \(step)")
            if step % 8 == 0 { kept.append(database.snapshot) }
        }
        for snapshot in kept { try Self.check(snapshot, "seed \(seed), kept") }
        let fork = database.fork()
        try await Self.setQuery(&mail, in: fork)
        try await mail.write(to: fork, Self.index)
        try Self.check(fork.snapshot, "seed \(seed), fork")
        try await database.restore(kept[2])
        try Self.check(database.snapshot, "seed \(seed), restored")
    }

    @Test(arguments: (1...UInt64(Soak.volume(2, soak: 20))).map { $0 })
    func `The query is there again after a launch, with a checkpoint or without`(seed: UInt64) async throws {
        let disk = MemoryFileSystem()
        var mail = RandomMail(seed: seed)
        var query = SearchQuery.all(of: [])
        for round in 0..<5 {
            let database = try await Database.open(
                at: "/db", options: DatabaseOptions(), bindings: [TypedBinding(RecordCollection.mails)],
                fileSystem: disk)
            if round > 0 { try await mail.write(to: database) }
            try await Self.register(database)
            #expect(
                try Self.found.query(in: database.snapshot).description == query.description, "seed \(seed), \(round)")
            for step in 0..<8 {
                try Self.check(database.snapshot, "seed \(seed), round \(round), step \(step)")
                if step % 3 == 1 { try await Self.setQuery(&mail, in: database) }
                try await mail.write(to: database, Self.index)
                if step == 4, round % 2 == 0 { try await database.checkpoint() }
            }
            query = try Self.found.query(in: database.snapshot)
            try await database.close()
        }
    }

    private struct Chat: Codable, Sendable { var title: String }
    private struct Sum: Codable, Sendable, Equatable { var count: Int }

    @Test func `A summary is no record of a collection that has the name of its view`() async throws {
        let chats = RecordCollection<Chat, NoMetadata>("chats")
        let text = FullTextIndex("chats.text", of: chats, \.title)
        let byChat = AutoView("byChat", of: .mails, groupedBy: { $0.title }, sortedBy: \.body)
        let sums = AggregateView("chats", of: byChat, row: { Sum(count: $0.count) }, sortedBy: { $0.object.count })
        let found = SearchResultsView("found", of: sums, in: text)
        let database = Database.inMemory()
        try await database.register(text)
        try await database.register(byChat)
        try await database.register(sums)
        try await database.register(found)
        try await database.write { transaction in
            transaction[chats]["c1"] = Chat(title: "spice")
            transaction[.mails]["m1"] = Mail(title: "c1", body: "x")
        }
        #expect(database.snapshot[sums].count == 1)
        try await database.write { try $0.setQuery(of: found, to: .word("spice")) }
        #expect(database.snapshot[found].count == 0)
        try await database.write { $0[.mails]["m2"] = Mail(title: "c1", body: "y") }
        #expect(database.snapshot[found].count == 0)
        // Nor where a list searches in it.
        var list = ViewMappings(sums)
        list.setSearch(.word("spice"), in: text)
        try list.update(to: database.snapshot)
        #expect(list.numberOfSections == 0)
    }

    @Test func `Results that group themselves cost what is found, and say why a record is missing`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.write { transaction in
            for number in 0..<20_000 {
                transaction[.mails]["\(number)"] = Mail(
                    title: number < 3 ? "spice \(number)" : "other", body: "\(number)")
            }
            transaction[.mails]["untitled"] = Mail(title: "", body: "spice")
        }
        try await database.register(Self.own)
        let before = database.snapshot
        try await database.write { try $0.setQuery(of: Self.own, to: .word("spice")) }
        let after = database.snapshot
        #expect(before[Self.own].count == 0 && after[Self.own].count == 3)
        #expect(after[Self.own]["1"].map(\.key) == ["0", "1", "2"])
        #expect(after[Self.own].state.root.rawOperations < 20, "no record that is not found was looked at")
        #expect(after.explain("17", in: Self.own).description.contains("its grouping, which reads the words, puts"))
        #expect(after.explain("untitled", in: Self.own).description.contains("which reads the object, puts"))
        #expect(after.explain("gone", in: Self.own).description.contains("there is no record of that key"))
        await #expect(throws: DatabaseError.self) {
            try await Database.inMemory().register(Self.own)
        }
    }

    // The handle was asked: its parent, and whether it has one.
    @Test func `Any handle of the view's name says why a record is missing, whatever it says of its parent`()
        async throws
    {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.register(Self.byLength)
        try await database.register(Self.found)
        try await database.write { $0[.mails]["a"] = Mail(title: "spice") }
        let expected = database.snapshot.explain("a", in: Self.found).answer
        #expect(expected == .rejected(by: .init(viewName: "found", reads: "words"), parentName: "byLength"))
        let other = SearchResultsView("found", of: Self.twin, in: Self.index)
        let parentless = SearchResultsView(
            "found", in: Self.index, groupedBy: Self.words, sortedBy: .byObject { $0.body })
        #expect(database.snapshot.explain("a", in: other).answer == expected)
        #expect(database.snapshot.explain("a", in: parentless).answer == expected)
    }

    @Test func `A commit decides by positions, as the index does, where a tokenizer leaves gaps`() async throws {
        let index = MailIndex("gapped", of: .mails, \.title, tokenizer: StopWords())
        let found = SearchResultsView("found", of: Self.byLength, in: index)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.register(Self.byLength)
        try await database.register(found)
        for (phrase, expected) in [("king of rome", ["a"]), ("king rome", ["b"])] {
            try await database.write { try $0.setQuery(of: found, to: .phrase(phrase)) }
            // Rows come by the text of the record alone.
            try await database.write { transaction in
                transaction[.mails]["a"] = Mail(title: "king of rome now")
                transaction[.mails]["b"] = Mail(title: "king rome now")
            }
            let snapshot = database.snapshot
            let keys = snapshot[found].groupNames.flatMap { group in snapshot[found][group].map(\.key) }
            #expect(keys == expected, "\(phrase)")
            #expect(snapshot[index].keys(matching: .phrase(phrase)) == expected, "\(phrase)")
            try await database.write { $0[.mails].removeAll() }
        }
    }

    @Test func `A query that was logged before there was a limit still shows its rows`() async throws {
        let database = Database.inMemory()
        try await Self.register(database)
        try await database.write { $0[.mails]["a"] = Mail(title: "spice") }
        let many = SearchQuery.any(of: (0...SearchQuery.fuzzyCountMax).map { .fuzzy("w\($0)") } + [.word("spice")])
        await #expect(throws: SearchQueryError.self) {
            try await database.write { try $0.setQuery(of: Self.found, to: many) }
        }
        try await database.write { try $0.perform(SearchStep(query: many.description), on: Self.found) }
        let snapshot = database.snapshot
        #expect(try Self.found.query(in: snapshot) == many)
        #expect(snapshot[Self.found].groupNames.flatMap { snapshot[Self.found][$0].map(\.key) } == ["a"])
    }

    @Test func `Setting the same query again is no commit, and one that can't be logged throws`() async throws {
        let database = Database.inMemory()
        try await Self.register(database)
        try await database.write { try $0.setQuery(of: Self.found, to: .word("spice")) }
        let number = database.snapshot.commitNumber
        try await database.write { try $0.setQuery(of: Self.found, to: .word("spice")) }
        #expect(database.snapshot.commitNumber == number)
        let long = SearchQuery.words(String(repeating: "word ", count: 10_000))
        await #expect(throws: (any Error).self) {
            try await database.write { try $0.setQuery(of: Self.found, to: long) }
        }
        #expect(try Self.found.query(in: database.snapshot) == .word("spice"))
    }

    /// Each query held the one before it, so that a search as one types grew without end.
    @Test func `A query that is replaced is not kept by the queries behind it`() async throws {
        struct Weak {
            weak var configuration: ViewConfiguration?
        }
        let database = Database.inMemory()
        try await Self.register(database)
        try await database.write { $0[.mails]["m"] = Mail(title: "word49", body: "x") }
        var queries: [Weak] = []
        for number in 0..<50 {
            try await database.write { transaction in
                try transaction.setQuery(of: Self.found, to: .word("word\(number)"))
                try transaction.setQuery(of: Self.own, to: .word("word\(number)"))
                try transaction.setQuery(of: Self.ownWords, to: .word("word\(number)"))
            }
            queries.append(Weak(configuration: database.snapshot[Self.found].state.root.configuration))
            queries.append(Weak(configuration: database.snapshot[Self.own].state.root.configuration))
        }
        for number in 0..<3 { try await database.write { $0[.mails]["m"]?.body = "\(number)" } }
        let kept = queries.count { $0.configuration != nil }
        #expect((2..<20).contains(kept), "\(kept) of 100 queries")
        try Self.check(database.snapshot, "the last query")
        #expect(database.snapshot[Self.found].count == 1)
    }
}

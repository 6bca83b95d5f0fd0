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

    static func register(_ database: Database) async throws {
        try await database.register(index)
        try await database.register(byLength)
        try await database.register(found)
        try await database.register(short)
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
    }

    static func setQuery(_ mail: inout RandomMail, in database: Database) async throws {
        let query = mail.query()
        let isUndone = mail.random.chance(15)
        struct Undone: Error {}
        do {
            try await database.write { transaction in
                try transaction.setQuery(of: found, to: query)
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
}

import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakSearch

/// What an index costs, in counts; and texts that are large or odd.
@Suite(.bounded) struct FullTextCostTests {
    static let index = MailIndex("text", of: .mails, \.title, \.body)

    static func filled(_ count: Int) async throws -> Database {
        let database = Database.inMemory()
        try await database.write { transaction in
            var random = SplitMix64(seed: 1)
            for number in 0..<count {
                let words = (0..<10).map { _ in "w\(random.below(500))" }.joined(separator: " ")
                transaction[.mails]["m\(number)"] = Mail(title: "all \(number)", body: words)
            }
        }
        try await database.register(index)
        return database
    }

    /// The rows of all trees that one snapshot has and another has not.
    static func newRows(_ old: Snapshot, _ new: Snapshot) -> Int {
        var count = 0
        for (a, b) in zip(old[index].root.trees, new[index].root.trees) {
            TreeRoot.difference(from: a, to: b) { step in if case .removed = step {} else { count += 1 } }
        }
        return count
    }

    @Test func `A word that is added writes one page, and a touch nothing`() async throws {
        let database = try await Self.filled(4000)
        var before = database.snapshot
        try await database.write { $0[.mails]["m77"]!.body += " fresh" }
        // A page of postings, and one of lengths.
        #expect(Self.newRows(before, database.snapshot) == 2)
        before = database.snapshot
        try await database.write { $0[.mails].touchObject(for: "m77") }
        #expect(Self.newRows(before, database.snapshot) == 0)
        let same = database.snapshot[.mails]["m77"]!
        try await database.write { $0[.mails]["m77"] = same }
        #expect(Self.newRows(before, database.snapshot) == 0)
    }

    @Test func `A word before others writes each different one of them again, one in another's place does not`()
        async throws
    {
        let database = try await Self.filled(4000)
        let words = (0..<300).map { "w\($0)" }
        try await database.write { $0[.mails]["long"] = Mail(title: "", body: words.joined(separator: " ")) }
        var before = database.snapshot
        try await database.write { $0[.mails]["long"]!.body = "fresh " + words.joined(separator: " ") }
        // Two or three of these words share a page.
        let rows = Self.newRows(before, database.snapshot)
        #expect(rows > 100 && rows < 310, "\(rows)")
        before = database.snapshot
        try await database.write { $0[.mails]["long"]!.body = "other " + words.joined(separator: " ") }
        // A page without the one word, and one with the other.
        #expect(Self.newRows(before, database.snapshot) <= 3)
    }

    @Test(arguments: [true, false])
    func `A word in a short text copies kilobytes, also where the word stands in long texts thousands of times`(
        isMadeLate: Bool
    ) async throws {
        let database = Database.inMemory()
        if !isMadeLate { try await database.register(Self.index) }
        try await database.write { transaction in
            let text = String(repeating: "all ", count: 2_000)
            for number in 10..<74 { transaction[.mails]["m\(number)"] = Mail(title: text, body: "") }
            transaction[.mails]["m40s"] = Mail(title: "dune", body: "")
        }
        if isMadeLate { try await database.register(Self.index) }
        let before = database.snapshot
        try await database.write { $0[.mails]["m40s"]!.body += " all" }
        let after = database.snapshot
        var bytes = 0
        TreeRoot.difference(from: before[Self.index].root.pages, to: after[Self.index].root.pages) { step in
            switch step {
            case .removed: break
            case .inserted(let row), .replaced(old: _, new: let row):
                bytes += unsafeDowncast(row, to: PostingPage.self).count
            }
        }
        #expect(bytes > 0 && bytes < 2 * PostingPage.runBytesMax, "\(bytes)")
        #expect(after[Self.index].count(matching: .word("all")) == 65)
        try FullTextModelTests.checkShape(Self.index, in: after, "long texts")
    }

    @Test func `A commit costs what it changes, however many records there are`() async throws {
        try await expectGrowth("one word in each of 20 commits", 2000) { count in
            // A database of twice the size: less than twice the time, of course.
            let database = try await Self.filled(count)
            return try await ContinuousClock().measure {
                for number in 0..<20 { try await database.write { $0[.mails]["m\(number)"]!.body += " fresh" } }
            }
        }
    }

    @Test func `A record keeps its number, and numbers are given again`() async throws {
        let database = try await Self.filled(1000)
        let number = database.snapshot[Self.index].number(ofKey: "m5")
        for round in 0..<50 {
            try await database.write { transaction in
                for other in 0..<20 { transaction[.mails]["m\(100 + other)"] = nil }
                transaction[.mails]["m5"]!.title = "round \(round)"
            }
            try await database.write { transaction in
                for other in 0..<20 { transaction[.mails]["m\(100 + other)"] = Mail(title: "back") }
            }
        }
        let reader = database.snapshot[Self.index]
        #expect(reader.number(ofKey: "m5") == number)
        #expect(reader.root.capacity <= 1020)
        try FullTextModelTests.checkShape(Self.index, in: database.snapshot, "numbers")
    }

    @Test
    func `A query that has a word many times costs about what it costs with it once, and ranks as if each were asked`()
        async throws
    {
        let database = try await Self.filled(4000)
        let reader = database.snapshot[Self.index]
        func repeated(_ text: String, _ times: Int) -> String {
            Array(repeating: text, count: times).joined(separator: " ")
        }
        let queries: [(many: SearchQuery, once: SearchQuery, factor: Double)] = [
            (.typing(repeated("w1", 5_000)), .typing("w1"), 5_000),
            (.words(repeated("all w7", 5_000)), .words("all w7"), 5_000),
            (try SearchQuery(parsing: repeated("w1*", 4_000)), .prefix("w1"), 4_000),
            (try SearchQuery(parsing: repeated("title:all", 1_000)), SearchQuery.word("all").within("title"), 1_000),
            (try SearchQuery(parsing: "NEAR(\(repeated("w1 w2", 2_000)))"), .near("w1", "w2"), 1),
        ]
        for (many, once, factor) in queries {
            func seconds(_ query: SearchQuery) -> Double {
                let start = ThreadClock.seconds
                _ = reader.top(10, for: query)
                return ThreadClock.seconds - start
            }
            let (hits, others) = (reader.top(10, for: many), reader.top(10, for: once))
            #expect(!hits.isEmpty && hits.map(\.record.key) == others.map(\.record.key))
            for (hit, other) in zip(hits, others) {
                #expect(abs(hit.score / other.score / factor - 1) < 1e-9, "\(once)")
            }
            #expect(reader.count(matching: many) == reader.count(matching: once))
            let text = "all w1 w2 w7 w1"
            let scan = SearchScan(many, columns: ["title", "body"])
            #expect(TextHighlighter(scan: scan).highlights(in: text, column: 0).count > 0)
            // To read the words of the query takes longer than to look them up; each was looked up before.
            let (least, most) = (seconds(once), (0..<5).map { _ in seconds(many) }.min()!)
            #expect(most < least * 100 + 0.1, "\(once): \(least) and \(most)")
        }
    }

    @Test func `A phrase of one word many times looks it up once`() async throws {
        let database = try await Self.filled(4000)
        try await database.write { $0[.mails]["long"] = Mail(title: String(repeating: "all ", count: 3_000), body: "") }
        let reader = database.snapshot[Self.index]
        #expect(reader.keys(matching: .phrase(String(repeating: "all ", count: 2_000))) == ["long"])
        #expect(reader.keys(matching: .phrase(String(repeating: "all ", count: 3_001))) == [])
    }

    @Test func `A text of a megabyte, and one of a single word, are found`() async throws {
        let database = try await Self.filled(10)
        let long = (0..<170_000).map { "w\($0 % 900)" }.joined(separator: " ") + " needle"
        let single = String(repeating: "x", count: 1 << 20)
        try await database.write { transaction in
            transaction[.mails]["long"] = Mail(title: "all", body: long)
            transaction[.mails]["single"] = Mail(title: single, body: "")
            transaction[.mails]["marks"] = Mail(title: "e" + String(repeating: "\u{301}", count: 20_000))
            transaction[.mails]["empty"] = Mail()
        }
        let reader = database.snapshot[Self.index]
        #expect(reader.keys(matching: .word("needle")) == ["long"])
        #expect(reader.keys(matching: .phrase("w899 w0 w1")) == ["long"])
        #expect(reader.keys(matching: .near("w4", "needle", within: 3_000)) == ["long"])
        #expect(reader.keys(matching: .prefix("xxx")) == ["single"])
        #expect(reader.keys(matching: .word("e")) == ["marks"])
        let record = try #require(database.snapshot[.mails].row(for: "long"))
        #expect(reader.snippet(of: record, for: .word("needle"), terms: 3).marked("[", "]").hasSuffix("[needle]"))
        #expect(reader.highlights(in: "body", of: record, for: .word("w5")).count == 189)
        try await database.write { transaction in
            transaction[.mails]["long"]!.body += " more"
            transaction[.mails]["single"] = nil
        }
        #expect(database.snapshot[Self.index].keys(matching: .phrase("needle more")) == ["long"])
        try await database.write { $0[.mails].removeAll() }
        #expect(database.snapshot[Self.index].count == 0)
        #expect(database.snapshot[Self.index].top(5, for: .word("needle")).isEmpty)
    }

    @Test func `A posting takes few bytes`() async throws {
        let database = try await Self.filled(5000)
        var bytes = 0
        var pages = 0
        database.snapshot[Self.index].root.pages.forEach { row in
            bytes += unsafeDowncast(row, to: PostingPage.self).count
            pages += 1
        }
        // 60,000 postings, of which 5,000 are of terms with one each.
        #expect(bytes < 60_000 * 6)
        #expect(bytes / pages > 256)
    }
}

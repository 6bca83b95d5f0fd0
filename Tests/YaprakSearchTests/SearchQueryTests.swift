import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// The query language.
@Suite(.bounded) struct SearchQueryTests {
    @Test func `Words, phrases and operators are what they look like`() throws {
        func parse(_ text: String) throws -> SearchQuery { try SearchQuery(parsing: text) }
        #expect(try parse("dune") == .word("dune"))
        #expect(try parse("dune*") == .prefix("dune"))
        #expect(try parse("dune *") == .prefix("dune"))
        #expect(try parse("\"a \"\"b\"\" c\"") == .phrase("a \"b\" c"))
        #expect(try parse("\"one tw\"*") == .prefix("one tw"))
        #expect(try parse("dune~") == .fuzzy("dune"))
        #expect(try parse("dune~2") == .fuzzy("dune", distance: 2))
        #expect(try parse("NEAR(a b)") == .near("a", "b"))
        #expect(try parse("NEAR(\"a b\" c, 3)") == .near("a b", "c", within: 3))
        #expect(try parse("title: dune") == SearchQuery.word("dune").within("title"))
        #expect(try parse("{title body}: dune") == SearchQuery.word("dune").within("title", "body"))
        #expect(try parse("can't") == .word("can't"))
        #expect(try parse("C++ AND and") == .all(of: [.word("C++"), .word("and")]))
        #expect(try parse("NEAR far") == .all(of: [.word("NEAR"), .word("far")]))
        #expect(try parse("") == .all(of: []))
        #expect(try parse("  ") == .all(of: []))
    }

    @Test func `Operators bind as in FTS5: side by side, NOT, AND, OR`() throws {
        func same(_ text: String, _ other: String) throws {
            #expect(try SearchQuery(parsing: text) == SearchQuery(parsing: other), "\(text)")
        }
        try same("a OR b AND c", "a OR (b AND c)")
        try same("a NOT b AND c", "(a NOT b) AND c")
        try same("a b NOT c", "(a b) NOT c")
        try same("a NOT b c", "a NOT (b c)")
        try same("a NOT b NOT c", "(a NOT b) NOT c")
        try same("a NOT b NOT c", "a NOT (b OR c)")
        try same("a NOT b NOT (c OR d)", "(a NOT (b OR c)) NOT d")
        try same("a b OR c", "(a b) OR c")
        try same("title: a b", "(title: a) b")
        try same("title: (a b)", "title:(a b)")
    }

    @Test(arguments: [
        ("(a", 0, "closing parenthesis"), ("a)", 1, "opening parenthesis"), ("a AND", 5, "ends"),
        ("AND a", 0, "expected"), ("a OR OR b", 5, "expected"), ("NOT a", 0, "NOT stands between"),
        ("a \"b", 2, "closing quote"), ("*", 0, "expected"), ("a b~9", 3, "differ by"), ("a~0", 1, "differ by"),
        ("NEAR(a", 0, "NEAR"), ("NEAR()", 5, "needs"), ("NEAR(a, x)", 8, "number"), ("NEAR(a, 5", 0, "NEAR"),
        ("NEAR(a OR b)", 7, "has words"), ("{a", 0, "brace"), ("{a} b", 4, "colon"), ("{}: a", 1, "column"),
        ("title:", 6, "ends"), ("é (", 3, "ends"), ("a, b", 1, "expected"), ("()", 1, "expected"),
        ("a~99999999999999999999", 1, "differ by"),
    ])
    func `A malformed query is an error with its place`(text: String, offset: Int, words: String) {
        let error = #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: text) }
        #expect(error?.offset == offset, "\(text): \(String(describing: error))")
        #expect(error?.message.contains(words) == true, "\(text): \(String(describing: error))")
        #expect(error?.description == "\(error?.message ?? ""), at column \(offset + 1)")
    }

    @Test func `A column of a generic object is named for its property`() {
        let envelopes = RecordCollection<Envelope<[String: Double]>, NoMetadata>("envelopes")
        let index = FullTextIndex("envelopes.text", of: envelopes, \.title, \.upper)
        #expect(index.columnNames == ["title", "2"])
    }

    @Test func `A column that an index does not have is an error with its place`() {
        let index = MailIndex("text", of: .mails, \.title, \.body)
        #expect(index.columnNames == ["title", "body"])
        #expect(throws: Never.self) { try index.query("title: a OR {title body}: b") }
        let error = #expect(throws: SearchQueryError.self) { try index.query("a OR from: b") }
        #expect(error?.offset == 5 && error?.message.contains("title, body") == true)
    }

    @Test func `A query is neither too long nor too deep`() {
        let deep = String(repeating: "(", count: 200) + "a" + String(repeating: ")", count: 200)
        #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: deep) }
        let columns = String(repeating: "a:", count: 200) + "a"
        #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: columns) }
        let long = String(repeating: "a ", count: 10_000)
        #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: long) }
        #expect(throws: Never.self) { try SearchQuery(parsing: String(repeating: "a ", count: 8_000)) }
    }

    @Test func `A query has no more words with a tilde than the limit, and the first beyond it is said`() throws {
        func words(_ count: Int) -> String { (0..<count).map { "w\($0)~1" }.joined(separator: " OR ") }
        #expect(throws: Never.self) { try SearchQuery(parsing: words(SearchQuery.fuzzyCountMax)) }
        let text = words(SearchQuery.fuzzyCountMax + 1)
        let error = #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: text) }
        #expect(error?.offset == text.count - 2 && error?.message.contains("as it is written") == true)
        // One by calls has no limit, and one that was logged is the same query forever.
        let built = SearchQuery.any(of: (0...SearchQuery.fuzzyCountMax).map { .fuzzy("w\($0)") })
        #expect(try SearchQuery(logged: text) == built)
        #expect(throws: SearchQueryError.self) { try SearchQuery(parsing: built.description) }
    }

    @Test func `A long chain of NOT is one level, in text and by calls`() async throws {
        let database = Database.inMemory()
        let index = MailIndex("text", of: .mails, \.title, \.body)
        try await database.register(index)
        try await database.write { transaction in
            transaction[.mails]["a"] = Mail(title: "spice", body: "a")
            transaction[.mails]["b"] = Mail(title: "spice", body: "b w2000")
        }
        let parsed = try index.query("spice" + (0..<1_600).map { " NOT w\($0)" }.joined() + " NOT w2000")
        var built = SearchQuery.word("spice")
        for number in 0..<1_600 { built = built.excluding(.word("w\(number)")) }
        built = built.excluding(.word("w2000"))
        #expect(parsed == built)
        // Less than the deepest there may be, so it can be said again.
        #expect(try SearchQuery(parsing: parsed.description) == parsed)
        let reader = database.snapshot[index]
        #expect(reader.keys(matching: parsed) == ["a"])
        #expect(reader.top(5, for: built).map(\.key) == ["a"])
        let longest = try index.query(String(repeating: "a NOT ", count: 2_700) + "a")
        #expect(try SearchQuery(parsing: longest.description) == longest)
        #expect(reader.keys(matching: longest) == [])
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 100))).map { $0 })
    func `Random strings give a query or an error with a place in them`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "a", "b*", "\"", "(", ")", "AND", "OR", "NOT", "NEAR", "NEAR(", ",", "3", "~", "~1", ":", "{", "}", " ",
            " ", "é", "🎉", "title", "\u{301}", "\0", "*",
        ]
        for _ in 0..<500 {
            let text = (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
            do {
                let query = try SearchQuery(parsing: text)
                #expect((try? SearchQuery(parsing: query.description)) != nil, "seed \(seed): \(text) → \(query)")
            } catch {
                #expect((0...text.count).contains(error.offset) && error.source == text, "seed \(seed): \(text)")
            }
            _ = SearchQuery.typing(text)
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 50))).map { $0 })
    func `A query as text is parsed to one that says the same`(seed: UInt64) throws {
        var mail = RandomMail(seed: seed)
        for _ in 0..<200 {
            let query = mail.query()
            let text = query.description
            let again = try SearchQuery(parsing: text)
            #expect(again.description == text, "seed \(seed)")
        }
    }

    @Test func `A query that can match nothing has a text, too`() async throws {
        let nowhere = SearchQuery.word("a").within()
        let all: [SearchQuery] = [
            nowhere, nowhere.within(), nowhere.within("title"), .near(), SearchQuery.near().within(),
            .all(of: [.word("b"), nowhere]), .any(of: [.word("b"), nowhere]), SearchQuery.word("b").excluding(nowhere),
            nowhere.excluding(.word("b")), .all(of: [.word("b"), .near()]),
        ]
        let index = FullTextIndex("words", of: .mails, \.title, \.body)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            transaction[.mails]["1"] = Mail(title: "a b", body: "b")
            transaction[.mails]["2"] = Mail(title: "b", body: "a")
            transaction[.mails]["3"] = Mail(title: "b", body: "c")
        }
        let snapshot = database.snapshot
        for query in all {
            let again = try SearchQuery(parsing: query.description)
            #expect(
                snapshot[index].keys(matching: again) == snapshot[index].keys(matching: query), "\(query)")
        }
    }

    @Test func `The text of a query is as long as the query, however columns are nested in it`() async throws {
        var nested = SearchQuery.word("a")
        for level in 0..<40 {
            nested = .all(of: [nested.excluding(.word("x")).within(), .word("w\(level)")])
            if level % 3 == 0 { nested = nested.within("title") }
        }
        let text = nested.within().description
        #expect(text.utf8.count < 1_000)
        let index = FullTextIndex("words", of: .mails, \.title, \.body)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            transaction[.mails]["1"] = Mail(title: "a", body: (0..<40).map { "w\($0)" }.joined(separator: " "))
        }
        let reader = database.snapshot[index]
        #expect(reader.keys(matching: try SearchQuery(parsing: text)) == [])
        // Signs that are no terms are as if they were not there, in no column either.
        let signs = SearchQuery.any(of: [.word("!"), .word("?").excluding(.word("a"))])
        let query = SearchQuery.all(of: [.word("a"), signs.within()])
        #expect(reader.keys(matching: query) == ["1"])
        #expect(reader.keys(matching: try SearchQuery(parsing: query.description)) == ["1"])
    }

    @Test func `Typing takes signs for nothing and words for beginnings`() {
        #expect(SearchQuery.typing("dun me") == .all(of: [.prefix("dun"), .prefix("me")]))
        #expect(SearchQuery.typing("AND (") == .all(of: [.prefix("AND"), .prefix("(")]))
    }
}

private struct Envelope<Payload: Codable & Sendable>: Codable, Sendable {
    var title: String
    var payload: Payload
    var upper: String { title.uppercased() }
}

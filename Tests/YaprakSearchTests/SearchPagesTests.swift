import TestSupport
import Testing
import Yaprak

// snippet: search-message
struct Message: Codable, Sendable {
    var title: String
    var body: String
}

extension RecordCollection where Object == Message, Metadata == NoMetadata {
    static var messages: Self { Self("messages") }
}
// end

/// The programs of the pages about search.
@Suite(.bounded) struct SearchPagesTests {
    @Test func `The search of the page about words finds what it says`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            transaction[.messages]["a"] = Message(title: "Spice harvest on Arrakis", body: "The worm came.")
            transaction[.messages]["b"] = Message(title: "Harvest festival", body: "No spice, no sandworm.")
        }

        // snippet: search-register
        let text = FullTextIndex("messages.text", of: .messages, \.title, \.body)
        try await database.register(text)

        let reader = database.snapshot[text]
        for hit in reader.top(10, for: .words("spice harvest")) {
            print(hit.key, hit.score, hit.record.object.title)
        }
        print(reader.count(matching: .word("worm")), reader.keys(matching: .prefix("arr")))
        // end
        #expect(reader.top(10, for: .words("spice harvest")).count == 2)
        #expect(reader.count(matching: .word("worm")) == 1 && reader.keys(matching: .prefix("arr")) == ["a"])

        // snippet: search-columns
        let weighed = FullTextIndex(
            "messages.weighed", of: .messages,
            columns: [
                SearchColumn("title", \.title, weight: 4),
                SearchColumn("body", \.body),
                SearchColumn("length") { $0.object.body.count > 1000 ? "long" : "short" },
            ])
        // end
        try await database.register(weighed)
        #expect(database.snapshot[weighed].top(1, for: .word("harvest")).count == 1)
        #expect(database.snapshot[weighed].count(matching: try weighed.query("length: short")) == 2)

        // snippet: search-queries
        let typed = SearchQuery.typing("spi har")  // what is in a search field: every word is a beginning
        let built = SearchQuery.all(of: [
            .phrase("spice harvest"), .prefix("arrak").within("title"), .fuzzy("messiha", distance: 1),
        ])
        let parsed = try text.query("\"spice harvest\" title: arrak* messiha~1 NOT worm")
        // end
        #expect(reader.keys(matching: typed) == ["a", "b"])
        #expect(parsed == built.excluding(.word("worm")))

        // snippet: search-error
        do {
            _ = try text.query("(spice OR harvest")
        } catch {
            print(error)  // a closing parenthesis is missing for this one, at column 1
        }
        // end
        #expect(throws: SearchQueryError.self) { try text.query("(spice OR harvest") }

        // snippet: search-snippet
        let query = SearchQuery.words("spice worm")
        for hit in reader.top(3, for: query) {
            print(reader.snippet(of: hit.record, for: query, terms: 12).marked("[", "]"))
            let ranges = reader.highlights(in: "title", of: hit.record, for: query)  // to draw them in the title
            print(ranges.map { hit.record.object.title[$0] })
        }
        if reader.count(matching: .word("sandwrom")) == 0 {
            print(reader.suggestions(for: "sandwrom").map(\.term))  // ["sandworm"]
        }
        // end
        #expect(reader.suggestions(for: "sandwrom").map(\.term) == ["sandworm"])
    }
}

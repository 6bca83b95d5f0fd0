#if Snowball
    import TestSupport
    import Testing
    import Yaprak

    @testable import YaprakSearch

    /// Stems by the rules of Snowball: with the package trait of that name.
    @Suite(.bounded) struct StemmingTests {
        @Test(arguments: [
            (
                "english", "Searching searches SEARCHED the generously",
                ["search", "search", "search", "the", "generous"]
            ),
            ("german", "Häuser Hause Straße Straßen", ["haus", "haus", "strass", "strass"]),
            ("turkish", "IŞIKLAR kitaplar", ["ısık", "kitap"]),
            ("french", "continué CONTINUER", ["continu", "continu"]),
            ("russian", "книги книга", ["книг", "книг"]),
        ])
        func `Words of a language are one if their stems are`(
            language: String, text: String, expected: [String]
        ) throws {
            let tokenizer = try StemmingTokenizer(language)
            #expect(tokenizer.tokens(in: text, for: .document).map(\.term) == expected)
            #expect(StemmingTokenizer.languages.contains(language))
        }

        @Test func `A language without rules is refused, and names those that have some`() {
            let error = #expect(throws: DatabaseError.self) { try StemmingTokenizer("klingon") }
            #expect(error?.code == .invalidQuery && error?.message.contains("english") == true)
        }

        @Test func `An index finds forms of a word, and the places where they stand`() async throws {
            // snippet: search-stems
            let text = FullTextIndex(
                "mails.stems", of: .mails, columns: [SearchColumn("body", \.body)],
                tokenizer: try StemmingTokenizer("english"))
            // end
            let database = Database.inMemory()
            try await database.register(text)
            try await database.write { transaction in
                transaction[.mails]["a"] = Mail(body: "Running and searching")
                transaction[.mails]["b"] = Mail(body: "He ran; she searches")
            }
            let reader = database.snapshot[text]
            #expect(reader.keys(matching: try SearchQuery(parsing: "searched")) == ["a", "b"])
            #expect(reader.keys(matching: try SearchQuery(parsing: "runs")) == ["a"])
            let mail = database.snapshot[.mails].row(for: "b")!
            let places = reader.highlights(in: "body", of: mail, for: .word("searched"))
            #expect(places.map { String(mail.object.body[$0]) } == ["searches"])
        }

        @Test func `Tokenizers of one language are used by many threads at once, and odd text is taken`() async throws {
            let tokenizer = try StemmingTokenizer("english")
            let odd = ["", "\u{0}", "e\u{301}", "👩‍👩‍👧", "東京都", String(repeating: "x", count: 100_000), "ﬃ ẞ İ"]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for number in 0..<200 {
                            #expect(tokenizer.tokens(in: "searching \(number)", for: .query).first?.term == "search")
                        }
                        for text in odd { _ = tokenizer.tokens(in: text, for: .document) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(tokenizer.identifier != (try StemmingTokenizer("german")).identifier)
            #expect(tokenizer.identifier != (try StemmingTokenizer("english", foldsDiacritics: false)).identifier)
        }
    }
#endif

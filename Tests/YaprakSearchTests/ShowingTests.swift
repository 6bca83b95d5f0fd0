import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// Highlights, snippets, suggestions.
@Suite(.bounded) struct ShowingTests {
    static let index = MailIndex("text", of: .mails, \.title, \.body)
    static let gapped = MailIndex("gapped", of: .mails, \.title, \.body, tokenizer: StopWords())

    /// A reader over one record, and the record.
    static func reader(
        _ mail: Mail, _ index: MailIndex = ShowingTests.index
    ) async throws -> (FullTextReader<Mail, NoMetadata>, Record<Mail, NoMetadata>) {
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { $0[.mails]["a"] = mail }
        return (database.snapshot[index], try #require(database.snapshot[.mails].row(for: "a")))
    }

    @Test(arguments: [
        ("dune", "The [Dune] sea, [dune] by dune's"), ("dun*", "The [Dune] sea, [dune] by dune's"),
    ])
    func `Highlights are where words stand, as they are written`(query: String, _: String) async throws {
        let text = "The Dune sea, DÜNE by dunes"
        let (reader, record) = try await Self.reader(Mail(body: text))
        let found = reader.highlights(in: "body", of: record, for: try SearchQuery(parsing: query)).map { text[$0] }
        #expect(found == (query == "dune" ? ["Dune", "DÜNE"] : ["Dune", "DÜNE", "dunes"]))
    }

    @Test(arguments: ["東", "京", "都"]) func `One sign of a script without spaces is shown as one`(sign: String)
        async throws
    {
        let text = "x 東京都 y"
        let (reader, record) = try await Self.reader(Mail(body: text))
        for query in [SearchQuery.word(sign), .prefix(sign), .near("x", sign), .phrase("x \(sign)")] {
            let found = reader.highlights(in: "body", of: record, for: query).map { String(text[$0]) }
            let isAfterX = sign == "東"
            switch query {
            case .near("x", sign): #expect(found == ["x", sign])
            case .phrase("x \(sign)"): #expect(found == (isAfterX ? ["x \(sign)"] : []))
            default: #expect(found == [sign])
            }
        }
        let pair = reader.highlights(in: "body", of: record, for: .word("東京")).map { String(text[$0]) }
        #expect(pair == ["東京"])
    }

    @Test func `What is longer than a snippet is shown as far as there is room`() async throws {
        let filler = (0..<40).map { "word\($0)" }.joined(separator: " ")
        let (reader, record) = try await Self.reader(
            Mail(title: "no title", body: filler + " one two three four five " + filler))
        let snippet = reader.snippet(of: record, for: .phrase("one two three four five"), terms: 3)
        #expect(snippet.column == "body" && snippet.text == "one two three")
        #expect(snippet.highlights.map { snippet.text[$0] } == ["one two three"])
        // Shorter parts of the query count beside it.
        let several = SearchQuery.any(of: [.phrase("two three four five"), .word("one"), .word("two")])
        let both = reader.snippet(of: record, for: several, terms: 3)
        #expect(both.text == "one two three")
        // Twenty signs of a script without spaces are one phrase.
        let signs = String(String.UnicodeScalarView((0..<60).map { Unicode.Scalar(0x4E00 + 7 * $0)! }))
        let (other, text) = try await Self.reader(Mail(title: "none", body: signs))
        let part = String(signs.dropFirst(15).prefix(20))
        let shown = other.snippet(of: text, for: .typing(part))
        #expect(shown.column == "body")
        #expect(shown.highlights.map { part.hasPrefix(shown.text[$0]) } == [true])
    }

    @Test func `A phrase is one highlight, overlaps are joined, and what is excluded is none`() async throws {
        let text = "old spice girls, new spice; old spice"
        let (reader, record) = try await Self.reader(Mail(title: "spice", body: text))
        func found(_ query: String, in column: String = "body") throws -> [String] {
            reader.highlights(in: column, of: record, for: try SearchQuery(parsing: query))
                .map { String((column == "body" ? text : "spice")[$0]) }
        }
        #expect(try found("\"old spice\"") == ["old spice", "old spice"])
        #expect(try found("\"old spice\" OR \"spice girls\"") == ["old spice girls", "old spice"])
        #expect(try found("girls NOT new") == ["girls"])
        #expect(try found("title: spice") == [])
        #expect(try found("title: spice", in: "title") == ["spice"])
        #expect(try found("NEAR(girls new, 0)") == ["girls", "new"])
        #expect(try found("NEAR(girls old, 1)") == ["old", "girls"])
        #expect(try found("spicce~1") == ["spice", "spice", "spice"])
        #expect(try found("spice", in: "nowhere") == [])
    }

    @Test func `A snippet shows the stretch with most of the query`() async throws {
        let filler = (0..<100).map { "word\($0)" }.joined(separator: " ")
        let body = "dune here. " + filler + " then dune and messiah met, " + filler
        let (reader, record) = try await Self.reader(Mail(title: "no title", body: body))
        let snippet = reader.snippet(of: record, for: .words("dune messiah"), terms: 8)
        #expect(snippet.column == "body" && snippet.isCutAtStart && snippet.isCutAtEnd)
        #expect(snippet.marked("[", "]") == "…word99 then [dune] and [messiah] met, word0 word1…")
        #expect(snippet.highlights.map { snippet.text[$0] } == ["dune", "messiah"])
        let title = reader.snippet(of: record, for: .word("title"))
        #expect(title.column == "title" && title.marked("<", ">") == "no <title>")
        let none = reader.snippet(of: record, for: .word("absent"), terms: 3, in: "body")
        #expect(none.marked("[", "]") == "dune here. word0…")
        #expect(reader.snippet(of: record, for: .word("dune"), in: "nowhere").text == "")
    }

    @Test func `Highlights are those of the index where a tokenizer leaves gaps`() async throws {
        let text = "king of rome, then king rome now"
        let (reader, record) = try await Self.reader(Mail(body: text), Self.gapped)
        func found(_ query: SearchQuery) -> [String] {
            reader.highlights(in: "body", of: record, for: query).map { String(text[$0]) }
        }
        #expect(found(.phrase("king of rome,")) == ["king of rome,"])
        #expect(found(.phrase("king rome now")) == ["king rome now"])
        #expect(found(.phrase("king rome,")) == [])
        #expect(found(.near("king", "rome,", within: 1)) == ["king", "rome,", "king"])
        #expect(found(.near("king", "rome,", within: 0)) == [])
        let snippet = reader.snippet(of: record, for: .phrase("king of rome,"), terms: 3)
        #expect(snippet.marked("[", "]") == "[king of rome,] then…")
    }

    /// A compound is a term, and so are its parts, which stand within it.
    struct Compounds: SearchTokenizer {
        let identifier = "compounds/1"
        static let parts = ["donau", "dampf", "schiff", "fahrt"]

        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            text.split(separator: " ").flatMap { word -> [SearchToken] in
                var tokens = [SearchToken(word.lowercased(), at: word.startIndex..<word.endIndex)]
                guard purpose == .document, word.lowercased() == Self.parts.joined() else { return tokens }
                var start = word.startIndex
                for part in Self.parts {
                    let end = word.index(start, offsetBy: part.count)
                    tokens.append(SearchToken(part, at: start..<end))
                    start = end
                }
                return tokens
            }
        }
    }

    /// The last word comes first.
    struct Backwards: SearchTokenizer {
        let identifier = "backwards/1"
        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            text.split(separator: " ").reversed().map { SearchToken(String($0), at: $0.startIndex..<$0.endIndex) }
        }
    }

    /// Places anywhere in the text, also in the middle of a scalar.
    struct Scattered: SearchTokenizer {
        let identifier = "scattered/1"
        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            let utf8 = text.utf8
            var random = SplitMix64(seed: UInt64(utf8.count))
            var tokens: [SearchToken] = []
            for word in text.split(separator: " ") {
                let (a, b) = (random.below(utf8.count + 1), random.below(utf8.count + 1))
                let start = utf8.index(utf8.startIndex, offsetBy: min(a, b))
                let end = utf8.index(utf8.startIndex, offsetBy: max(a, b))
                tokens.append(SearchToken(word.lowercased(), at: start..<end))
            }
            return tokens
        }
    }

    @Test func `Terms within each other, and in descending order, are shown where they stand`() async throws {
        let compounds = MailIndex("compounds", of: .mails, \.title, \.body, tokenizer: Compounds())
        let text = "Die Donaudampfschifffahrt heute abend"
        let (reader, record) = try await Self.reader(Mail(body: text), compounds)
        func snippet(_ query: SearchQuery, _ terms: Int) -> String {
            reader.snippet(of: record, for: query, terms: terms).marked("[", "]")
        }
        #expect(snippet(.word("donaudampfschifffahrt"), 4) == "Die [Donaudampfschifffahrt]…")
        #expect(snippet(.word("schiff"), 3) == "…dampf[schiff]fahrt…")
        let found = reader.highlights(in: "body", of: record, for: .phrase("die donaudampfschifffahrt"))
        #expect(found.map { String(text[$0]) } == ["Die Donaudampfschifffahrt"])

        let backwards = MailIndex("backwards", of: .mails, \.title, \.body, tokenizer: Backwards())
        let (other, same) = try await Self.reader(Mail(body: "one two three"), backwards)
        let phrase = SearchQuery.phrase("two three")
        #expect(other.snippet(of: same, for: phrase, terms: 2).marked("[", "]") == "one [two three]")
        #expect(other.highlights(in: "body", of: same, for: phrase).count == 1)
    }

    @Test(arguments: (0..<UInt64(Soak.volume(3, soak: 40))).map { $0 })
    func `No place that a tokenizer gives is a fault of a snippet or a highlight`(seed: UInt64) async throws {
        let scattered = MailIndex("scattered", of: .mails, \.title, \.body, tokenizer: Scattered())
        var mail = RandomMail(seed: seed)
        for _ in 0..<40 {
            let (reader, record) = try await Self.reader(mail.mail(), scattered)
            let query = mail.query()
            for (column, text) in [("title", record.object.title), ("body", record.object.body)] {
                let ranges = reader.highlights(in: column, of: record, for: query)
                for (a, b) in zip(ranges, ranges.dropFirst()) { #expect(a.upperBound <= b.lowerBound, "seed \(seed)") }
                for range in ranges { #expect(!text[range].isEmpty, "seed \(seed): \(query)") }
                let snippet = reader.snippet(of: record, for: query, terms: 1 + mail.random.below(9), in: column)
                for range in snippet.highlights { #expect(!snippet.text[range].isEmpty, "seed \(seed): \(query)") }
                _ = snippet.marked("[", "]")
            }
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(3, soak: 40))).map { $0 })
    func `Highlights are terms of the text, apart from each other, and there are some where a record matches`(
        seed: UInt64
    ) async throws {
        var mail = RandomMail(seed: seed)
        for round in 0..<60 {
            let (reader, record) = try await Self.reader(mail.mail(), round % 3 == 0 ? Self.gapped : Self.index)
            let query = mail.query()
            var isFound = false
            for (column, text) in [("title", record.object.title), ("body", record.object.body)] {
                let ranges = reader.highlights(in: column, of: record, for: query)
                for (a, b) in zip(ranges, ranges.dropFirst()) { #expect(a.upperBound <= b.lowerBound, "seed \(seed)") }
                for range in ranges { #expect(!text[range].isEmpty && text[range] != " ", "seed \(seed)") }
                if !ranges.isEmpty { isFound = true }
                let snippet = reader.snippet(of: record, for: query, terms: 1 + mail.random.below(9), in: column)
                #expect(text.contains(snippet.text), "seed \(seed): \(query)")
                for range in snippet.highlights { #expect(!snippet.text[range].isEmpty) }
            }
            if reader.contains("a", matching: query) { #expect(isFound, "seed \(seed): \(query)") }
        }
    }

    @Test func `Suggestions are the nearest, then the most frequent, and never the word itself`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.write { transaction in
            transaction[.mails]["a"] = Mail(title: "dragon dragons wagon")
            transaction[.mails]["b"] = Mail(title: "dragon dragoon")
            transaction[.mails]["c"] = Mail(title: "dragan Straße")
        }
        let reader = database.snapshot[Self.index]
        #expect(reader.suggestions(for: "drgaon").map(\.term) == ["dragon", "dragan", "dragons", "dragoon"])
        #expect(reader.suggestions(for: "dragon").map(\.term) == ["dragan", "dragons", "dragoon", "wagon"])
        #expect(reader.suggestions(for: "drgaon")[0] == SearchSuggestion(term: "dragon", recordCount: 2, distance: 1))
        #expect(reader.suggestions(1, for: "STRASE").map(\.term) == ["strasse"])
        #expect(reader.suggestions(for: "!") == [])
        #expect(reader.suggestions(0, for: "dragon") == [])
    }

    @Test(arguments: (0..<UInt64(Soak.volume(3, soak: 40))).map { $0 })
    func `Distances are those of the definition, whatever word came before`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func word() -> String {
            String((0..<random.below(7)).map { _ in ["a", "b", "é", "東", "🎉"][random.below(5)] as Character })
        }
        for _ in 0..<60 {
            let (target, limit) = (word(), 1 + random.below(3))
            let distance = EditDistance(to: Array(target.utf8), atMost: limit)
            var last = ""
            for other in (0..<40).map({ _ in word() }).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                let shared = zip(last.utf8, other.utf8).prefix { $0 == $1 }.count
                let found = Array(other.utf8).withUnsafeBufferPointer { distance($0, shared: shared) }
                let expected = NaiveSearch.distance(Array(target.unicodeScalars), Array(other.unicodeScalars))
                #expect(found == (expected <= limit ? expected : nil), "seed \(seed): \(target), \(other)")
                last = other
            }
        }
    }
}

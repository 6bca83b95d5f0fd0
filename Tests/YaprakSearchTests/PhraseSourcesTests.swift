import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// Beginnings of words within phrases and `NEAR`.
@Suite(.bounded) struct PhraseSourcesTests {
    /// Lets `body` search, and counts how often it is asked whether the search is cancelled.
    private static func asked(
        _ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>, isCancelled: Bool = false,
        _ body: (FullTextSearch) -> Void
    ) -> Int {
        var count = 0
        reader.index.tools.kits.withItem { kit in
            let search = FullTextSearch(query, reader.root, reader.index.tools, kit) {
                count += 1
                return isCancelled
            }
            withExtendedLifetime(reader.snapshot) { body(search) }
        }
        return count
    }

    /// How many places are merged to look for a query, and how many terms looked up: for each it is asked once, and now and then
    /// while places are merged.
    private static func merged(
        _ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>
    ) -> (places: Int, lookups: Int) {
        var places = 0
        let lookups = asked(query, reader) { search in
            for leaf in search.query.leaves {
                let phrases: [CompiledQuery.Phrase] =
                    switch leaf.kind {
                    case .phrase(let phrase): [phrase]
                    case .near(let phrases, _): phrases
                    case .fuzzy: []
                    }
                guard var terms = PhraseSources(phrases, search.leaves) else { continue }
                for phrase in phrases { _ = PhraseCursor(phrase, search.leaves, &terms) }
                places += terms.mergedCount
            }
        }
        return (places, lookups)
    }

    /// 20 records with "x0 e0 x1 e1 …", 500 of each, and 50 records of 200 words that begin with an "e".
    private static func filled() async throws -> FullTextReader<Mail, NoMetadata> {
        let database = Database.inMemory()
        try await database.write { transaction in
            let pairs = (0..<500).map { "x\($0) e\($0 % 7)" }.joined(separator: " ")
            let others = (0..<200).map { "e\($0)" }.joined(separator: " ")
            for number in 0..<20 { transaction[.mails]["pairs\(number)"] = Mail(title: "", body: pairs) }
            for number in 0..<50 { transaction[.mails]["other\(number)"] = Mail(title: "rare", body: others) }
        }
        try await database.register(FullTextCostTests.index)
        return database.snapshot[FullTextCostTests.index]
    }

    /// It had a copy of the places for each phrase, all at the same time: a query of 16 KiB took gigabytes.
    @Test func `A NEAR of 500 phrases with one beginning merges its places once, in the records that have the words`()
        async throws
    {
        let reader = try await Self.filled()
        let phrases = (0..<500).map { "\"x\($0) e\"*" }.joined(separator: " ")
        let query = try SearchQuery(parsing: "NEAR(\(phrases), 2000)")
        let merged = Self.merged(query, reader)
        #expect(merged.places == 20 * 500)
        // Each word, and the beginning; not twice. And twice within its 10,140 postings, and once before places are sorted.
        #expect(merged.lookups == 501 + 2 + 1)
        #expect(reader.count(matching: query) == 20)
        #expect(reader.top(3, for: query).map(\.key) == ["pairs0", "pairs1", "pairs10"])
    }

    @Test func `Of a beginning behind a word, only places in records with the word are merged`() async throws {
        let reader = try await Self.filled()
        #expect(Self.merged(.prefix("x7 e"), reader).places == 20 * 500)
        #expect(Self.merged(.prefix("rare e"), reader).places == 50 * 200)
        #expect(Self.merged(.prefix("e0 x1"), reader).places == 20 * 111)
        // The beginning is rarer than the word.
        #expect(Self.merged(.prefix("e0 e199"), reader).places == 50)
        #expect(reader.count(matching: .prefix("e0 x1")) == 20)
        #expect(reader.count(matching: .prefix("e198 e19")) == 50)
        #expect(reader.count(matching: .prefix("e1 e")) == 50)
        // There is no word.
        let beginnings = try SearchQuery(parsing: "NEAR(x* e*, 3)")
        #expect(Self.merged(beginnings, reader).places == 20 * (500 + 500))
        #expect(reader.count(matching: beginnings) == 20)
    }

    @Test func `A beginning beside a word that is nowhere is not looked up`() async throws {
        let reader = try await Self.filled()
        for text in ["\"nothere e\"*", "NEAR(\"x7 nothere\" e*)", "NEAR(\"x1 e\"* e* nothere)"] {
            let query = try SearchQuery(parsing: text)
            let merged = Self.merged(query, reader)
            #expect(merged.places == 0, "\(text)")
            #expect(merged.lookups <= 2, "\(text)")
            #expect(reader.count(matching: query) == 0, "\(text)")
        }
    }

    @Test func `A NEAR whose first phrases rule out all records does not look up the others`() async throws {
        let reader = try await Self.filled()
        let words = (1..<400).map { "x\($0)" }.joined(separator: " ")
        let query = try SearchQuery(parsing: "NEAR(x0 rare \(words))")
        let lookups = Self.asked(query, reader) { #expect($0.matches().isEmpty) }
        #expect(lookups < 10, "\(lookups)")
    }

    /// It was asked for each lookup, which gave nothing then, but went on to the last phrase.
    @Test func `A search that nobody waits for gives up a NEAR at the next phrase`() async throws {
        let reader = try await Self.filled()
        let phrases = (0..<500).map { "\"x\($0) e\"*" }.joined(separator: " ")
        let query = try SearchQuery(parsing: "NEAR(\(phrases), 2000)")
        let asked = Self.asked(query, reader, isCancelled: true) { #expect($0.matches().isEmpty) }
        #expect(asked == 1)
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `Beginnings within phrases and NEAR are found and ranked as in a scan`(seed: UInt64) async throws {
        let database = Database.inMemory()
        let index = seed % 2 == 0 ? FullTextModelTests.index : FullTextModelTests.gapped
        try await database.register(index)
        var random = SplitMix64(seed: seed)
        // Few words, many of which begin alike; "東" alone is a beginning, too.
        let words = ["a", "ab", "abc", "abd", "b", "ba", "東京", "東", "the", "rare"]
        func text(_ count: Int) -> [String] { (0..<count).map { _ in words[random.below(words.count)] } }
        let texts = (0..<40).map { _ in text(1 + random.below(12)) }
        try await database.write { transaction in
            for (number, text) in texts.enumerated() {
                let title = text.prefix(number % 3).joined(separator: " ")
                transaction[.mails]["m\(number)"] = Mail(title: title, body: text.joined(separator: " "))
            }
        }
        let snapshot = database.snapshot
        let naive = NaiveSearch(index, in: snapshot)
        var isFound = false
        for _ in 0..<40 {
            // Up to three phrases of up to four words, most of one text: few terms, or more than eight.
            let base = texts[random.below(texts.count)]
            let phrases = (0..<1 + random.below(3)).map { _ in
                let count = 1 + random.below(4)
                let part = random.chance(80) ? base.dropFirst(random.below(base.count)).prefix(count) : text(count)[...]
                return QueryPhrase(text: part.joined(separator: " "), isPrefix: random.chance(60))
            }
            var query =
                phrases.count == 1
                ? SearchQuery(.phrase(phrases[0])) : SearchQuery(.near(phrases, random.below(8)))
            if random.chance(20) { query = query.within("body") }
            let expected = naive.keys(matching: query)
            isFound = isFound || phrases.count > 1 && !expected.isEmpty
            try #require(snapshot[index].keys(matching: query) == expected, "seed \(seed): \(query)")
            let hits = snapshot[index].top(100, for: query)
            #expect(hits.map(\.key).sorted() == expected, "seed \(seed): \(query)")
            var found: [NaiveSearch.Part: Int] = [:]
            for hit in hits {
                let document = try #require(naive.documents.first { $0.key == hit.key })
                #expect(abs(hit.score - naive.score(query, document, &found)) < 1e-6, "seed \(seed): \(query)")
            }
        }
        #expect(isFound, "seed \(seed)")
    }
}

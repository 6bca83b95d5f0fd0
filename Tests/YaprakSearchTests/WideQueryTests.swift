import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// Queries of many parts.
@Suite(.bounded) struct WideQueryTests {
    /// What a query finds by a ranking of one kind, to the last bit.
    private static func ranking(
        _ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>,
        _ rank: (FullTextSearch) -> [(document: UInt32, score: Double)]
    ) -> [String] {
        reader.index.tools.kits.withItem { kit in
            let search = FullTextSearch(query, reader.root, reader.index.tools, kit)
            return withExtendedLifetime(reader.snapshot) {
                rank(search).map { "\($0.document): \($0.score.bitPattern)" }
            }
        }
    }

    private static func needsManyLists(_ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>) -> Bool {
        reader.index.tools.kits.withItem { kit in
            FullTextSearch(query, reader.root, reader.index.tools, kit).needsManyLists
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(3, soak: 40))).map { $0 })
    func `Scores added up part by part are those of all parts together, to the last bit`(seed: UInt64) async throws {
        let database = Database.inMemory()
        let indexes = [FullTextModelTests.index, FullTextModelTests.weighted, FullTextModelTests.gapped]
        for index in indexes { try await database.register(index) }
        var mail = RandomMail(seed: seed)
        for _ in 0..<30 { try await mail.write(to: database) }
        let snapshot = database.snapshot
        for index in indexes {
            let reader = snapshot[index]
            for _ in 0..<40 {
                let query = mail.query(depth: 1 + mail.random.below(5))
                let count = [1, 3, 10, 1_000][mail.random.below(4)]
                let together = Self.ranking(query, reader) { $0.topByDocuments(count) }
                #expect(Self.ranking(query, reader) { $0.topByParts(count) } == together, "seed \(seed): \(query)")
            }
        }
    }

    @Test func `A query of many parts is looked up part by part, and finds and ranks the same`() async throws {
        let database = try await FullTextCostTests.filled(500)
        let reader = database.snapshot[FullTextCostTests.index]
        let letters = Array("0123456789")
        let misspelt = letters.flatMap { a in letters.map { b in SearchQuery.fuzzy("w\(a)\(b)", distance: 2) } }
        let beginnings = (0..<200).map { SearchQuery.prefix("w\($0)") }
        let many: [SearchQuery] = [
            .any(of: misspelt), .any(of: beginnings), .all(of: [.word("all"), .any(of: beginnings)]),
            SearchQuery.any(of: beginnings).excluding(.any(of: misspelt.dropLast(10))),
            .any(of: (0..<100).map { .near("all", "\($0)", within: $0) }),
            .any(of: (0..<100).map { .all(of: [beginnings[$0], beginnings[$0 / 2], .word("all")]) }),
            .typing((0..<300).map { "w\($0)" }.joined(separator: " ")),
        ]
        for query in many {
            #expect(Self.needsManyLists(query, reader))
            let together = Self.ranking(query, reader) { $0.topByDocuments(20) }
            #expect(Self.ranking(query, reader) { $0.top(20) } == together)
            #expect(reader.top(.max, for: query).count == reader.count(matching: query))
        }
        // Words are read as they are walked, however many there are; few parts need few lists.
        #expect(!Self.needsManyLists(.words((0..<300).map { "w\($0)" }.joined(separator: " ")), reader))
        #expect(!Self.needsManyLists(.any(of: Array(beginnings.prefix(LeafSearch.listsMax))), reader))
    }

    private static func words(_ range: Range<Int>) -> [SearchQuery] { range.map { .word("w\($0)") } }

    @Test func `The scores of an OR of many words are those of its parts one by one, to the last bit`() async throws {
        let database = try await FullTextCostTests.filled(500)
        let reader = database.snapshot[FullTextCostTests.index]
        let many: [SearchQuery] = [
            .any(of: Self.words(0..<300)), .all(of: [.word("all"), .any(of: Self.words(100..<300))]),
            SearchQuery.any(of: Self.words(0..<40)).excluding(.any(of: Self.words(30..<90))),
            .any(of: [
                .any(of: Self.words(0..<12)), .word("absent"), .word("w1"),
                .all(of: [.word("all"), .any(of: Self.words(5..<20))]),
            ]),
            .any(of: (0..<100).map { .all(of: [.word("w\($0)"), .any(of: Self.words($0 + 1..<$0 + 40))]) }),
        ]
        for query in many {
            #expect(!Self.needsManyLists(query, reader))
            let together = Self.ranking(query, reader) { $0.topByDocuments(1_000) }
            let oneByOne = Self.ranking(query, reader) { $0.topByParts(1_000) }
            #expect(together == oneByOne, "\(query)")
            #expect(!together.isEmpty && together.count == reader.count(matching: query), "\(query)")
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `Many cursors in their order give the documents and scores of all that are looked at`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let lists = (0..<1 + random.below(60)).map { _ -> (found: FoundDocuments, rank: Rank) in
            var found = FoundDocuments()
            for document in 0..<UInt32(random.below(200)) where random.chance(20) {
                found.append(document, Double(1 + random.below(5)))
            }
            return (found, Rank(documents: 200, matching: 1 + random.below(200)))
        }
        func cursors() -> ContiguousArray<DocumentCursor> {
            ContiguousArray(lists.map { ListCursor($0.found, $0.rank) as DocumentCursor })
        }
        let (many, few) = (AnyOfManyCursor(cursors()), AnyCursor(cursors()))
        while true {
            #expect(many.document == few.document, "seed \(seed)")
            if few.document == DocumentCursor.end || many.document != few.document { break }
            #expect(many.score(0.9).bitPattern == few.score(0.9).bitPattern, "seed \(seed)")
            let target = few.document + 1 + UInt32(random.chance(30) ? random.below(20) : 0)
            for cursor in [many, few] as [DocumentCursor] { cursor.seek(target) }
        }
    }

    /// All of them were looked at for each record: seconds for 16 KiB of text and a million records.
    @Test func `Thousands of words beside one that each record has cost steps for their postings, not for the records`()
        async throws
    {
        let database = try await FullTextCostTests.filled(2_000)
        let others = (0..<2_500).map { SearchQuery.word("x\($0)") }
        let wanted = SearchQuery.any(of: [.word("all")] + others)
        let unwanted = SearchQuery.word("all").excluding(.any(of: others))
        let levels = (0..<50).reduce(SearchQuery.word("all")) { query, level in
            .any(of: Array(others[level * 50..<level * 50 + 50]) + [query])
        }
        /// The hits that are the same with and without the other words.
        func hits(_ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>) -> [String] {
            reader.top(.max, for: query).filter { $0.key != "last" }.map { "\($0.key): \($0.score.bitPattern)" }
        }
        /// How often the cursor over many parts looks at one of them until the end; `nil` if there is no such cursor.
        func steps(of query: SearchQuery, in reader: FullTextReader<Mail, NoMetadata>) -> Int? {
            reader.index.tools.kits.withItem { kit in
                let search = FullTextSearch(query, reader.root, reader.index.tools, kit)
                return withExtendedLifetime(reader.snapshot) {
                    var known: LeafSearch.KnownLeaves = [:]
                    let cursor = search.cursor(search.query.root, &known)
                    while cursor.document != DocumentCursor.end {
                        _ = cursor.score(1)
                        cursor.seek(cursor.document + 1)
                    }
                    let walked = (cursor as? ExclusionCursor)?.unwanted ?? cursor
                    return (walked as? AnyOfManyCursor)?.steps
                }
            }
        }
        // None of the words is in the index.
        var reader = database.snapshot[FullTextCostTests.index]
        let all = hits(.word("all"), reader)
        #expect(all.count == 2_000)
        for query in [wanted, unwanted, levels] {
            #expect(hits(query, reader) == all)
            #expect(steps(of: query, in: reader) == nil)
        }
        // All are in the last record.
        try await database.write {
            $0[.mails]["last"] = Mail(title: "all", body: (0..<2_500).map { "x\($0)" }.joined(separator: " "))
        }
        reader = database.snapshot[FullTextCostTests.index]
        for query in [wanted, unwanted, levels] {
            #expect(hits(query, reader) == hits(.word("all"), reader))
            #expect(reader.top(.max, for: query).count == reader.count(matching: query))
            let count = try #require(steps(of: query, in: reader))
            #expect(count < 20 * (2_001 + 2_500), "\(count)")
        }
    }

    @Test func `A ranking that nobody waits for any more ends, however many records a word has`() async throws {
        let stride = Int(FullTextSearch.cancellationStride)
        let database = try await FullTextCostTests.filled(2 * stride + 1)
        let reader = database.snapshot[FullTextCostTests.index]
        let word = SearchQuery.word("all")
        // Once for the word, once for each stretch of records, and once before what is found is sorted.
        let results = (1...5).map { count in Self.givenUp(word, reader, after: count) { $0.topByDocuments(.max) } }
        #expect(results.map(\.asked) == [3, 4, 5, 5, 5])
        #expect(results.map(\.found) == [0, 0, 0, 0, 2 * stride + 1])
        // Once for the part, once for its word, and once before what is found is sorted.
        let others = (1...3).map { count in Self.givenUp(word, reader, after: count) { $0.topByParts(.max) } }
        #expect(others.map(\.asked) == [3, 3, 3])
        #expect(others.map(\.found) == [0, 0, 2 * stride + 1])
    }

    /// It was asked for each word, and not while records were skipped.
    @Test func `A ranking that nobody waits for any more ends also where it passes over all records in one step`()
        async throws
    {
        let stride = Int(FullTextSearch.cancellationStride)
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 0...2 * stride {
                // Keys in the order of their numbers.
                let title = number % 2 == 0 ? "all even" : "all odd"
                transaction[.mails]["m\(10_000 + number)"] = Mail(title: title, body: "")
            }
        }
        try await database.register(FullTextCostTests.index)
        let reader = database.snapshot[FullTextCostTests.index]
        let queries: [SearchQuery] = [
            .word("all").excluding(.word("all")), .all(of: [.word("even"), .word("odd")]),
            try SearchQuery(parsing: "\"even odd\""),
        ]
        func asked(_ query: SearchQuery, upTo count: Int) -> Int {
            let result = Self.givenUp(query, reader, after: count) { $0.topByDocuments(.max) }
            #expect(result.found == 0, "\(query)")
            return result.asked
        }
        for query in queries {
            // For each word, for each stretch of records that are skipped, and at the end.
            #expect(asked(query, upTo: .max) == 2 + 2 + 1, "\(query)")
            #expect(asked(query, upTo: 2) == 2 + 1 + 1, "\(query)")
        }
        // For each word, and once more behind it; after a stretch of records that have either; and at the end.
        let near = try SearchQuery(parsing: "NEAR(even odd)")
        #expect(asked(near, upTo: 4) == 4 + 1 + 1)
        #expect(asked(near, upTo: .max) > 4 + 1 + 1)
        // For each word, after a stretch of records that have the phrase, before these are walked, and at the end.
        let phrase = try SearchQuery(parsing: "\"all even\"")
        #expect(asked(phrase, upTo: 2) == 2 + 1 + 1 + 1)
        // For both terms, within the places of the beginning, and at the end: records with the phrase are not looked for.
        #expect(asked(.prefix("all e"), upTo: 2) == 2 + 1 + 1)
    }

    /// How many records are found by a search that is given up once it was asked so often, and how often it is asked.
    private static func givenUp(
        _ query: SearchQuery, _ reader: FullTextReader<Mail, NoMetadata>, after count: Int,
        _ rank: (FullTextSearch) -> [(document: UInt32, score: Double)]
    ) -> (found: Int, asked: Int) {
        var asked = 0
        let found = reader.index.tools.kits.withItem { kit in
            let search = FullTextSearch(query, reader.root, reader.index.tools, kit) {
                asked += 1
                return asked > count
            }
            return withExtendedLifetime(reader.snapshot) { rank(search).count }
        }
        return (found, asked)
    }

    @Test func `What is typed may be as long as a book: words are looked up while a record has all before`()
        async throws
    {
        let database = try await FullTextCostTests.filled(2_000)
        let reader = database.snapshot[FullTextCostTests.index]
        let text = (0..<30_000).map { "w\($0 % 900)" }.joined(separator: " ")
        /// How many terms are looked up.
        func lookups(_ query: SearchQuery, _ body: (FullTextSearch) -> Void) -> Int {
            var count = 0
            reader.index.tools.kits.withItem { kit in
                let search = FullTextSearch(query, reader.root, reader.index.tools, kit) {
                    count += 1
                    return false
                }
                withExtendedLifetime(reader.snapshot) { body(search) }
            }
            return count
        }
        let ranked = lookups(.typing(text)) { #expect($0.top(10).isEmpty) }
        let matched = [SearchQuery.typing(text), .words(text)].map { query in
            lookups(query) { #expect($0.matches().isEmpty) }
        }
        #expect(ranked < 100 && matched[0] < 100 && matched[1] < 100, "\(ranked), \(matched)")
    }
}

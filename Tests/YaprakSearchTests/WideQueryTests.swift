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

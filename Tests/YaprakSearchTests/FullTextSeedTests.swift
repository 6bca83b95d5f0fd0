import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakCore
@testable import YaprakSearch

/// An index that is made of records that are there already, by several threads.
@Suite(.bounded) struct FullTextSeedTests {
    /// Where a term stands: the document, the position and the column.
    struct Posting: Hashable, Comparable {
        var document: UInt32
        var place: UInt32

        static func < (a: Posting, b: Posting) -> Bool { (a.document, a.place) < (b.document, b.place) }
    }

    /// Common words, rare ones, and words that begin alike.
    static func word(_ random: inout SplitMix64) -> String {
        switch random.below(4) {
        case 0: RandomMail.words[random.below(RandomMail.words.count)]
        case 1: "w\(random.below(3000))"
        case 2: "beginning\(random.below(400))"
        default: String(repeating: "long", count: 1 + random.below(70)) + "\(random.below(3))"
        }
    }

    static func database(_ count: Int, _ random: inout SplitMix64) async throws -> Database {
        var mails: [Mail] = []
        for _ in 0..<count {
            func text(_ longest: Int) -> String {
                (0..<random.below(longest + 1)).map { _ in word(&random) }.joined(separator: " ")
            }
            mails.append(Mail(title: text(3), body: text(random.chance(2) ? 300 : 8), note: text(2)))
        }
        let database = Database.inMemory()
        try await database.write { [mails] transaction in
            for (number, mail) in mails.enumerated() { transaction[.mails]["m\(number)"] = mail }
        }
        return database
    }

    /// All postings of an index, from its pages.
    static func postings(of root: FullTextRoot) -> [[UInt8]: [Posting]] {
        var postings: [[UInt8]: [Posting]] = [:]
        let term = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax)
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer {
            term.deallocate()
            numbers.deallocate()
        }
        root.pages.forEach { row in
            var walker = RunWalker(unsafeDowncast(row, to: PostingPage.self), term: term)
            while walker.next() {
                let run = walker.run
                let occurrences = numbers + PostingRun.documentsMax
                run.decode(numbers, occurrences)
                var reader = ByteReader(run.positions)
                for index in 0..<run.count {
                    var place: UInt32 = 0
                    for _ in 0..<occurrences[index] {
                        place += reader.number()
                        postings[Array(UnsafeBufferPointer(start: run.term, count: run.termCount)), default: []]
                            .append(Posting(document: numbers[index], place: place))
                    }
                }
            }
        }
        return postings
    }

    /// The same from the texts.
    static func naivePostings(of snapshot: Snapshot, _ index: MailIndex) -> [[UInt8]: [Posting]] {
        var postings: [[UInt8]: [Posting]] = [:]
        for (document, record) in snapshot[.mails].enumerated() {
            for (column, text) in index.columnTexts(of: record.storedBox).enumerated() {
                let splitter = TextSplitter(index.tokenizer)
                splitter.split(text, for: .document) { token in
                    postings[Array(token.term), default: []].append(
                        Posting(
                            document: UInt32(document),
                            place: UInt32(token.position * index.columns.count + column)))
                }
            }
        }
        return postings.mapValues { $0.sorted() }
    }

    @Test(arguments: [(0, 2), (1, 2), (100, 2), (127, 2), (128, 2), (1500, 1), (1500, 2), (1500, 3), (1500, 8)])
    func `However many threads make an index, it has every term where the texts have it`(
        count: Int, lanes: Int
    ) async throws {
        let seed = UInt64(count * 10 + lanes)
        var random = SplitMix64(seed: seed)
        let snapshot = try await Self.database(count, &random).snapshot
        for index in [FullTextModelTests.index, FullTextModelTests.gapped] {
            let gathered = FullTextSeed(lanesMax: lanes, index.makeLane)
            var boxes: [RecordBox] = snapshot[.mails].map(\.storedBox)
            while !boxes.isEmpty {
                let some = Array(boxes.prefix(1 + random.below(700)))
                gathered.add(some)
                boxes.removeFirst(some.count)
            }
            let timeline = Timeline(arena: Arena()) { _ in }
            let draft = timeline.beginDraft()
            let root = gathered.makeRoot(draft: draft)
            for tree in root.trees {
                let violation = tree.firstViolation()
                try #require(violation == nil, "seed \(seed), \(index.name)")
            }
            let expected = Self.naivePostings(of: snapshot, index)
            try #require(Self.postings(of: root) == expected, "seed \(seed), \(index.name)")
            #expect(root.termCount == expected.values.reduce(0) { $0 + $1.count }, "seed \(seed), \(index.name)")
            #expect(root.documentCount == count)
            // Every page is one that a launch accepts, in the order of its key.
            let stored = try StoredFullText(decoding: StoredFullText(root, ofCollectionNamed: "mails").encoded())
            let restored = try stored.root(
                ofCollectionNamed: "mails", keys: snapshot[.mails].map(\.key), columnCount: index.columns.count,
                draft: draft)
            try #require(Self.postings(of: restored) == expected, "seed \(seed), \(index.name)")
            draft.abort(roots: [])
            timeline.close(roots: [])
        }
    }

    @Test func `An index that is registered late answers as one that followed every write`() async throws {
        var random = SplitMix64(seed: 11)
        let database = Database.inMemory()
        let first = MailIndex("first", of: .mails, \.title, \.body)
        let late = MailIndex("late", of: .mails, \.title, \.body)
        try await database.register(first)
        let mails = try await Self.database(2500, &random).snapshot[.mails].map { ($0.key, $0.object) }
        try await database.write { transaction in for (key, mail) in mails { transaction[.mails][key] = mail } }
        try await database.register(late)
        let snapshot = database.snapshot
        for _ in 0..<300 {
            let query = SearchQuery.any(of: [
                .word(Self.word(&random)), .phrase("\(Self.word(&random)) \(Self.word(&random))"),
            ])
            let (a, b) = (snapshot[first].top(30, for: query), snapshot[late].top(30, for: query))
            #expect(a.map(\.key) == b.map(\.key) && a.map(\.score) == b.map(\.score), "\(query)")
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `A table of terms numbers as a dictionary does and sorts as bytes, each time it is used`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let table = TermTable(capacity: 16)
        for size in [20_000, 3, 400, 0, 2000] {
            var numbers: [[UInt8]: UInt32] = [:]
            for _ in 0..<size {
                // Of few bytes, so that many are the same, and many begin alike.
                let length = 1 + random.below(random.chance(10) ? WordScanner.termBytesMax : 12)
                let term = (0..<length).map { _ in UInt8(random.chance(95) ? 97 : 98 + random.below(158)) }
                let (known, next) = (numbers[term], UInt32(numbers.count))
                try #require(term.withUnsafeBufferPointer { table.find($0) } == known, "seed \(seed)")
                let number = term.withUnsafeBufferPointer { table.number(of: $0) }
                try #require(number == known ?? next, "seed \(seed)")
                #expect(table.beginnings.contains(term[0]))
                numbers[term] = number
            }
            #expect(table.count == numbers.count)
            let sorted = table.sorted()
            defer { sorted.deallocate() }
            let terms = sorted.map { Array(table[$0.number]) }
            #expect(terms == numbers.keys.sorted { $0.lexicographicallyPrecedes($1) }, "seed \(seed)")
            #expect(sorted.map(\.word) == sorted.map { table.firstBytes(of: $0.number) }, "seed \(seed)")
            table.removeAll()
            let left = numbers.keys.filter { $0.withUnsafeBufferPointer { table.find($0) } != nil }
            #expect(table.count == 0 && left.isEmpty, "seed \(seed)")
        }
    }
}

import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// How queries are found in a text, held against the plainest way.
@Suite(.bounded) struct ScanningTests {
    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `All units at once are found where each is, compared with every word`(seed: UInt64) {
        var mail = RandomMail(seed: seed)
        var compared = 0
        for round in 0..<30 {
            let tokenizer: any SearchTokenizer = round % 3 == 0 ? StopWords() : WordTokenizer()
            let splitter = TextSplitter(tokenizer)
            // Of few words, so that long phrases are found.
            let choice = round % 2 == 0 ? ["ab", "ab", "a", "東京", "abc"] : RandomMail.words
            func words(_ count: Int) -> [String] {
                (0..<count).map { _ in choice[mail.random.below(choice.count)] }
            }
            func many(_ words: [String], _ times: Int) -> [String] {
                Array(repeating: words, count: times).flatMap { $0 }
            }
            let part = words(1 + mail.random.below(2))
            let text = (words(mail.random.below(20)) + many(part, 30) + words(9)).joined(separator: " ")
            let phrases = (0..<6).map { _ in
                (mail.random.chance(50) ? words(1 + mail.random.below(3)) : many(part, 12)).joined(separator: " ")
            }
            var queries: [SearchQuery] = phrases.map { .phrase($0) }
            for phrase in phrases { queries.append(.prefix(String(phrase.dropLast()))) }
            queries.append(.near(phrases[0], phrases[1], within: mail.random.below(5)))
            queries += [.typing(phrases[2]), .phrase(many(part, 9).joined(separator: " ")), mail.query()]
            let compiled = CompiledQuery(.any(of: queries), columnNames: ["body"], splitter)
            // Queries of few units, or of stop words alone, have none.
            guard let units = UnitTable(compiled.leaves) else { continue }
            compared += 1
            let (fast, plain) = (ScannedText(text, splitter, units: units), ScannedText(text, splitter))
            for leaf in compiled.leaves {
                let found = fast.occurrences(of: leaf).map { "\($0)" }
                let expected = plain.occurrences(of: leaf).map { "\($0)" }
                #expect(found == expected, "seed \(seed), \(round): \(leaf) in \(text)")
            }
        }
        #expect(compared > 15, "seed \(seed)")
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `Of more columns than an index can have, each is found by its name`(seed: UInt64) {
        var mail = RandomMail(seed: seed)
        let few = ["title", "body", "note"]
        let empty = (0..<90).map { "empty\($0)" }
        let many = ["title"] + empty + ["body"] + empty + ["note"]
        var found = 0
        for _ in 0..<100 {
            let query = mail.query()
            let texts = few.map { _ in mail.text(6) }
            var more = Array(repeating: "", count: many.count)
            for (name, text) in zip(few, texts) { more[many.firstIndex(of: name)!] = text }
            let (scan, wide) = (SearchScan(query, columns: few), SearchScan(query, columns: many))
            #expect(wide.matches(more) == scan.matches(texts), "seed \(seed): \(query) in \(texts)")
            #expect(wide.snippet(of: more, terms: 4) == scan.snippet(of: texts, terms: 4), "seed \(seed): \(query)")
            if scan.matches(texts) { found += 1 }
        }
        #expect(found > 0, "seed \(seed)")
    }

    /// The best stretch, by a look at all of each.
    private static func plainWindow(
        _ occurrences: [(leaf: Int, found: ScannedText.Occurrence)], of total: Int, terms count: Int
    ) -> (Range<Int>, score: Int) {
        func score(_ leaves: [Int]) -> Int { Set(leaves).count * 1000 + min(999, leaves.count) }
        guard total > count else { return (0..<total, score(occurrences.map(\.leaf))) }
        var best = (first: 0, last: 0, score: 0)
        for first in Set(occurrences.map(\.found.terms.lowerBound)).sorted() {
            let inside = occurrences.filter {
                first <= $0.found.terms.lowerBound && $0.found.terms.upperBound <= first + count
            }
            let found = score(inside.map(\.leaf))
            if found > best.score { best = (first, inside.map(\.found.terms.upperBound).max()!, found) }
        }
        guard best.score > 0 else { return (0..<count, 0) }
        let low = min(max(0, best.first - max(0, (count - (best.last - best.first)) / 2)), total - count)
        return (low..<low + count, best.score)
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `The stretch of a snippet is the best of all`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 {
            let (total, count) = (1 + random.below(60), 1 + random.below(20))
            let occurrences = (0..<random.below(30)).map { _ in
                let start = random.below(total)
                let length = 1 + random.below(min(count, total - start))
                return (leaf: random.below(5), found: ScannedText.Occurrence(terms: start..<start + length))
            }
            let (window, score) = TextHighlighter.bestWindow(occurrences, of: total, terms: count)
            let expected = Self.plainWindow(occurrences, of: total, terms: count)
            #expect(
                window == expected.0 && score == expected.score, "seed \(seed): \(occurrences), \(count) of \(total)")
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `Phrases are near where each begins close before`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 {
            let positions = (0..<2 + random.below(4)).map { _ in
                Set((0..<random.below(12)).map { _ in random.below(60) }).sorted()
            }
            let lengths = positions.map { _ in 1 + random.below(3) }
            let distance = random.chance(10) ? .max : random.below(12)
            let expected = Set(positions.joined()).filter { last in
                zip(positions, lengths).allSatisfy { starts, length in
                    starts.contains { $0 <= last && last - length - min(distance, 1_000) <= $0 }
                }
            }
            let near = NearMatch(positions, lengths: lengths, distance: distance)
            #expect(near.count == expected.count, "seed \(seed): \(positions), \(lengths), \(distance)")
            let members = near.members.map { "\($0.phrase) \($0.position)" }
            let others = positions.enumerated().flatMap { phrase, starts in
                starts.filter { start in
                    expected.contains { start <= $0 && $0 - lengths[phrase] - min(distance, 1_000) <= start }
                }
                .map { "\(phrase) \($0)" }
            }
            #expect(members == others, "seed \(seed): \(positions), \(lengths), \(distance)")
        }
    }

    private static func seconds(_ body: () -> Void) -> Duration {
        let start = ThreadClock.seconds
        body()
        return .seconds(ThreadClock.seconds - start)
    }

    @Test func `Many words are found in a text in the time it takes to read both`() async {
        await expectGrowth("words in a text", 1_500) { count in
            let words = (0..<count).map { "word\($0)" }.joined(separator: " ")
            return Self.seconds {
                let scan = SearchScan(.words(words), columns: ["text"])
                #expect(TextHighlighter(scan: scan).highlights(in: words, column: 0).count == count)
            }
        }
    }

    /// Each of them was looked for in each text, and had an array for each.
    @Test func `Many words in none of many texts take about the time of one`() {
        let columns = (0..<20_000).map { "f\($0)" }
        let texts = columns.map { _ in "hay and straw" }
        let words = (0..<1_000).map { SearchQuery.word("word\($0)") }
        func least(_ query: SearchQuery) -> Duration {
            let scan = SearchScan(query, columns: columns)
            return (0..<3).map { _ in Self.seconds { #expect(!scan.matches(texts)) } }.min()!
        }
        let (one, many) = (least(.word("word0")), least(.any(of: words)))
        #expect(many < one * 10 + .milliseconds(100), "\(one) and \(many)")
        // Those that have one are looked at, and so are all where a word may be misspelt.
        var others = texts
        others[19_000] = "hay and word7"
        #expect(SearchScan(.any(of: words), columns: columns).matches(others))
        #expect(SearchScan(.any(of: words), columns: columns).snippet(of: others, terms: 9).column == "f19000")
        let misspelt = SearchQuery.any(of: Array(words.prefix(20)) + [.fuzzy("stray", distance: 1)])
        let (some, scan) = (Array(texts.prefix(2)), SearchScan(misspelt, columns: ["a", "b"]))
        #expect(scan.matches(some))
        #expect(scan.snippet(of: some, terms: 9).marked("[", "]") == "hay and [straw]")
    }

    @Test func `A long snippet of a word that is everywhere is found in one pass`() async {
        await expectGrowth("a snippet", 1_500) { count in
            let text = String(repeating: "all ", count: count)
            return Self.seconds {
                let snippet = SearchScan(.word("all"), columns: ["text"]).snippet(of: [text], terms: count / 2)
                #expect(snippet.highlights.count == count / 2)
            }
        }
    }

    @Test func `Many phrases near each other are found in the time it takes to sort their places`() async {
        await expectGrowth("phrases that are near", 1_000) { count in
            let positions = (0..<count).map { [$0, 2 * count - $0] }
            return Self.seconds {
                let near = NearMatch(positions, lengths: Array(repeating: 1, count: count), distance: 10 * count)
                #expect(near.count > 0)
            }
        }
    }

    @Test func `Thousands of equal words in sequence are shown in a text that repeats them`() {
        let text = String(repeating: "all ", count: 20_000)
        func least(_ count: Int) -> Double {
            let phrase = SearchQuery.phrase(String(repeating: "all ", count: count))
            return (0..<2).map { _ in
                let start = ThreadClock.seconds
                let scan = SearchScan(phrase, columns: ["text"])
                #expect(TextHighlighter(scan: scan).highlights(in: text, column: 0).count == 1)
                #expect(scan.snippet(of: [text], terms: 16).highlights.count == 1)
                return ThreadClock.seconds - start
            }
            .min()!
        }
        // Place by place they would take thousands of times as long as two.
        let (two, thousands) = (least(2), least(8_000))
        #expect(thousands < 500 * two + 0.5, "\(two) and \(thousands)")
    }
}

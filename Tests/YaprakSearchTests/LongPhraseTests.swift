import TestSupport
import Testing
import Yaprak

@testable import YaprakSearch

/// Phrases of many words, also of the same ones again and again.
@Suite(.bounded) struct LongPhraseTests {
    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `A long phrase of few words is found and ranked as in a scan`(seed: UInt64) async throws {
        let database = Database.inMemory()
        let index = FullTextModelTests.gapped
        try await database.register(index)
        var random = SplitMix64(seed: seed)
        let words = ["the", "ab", "ab", "abc", "b"]
        func text(_ count: Int) -> [String] { (0..<count).map { _ in words[random.below(words.count)] } }
        // Some parts come again and again, so that long phrases do, too.
        let part = text(1 + random.below(3))
        let texts = (0..<40).map { number -> [String] in
            (0..<1 + random.below(6)).flatMap { _ in
                random.chance(70)
                    ? Array(repeating: part, count: random.below(40)).flatMap { $0 } : text(random.below(9))
            }
        }
        try await database.write { transaction in
            for (number, text) in texts.enumerated() {
                let title = text.prefix(number % 20).joined(separator: " ")
                transaction[.mails]["m\(number)"] = Mail(title: title, body: text.joined(separator: " "))
            }
        }
        let snapshot = database.snapshot
        let naive = NaiveSearch(index, in: snapshot)
        var isFound = false
        for _ in 0..<20 {
            let text = texts[random.below(texts.count)]
            let start = random.below(text.count + 1)
            let phrase = text.dropFirst(start).prefix(9 + random.below(60)).joined(separator: " ")
            var query =
                random.chance(50) ? SearchQuery.phrase(phrase) : .prefix(String(phrase.dropLast(random.below(2))))
            if random.chance(20) { query = query.within("title") }
            let expected = naive.keys(matching: query)
            isFound = isFound || !expected.isEmpty
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

    @Test func `Thousands of equal words in sequence do not cost thousands of times what two cost`() async throws {
        let database = try await FullTextCostTests.filled(10)
        try await database.write { transaction in
            for number in 0..<3 {
                transaction[.mails]["long\(number)"] = Mail(title: String(repeating: "all ", count: 10_000), body: "")
            }
        }
        let reader = database.snapshot[FullTextCostTests.index]
        func least(_ count: Int) -> Double {
            let phrase = SearchQuery.phrase(String(repeating: "all ", count: count))
            return (0..<3).map { _ in
                let start = ThreadClock.seconds
                #expect(reader.top(10, for: phrase).map(\.key) == ["long0", "long1", "long2"])
                return ThreadClock.seconds - start
            }
            .min()!
        }
        let (two, thousands) = (least(2), least(4_000))
        #expect(thousands < 400 * two + 0.1, "\(two) and \(thousands)")
    }
}

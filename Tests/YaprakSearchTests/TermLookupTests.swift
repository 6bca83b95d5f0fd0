import TestSupport
import Testing
import YaprakCore
import YaprakTrees

@testable import YaprakSearch

/// Terms in the pages of an index.
@Suite(.bounded) struct TermLookupTests {
    @Test(arguments: FullTextModelTests.numbers(Soak.volume(3, soak: 60)))
    func `A term is found where a walk over all pages meets it, and no other term is`(seed: UInt64) async throws {
        let database = Database.inMemory()
        let index = MailIndex("text", of: .mails, \.title, \.body)
        try await database.register(index)
        var random = SplitMix64(seed: seed)
        // Of two letters, so that most begin as others do; the shortest are in so many records that they take several pages.
        func term() -> String {
            (0..<1 + random.below(7)).map { _ in random.chance(60) ? "a" : "b" }.joined()
        }
        for step in 0..<12 {
            var mails: [(key: String, mail: Mail?)] = []
            for _ in 0..<random.below(400) {
                let text = (0..<random.below(12)).map { _ in term() }.joined(separator: " ")
                mails.append(("m\(random.below(500))", random.chance(20) ? nil : Mail(title: term(), body: text)))
            }
            let written = mails
            try await database.write { for (key, mail) in written { $0[.mails][key] = mail } }
            let snapshot = database.snapshot
            withExtendedLifetime(snapshot) { Self.check(snapshot[index].root.pages, "seed \(seed), step \(step)") }
        }
    }

    private static func check(_ pages: TreeRoot, _ place: String) {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
        defer { room.deallocate() }
        var met: [[UInt8]: [UInt32]] = [:]
        pages.forEach { page in
            var walker = RunWalker(unsafeDowncast(page, to: PostingPage.self), term: room)
            while walker.next() {
                let term = Array(UnsafeBufferPointer(start: walker.run.term, count: walker.run.termCount))
                met[term, default: []].append(walker.run.first)
            }
        }
        let near = met.keys.flatMap { term in
            let (start, last) = (Array(term.dropLast()), term[term.count - 1])
            return [start, term + [last], start + [last - 1], start + [last + 1], term + [1]]
        }
        let reader = PostingReader(pages)
        for term in Array(met.keys) + near where !term.isEmpty {
            let found = reader.runs(of: term).map(\.first)
            if found != met[term] ?? [] {
                let text = String(decoding: term, as: UTF8.self)
                Issue.record("\(place): \(text) in runs from \(found), not \(met[term] ?? [])")
            }
        }
    }
}

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
        // Of many letters, there are so many terms that their pages are several leaves.
        let letters = seed % 3 == 2 ? Array("abcdefghijklmnop") : ["a", "b"]
        func term() -> String {
            String((0..<1 + random.below(7)).map { _ in letters[random.chance(60) ? 0 : random.below(letters.count)] })
        }
        for step in 0..<12 {
            var mails: [(key: String, mail: Mail?)] = []
            for _ in 0..<random.below(400) {
                let text = (0..<random.below(12)).map { _ in term() }.joined(separator: " ")
                mails.append(("m\(random.below(500))", random.chance(20) ? nil : Mail(title: term(), body: text)))
            }
            let written = mails
            try await database.write { for (key, mail) in written { $0[.mails][key] = mail } }
            try Self.check(index, in: database.snapshot, "seed \(seed), step \(step)")
        }
        // Record by record, so that pages shrink and are joined.
        for number in 0..<500 {
            try await database.write { $0[.mails]["m\(number)"] = nil }
            if number % 50 == 49 { try Self.check(index, in: database.snapshot, "seed \(seed), without \(number)") }
        }
        let snapshot = database.snapshot
        withExtendedLifetime(snapshot) {
            var left: [Int] = []
            snapshot[index].root.pages.forEach { left.append(unsafeDowncast($0, to: PostingPage.self).count) }
            #expect(left == [0], "seed \(seed): bytes of pages without a record")
        }
    }

    @Test(arguments: FullTextModelTests.numbers(Soak.volume(2, soak: 40)))
    func `Postings that come, change and go one by one in runs that are full are all found`(seed: UInt64) async throws {
        let database = Database.inMemory()
        let index = MailIndex("text", of: .mails, \.title, \.body)
        try await database.register(index)
        var random = SplitMix64(seed: seed)
        // In so many of the records that a run has all the documents it may have, and some runs begin a page.
        let words = ["a", "ab", "abandoned", "abandonment", "b", "bä", "bäc", "c"]
        func text() -> String {
            (0..<random.below(9)).map { _ in words[random.below(words.count)] }.joined(separator: " ")
        }
        let texts = (0..<500).map { _ in text() }
        try await database.write {
            for (number, text) in texts.enumerated() { $0[.mails]["m\(number)"] = Mail(title: "", body: text) }
        }
        for step in 0..<1_000 {
            let key = "m\(random.below(500))"
            let next = random.chance(5) ? nil : Mail(title: random.chance(10) ? text() : "", body: text())
            try await database.write { $0[.mails][key] = next }
            if step % 100 == 99 { try Self.check(index, in: database.snapshot, "seed \(seed), step \(step)") }
        }
    }

    @Test func `A page has its bytes in an object of any size`() {
        var random = SplitMix64(seed: 1)
        let pages = (0..<1_000).map { count in
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let key = String(repeating: "k", count: count % 40)
            let page = bytes.withUnsafeBufferPointer { bytes in
                PostingPage.make(.key(key), bytes: bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!, count: count)
            }
            return (
                bytes: bytes, key: key, page: page, copy: PostingPage.make(.same(page), bytes: page.bytes, count: count)
            )
        }
        for (bytes, key, page, copy) in pages {
            for page in [page, copy] {
                #expect(
                    Array(UnsafeBufferPointer(start: page.bytes, count: page.count)) == bytes, "\(bytes.count) bytes")
                #expect(page.key == key && page.keyFingerprint == pages[key.count].page.keyFingerprint)
                page.withKey { #expect(Array($0) == Array(key.utf8)) }
            }
        }
    }

    @Test(arguments: 0..<20)
    func `The key of a page lies behind the last posting before it, and is as short as possible`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        let letters: [Character] = ["a", "b", "ä", "語", "😀", "\u{7F}"]
        func term() -> [UInt8] {
            Array(String((0..<1 + random.below(5)).map { _ in letters[random.below(letters.count)] }).utf8)
        }
        func key(_ term: [UInt8], _ document: UInt32) -> [UInt8] {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: PostingKey.bytesMax) { room in
                let count = term.withUnsafeBufferPointer {
                    PostingKey.write($0.baseAddress!, $0.count, document, to: room.baseAddress!)
                }
                return Array(room[..<count])
            }
        }
        for _ in 0..<2_000 {
            let first = term()
            var postings = (0..<2).map { index in
                let bits = UInt64(random.below(31))
                return (
                    term: index == 0 || random.chance(40) ? first : term(),
                    document: UInt32(random.next() & (1 << bits))
                )
            }
            postings.sort { key($0.term, $0.document).lexicographicallyPrecedes(key($1.term, $1.document)) }
            let (last, next) = (
                key(postings[0].term, postings[0].document), key(postings[1].term, postings[1].document)
            )
            if last == next { continue }
            let string = postings[1].term.withUnsafeBufferPointer { term in
                postings[0].term.withUnsafeBufferPointer {
                    PostingKey.string(term, postings[1].document, behind: $0, postings[0].document)
                }
            }
            let found = Array(string.utf8)
            #expect(next.starts(with: found) && last.lexicographicallyPrecedes(found), "seed \(seed): \(postings)")
            // A character less would not do.
            let shorter = Array(String(string.unicodeScalars.dropLast()).utf8)
            #expect(!last.lexicographicallyPrecedes(shorter), "seed \(seed): \(postings)")
        }
    }

    private static func check(_ index: MailIndex, in snapshot: Snapshot, _ place: String) throws {
        try FullTextModelTests.checkShape(index, in: snapshot, place)
        withExtendedLifetime(snapshot) {
            check(snapshot[index].root.pages, place)
            checkCursors(snapshot[index].root, place)
            let postings = snapshot[.mails].reduce(0) { sum, row in
                sum + Set("\(row.object.title) \(row.object.body)".split(separator: " ")).count
            }
            checkSizes(snapshot[index].root.pages, postings, place)
        }
    }

    /// No page is too large, they are not many for what they have, and they have all postings.
    private static func checkSizes(_ pages: TreeRoot, _ postings: Int, _ place: String) {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
        defer { room.deallocate() }
        var (bytes, found) = (0, 0)
        pages.forEach { page in
            let page = unsafeDowncast(page, to: PostingPage.self)
            bytes += page.count
            var runs = 0
            var walker = RunWalker(page, term: room)
            while walker.next() {
                runs += 1
                found += walker.run.count
            }
            #expect(page.count <= PostingPage.bytesMax || runs == 1, "\(place): \(page.count) bytes, \(runs) runs")
        }
        #expect(found == postings, "\(place)")
        // A small page may stand beside a full one. Not a law of all edits, but one that these keep.
        #expect(pages.count <= 2 + bytes / PostingPage.bytesMin, "\(place): \(pages.count) pages of \(bytes) bytes")
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

    /// The runs of all terms, and of those with a beginning, in order.
    private static func checkBeginnings(
        _ pages: TreeRoot, _ all: [(term: [UInt8], first: UInt32)], _ place: String, _ random: inout SplitMix64
    ) {
        let reader = PostingReader(pages)
        let some = (0..<min(20, all.count)).map { _ in all[random.below(all.count)].term }
        let beginnings = Set(some.flatMap { term in (0...term.count).map { Array(term.prefix($0)) } })
        for beginning in beginnings.union(beginnings.map { $0 + [UInt8(ascii: "b")] }) {
            let found = reader.runs(withPrefix: beginning).map(\.first)
            let expected = all.filter { $0.term.starts(with: beginning) }.map(\.first)
            if found != expected {
                Issue.record("\(place): \(String(decoding: beginning, as: UTF8.self))* in \(found), not \(expected)")
            }
        }
    }

    private struct Posting {
        let document: UInt32
        let places: [UInt32]
    }

    private static func postings(_ runs: [PostingRun]) -> [Posting] {
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer { numbers.deallocate() }
        let occurrences = numbers + PostingRun.documentsMax
        return runs.flatMap { run -> [Posting] in
            run.decode(numbers, occurrences)
            var reader = ByteReader(run.positions)
            return (0..<run.count).map { index in
                var place: UInt32 = 0
                return Posting(
                    document: numbers[index],
                    places: (0..<occurrences[index]).map { _ in
                        place &+= reader.number()
                        return place
                    })
            }
        }
    }

    /// Both cursors of a term go where a walk over its documents goes, and have the same rank and places there.
    private static func checkCursors(_ root: FullTextRoot, _ place: String) {
        var random = SplitMix64(seed: UInt64(root.termCount))
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
        defer { room.deallocate() }
        var terms: [[UInt8]] = []
        var met: [(term: [UInt8], first: UInt32)] = []
        root.pages.forEach { page in
            var walker = RunWalker(unsafeDowncast(page, to: PostingPage.self), term: room)
            while walker.next() {
                let term = Array(UnsafeBufferPointer(start: walker.run.term, count: walker.run.termCount))
                if terms.last != term { terms.append(term) }
                met.append((term, walker.run.first))
            }
        }
        checkBeginnings(root.pages, met, place, &random)
        let reader = PostingReader(root.pages)
        for term in terms where terms.count < 100 || random.chance(20) {
            let runs = reader.runs(of: term)
            let postings = postings(runs)
            let place = "\(place), \(String(decoding: term, as: UTF8.self))"
            let all = TermCursor(runs, documents: root.documentCount, times: 1)
            let some = SkippingTermCursor(runs, documents: root.documentCount)
            let places = PlaceList()
            let step = 1 + random.below(40)
            var target: UInt32 = 0
            while true {
                let expected = postings.first { $0.document >= target }
                all.seek(target)
                some.seek(target)
                let document = expected?.document ?? DocumentCursor.end
                #expect(all.document == document && some.document == document, "\(place), from \(target)")
                guard let expected, all.document == document, some.document == document else { break }
                #expect(all.score(1) == some.score(1), "\(place), \(document)")
                for _ in 0..<random.below(3) {
                    places.removeAll()
                    some.readPlaces(into: places)
                    let found = (0..<places.count).map { places[$0] }
                    #expect(found == expected.places, "\(place), \(document)")
                }
                target = document + 1 + UInt32(random.below(step))
            }
        }
    }
}

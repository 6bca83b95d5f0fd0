import TestSupport
import Testing
import YaprakTrees

@testable import YaprakSearch

/// Edits of the pages of an index.
@Suite(.bounded) struct PageEditorTests {
    private typealias Postings = [[UInt8]: [UInt32: [UInt32]]]

    @Test(arguments: FullTextModelTests.numbers(Soak.volume(8, soak: 200)))
    func `Pages have what a dictionary has after any edits, also those that remove what is not there`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let table = TermTable()
        let editor = PageEditor(table)
        var pages = TreeRoot()
        var model: Postings = [:]
        // Few terms have runs that are full, many are several to a page.
        let (letters, documents) = seed % 2 == 0 ? (2, 600) : (4, 60)
        func term() -> [UInt8] { (0..<1 + random.below(4)).map { _ in UInt8(97 + random.below(letters)) } }
        for step in 0..<300 {
            var (edits, positions): ([PostingEdit], [UInt32]) = ([], [])
            var seen: Set<[UInt8]> = []
            for _ in 0..<1 + random.below(random.chance(10) ? 400 : 12) {
                let (term, document) = (term(), UInt32(random.below(documents)))
                guard seen.insert(term + [0, UInt8(document >> 8), UInt8(document & 0xFF)]).inserted else { continue }
                var places: [UInt32] = []
                for _ in 0..<(random.chance(40) ? 0 : 1 + random.below(3)) {
                    places.append((places.last ?? 0) + 1 + UInt32(random.below(300)))
                }
                model[term, default: [:]][document] = places.isEmpty ? nil : places
                let number = term.withUnsafeBufferPointer { table.number(of: $0) }
                edits.append(
                    PostingEdit(
                        word: table.firstBytes(of: Int(number)), term: Int(number), document: document,
                        positions: positions.count..<positions.count + places.count))
                positions += places
            }
            edits.sort {
                let order = table.compare($0.term, $1.term)
                return order < 0 || order == 0 && $0.document < $1.document
            }
            positions.append(0)
            positions.withUnsafeBufferPointer { editor.apply(edits, $0, to: &pages, draft) }
            table.removeAll()
            if step % 20 == 19 { Self.check(pages, model, "seed \(seed), step \(step)") }
        }
        draft.abort(roots: [pages])
        timeline.close(roots: [])
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128])
    func `Both halves of a full run that gets one more document have room, unless that comes last`(place: Int) {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let table = TermTable()
        let editor = PageEditor(table)
        var pages = TreeRoot()
        func add(_ documents: [UInt32]) {
            let number = Array("term".utf8).withUnsafeBufferPointer { Int(table.number(of: $0)) }
            let edits = documents.map {
                PostingEdit(word: table.firstBytes(of: number), term: number, document: $0, positions: 0..<1)
            }
            [1, 0].withUnsafeBufferPointer { editor.apply(edits, $0, to: &pages, draft) }
        }
        add((1...128).map { 2 * $0 })
        add([UInt32(2 * place + 1)])
        let counts = PostingReader(pages).runs(of: Array("term".utf8)).map(\.count)
        #expect(counts == (place == 128 ? [128, 1] : place <= 64 ? [65, 64] : [64, 65]))
        draft.abort(roots: [pages])
        timeline.close(roots: [])
    }

    /// A run of 128 long texts had megabytes, which each edit of one posting copied.
    @Test(arguments: FullTextModelTests.numbers(Soak.volume(3, soak: 40)))
    func `A run of long texts ends by its bytes, however its documents come, change and go`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let table = TermTable()
        let editor = PageEditor(table)
        var pages = TreeRoot()
        var model: Postings = [:]
        let term = Array("term".utf8)
        // Of two bytes each at most.
        let placesMax = 2_000
        func write(_ documents: Set<UInt32>, isRemoval: Bool = false) {
            let number = term.withUnsafeBufferPointer { Int(table.number(of: $0)) }
            var (edits, positions): ([PostingEdit], [UInt32]) = ([], [])
            for document in documents.sorted() {
                let start = positions.count
                if !isRemoval {
                    // Of many at once, places that take two bytes in fewer bytes than a run may have.
                    let isOfMany = documents.count > 40
                    let step = isOfMany ? 150 : 1 + random.below(200)
                    let count = isOfMany ? 130 : 1 + random.below(placesMax)
                    positions += (0..<UInt32(count)).map { $0 * UInt32(step) }
                }
                model[term, default: [:]][document] = isRemoval ? nil : Array(positions[start...])
                edits.append(
                    PostingEdit(
                        word: table.firstBytes(of: number), term: number, document: document,
                        positions: start..<positions.count))
            }
            positions.append(0)
            positions.withUnsafeBufferPointer { editor.apply(edits, $0, to: &pages, draft) }
            table.removeAll()
            for run in PostingReader(pages).runs(of: term) where run.count > 1 {
                #expect(run.positionsEnd - run.documents < PostingPage.runBytesMax + 2 * placesMax + 1_000)
            }
        }
        func some(_ count: Int) -> Set<UInt32> { Set((0..<count).map { _ in UInt32(random.below(120)) }) }
        write([0, 1])
        write(Set(2...121))
        write(Set(0...121), isRemoval: true)
        write(some(40))
        for _ in 0..<60 {
            write(some(random.chance(80) ? 1 : 1 + random.below(20)), isRemoval: random.chance(30))
        }
        // Behind all others.
        for document in 130..<150 as Range<UInt32> { write([document]) }
        Self.check(pages, model, "seed \(seed)")
        draft.abort(roots: [pages])
        timeline.close(roots: [])
    }

    private static func check(_ pages: TreeRoot, _ model: Postings, _ place: String) {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
        defer { room.deallocate() }
        var found: Postings = [:]
        var check = PageCheck()
        let lengths = [UInt32](repeating: 1, count: 600)
        pages.forEach { page in
            let page = unsafeDowncast(page, to: PostingPage.self)
            // All that a file with this page is looked through for.
            #expect(throws: Never.self, "\(place)") {
                _ = try check.check(UnsafeBufferPointer(start: page.bytes, count: page.count), lengths)
            }
            var walker = RunWalker(page, term: room)
            while walker.next() {
                let run = walker.run
                let term = Array(UnsafeBufferPointer(start: run.term, count: run.termCount))
                var mark = RunMark(startOf: run)
                var reader = ByteReader(run.positions)
                var single = ByteReader(run.documents)
                for _ in 0..<run.count {
                    let next = run.count == 1 ? (run.first, single.number()) : mark.next(in: run) ?? (0, 0)
                    var last: UInt32 = 0
                    found[term, default: [:]][next.0] = (0..<next.1).map { _ in
                        last += reader.number()
                        return last
                    }
                }
            }
        }
        #expect(found == model.filter { !$0.value.isEmpty }, "\(place)")
        #expect(pages.firstViolation() == nil, "\(place)")
    }
}

import YaprakTrees

/// A posting that comes, changes or goes.
struct PostingEdit {
    /// The first bytes of the term, in a number that orders as they do.
    var word: UInt64
    /// The number of the term in the table of the edits.
    var term: Int
    var document: UInt32
    /// The new positions, of those of all edits; empty if the posting goes.
    var positions: Range<Int>

    var isRemoval: Bool { positions.isEmpty }
}

/// Applies edits to the tree of pages, page by page.
///
/// Of a page that is edited, the runs before, between and behind the edits are copied as they are; only a run whose
/// predecessor is another one now gets another beginning.
final class PageEditor {
    private let table: TermTable
    /// Those of the edits at hand.
    @exclusivity(unchecked)
    private var positions = UnsafeBufferPointer<UInt32>(start: nil, count: 0)

    private let output = ByteBuffer(capacity: 2048)
    private let builder = RunBuilder()
    private let walkerTerm = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax + 16)
    /// The last term that is in the output, or will be once what lies before the run at hand is copied.
    private let last = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax + 16)
    @exclusivity(unchecked)
    private var lastCount = 0
    /// How many pages are fetched before the first of them is edited.
    private static let fetchedAtOnce = 8
    private let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: PageEditor.fetchedAtOnce * PostingKey.bytesMax)
    private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)
    private let occurrences = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)

    /// - Parameter table: has the terms of edits by their numbers.
    init(_ table: TermTable) { self.table = table }

    deinit {
        walkerTerm.deallocate()
        last.deallocate()
        keys.deallocate()
        numbers.deallocate()
        occurrences.deallocate()
    }

    /// The bytes of memory that it takes, but for some of the same size in each.
    var size: Int { output.capacity + builder.size }

    /// Applies edits that are sorted by term and document, at most one for both.
    /// - Complexity: O(*p* (page + log *n*)) for *p* pages that are concerned.
    func apply(
        _ edits: [PostingEdit], _ positions: UnsafeBufferPointer<UInt32>, to pages: inout TreeRoot, _ draft: TreeDraft
    ) {
        self.positions = positions
        defer { self.positions = UnsafeBufferPointer(start: nil, count: 0) }
        // Few edits seldom share a page.
        let isScattered = edits.count > 1 && edits.count < pages.count
        var fetched = 0
        var start = 0
        while start < edits.count {
            if isScattered, start >= fetched {
                fetched = min(start + Self.fetchedAtOnce, edits.count)
                fetchPages(of: edits[start..<fetched], in: pages)
            }
            var end = edits.count
            var (replaced, next): (PostingPage?, PostingPage?) = (nil, nil)
            var isPut = false
            let key = writeKey(of: edits[start], to: keys)
            let isFound = draft.exchangeLast(notAfter: key, in: &pages) { row, behind in
                let behind = behind.map { Unmanaged<PostingPage>.fromOpaque($0.toOpaque()) }
                return Unmanaged<PostingPage>.fromOpaque(row.toOpaque())._withUnsafeGuaranteedRef { page in
                    if let behind { end = self.end(of: edits, from: start, before: behind) }
                    merge(page, edits[start..<end])
                    isPut = isOnePage(page, before: behind)
                    if isPut {
                        return PostingPage(key: page.key, bytes: UnsafePointer(output.start), count: output.count)
                    }
                    (replaced, next) = (page, behind?.takeUnretainedValue())
                    return nil
                }
            }
            if !isFound {
                precondition(pages.isEmpty, "the first page has an empty key")
                merge(nil, edits[start...])
            }
            if !isPut { put(replacing: replaced, before: next, in: &pages, draft) }
            start = end
        }
    }

    /// Fetches the pages that will be edited next: the tree and its pages are seldom in a cache.
    private func fetchPages(of edits: ArraySlice<PostingEdit>, in pages: TreeRoot) {
        withUnsafeTemporaryAllocation(of: UnsafeBufferPointer<UInt8>.self, capacity: edits.count) { written in
            var room = keys
            for (index, edit) in edits.enumerated() {
                written.initializeElement(at: index, to: writeKey(of: edit, to: room))
                room += PostingKey.bytesMax
            }
            pages.fetch(lastNotAfter: UnsafeBufferPointer(written)) { row in
                row._withUnsafeGuaranteedRef { unsafeDowncast($0, to: PostingPage.self).fetchBytes() }
            }
        }
    }

    private func writeKey(
        of edit: PostingEdit, to room: UnsafeMutablePointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let term = table[edit.term]
        let count = PostingKey.write(term.baseAddress.unsafelyUnwrapped, term.count, edit.document, to: room)
        return UnsafeBufferPointer(start: room, count: count)
    }

    /// The end of the edits that come before a page.
    private func end(of edits: [PostingEdit], from start: Int, before next: Unmanaged<PostingPage>) -> Int {
        next._withUnsafeGuaranteedRef { next in
            var end = start + 1
            // The first room has the key that the page was found by.
            let room = keys + PostingKey.bytesMax
            while end < edits.count, next.compareKey(to: writeKey(of: edits[end], to: room)) > 0 { end += 1 }
            return end
        }
    }

    // MARK: One page

    /// Writes what a page becomes into the output.
    private func merge(_ page: PostingPage?, _ edits: ArraySlice<PostingEdit>) {
        output.removeAll()
        lastCount = 0
        var edit = edits.startIndex
        guard let page else {
            while edit < edits.endIndex { edit = emitNew(edits, edit) }
            return
        }
        var walker = RunWalker(page, term: walkerTerm)
        // What lies from here on is copied as it is.
        var copied = page.bytes
        var runStart = page.bytes
        // The run at hand follows another one than in the page.
        var isDetached = false
        while edit < edits.endIndex || isDetached, walker.next() {
            let run = walker.run
            func copy() {
                output.append(copied, runStart - copied)
                copied = runStart
            }
            while edit < edits.endIndex, compare(edits[edit], run) < 0 {
                if edits[edit].isRemoval {
                    edit += 1
                    continue
                }
                copy()
                edit = emitNew(edits, edit)
                isDetached = true
            }
            var end = edit
            if edit < edits.endIndex, compare(edits[edit], run) == 0 {
                let limit = walker.firstOfNextOfSameTerm
                while end < edits.endIndex, edits[end].term == edits[edit].term,
                    limit.map({ edits[end].document < $0 }) ?? true
                {
                    end += 1
                }
            }
            if end > edit {
                copy()
                copied = walker.at
                // If nothing is left of the run, the next one follows the one before.
                isDetached = !emit(run, with: edits[edit..<end])
                edit = end
            } else {
                if isDetached {
                    copy()
                    writeTerm(run)
                    copied = runStart + 2 + Int(runStart[1])
                    isDetached = false
                }
                noteLast(run.term, run.termCount)
            }
            runStart = walker.at
        }
        output.append(copied, page.bytes + page.count - copied)
        while edit < edits.endIndex {
            if edits[edit].isRemoval { edit += 1 } else { edit = emitNew(edits, edit) }
        }
    }

    private func compare(_ edit: PostingEdit, _ run: PostingRun) -> Int {
        let term = table[edit.term]
        return compareBytes(term.baseAddress.unsafelyUnwrapped, term.count, run.term, run.termCount)
    }

    private func noteLast(_ term: UnsafePointer<UInt8>, _ count: Int) {
        last.update(from: term, count: count)
        lastCount = count
    }

    /// The length of what a term shares with the last one in the output.
    private func shared(_ term: UnsafePointer<UInt8>, _ count: Int) -> Int {
        output.count == 0 ? 0 : commonPrefix(last, lastCount, term, count)
    }

    private func writeTerm(_ run: PostingRun) {
        let shared = shared(run.term, run.termCount)
        output.append(UInt8(truncatingIfNeeded: shared))
        output.append(UInt8(truncatingIfNeeded: run.termCount - shared))
        output.append(run.term + shared, run.termCount - shared)
    }

    private func emitRun(_ term: UnsafePointer<UInt8>, _ count: Int) {
        builder.write(term, count, shared: shared(term, count), to: output)
        noteLast(term, count)
        builder.removeAll()
    }

    private func add(_ edit: PostingEdit) {
        builder.begin(edit.document, occurrences: UInt32(edit.positions.count))
        builder.append(positions: UnsafeBufferPointer(rebasing: positions[edit.positions]))
    }

    /// Writes the postings of one term that the page does not have, and returns the edit behind them.
    private func emitNew(_ edits: ArraySlice<PostingEdit>, _ start: Int) -> Int {
        builder.removeAll()
        let term = table[edits[start].term]
        var index = start
        while index < edits.endIndex, edits[index].term == edits[start].term {
            if !edits[index].isRemoval {
                if builder.count == PostingRun.documentsMax { emitRun(term.baseAddress.unsafelyUnwrapped, term.count) }
                add(edits[index])
            }
            index += 1
        }
        if builder.count > 0 { emitRun(term.baseAddress.unsafelyUnwrapped, term.count) }
        return index
    }

    /// Writes a run with one edit: what stands before and behind it is copied as it is.
    /// - Returns: whether it could be done in this way; if not, nothing was written.
    private func emit(_ run: PostingRun, with edit: PostingEdit) -> Bool {
        guard run.count > 2, run.count < PostingRun.documentsMax else { return false }
        var reader = ByteReader(run.documents)
        var place = ByteReader(run.positions)
        // The document at hand, and the one before.
        var (document, previous, occurrences) = (run.first, run.first, UInt32(0))
        var entry = reader.at
        var passed: UInt32 = 0
        var index = 0
        while index < run.count {
            entry = reader.at
            let difference = reader.number()
            document &+= difference >> 1
            occurrences = difference & 1 == 0 ? 1 : reader.number()
            if document >= edit.document { break }
            previous = document
            passed &+= occurrences
            index &+= 1
        }
        if index == run.count { entry = reader.at }
        place.skip(passed)
        builder.removeAll()
        builder.begin(
            with: run, index, last: previous, bytes: entry - run.documents, positions: place.at - run.positions)
        if !edit.isRemoval { add(edit) }
        // The next document stays; only its difference to the one before is another.
        if index < run.count, document == edit.document {
            place.skip(occurrences)
            index &+= 1
            if index < run.count {
                let difference = reader.number()
                document &+= difference >> 1
                occurrences = difference & 1 == 0 ? 1 : reader.number()
            }
        }
        if index < run.count {
            builder.begin(document, occurrences: occurrences)
            builder.append(encoded: place.at, run.positionsEnd - place.at)
            builder.end(with: run, run.count &- index &- 1, from: reader.at)
        }
        let term = table[edit.term]
        emitRun(term.baseAddress.unsafelyUnwrapped, term.count)
        return true
    }

    /// Writes a run with its edits, and returns whether anything is left.
    private func emit(_ run: PostingRun, with edits: ArraySlice<PostingEdit>) -> Bool {
        if edits.count == 1, emit(run, with: edits[edits.startIndex]) { return true }
        run.decode(numbers, occurrences)
        builder.removeAll()
        // The terms of the table are not moved while edits are applied; the run's is the walker's.
        let term = table[edits[edits.startIndex].term]
        let start = term.baseAddress.unsafelyUnwrapped
        let count = run.count + edits.count
        // Documents that come behind all others fill the run; of others, both halves have room.
        let isAppended = edits[edits.startIndex].document > run.last
        let isSplit = count > PostingRun.documentsMax && !isAppended
        let limit = isSplit ? min((count + 1) / 2, PostingRun.documentsMax) : PostingRun.documentsMax
        var written = 0
        func roll() {
            if builder.count >= limit {
                emitRun(start, term.count)
                written += 1
            }
        }
        var edit = edits.startIndex
        var reader = ByteReader(run.positions)
        func addEdits(before document: UInt32) {
            while edit < edits.endIndex, edits[edit].document < document {
                if !edits[edit].isRemoval {
                    roll()
                    add(edits[edit])
                }
                edit += 1
            }
        }
        for index in 0..<run.count {
            let encoded = reader.at
            reader.skip(occurrences[index])
            addEdits(before: numbers[index])
            if edit < edits.endIndex, edits[edit].document == numbers[index] {
                if !edits[edit].isRemoval {
                    roll()
                    add(edits[edit])
                }
                edit += 1
                continue
            }
            roll()
            builder.begin(numbers[index], occurrences: occurrences[index])
            builder.append(encoded: encoded, reader.at - encoded)
        }
        addEdits(before: .max)
        guard builder.count > 0 else { return written > 0 }
        emitRun(start, term.count)
        return true
    }

    // MARK: The tree

    /// Whether the output is a page in the place of another: not too large, not too small beside the next, and not nothing,
    /// unless it is the first.
    private func isOnePage(_ page: PostingPage, before next: Unmanaged<PostingPage>?) -> Bool {
        if output.count > PostingPage.bytesMax || output.count == 0 && !page.key.isEmpty { return false }
        return !(next?._withUnsafeGuaranteedRef { isJoined(to: $0) } ?? false)
    }

    private func isJoined(to next: PostingPage) -> Bool {
        output.count < PostingPage.bytesMin && output.count + next.count <= PostingPage.bytesTarget
    }

    /// Puts the output in the place of a page: none, one or several.
    private func put(
        replacing page: PostingPage?, before next: PostingPage?, in pages: inout TreeRoot, _ draft: TreeDraft
    ) {
        let key = page?.key ?? ""
        if let next, isJoined(to: next) {
            draft.remove(next.key, from: &pages)
            return put(output, and: next, key: key, in: &pages, draft)
        }
        if output.count > PostingPage.bytesMax { return put(output, and: nil, key: key, in: &pages, draft) }
        if output.count > 0 {
            draft.insert(PostingPage(key: key, bytes: UnsafePointer(output.start), count: output.count), into: &pages)
        } else if !key.isEmpty {
            draft.remove(key, from: &pages)
        }
    }

    private func put(
        _ bytes: ByteBuffer, and next: PostingPage?, key: String, in pages: inout TreeRoot, _ draft: TreeDraft
    ) {
        var made: [PostingPage] = []
        let writer = PageWriter(firstKey: key) { made.append($0) }
        var walker = RunWalker(UnsafePointer(bytes.start), bytes.count, term: walkerTerm)
        while walker.next() { writer.append(walker.run) }
        if let next {
            walker = RunWalker(next, term: walkerTerm)
            while walker.next() { writer.append(walker.run) }
        }
        writer.finish()
        for page in made { draft.insert(page, into: &pages) }
    }
}

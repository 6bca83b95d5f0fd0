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
    /// How many bytes the term of the next edit shares with the last term that is in the output, or will be once what lies before
    /// the run at hand is copied.
    @exclusivity(unchecked)
    private var shared = 0
    /// How many pages are fetched before the first of them is edited.
    private static let fetchedAtOnce = 8
    private let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: PageEditor.fetchedAtOnce * PostingKey.bytesMax)
    private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)
    private let occurrences = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)

    /// - Parameter table: has the terms of edits by their numbers.
    init(_ table: TermTable) { self.table = table }

    deinit {
        walkerTerm.deallocate()
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
                        return PostingPage.make(.same(page), bytes: UnsafePointer(output.start), count: output.count)
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

    /// How the next run of a page follows on the output where the run before it is another one now.
    private enum Gap {
        /// It is the same one.
        case none
        /// A new term came in between. The next one shares so many bytes with it.
        case filled(shared: Int)
        /// The term before the next one is gone. It shared so many bytes with the last one that is left.
        case removed(UnsafeBufferPointer<UInt8>, shared: Int)
    }

    /// Writes what a page becomes into the output.
    ///
    /// Terms are sorted, so what two share follows from what both share with one in between: the term of a run is not put
    /// together, and its bytes are compared only where it may be the one of the next edit.
    private func merge(_ page: PostingPage?, _ edits: ArraySlice<PostingEdit>) {
        output.removeAll()
        shared = 0
        let bytes = page?.bytes ?? UnsafePointer(output.start)
        var walker = RunWalker(bytes, page?.count ?? 0, term: walkerTerm)
        // What lies from here on is copied as it is.
        var copied = bytes
        var gap = Gap.none
        var edit = edits.startIndex
        var term = table[edits[edit].term]
        // How many bytes the term of the edit shares with the last run that was passed.
        var matched = 0
        func go(to next: Int) {
            let last = edits[edit].term
            edit = next
            if next == edits.endIndex || edits[next].term == last { return }
            let other = table[edits[next].term]
            let common = commonPrefix(
                term.baseAddress.unsafelyUnwrapped, term.count, other.baseAddress.unsafelyUnwrapped, other.count)
            (matched, shared, term) = (min(matched, common), min(shared, common), other)
        }
        while edit < edits.endIndex {
            let start = walker.at
            let matchedBefore = matched
            let order = walker.next(comparedWith: term, &matched)
            var end = edit
            if order == .same {
                let limit = walker.firstOfNextOfSameTerm
                while end < edits.endIndex, edits[end].term == edits[edit].term,
                    limit.map({ edits[end].document < $0 }) ?? true
                {
                    end += 1
                }
            }
            if end > edit {
                output.append(copied, start - copied)
                copied = walker.at
                let sharedBefore = shared
                gap = emit(walker.run, with: edits[edit..<end]) ? .none : .removed(term, shared: sharedBefore)
                go(to: end)
            } else if order == .before || order == .same {
                copied = close(&gap, at: start, from: copied)
                shared = matched
            } else if edits[edit].isRemoval {
                matched = matchedBefore
                go(to: edit + 1)
            } else {
                output.append(copied, start - copied)
                copied = start
                end = emitNew(edits, edit)
                // What was compared of the run behind is what it shares with the term, unless that is less than what the term
                // shares with the run before.
                gap = .filled(shared: walker.shared < matchedBefore ? walker.shared : matched)
                matched = matchedBefore
                go(to: end)
            }
        }
        if walker.at < walker.end { copied = close(&gap, at: walker.at, from: copied) }
        output.append(copied, bytes + (page?.count ?? 0) - copied)
    }

    /// Copies what lies before a run, and writes how its term begins.
    /// - Returns: from where the run is copied as it is.
    @inline(__always)
    private func close(
        _ gap: inout Gap, at run: UnsafePointer<UInt8>, from copied: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        if case .none = gap { return copied }
        defer { gap = .none }
        let (sharedBefore, rest) = (Int(run[0]), Int(run[1]))
        func begin(_ shared: Int) {
            output.append(copied, run - copied)
            output.append(UInt8(truncatingIfNeeded: shared))
            output.append(UInt8(truncatingIfNeeded: sharedBefore &+ rest &- shared))
        }
        switch gap {
        case .filled(let shared) where shared > sharedBefore:
            begin(shared)
            return run + 2 + (shared &- sharedBefore)
        case .removed(let term, let shared) where shared < sharedBefore:
            begin(shared)
            output.append(term.baseAddress.unsafelyUnwrapped + shared, sharedBefore &- shared)
            return run + 2
        default: return copied
        }
    }

    /// Writes the run that was built, of the term of the next edit.
    private func emitRun(_ term: UnsafeBufferPointer<UInt8>) {
        builder.write(term.baseAddress.unsafelyUnwrapped, term.count, shared: shared, to: output)
        shared = term.count
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
                if builder.isFull { emitRun(term) }
                add(edits[index])
            }
            index += 1
        }
        if builder.count > 0 { emitRun(term) }
        return index
    }

    /// Writes a run of two documents or more with one edit: what stands before and behind it is copied as it is. Of a full run
    /// that gets one more, both halves have room, unless the new one comes behind all others.
    private func emit(_ run: PostingRun, with edit: PostingEdit) {
        let term = table[edit.term]
        let (start, end) = (RunMark(startOf: run), RunMark(endOf: run))
        var mark = start
        mark.pass(before: edit.document, in: run)
        let cut = mark
        let isThere = mark.next(in: run)?.number == edit.document
        if !isThere { mark = cut }
        builder.removeAll()
        if edit.isRemoval || isThere || run.count < PostingRun.documentsMax {
            copy(run, start, cut)
            if !edit.isRemoval { add(edit) }
            copy(run, mark, end)
        } else if cut.count == run.count {
            copy(run, start, end)
            emitRun(term)
            add(edit)
        } else {
            let half = PostingRun.documentsMax / 2
            var middle = cut.count <= half ? cut : start
            middle.pass(half, in: run)
            if cut.count <= half {
                copy(run, start, cut)
                add(edit)
                copy(run, cut, middle)
                emitRun(term)
                copy(run, middle, end)
            } else {
                copy(run, start, middle)
                emitRun(term)
                copy(run, middle, cut)
                add(edit)
                copy(run, cut, end)
            }
        }
        emitRun(term)
    }

    /// Adds the documents between two marks of a run: only of the first of them, the difference to the one before may be another.
    private func copy(_ run: PostingRun, _ start: RunMark, _ end: RunMark) {
        var mark = start
        guard start.count < end.count, let first = mark.next(in: run) else { return }
        builder.begin(first.number, occurrences: first.occurrences)
        builder.append(encoded: start.positions, end.positions - start.positions)
        builder.append(
            documents: mark.documents, end.documents - mark.documents, end.count - mark.count, last: end.last)
    }

    /// Whether a run with its edits has more bytes than one should have, about.
    @inline(__always)
    private func isLong(_ run: PostingRun, with edits: ArraySlice<PostingEdit>) -> Bool {
        var size = run.positionsEnd - run.documents
        // A position is seldom longer than a byte.
        for edit in edits { size &+= edit.positions.count }
        return size > PostingPage.runBytesMax
    }

    /// Writes a run with its edits, and returns whether anything is left.
    private func emit(_ run: PostingRun, with edits: ArraySlice<PostingEdit>) -> Bool {
        let isLong = isLong(run, with: edits)
        if edits.count == 1, run.count > 1, !isLong {
            emit(run, with: edits[edits.startIndex])
            return true
        }
        run.decode(numbers, occurrences)
        builder.removeAll()
        // The terms of the table are not moved while edits are applied.
        let term = table[edits[edits.startIndex].term]
        let count = run.count + edits.count
        // Documents that come behind all others fill the run; of others, both halves have room.
        let isAppended = edits[edits.startIndex].document > run.last
        let isSplit = count > PostingRun.documentsMax && !isAppended
        let limit = isSplit ? min((count + 1) / 2, PostingRun.documentsMax) : PostingRun.documentsMax
        // Places that take several bytes make one long that does not look so.
        let bytesLimit = isLong && !isAppended ? PostingPage.runBytesMax / 2 : PostingPage.runBytesMax
        var written = 0
        func roll() {
            if builder.count >= limit || builder.byteCount > bytesLimit {
                emitRun(term)
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
        emitRun(term)
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
            draft.insert(
                PostingPage.make(.key(key), bytes: UnsafePointer(output.start), count: output.count), into: &pages)
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

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
///
/// The pages are found and put here; what one becomes is in `merge`, and what a run becomes in `emit`. All fields are for these
/// parts: who has an editor calls `apply`.
final class PageEditor {
    let table: TermTable
    /// Those of the edits at hand.
    @exclusivity(unchecked)
    var positions = UnsafeBufferPointer<UInt32>(start: nil, count: 0)

    let output = ByteBuffer(capacity: 2048)
    let builder = RunBuilder()
    let walkerTerm = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax + 16)
    /// How many bytes the term of the next edit shares with the last term that is in the output, or will be once what lies before
    /// the run at hand is copied.
    @exclusivity(unchecked)
    var shared = 0
    /// How many pages are fetched before the first of them is edited.
    private static let fetchedAtOnce = 8
    private let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: PageEditor.fetchedAtOnce * PostingKey.bytesMax)
    let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)
    let occurrences = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingRun.documentsMax)

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

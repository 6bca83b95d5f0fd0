import YaprakTrees

/// What an index is made of, gathered from the records while writers go on: every term and its place.
///
/// 20 bytes for each term of the texts, until the index is made.
package final class FullTextSeed: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    let terms: DocumentTerms
    private let table = TermTable(capacity: 1 << 14)
    @exclusivity(unchecked)
    private var placed: [PlacedTerm] = []
    /// Where the terms of each document end.
    @exclusivity(unchecked)
    private var ends: [Int] = []
    @exclusivity(unchecked)
    private var keys: [String] = []
    @exclusivity(unchecked)
    private var lengths: [UInt32] = []

    init(_ terms: DocumentTerms) { self.terms = terms }

    /// Adds a record.
    func add(_ key: String, _ texts: FullTextEditor.Texts) {
        var count = 0
        // Appended to a variable, not to a property: there are many.
        var all: [PlacedTerm] = []
        swap(&all, &placed)
        texts { column, text in
            count += terms.split(text, column: column, table) { all.append($0) }
        }
        swap(&all, &placed)
        keys.append(key)
        ends.append(placed.count)
        lengths.append(UInt32(count))
    }

    /// Makes the index. Documents are numbered in the order in which they came.
    /// - Complexity: O(terms + different terms · log of their number).
    func makeRoot(draft: TreeDraft) -> FullTextRoot {
        var root = FullTextRoot()
        root.documentCount = keys.count
        root.capacity = keys.count
        root.termCount = placed.count
        root.pages = makePages(draft)
        addDocuments(to: &root, draft)
        return root
    }

    private func makePages(_ draft: TreeDraft) -> TreeRoot {
        // A counting sort by term keeps documents and places in order, but for columns that come one after the other.
        var starts = [Int](repeating: 0, count: table.count + 1)
        for item in placed { starts[Int(item.term) + 1] += 1 }
        for index in 0..<table.count { starts[index + 1] += starts[index] }
        let postings = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: placed.count)
        defer { postings.deallocate() }
        var next = starts
        var index = 0
        for (document, end) in ends.enumerated() {
            while index < end {
                let item = placed[index]
                postings[next[Int(item.term)]] = UInt64(document) << 32 | UInt64(item.place)
                next[Int(item.term)] += 1
                index += 1
            }
        }
        placed = []
        var pages: [PostingPage] = []
        let writer = PageWriter(firstKey: "") { pages.append($0) }
        let builder = RunBuilder()
        for number in table.sorted() {
            let term = table[number]
            let all = UnsafeMutableBufferPointer(rebasing: postings[starts[number]..<starts[number + 1]])
            var start = 0
            builder.removeAll()
            while start < all.count {
                var end = start + 1
                while end < all.count, all[end] >> 32 == all[start] >> 32 { end += 1 }
                if builder.count == PostingRun.documentsMax {
                    writer.append(term.baseAddress.unsafelyUnwrapped, term.count, builder)
                    builder.removeAll()
                }
                if end - start > 1 {
                    var places = UnsafeMutableBufferPointer(rebasing: all[start..<end])
                    if !places.isAscending { places.sort() }
                }
                builder.begin(UInt32(all[start] >> 32), occurrences: UInt32(end - start))
                var last: UInt32 = 0
                for item in all[start..<end] {
                    let place = UInt32(truncatingIfNeeded: item)
                    builder.append(position: place &- last)
                    last = place
                }
                start = end
            }
            writer.append(term.baseAddress.unsafelyUnwrapped, term.count, builder)
        }
        writer.finish()
        return draft.tree(ofAscending: pages)
    }

    private func addDocuments(to root: inout FullTextRoot, _ draft: TreeDraft) {
        FullTextRoot.addDocuments(
            to: &root, keys: keys, numbers: nil, lengths: lengths, draft: draft)
    }
}

extension UnsafeMutableBufferPointer<UInt64> {
    fileprivate var isAscending: Bool { indices.dropFirst().allSatisfy { self[$0 - 1] < self[$0] } }
}

extension FullTextRoot {
    /// Makes the trees of documents.
    ///
    /// - Parameters:
    ///   - keys: the keys of all records, ascending.
    ///   - numbers: the number of each; as they come if `nil`.
    ///   - lengths: the value of each number, free ones included.
    static func addDocuments(
        to root: inout FullTextRoot, keys: [String], numbers: [UInt32]?, lengths: [UInt32], draft: TreeDraft
    ) {
        let rows = keys.enumerated().map { DocumentRow(key: $1, number: numbers?[$0] ?? UInt32($0)) }
        // The keys of records ascend by their bytes, as those of trees do.
        root.keys = draft.tree(ofAscending: rows)
        let blockCount = (lengths.count + DocumentBlock.count - 1) / DocumentBlock.count
        let blocks = (0..<blockCount).map { DocumentBlock($0, like: nil) }
        for row in rows {
            blocks[Int(row.number) / DocumentBlock.count].rows[Int(row.number) % DocumentBlock.count] = row
        }
        root.blocks = draft.tree(ofAscending: blocks)
        let pageCount = (lengths.count + LengthPage.count - 1) / LengthPage.count
        let pages = (0..<pageCount).map { LengthPage($0, like: nil) }
        for (number, length) in lengths.enumerated() {
            pages[number / LengthPage.count].values[number % LengthPage.count] = length
        }
        root.lengths = draft.tree(ofAscending: pages)
    }
}

extension TreeDraft {
    /// A tree of rows that should stand in the order of their keys; one by one if they don't.
    func tree(ofAscending rows: [TreeRow]) -> TreeRoot {
        if let root = try? build(from: rows) { return root }
        var root = TreeRoot()
        for row in rows { insert(row, into: &root) }
        return root
    }
}

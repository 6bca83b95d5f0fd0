import YaprakCore
import YaprakTrees

/// Brings an index up to date in a writer's turn.
///
/// What documents were and are is gathered first, as edits of single postings; a term that stands where it stood costs
/// nothing. Then each page that is concerned is written once.
///
/// An editor is used again and again: what it allocates costs as much as adding a word. Between two uses it keeps nothing of an
/// index. As for exclusivity see ``ByteBuffer``.
final class FullTextEditor {
    private let columns: [ColumnText]
    private let terms: DocumentTerms
    /// The terms of the use at hand, by number.
    let table = TermTable(capacity: 32)
    private let pages: PageEditor
    @exclusivity(unchecked)
    private var edits: [PostingEdit] = []
    @exclusivity(unchecked)
    private var positions: [UInt32] = []
    @exclusivity(unchecked)
    private var before: [PlacedTerm] = []
    @exclusivity(unchecked)
    private var after: [PlacedTerm] = []
    @exclusivity(unchecked)
    private var differences: [ColumnDifference] = []
    @exclusivity(unchecked)
    private var newLengths: [(number: UInt32, value: UInt32)] = []
    @exclusivity(unchecked)
    private var newRows: [(number: UInt32, row: DocumentRow?)] = []
    /// Numbers that are free from the next change on: a posting has one edit at most.
    @exclusivity(unchecked)
    private var freed: [UInt32] = []

    /// What was found of a column whose texts were compared: the new text, what both have in common, and where the terms of the
    /// rest begin among all.
    private struct ColumnDifference {
        let text: String
        let common: TextSplitter.CommonParts
        let before: Int
        let after: Int
    }

    init(_ columns: [ColumnText], _ tokenizer: any SearchTokenizer) {
        self.columns = columns
        terms = DocumentTerms(TextSplitter(tokenizer), columnCount: columns.count)
        pages = PageEditor(table)
    }

    /// Whether it is worth keeping: not after a large transaction.
    var isSmall: Bool {
        let placed = (before.capacity + after.capacity) * MemoryLayout<PlacedTerm>.stride
        let edited = edits.capacity * MemoryLayout<PostingEdit>.stride + 4 * positions.capacity
        return table.size + pages.size + placed + edited + 16 * (newLengths.capacity + newRows.capacity) <= 1 << 20
    }

    /// A record comes, changes or goes. ``finish(_:_:)`` follows.
    ///
    /// - Parameters:
    ///   - before: the record as it is indexed; `nil` if it was not there.
    ///   - after: the record from now on; `nil` if it goes.
    func follow(
        _ key: String, before old: RecordBox?, after new: RecordBox?, in root: inout FullTextRoot, _ draft: TreeDraft
    ) {
        let known = root.number(ofKey: key)
        if known == nil && new == nil { return }
        let number = known ?? take(key, &root, draft)
        let length: Int
        if known != nil, let old, let new {
            let stored = Int(root.length(of: number))
            // A length that a damaged file had is none that marks a number as free.
            length = min(max(0, stored + gatherDifference(of: old, new)), Int(LengthPage.freeBit) - 1)
            root.termCount += length - stored
            if length != stored { newLengths.append((number, UInt32(clamping: length))) }
        } else {
            if known != nil { root.termCount -= gather(old, into: &before) }
            length = gather(new, into: &after)
            root.termCount += length
            if new != nil { newLengths.append((number, UInt32(clamping: length))) }
        }
        addEdits(number)
        before.removeAll(keepingCapacity: true)
        after.removeAll(keepingCapacity: true)
        if new == nil { free(key, number, &root, draft) }
    }

    private func gather(_ record: RecordBox?, into found: inout [PlacedTerm]) -> Int {
        guard let record else { return 0 }
        var count = 0
        for column in columns.indices {
            guard let text = columns[column].text(record), !text.isEmpty else { continue }
            count += terms.split(text, column: column) { term, place in
                found.append(PlacedTerm(term: table.number(of: term), place: place))
            }
        }
        found.sort { $0.order < $1.order }
        return count
    }

    /// Gathers the terms that may differ between the texts of a record as they were and as they are, with all their places.
    /// - Returns: how many more terms there are.
    private func gatherDifference(of old: RecordBox, _ new: RecordBox) -> Int {
        for column in columns.indices {
            let (oldText, newText) = (columns[column].text(old) ?? "", columns[column].text(new) ?? "")
            let (start, newStart) = (before.count, after.count)
            let common = terms.splitDifference(of: oldText, newText, column: column) { term, place, isNew in
                let item = PlacedTerm(term: table.number(of: term), place: place)
                if isNew { after.append(item) } else { before.append(item) }
            }
            differences.append(ColumnDifference(text: newText, common: common, before: start, after: newStart))
        }
        if !before.isEmpty || !after.isEmpty { gatherCommonPlaces() }
        differences.removeAll(keepingCapacity: true)
        return after.count - before.count
    }

    /// Adds the places of the terms in what the texts have in common, and moves the others by what stands before them.
    private func gatherCommonPlaces() {
        var (end, newEnd) = (before.count, after.count)
        var isTooFar = false
        func move(_ placed: inout [PlacedTerm], _ range: Range<Int>, by distance: Int) {
            for index in range {
                let place = Int(placed[index].place) &+ distance
                if place > Int(PostingRun.placeMax) { isTooFar = true }
                placed[index].place = UInt32(clamping: place)
            }
        }
        for column in columns.indices.reversed() {
            let difference = differences[column]
            // Terms of other records are in the table, too: these are looked for in vain, no more.
            let distance = terms.split(
                difference.common, of: difference.text, column: column, for: table.beginnings
            ) {
                guard let number = table.find($0) else { return }
                before.append(PlacedTerm(term: number, place: $1))
                after.append(PlacedTerm(term: number, place: $1))
            }
            move(&before, difference.before..<end, by: distance)
            move(&after, difference.after..<newEnd, by: distance)
            (end, newEnd) = (difference.before, difference.after)
        }
        if isTooFar {
            before.removeAll { $0.place > PostingRun.placeMax }
            after.removeAll { $0.place > PostingRun.placeMax }
        }
        before.sort { $0.order < $1.order }
        after.sort { $0.order < $1.order }
    }

    /// Notes the terms that differ.
    private func addEdits(_ document: UInt32) {
        var (i, j) = (0, 0)
        while i < before.count || j < after.count {
            let term = min(
                i < before.count ? before[i].term : .max, j < after.count ? after[j].term : .max)
            var (iEnd, jEnd) = (i, j)
            while iEnd < before.count, before[iEnd].term == term { iEnd += 1 }
            while jEnd < after.count, after[jEnd].term == term { jEnd += 1 }
            let isSame =
                iEnd - i == jEnd - j && (0..<iEnd - i).allSatisfy { before[i + $0].place == after[j + $0].place }
            if !isSame {
                let start = positions.count
                for index in j..<jEnd { positions.append(after[index].place) }
                edits.append(
                    PostingEdit(
                        word: table.firstBytes(of: Int(term)), term: Int(term), document: document,
                        positions: start..<positions.count))
            }
            (i, j) = (iEnd, jEnd)
        }
    }

    // MARK: Numbers

    private func take(_ key: String, _ root: inout FullTextRoot, _ draft: TreeDraft) -> UInt32 {
        root.documentCount += 1
        let number: UInt32
        if root.firstFree > 0 {
            // It was freed in an earlier use: its length is in the tree.
            number = root.firstFree - 1
            root.firstFree = root.length(of: number) & ~LengthPage.freeBit
        } else {
            precondition(root.capacity < FullTextRoot.documentsMax, "an index has at most a billion documents")
            number = UInt32(root.capacity)
            root.capacity += 1
        }
        let row = DocumentRow(key: key, number: number)
        draft.insert(row, into: &root.keys)
        newRows.append((number, row))
        return number
    }

    private func free(_ key: String, _ number: UInt32, _ root: inout FullTextRoot, _ draft: TreeDraft) {
        root.documentCount -= 1
        draft.remove(key, from: &root.keys)
        newRows.append((number, nil))
        freed.append(number)
    }

    // MARK: The trees

    /// Writes everything that records were followed for.
    func finish(_ root: inout FullTextRoot, _ draft: TreeDraft) {
        for number in freed {
            newLengths.append((number, LengthPage.freeBit | root.firstFree))
            root.firstFree = number + 1
        }
        freed.removeAll(keepingCapacity: true)
        apply(to: &root.pages, draft)
        settle(&root, draft)
        table.removeAll()
        root.identity = FullTextRoot.nextIdentity()
    }

    private func apply(to pages: inout TreeRoot, _ draft: TreeDraft) {
        if edits.isEmpty { return }
        if edits.count > 1 {
            edits.sort { a, b in
                if a.word != b.word { return a.word < b.word }
                if a.term == b.term { return a.document < b.document }
                return table.compare(a.term, b.term) < 0
            }
        }
        positions.append(0)
        positions.withUnsafeBufferPointer { self.pages.apply(edits, $0, to: &pages, draft) }
        edits.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
    }

    /// Writes the lengths and rows that were noted. Of several for one number, the last counts.
    private func settle(_ root: inout FullTextRoot, _ draft: TreeDraft) {
        Self.inBlocks(of: LengthPage.count, &newLengths, number: { $0.number }) { block, noted in
            let isThere = block < root.lengths.count
            let old = isThere ? unsafeDowncast(root.lengths.row(at: block), to: LengthPage.self) : nil
            let page = LengthPage(block, like: old)
            for item in noted { page.values[Int(item.number) % LengthPage.count] = item.value }
            draft.insert(page, into: &root.lengths)
        }
        Self.inBlocks(of: DocumentBlock.count, &newRows, number: { $0.number }) { number, noted in
            let isThere = number < root.blocks.count
            let old = isThere ? unsafeDowncast(root.blocks.row(at: number), to: DocumentBlock.self) : nil
            let block = DocumentBlock(number, like: old)
            for item in noted { block.rows[Int(item.number) % DocumentBlock.count] = item.row }
            draft.insert(block, into: &root.blocks)
        }
    }

    /// Hands over what was noted for each block of numbers, in the sequence in which it was noted, and forgets it.
    @inline(__always)
    private static func inBlocks<Item>(
        of size: Int, _ noted: inout [Item], number: (Item) -> UInt32, _ body: (Int, ArraySlice<Item>) -> Void
    ) {
        if noted.count > 1 {
            let sorted = noted.enumerated().sorted {
                (number($0.element) / UInt32(size), $0.offset) < (number($1.element) / UInt32(size), $1.offset)
            }
            for (index, item) in sorted.enumerated() { noted[index] = item.element }
        }
        var start = 0
        while start < noted.count {
            let block = Int(number(noted[start])) / size
            var end = start + 1
            while end < noted.count, Int(number(noted[end])) / size == block { end += 1 }
            body(block, noted[start..<end])
            start = end
        }
        noted.removeAll(keepingCapacity: true)
    }
}

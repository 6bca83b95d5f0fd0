import YaprakTrees

/// Brings an index up to date in a writer's turn.
///
/// What documents were and are is gathered first, as edits of single postings; a term that stands where it stood costs
/// nothing. Then each page that is concerned is written once. As for exclusivity see ``ByteBuffer``.
final class FullTextEditor {
    @exclusivity(unchecked)
    private(set) var root: FullTextRoot
    private let draft: TreeDraft
    private let terms: DocumentTerms
    private let table: TermTable
    @exclusivity(unchecked)
    private var edits: [PostingEdit] = []
    @exclusivity(unchecked)
    private var positions: [UInt32] = []
    @exclusivity(unchecked)
    private var before: [PlacedTerm] = []
    @exclusivity(unchecked)
    private var after: [PlacedTerm] = []
    @exclusivity(unchecked)
    private var newLengths: [(number: UInt32, value: UInt32)] = []
    @exclusivity(unchecked)
    private var newRows: [(number: UInt32, row: DocumentRow?)] = []
    /// Numbers that are free from the next change on: a posting has one edit at most.
    @exclusivity(unchecked)
    private var freed: [UInt32] = []

    init(_ root: FullTextRoot, _ terms: DocumentTerms, draft: TreeDraft, changes: Int) {
        self.root = root
        self.terms = terms
        self.draft = draft
        table = TermTable(capacity: min(64 * changes, 1 << 16))
    }

    /// The texts of a record's columns.
    typealias Texts = (_ column: (Int, String) -> Void) -> Void

    /// A record comes, changes or goes.
    ///
    /// - Parameters:
    ///   - before: its texts as they are indexed; `nil` if it was not there.
    ///   - after: its texts from now on; `nil` if it goes.
    func follow(_ key: String, before old: Texts?, after new: Texts?) {
        let known = root.number(ofKey: key)
        if known == nil && new == nil { return }
        let number = known ?? take(key)
        before.removeAll(keepingCapacity: true)
        after.removeAll(keepingCapacity: true)
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
        if new == nil { free(key, number) }
    }

    private func gather(_ texts: Texts?, into found: inout [PlacedTerm]) -> Int {
        guard let texts else { return 0 }
        var all: [PlacedTerm] = []
        swap(&all, &found)
        var count = 0
        texts { column, text in
            count += terms.split(text, column: column) { term, place in
                all.append(PlacedTerm(term: table.number(of: term), place: place))
            }
        }
        all.sort { $0.order < $1.order }
        swap(&all, &found)
        return count
    }

    /// Gathers the terms that may differ between the texts of a record as they were and as they are, with all their places.
    /// - Returns: how many more terms there are.
    private func gatherDifference(of old: Texts, _ new: Texts) -> Int {
        let columns = terms.columnCount
        var oldTexts = [String](repeating: "", count: columns)
        old { column, text in oldTexts[column] = text }
        var newTexts = [String](repeating: "", count: columns)
        new { column, text in newTexts[column] = text }
        var (all, allNew): ([PlacedTerm], [PlacedTerm]) = ([], [])
        swap(&all, &before)
        swap(&allNew, &after)
        // Terms of other records are in the table, too: these are looked for in vain, no more.
        let common = (0..<columns).map { column in
            terms.splitDifference(of: oldTexts[column], newTexts[column], column: column) { term, place, isNew in
                let item = PlacedTerm(term: table.number(of: term), place: place)
                if isNew { allNew.append(item) } else { all.append(item) }
            }
        }
        let more = allNew.count - all.count
        if !all.isEmpty || !allNew.isEmpty {
            for column in 0..<columns {
                terms.split(common[column], of: newTexts[column], column: column) { term, place in
                    guard let number = table.find(term) else { return }
                    all.append(PlacedTerm(term: number, place: place))
                    allNew.append(PlacedTerm(term: number, place: place))
                }
            }
        }
        all.sort { $0.order < $1.order }
        allNew.sort { $0.order < $1.order }
        swap(&all, &before)
        swap(&allNew, &after)
        return more
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
                for placed in after[j..<jEnd] { positions.append(placed.place) }
                edits.append(
                    PostingEdit(
                        word: table.firstBytes(of: Int(term)), term: Int(term), document: document,
                        positions: start..<positions.count))
            }
            (i, j) = (iEnd, jEnd)
        }
    }

    // MARK: Numbers

    private func take(_ key: String) -> UInt32 {
        root.documentCount += 1
        let number: UInt32
        if root.firstFree > 0 {
            number = root.firstFree - 1
            settle()
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

    private func free(_ key: String, _ number: UInt32) {
        root.documentCount -= 1
        draft.remove(key, from: &root.keys)
        newRows.append((number, nil))
        freed.append(number)
    }

    // MARK: The trees

    /// Writes everything and returns the root.
    func finish() -> FullTextRoot {
        for number in freed {
            newLengths.append((number, LengthPage.freeBit | root.firstFree))
            root.firstFree = number + 1
        }
        apply()
        root.identity = FullTextRoot.nextIdentity()
        return root
    }

    private func apply() {
        edits.sort { a, b in
            if a.word != b.word { return a.word < b.word }
            if a.term == b.term { return a.document < b.document }
            return table.compare(a.term, b.term) < 0
        }
        if !edits.isEmpty {
            positions.append(0)
            positions.withUnsafeBufferPointer { PageEditor(draft, table, $0).apply(edits, to: &root.pages) }
        }
        edits.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        settle()
    }

    /// Writes the lengths and rows that were noted. Of several for one number, the last counts.
    private func settle() {
        var lengths = newLengths.enumerated().map { (page: Int($1.number) / LengthPage.count, order: $0, item: $1) }
        lengths.sort { ($0.page, $0.order) < ($1.page, $1.order) }
        var index = 0
        while index < lengths.count {
            let number = lengths[index].page
            let old =
                number < root.lengths.count ? unsafeDowncast(root.lengths.row(at: number), to: LengthPage.self) : nil
            let page = LengthPage(number, like: old)
            while index < lengths.count, lengths[index].page == number {
                page.values[Int(lengths[index].item.number) % LengthPage.count] = lengths[index].item.value
                index += 1
            }
            draft.insert(page, into: &root.lengths)
        }
        newLengths.removeAll(keepingCapacity: true)
        var rows = newRows.enumerated().map { (block: Int($1.number) / DocumentBlock.count, order: $0, item: $1) }
        rows.sort { ($0.block, $0.order) < ($1.block, $1.order) }
        index = 0
        while index < rows.count {
            let number = rows[index].block
            let old =
                number < root.blocks.count ? unsafeDowncast(root.blocks.row(at: number), to: DocumentBlock.self) : nil
            let block = DocumentBlock(number, like: old)
            while index < rows.count, rows[index].block == number {
                block.rows[Int(rows[index].item.number) % DocumentBlock.count] = rows[index].item.row
                index += 1
            }
            draft.insert(block, into: &root.blocks)
        }
        newRows.removeAll(keepingCapacity: true)
    }
}

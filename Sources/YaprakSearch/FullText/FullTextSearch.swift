import YaprakTrees

/// One query asked of one root. Used by one thread, while the snapshot is alive.
struct FullTextSearch {
    let root: FullTextRoot
    let query: CompiledQuery
    let leaves: LeafSearch

    /// - Parameter isCancelled: asked now and then; if it says so, what is found is wrong, and nobody wants it.
    init(
        _ query: SearchQuery, _ root: FullTextRoot, _ tools: SearchTools, _ kit: SearchKit,
        isCancelled: (() -> Bool)? = nil
    ) {
        self.root = root
        self.query = CompiledQuery(query, columnNames: tools.columnNames, kit.splitter)
        leaves = LeafSearch(
            reader: PostingReader(root.pages, kit.room, isCancelled: isCancelled), root: root,
            columnCount: tools.columnNames.count, weights: tools.weights)
    }

    // MARK: Without a rank

    /// The documents that match. O(postings).
    func matches() -> DocumentSet {
        var set = matches(query.root)
        // Nothing is under a number that is free, unless texts have changed without the index.
        set.removeFree(root)
        return set
    }

    func matches(_ node: CompiledQuery.Node) -> DocumentSet {
        switch node {
        case .nothing: return DocumentSet(capacity: root.capacity)
        case .leaf(let number, _): return leaves.set(query.leaves[number])
        case .all(let nodes):
            var set = matches(nodes[0])
            // Nothing has all of them: the others need not be looked up.
            for node in nodes.dropFirst() where !set.isEmpty { set.formIntersection(matches(node)) }
            return set
        case .any(let nodes):
            var set = matches(nodes[0])
            for node in nodes.dropFirst() { set.formUnion(matches(node)) }
            return set
        case .without(let wanted, let unwanted):
            var set = matches(wanted)
            set.subtract(matches(unwanted))
            return set
        }
    }

    // MARK: By rank

    /// The best documents and their scores, best first; of equal ones, the smaller key first.
    /// - Complexity: O(postings + *k* log *k*), without those that an AND skips; O(postings · log *a* + *k* log *k*) for more
    ///   than ``AnyCursor/alternativesMax`` parts *a* of ORs. The postings of a word count once for each part of the query that
    ///   has it; equal words side by side are one part. No more than ``LeafSearch/listsMax`` lists of documents at once, however
    ///   many parts the query has.
    func top(_ count: Int) -> [(document: UInt32, score: Double)] {
        guard count > 0, root.documentCount > 0 else { return [] }
        return needsManyLists ? topByParts(count) : topByDocuments(count)
    }

    /// Whether to walk all parts of the query together takes more lists of documents than a search may have.
    var needsManyLists: Bool {
        query.leaves.count > LeafSearch.listsMax
            && query.leaves.count(where: { !leaves.isPlainTerm($0) }) > LeafSearch.listsMax
    }

    /// The mean length of a document.
    var meanLength: Double { max(1, Double(root.termCount)) / Double(root.documentCount) }

    /// After so many numbers of documents, or documents that are skipped or decoded, it is asked again whether anybody waits for
    /// what is found.
    static let cancellationStride: UInt32 = 4096

    /// The best documents, one after the other: all parts of the query are walked together.
    func topByDocuments(_ count: Int) -> [(document: UInt32, score: Double)] {
        var best = BestDocuments(count, root)
        let mean = meanLength
        var known: LeafSearch.KnownLeaves = [:]
        let cursor = cursor(query.root, &known)
        DocumentLengths.with(root) { lengths in
            cursor.fetchLengths(lengths)
            var document = cursor.document
            while document != DocumentCursor.end, !leaves.reader.isCancelled {
                // The end is greater, so that one comparison finds both.
                let limit = document + Self.cancellationStride
                while document < limit {
                    let length = lengths[document]
                    if length & LengthPage.freeBit == 0 {
                        best.offer(document, cursor.score(Rank.norm(length: length, mean: mean)))
                    }
                    cursor.seek(document + 1)
                    document = cursor.document
                }
            }
        }
        // What nobody waits for is not sorted.
        return leaves.reader.isCancelled ? [] : best.sorted
    }

    /// A cursor over the documents of a part of the query.
    /// - Parameter skips: whether other cursors say which of them are asked for.
    func cursor(
        _ node: CompiledQuery.Node, skips: Bool = false, _ known: inout LeafSearch.KnownLeaves
    ) -> DocumentCursor {
        switch node {
        case .nothing: return emptyCursor
        case .leaf(let number, let times):
            return leaves.cursor(query.leaves[number], number, times: times, skips: skips, &known)
        case .all(let nodes):
            var all: ContiguousArray<DocumentCursor> = []
            all.reserveCapacity(nodes.count)
            for node in nodes {
                let part = cursor(node, skips: true, &known)
                // Nothing has all of them: the others need not be looked up.
                if part.document == DocumentCursor.end { return emptyCursor }
                all.append(part)
            }
            return AllCursor(all, cancellation)
        case .any(let nodes):
            var parts: ContiguousArray<DocumentCursor> = []
            parts.reserveCapacity(nodes.count)
            for node in nodes {
                let part = cursor(node, skips: skips, &known)
                // What nothing has is not looked at again.
                if part.document != DocumentCursor.end { parts.append(part) }
            }
            if parts.count < 2 { return parts.first ?? emptyCursor }
            return query.alternativeCount > AnyCursor.alternativesMax ? AnyOfManyCursor(parts) : AnyCursor(parts)
        case .without(let wanted, let unwanted):
            return ExclusionCursor(
                cursor(wanted, skips: skips, &known), without: cursor(unwanted, skips: true, &known), cancellation)
        }
    }

    private var cancellation: CancellationCheck { CancellationCheck(leaves.reader.asksIfCancelled) }

    private var emptyCursor: DocumentCursor { ListCursor(FoundDocuments(), Rank(documents: 0, matching: 0)) }
}

extension DocumentSet {
    fileprivate mutating func removeFree(_ root: FullTextRoot) {
        guard root.firstFree > 0 else { return }
        var free: [UInt32] = []
        forEach { if root.length(of: $0) & LengthPage.freeBit != 0 { free.append($0) } }
        for document in free { remove(document) }
    }
}

extension LeafSearch {
    /// The documents of a leaf, without how often.
    fileprivate func set(_ leaf: CompiledQuery.Leaf) -> DocumentSet {
        var set = DocumentSet(capacity: root.capacity)
        guard isOfTerms(leaf) else {
            for document in found(leaf).documents { set.insert(document) }
            return set
        }
        set.withWords { words in
            forEachRun(of: leaf) { run in
                run.forEachDocument { words[Int($0 >> 6)] |= 1 << UInt64($0 & 63) }
            }
        }
        return set
    }
}

/// The best of the documents that are offered.
struct BestDocuments {
    private let root: FullTextRoot
    private let countMax: Int
    private var items: [(document: UInt32, score: Double)] = []

    /// So many are kept in order; more are sorted at the end.
    private static let keptInOrderMax = 128

    init(_ count: Int, _ root: FullTextRoot) {
        countMax = count
        self.root = root
        items.reserveCapacity(min(count, Self.keptInOrderMax) + 1)
    }

    @inline(__always)
    mutating func offer(_ document: UInt32, _ score: Double) {
        if items.count == countMax, countMax <= Self.keptInOrderMax, score < items[countMax &- 1].score { return }
        insert(document, score)
    }

    private mutating func insert(_ document: UInt32, _ score: Double) {
        guard countMax <= Self.keptInOrderMax else {
            items.append((document, score))
            return
        }
        var index = items.count
        while index > 0, score > items[index - 1].score { index -= 1 }
        // The key decides among those that are as good: it is looked at there only.
        if index > 0, items[index - 1].score == score {
            let row = row(document)
            while index > 0, items[index - 1].score == score,
                row._withUnsafeGuaranteedRef({ comesBefore($0, self.row(items[index - 1].document)) })
            { index -= 1 }
        }
        if index == countMax { return }
        if items.count == countMax { items.removeLast() }
        items.append((document, score))
        // Those behind it make room: fewer steps than an insertion takes that knows nothing of its elements.
        var at = items.count - 1
        while at > index {
            items[at] = items[at - 1]
            at -= 1
        }
        items[index] = (document, score)
    }

    private func row(_ document: UInt32) -> Unmanaged<DocumentRow> { Unmanaged.passUnretained(root.row(of: document)) }

    private func comesBefore(_ row: DocumentRow, _ other: Unmanaged<DocumentRow>) -> Bool {
        other._withUnsafeGuaranteedRef { row.compareKey(to: $0) < 0 }
    }

    private func comesBefore(_ document: UInt32, _ score: Double, _ other: (document: UInt32, score: Double)) -> Bool {
        if score != other.score { return score > other.score }
        return row(document)._withUnsafeGuaranteedRef { comesBefore($0, row(other.document)) }
    }

    /// Best first.
    var sorted: [(document: UInt32, score: Double)] {
        guard countMax > Self.keptInOrderMax else { return items }
        return Array(items.sorted { comesBefore($0.document, $0.score, $1) }.prefix(countMax))
    }
}

extension String {
    /// In the order of keys: by bytes.
    func comesBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

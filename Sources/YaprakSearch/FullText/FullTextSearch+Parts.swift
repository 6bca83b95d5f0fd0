/// A ranking of queries of many parts.
///
/// Cursors need the documents of all parts at once, which is a list for each beginning, phrase, `NEAR` or misspelt word. Here
/// the parts are looked up one after the other: what each adds to the scores of its documents is added up, and its list is
/// given up. The same numbers are added in the same order, so scores are equal to the last bit.
extension FullTextSearch {
    /// The same as ``topByDocuments(_:)``, with a few lists of documents at once.
    /// - Complexity: O(postings + *k* log *k*); 8 bytes for each document and level of the query.
    func topByParts(_ count: Int) -> [(document: UInt32, score: Double)] {
        var best = BestDocuments(count, root)
        DocumentLengths.with(root) { lengths in
            var sums = PartSums(capacity: root.capacity, lengths: lengths, mean: meanLength)
            var scores = sums.take()
            add(query.root, to: &scores, &sums).forEach { document in
                if lengths[document] & LengthPage.freeBit == 0 { best.offer(document, scores[Int(document)]) }
            }
        }
        // What nobody waits for is not sorted.
        return leaves.reader.isCancelled ? [] : best.sorted
    }

    /// Adds to each document's score what a part of the query gives it.
    /// - Returns: the documents that the part matches. The scores of others are as they were.
    private func add(
        _ node: CompiledQuery.Node, to scores: inout [Double], _ sums: inout PartSums
    ) -> DocumentSet {
        switch node {
        case .nothing: return DocumentSet(capacity: root.capacity)
        case .leaf(let number, let times): return add(number, times: times, to: &scores, &sums)
        case .all(let nodes):
            var own = sums.take()
            var set = add(nodes[0], to: &own, &sums)
            var touched = set
            for node in nodes.dropFirst() where !set.isEmpty {
                let part = add(node, to: &own, &sums)
                set.formIntersection(part)
                touched.formUnion(part)
            }
            sums.move(&own, of: set, to: &scores, touched: touched)
            return set
        case .any(let nodes):
            var own = sums.take()
            var set = add(nodes[0], to: &own, &sums)
            for node in nodes.dropFirst() { set.formUnion(add(node, to: &own, &sums)) }
            sums.move(&own, of: set, to: &scores, touched: set)
            return set
        case .without(let wanted, let unwanted):
            var own = sums.take()
            let touched = add(wanted, to: &own, &sums)
            var set = touched
            if !set.isEmpty { set.subtract(matches(unwanted)) }
            sums.move(&own, of: set, to: &scores, touched: touched)
            return set
        }
    }

    private func add(
        _ number: Int, times: Int, to scores: inout [Double], _ sums: inout PartSums
    ) -> DocumentSet {
        // Asked here, because what is known is not looked up again.
        if leaves.reader.isCancelled { return DocumentSet(capacity: root.capacity) }
        let leaf = query.leaves[number]
        let found = sums.known[number] ?? leaves.found(leaf)
        // Of more leaves than these, those that the query has in several places are looked up in each.
        if leaf.isShared, sums.known.count < LeafSearch.listsMax { sums.known[number] = found }
        let rank = Rank(documents: root.documentCount, matching: found.documents.count, times: times)
        var set = DocumentSet(capacity: root.capacity)
        for (document, frequency) in zip(found.documents, found.frequencies) {
            set.insert(document)
            scores[Int(document)] += rank.score(frequency, sums.norm(document))
        }
        return set
    }
}

/// Sums for all documents, and what is needed to make them.
private struct PartSums {
    private let capacity: Int
    private let lengths: DocumentLengths
    private let mean: Double
    /// Sums of nothing, to be used again.
    private var idle: [[Double]] = []
    /// What was found of leaves that the query has in several places.
    var known: LeafSearch.KnownLeaves = [:]

    init(capacity: Int, lengths: DocumentLengths, mean: Double) {
        self.capacity = capacity
        self.lengths = lengths
        self.mean = mean
    }

    @inline(__always)
    func norm(_ document: UInt32) -> Double { Rank.norm(length: lengths[document], mean: mean) }

    /// A zero for each document.
    mutating func take() -> [Double] { idle.popLast() ?? [Double](repeating: 0, count: capacity) }

    /// Adds the sums of some documents to others, and keeps the room.
    /// - Parameter touched: all documents that have a sum.
    mutating func move(
        _ sums: inout [Double], of set: DocumentSet, to scores: inout [Double], touched: DocumentSet
    ) {
        set.forEach { scores[Int($0)] += sums[Int($0)] }
        touched.forEach { sums[Int($0)] = 0 }
        idle.append(sums)
        sums = []
    }
}

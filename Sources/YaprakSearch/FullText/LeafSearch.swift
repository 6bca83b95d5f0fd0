/// Finds what single parts of a query match in an index.
struct LeafSearch {
    let reader: PostingReader
    let root: FullTextRoot
    let columnCount: Int
    /// A weight for each column; `nil` if all are 1.
    let weights: [Double]?

    private func isInAllColumns(_ leaf: CompiledQuery.Leaf) -> Bool {
        let all = columnCount == 64 ? UInt64.max : (1 << UInt64(columnCount)) - 1
        return leaf.columns & all == all
    }

    /// Whether how often a term stands in a document is what its posting says.
    private func isPlain(_ leaf: CompiledQuery.Leaf) -> Bool { weights == nil && isInAllColumns(leaf) }

    /// Whether a leaf is a term whose postings say all that is asked: it is read as it is walked, and needs no list of documents.
    @inline(__always)
    func isPlainTerm(_ leaf: CompiledQuery.Leaf) -> Bool {
        guard case .phrase(let phrase) = leaf.kind else { return false }
        return phrase.units.count == 1 && !phrase.units[0].isPrefix && isPlain(leaf)
    }

    /// The most lists of documents that a search has at once. Each takes 12 bytes for each document.
    static let listsMax = 64

    /// What was found of leaves that a query has in several places, by their numbers: the arrays are shared, not made once more.
    typealias KnownLeaves = [Int: FoundDocuments]

    /// A cursor over the documents of a leaf.
    /// - Parameters:
    ///   - number: of the leaf in its query.
    ///   - times: how often the rank counts it.
    ///   - skips: whether other cursors say which of them are asked for.
    func cursor(
        _ leaf: CompiledQuery.Leaf, _ number: Int, times: Int, skips: Bool, _ known: inout KnownLeaves
    ) -> DocumentCursor {
        if case .phrase(let phrase) = leaf.kind, phrase.units.count == 1, !phrase.units[0].isPrefix, isPlain(leaf) {
            let runs = reader.runs(of: phrase.units[0].term)
            return skips
                ? SkippingTermCursor(runs, documents: root.documentCount, times: times)
                : TermCursor(runs, documents: root.documentCount, times: times)
        }
        let found = leaf.isShared ? known[number] ?? found(leaf) : found(leaf)
        if leaf.isShared { known[number] = found }
        return ListCursor(
            found, Rank(documents: root.documentCount, matching: found.documents.count, times: times))
    }

    /// The documents of a leaf.
    func found(_ leaf: CompiledQuery.Leaf) -> FoundDocuments {
        switch leaf.kind {
        case .phrase(let phrase) where phrase.units.count == 1:
            return union(runs(of: phrase.units[0]), leaf)
        case .phrase(let phrase):
            guard var terms = PhraseSources([phrase], self) else { return FoundDocuments() }
            let cursor = PhraseCursor(phrase, self, &terms)
            return positioned([cursor], leaf) { frequency(cursor.starts) }
        case .near(let phrases, let distance):
            return near(phrases, distance, leaf)
        case .fuzzy(let word, let distance):
            return union(runs(near: word, atMost: distance), leaf)
        }
    }

    /// Whether any document of a run of a leaf matches: it is of terms, and their positions need not be looked at.
    func isOfTerms(_ leaf: CompiledQuery.Leaf) -> Bool {
        guard isInAllColumns(leaf) else { return false }
        switch leaf.kind {
        case .phrase(let phrase): return phrase.units.count == 1
        case .near: return false
        case .fuzzy: return true
        }
    }

    /// Calls `body` with the runs of a leaf that is of terms.
    @inline(__always)
    func forEachRun(of leaf: CompiledQuery.Leaf, _ body: (PostingRun) -> Void) {
        switch leaf.kind {
        case .phrase(let phrase) where phrase.units[0].isPrefix:
            reader.forEachRun(withPrefix: phrase.units[0].term, body)
        case .phrase(let phrase): for run in reader.runs(of: phrase.units[0].term) { body(run) }
        case .near: break
        case .fuzzy(let word, let distance): reader.forEachRun(near: word, atMost: distance) { run, _ in body(run) }
        }
    }

    private func runs(near word: [UInt8], atMost distance: Int) -> [PostingRun] {
        var runs: [PostingRun] = []
        reader.forEachRun(near: word, atMost: distance) { run, _ in runs.append(run) }
        return runs
    }

    func runs(of unit: CompiledQuery.Phrase.Unit) -> [PostingRun] {
        unit.isPrefix ? reader.runs(withPrefix: unit.term) : reader.runs(of: unit.term)
    }

    private func isIn(_ place: UInt32, _ columns: UInt64) -> Bool {
        columns >> UInt64(Int(place) % columnCount) & 1 == 1
    }

    private func frequency(_ places: PlaceList) -> Double {
        guard let weights else { return Double(places.count) }
        return (0..<places.count).reduce(0) { $0 + weights[Int(places[$1]) % columnCount] }
    }

    // MARK: Any of several terms

    private func union(_ runs: [PostingRun], _ leaf: CompiledQuery.Leaf) -> FoundDocuments {
        var found = FoundDocuments()
        let total = runs.reduce(0) { $0 + $1.count }
        let isPlain = isPlain(leaf)
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer { numbers.deallocate() }
        let occurrences = numbers + PostingRun.documentsMax
        func forEachPosting(_ body: (UInt32, Double) -> Void) {
            for run in runs {
                run.decode(numbers, occurrences)
                if isPlain {
                    for index in 0..<run.count { body(numbers[index], Double(occurrences[index])) }
                } else {
                    var reader = ByteReader(run.positions)
                    for index in 0..<run.count {
                        var place: UInt32 = 0
                        var sum = 0.0
                        var isFound = false
                        for _ in 0..<occurrences[index] {
                            place &+= reader.number()
                            guard isIn(place, leaf.columns) else { continue }
                            isFound = true
                            sum += weights?[Int(place) % columnCount] ?? 1
                        }
                        if isFound { body(numbers[index], sum) }
                    }
                }
            }
        }
        if total <= root.capacity / 32 || total < 256 {
            var postings: [(document: UInt32, frequency: Double)] = []
            postings.reserveCapacity(total)
            forEachPosting { postings.append(($0, $1)) }
            postings.sort { $0.document < $1.document }
            for posting in postings {
                if found.documents.last == posting.document {
                    found.frequencies[found.frequencies.count - 1] += posting.frequency
                } else {
                    found.append(posting.document, posting.frequency)
                }
            }
            return found
        }
        var sums = [Double](repeating: 0, count: root.capacity)
        var set = DocumentSet(capacity: root.capacity)
        sums.withUnsafeMutableBufferPointer { sums in
            forEachPosting { document, frequency in
                set.insert(document)
                sums[Int(document)] += frequency
            }
            found.documents.reserveCapacity(min(total, root.capacity))
            found.frequencies.reserveCapacity(min(total, root.capacity))
            set.forEach { found.append($0, sums[Int($0)]) }
        }
        return found
    }

    // MARK: Terms at positions

    /// The documents in which each of some phrases stands, in the columns of a leaf.
    /// - Parameters:
    ///   - first: no document before it has all of them.
    ///   - frequency: how often, asked while the cursors have the places of a document; negative if not at all.
    private func positioned(
        _ cursors: [PhraseCursor], from first: UInt32 = 0, _ leaf: CompiledQuery.Leaf, _ frequency: () -> Double
    ) -> FoundDocuments {
        var found = FoundDocuments()
        let isInAllColumns = isInAllColumns(leaf)
        let haveManyTerms = PhraseSources.areMany(leaf.phrases)
        var cancellation = CancellationCheck(reader.asksIfCancelled)
        // Walking them retains none.
        let walked = cursors.map { Unmanaged.passUnretained($0) }
        withExtendedLifetime(cursors) {
            var target = first
            outer: while true {
                for cursor in walked {
                    guard let document = cursor._withUnsafeGuaranteedRef({ $0.seek(target) }) else { break outer }
                    if document > target {
                        if cancellation.passAndAsk() { break outer }
                        target = document
                        continue outer
                    }
                }
                // With many terms, one document may take long.
                if haveManyTerms ? reader.isCancelled : cancellation.passAndAsk() { break }
                let isFound = walked.allSatisfy { cursor in
                    cursor._withUnsafeGuaranteedRef { cursor in
                        cursor.readStarts()
                        if !isInAllColumns { cursor.starts.mapKept { isIn($0, leaf.columns) ? $0 : nil } }
                        return cursor.starts.count > 0
                    }
                }
                if isFound {
                    let sum = frequency()
                    if sum >= 0 { found.append(target, sum) }
                }
                if target == .max { break }
                target += 1
            }
        }
        return found
    }

    private func near(
        _ phrases: [CompiledQuery.Phrase], _ distance: Int, _ leaf: CompiledQuery.Leaf
    ) -> FoundDocuments {
        guard let (cursors, first) = cursors(of: phrases) else { return FoundDocuments() }
        var counter = NearCounter(lengths: phrases.map(\.length), distance: distance, columnCount: columnCount)
        return positioned(cursors, from: first, leaf) {
            var sum = -1.0
            for column in 0..<columnCount {
                let count = counter.count(cursors, inColumn: column)
                if count > 0 { sum = max(0, sum) + Double(count) * (weights?[column] ?? 1) }
            }
            return sum
        }
    }

    /// A cursor for each of some phrases, and a document before which none has all.
    /// - Returns: `nil` if one of them is in no document from where those before it begin: the others are not looked up.
    private func cursors(of phrases: [CompiledQuery.Phrase]) -> (cursors: [PhraseCursor], first: UInt32)? {
        guard var terms = PhraseSources(phrases, self) else { return nil }
        var cursors: [PhraseCursor] = []
        cursors.reserveCapacity(phrases.count)
        var first: UInt32 = 0
        for phrase in phrases {
            let cursor = PhraseCursor(phrase, self, &terms)
            guard let next = cursor.seek(first), !reader.isCancelled else { return nil }
            first = next
            cursors.append(cursor)
        }
        return (cursors, first)
    }
}

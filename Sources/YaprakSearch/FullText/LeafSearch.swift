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

    /// A cursor over the documents of a leaf.
    func cursor(_ leaf: CompiledQuery.Leaf) -> DocumentCursor {
        if case .phrase(let phrase) = leaf.kind, phrase.units.count == 1, !phrase.units[0].isPrefix, isPlain(leaf) {
            return TermCursor(reader.runs(of: phrase.units[0].term), documents: root.documentCount)
        }
        return ListCursor(found(leaf), documents: root.documentCount)
    }

    /// The documents of a leaf.
    func found(_ leaf: CompiledQuery.Leaf) -> FoundDocuments {
        switch leaf.kind {
        case .phrase(let phrase) where phrase.units.count == 1:
            return union(runs(of: phrase.units[0]), leaf)
        case .phrase(let phrase):
            let cursors = PhraseCursor(phrase, self)
            return positioned([cursors], leaf) { starts in frequency(starts[0]) }
        case .near(let phrases, let distance):
            return near(phrases, distance, leaf)
        case .fuzzy(let word, let distance):
            return union(runs(near: word, atMost: distance), leaf)
        }
    }

    /// The runs of a leaf that any document of matches; `nil` if their positions have to be looked at.
    func plainRuns(_ leaf: CompiledQuery.Leaf) -> [PostingRun]? {
        guard isInAllColumns(leaf) else { return nil }
        switch leaf.kind {
        case .phrase(let phrase): return phrase.units.count == 1 ? runs(of: phrase.units[0]) : nil
        case .near: return nil
        case .fuzzy(let word, let distance): return runs(near: word, atMost: distance)
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

    private func frequency(_ places: [UInt32]) -> Double {
        guard let weights else { return Double(places.count) }
        return places.reduce(0) { $0 + weights[Int($1) % columnCount] }
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

    private func positioned(
        _ cursors: [PhraseCursor], _ leaf: CompiledQuery.Leaf, _ frequency: ([[UInt32]]) -> Double
    ) -> FoundDocuments {
        var found = FoundDocuments()
        var target: UInt32 = 0
        outer: while true {
            for cursor in cursors {
                guard let document = cursor.seek(target) else { break outer }
                if document > target {
                    target = document
                    continue outer
                }
            }
            let starts = cursors.map { cursor in cursor.readStarts().filter { isIn($0, leaf.columns) } }
            if !starts.contains(where: \.isEmpty) {
                let sum = frequency(starts)
                if sum >= 0 { found.append(target, sum) }
            }
            if target == .max { break }
            target += 1
        }
        return found
    }

    private func near(
        _ phrases: [CompiledQuery.Phrase], _ distance: Int, _ leaf: CompiledQuery.Leaf
    ) -> FoundDocuments {
        let lengths = phrases.map(\.length)
        return positioned(phrases.map { PhraseCursor($0, self) }, leaf) { starts in
            var sum = -1.0
            for column in 0..<columnCount {
                let positions = starts.map { places in
                    places.filter { Int($0) % columnCount == column }.map { Int($0) / columnCount }
                }
                let count = NearMatch(positions, lengths: lengths, distance: distance).count
                if count > 0 { sum = max(0, sum) + Double(count) * (weights?[column] ?? 1) }
            }
            return sum
        }
    }
}

/// Walks the documents in which all terms of a phrase stand, and finds the places where they follow one another.
final class PhraseCursor {
    private let units: [any PlaceSource]
    private let offsets: [UInt32]
    private var places: [[UInt32]]

    init(_ phrase: CompiledQuery.Phrase, _ search: LeafSearch) {
        let sources = phrase.units.map { unit -> (source: any PlaceSource, offset: UInt32) in
            let runs = search.runs(of: unit)
            let source: any PlaceSource =
                unit.isPrefix ? MergedPlaces(runs) : TermCursor(runs, documents: search.root.documentCount)
            return (source, UInt32(unit.offset * search.columnCount))
        }
        // The rarest leads.
        .sorted { $0.source.count < $1.source.count }
        units = sources.map(\.source)
        offsets = sources.map(\.offset)
        places = Array(repeating: [], count: units.count)
    }

    /// The first document that is not less than `target` and has all terms; `nil` if there is none.
    func seek(_ target: UInt32) -> UInt32? {
        var target = target
        outer: while true {
            for unit in units {
                if unit.document < target { unit.seek(target) }
                if unit.document == DocumentCursor.end { return nil }
                if unit.document > target {
                    target = unit.document
                    continue outer
                }
            }
            return target
        }
    }

    /// The places in the document at hand at which the phrase begins, ascending; none if its terms stand apart.
    func readStarts() -> [UInt32] {
        for (index, unit) in units.enumerated() {
            places[index].removeAll(keepingCapacity: true)
            unit.readPlaces(into: &places[index])
        }
        var starts = places[0].compactMap { $0 >= offsets[0] ? $0 - offsets[0] : nil }
        for index in places.indices.dropFirst() where !starts.isEmpty {
            let (others, offset) = (places[index], offsets[index])
            var at = 0
            starts.removeAll { start in
                let (wanted, isBeyond) = start.addingReportingOverflow(offset)
                while at < others.count, others[at] < wanted { at += 1 }
                return isBeyond || at == others.count || others[at] != wanted
            }
        }
        return starts
    }
}

/// Documents, and the places of a term in each.
protocol PlaceSource: AnyObject {
    var count: Int { get }
    var document: UInt32 { get }
    func seek(_ target: UInt32)
    func readPlaces(into places: inout [UInt32])
}

extension TermCursor: PlaceSource {}

/// The places of any of several terms.
final class MergedPlaces: PlaceSource {
    private var postings: [(document: UInt32, place: UInt32)] = []
    private var index = 0
    private(set) var document: UInt32 = 0

    /// As many as places: an upper bound.
    var count: Int { postings.count }

    init(_ runs: [PostingRun]) {
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer { numbers.deallocate() }
        let occurrences = numbers + PostingRun.documentsMax
        for run in runs {
            run.decode(numbers, occurrences)
            var reader = ByteReader(run.positions)
            for index in 0..<run.count {
                var place: UInt32 = 0
                for _ in 0..<occurrences[index] {
                    place &+= reader.number()
                    postings.append((numbers[index], place))
                }
            }
        }
        postings.sort { ($0.document, $0.place) < ($1.document, $1.place) }
        seek(0)
    }

    func seek(_ target: UInt32) {
        while index < postings.count, postings[index].document < target { index += 1 }
        document = index < postings.count ? postings[index].document : DocumentCursor.end
    }

    func readPlaces(into places: inout [UInt32]) {
        var at = index
        while at < postings.count, postings[at].document == document {
            if places.last != postings[at].place { places.append(postings[at].place) }
            at += 1
        }
    }
}

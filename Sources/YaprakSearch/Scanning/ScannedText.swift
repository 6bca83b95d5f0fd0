/// A text and its terms, in the order in which they stand: what a query is compared with where there is no index.
///
/// Terms are numbered one after the other. Their positions, by which phrases are found, are those of the index: a tokenizer
/// may leave gaps.
struct ScannedText {
    private var bytes: [UInt8] = []
    /// Where each term ends in `bytes`.
    private var ends: [Int] = []
    /// The position of each term, ascending.
    private var positions: [Int] = []
    /// Where each term stands in the text, in bytes.
    private(set) var places: [Range<Int>] = []
    /// Whether no term begins or ends before the one in front of it does.
    private var placesAscend = true
    /// The terms that units of the query stand for, if it has many.
    private var found: UnitTable.Found?

    /// - Parameter units: the units of the query, if it has many.
    init(_ text: String, _ splitter: TextSplitter, units: UnitTable? = nil) {
        splitter.split(text, for: .document) { token in
            bytes.append(contentsOf: token.term)
            ends.append(bytes.count)
            positions.append(token.position)
            if let last = places.last, token.start < last.lowerBound || token.end < last.upperBound {
                placesAscend = false
            }
            places.append(token.start..<token.end)
        }
        found = units?.found(in: self)
    }

    /// Whether the query has many units, and none of them stands for a term of the text.
    var hasNoUnit: Bool { found?.isEmpty ?? false }

    /// The number of terms.
    var count: Int { ends.count }

    /// The smallest stretch of the text with some terms, in bytes: the places of a tokenizer may be in any order, and within
    /// each other. O(1) if they stand in order.
    func bytes(of terms: Range<Int>) -> Range<Int> {
        if placesAscend, let first = terms.first, let last = terms.last {
            return places[first].lowerBound..<max(places[first].lowerBound, places[last].upperBound)
        }
        let places = places[terms]
        let start = places.map(\.lowerBound).min() ?? 0
        return start..<max(start, places.map(\.upperBound).max() ?? 0)
    }

    /// The place of what was found. One sign of a script without spaces is found as the first of two: it ends where the term of
    /// the second begins.
    func bytes(of found: Occurrence) -> Range<Int> {
        let whole = bytes(of: found.terms)
        guard found.isFirstOfPair, let last = found.terms.last, last + 1 < count else { return whole }
        let next = places[last + 1].lowerBound
        guard places[last].lowerBound < next, next < places[last].upperBound,
            places[last].upperBound == whole.upperBound
        else { return whole }
        return whole.lowerBound..<next
    }

    /// Terms that a part of a query stands for.
    struct Occurrence {
        /// Their numbers.
        var terms: Range<Int>
        /// Whether of the last, which is a pair of signs, the first was asked for.
        var isFirstOfPair = false
    }

    /// The bytes of a term.
    func term(_ index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

    private func isTerm(_ index: Int, _ unit: CompiledQuery.Phrase.Unit) -> Bool {
        unit.isPrefix ? term(index).starts(with: unit.term) : term(index).elementsEqual(unit.term)
    }

    /// The positions at which a phrase begins, ascending.
    private func starts(of phrase: CompiledQuery.Phrase) -> [Int] {
        guard let first = phrase.units.first else { return [] }
        if let found { return starts(of: phrase, found) }
        return positions.indices.filter { index in
            isTerm(index, first)
                && phrase.units.dropFirst().allSatisfy { unit in
                    let position = positions[index] + unit.offset
                    let other = positions.firstIndex(notLessThan: position)
                    return other < count && positions[other] == position && isTerm(other, unit)
                }
        }
        .map { positions[$0] }
    }

    /// The same from what was found of all units.
    /// - Complexity: O(places of the units · how often one is in the phrase), 64 of them at once where that is often.
    private func starts(of phrase: CompiledQuery.Phrase, _ found: UnitTable.Found) -> [Int] {
        if phrase.units.count == 1 { return found.terms(of: phrase.units[0]).map { positions[$0] } }
        let units = phrase.distinctUnits.map { (terms: found.terms(of: $0.unit), offsets: $0.offsets) }
            // The rarest leads.
            .sorted { $0.terms.count < $1.terms.count }
        let first = units[0].offsets[0]
        var starts = units[0].terms.map { positions[$0] - first }.filter { $0 >= 0 }
        for unit in units where !starts.isEmpty {
            let places = unit.terms.map { positions[$0] }
            let last = places.last ?? 0
            if PlaceBits.areFewer(last: last, than: starts.count + places.count, offsets: unit.offsets.count) {
                var (kept, bits) = (PlaceBits(last: last), PlaceBits(last: last))
                for start in starts where start <= last { kept.insert(start) }
                for place in places { bits.insert(place) }
                for offset in unit.offsets { kept.formIntersection(bits, ahead: offset) }
                starts = starts.filter(kept.contains)
                continue
            }
            for offset in unit.offsets where !starts.isEmpty {
                var at = 0
                starts = starts.filter { start in
                    while at < places.count, places[at] < start + offset { at += 1 }
                    return at < places.count && places[at] == start + offset
                }
            }
        }
        return starts
    }

    /// The terms at some positions, which may have gaps.
    private func terms(at range: Range<Int>) -> Range<Int> {
        positions.firstIndex(notLessThan: range.lowerBound)..<positions.firstIndex(notLessThan: range.upperBound)
    }

    /// The terms at which a phrase stands that begins at a position.
    private func occurrence(of phrase: CompiledQuery.Phrase, at start: Int) -> Occurrence {
        Occurrence(
            terms: terms(at: start..<start + phrase.span), isFirstOfPair: phrase.units.last?.isFirstOfPair ?? false)
    }

    /// The terms that a leaf of a query stands for, ascending.
    func occurrences(of leaf: CompiledQuery.Leaf) -> [Occurrence] {
        switch leaf.kind {
        case .phrase(let phrase): return starts(of: phrase).map { occurrence(of: phrase, at: $0) }
        case .near(let phrases, let distance):
            let near = NearMatch(phrases.map(starts(of:)), lengths: phrases.map(\.length), distance: distance)
            return near.members.map { occurrence(of: phrases[$0.phrase], at: $0.position) }
                .sorted { ($0.terms.lowerBound, $0.terms.upperBound) < ($1.terms.lowerBound, $1.terms.upperBound) }
        case .fuzzy(let word, let distance):
            let compare = EditDistance(to: word, atMost: distance)
            return (0..<count).filter { term($0).withUnsafeBufferPointer { compare($0) } != nil }
                .map { Occurrence(terms: $0..<$0 + 1) }
        }
    }
}

/// The places at which several phrases stand near each other in one column.
struct NearMatch {
    /// Positions at which a phrase begins, with all others close before it; ascending.
    private let lasts: [Int]
    private let positions: [[Int]]
    private let lengths: [Int]
    private let distance: Int

    /// - Parameter positions: where each phrase begins, ascending.
    /// - Complexity: O(*p* log *p*) for *p* positions, whatever the distance and however many phrases.
    init(_ positions: [[Int]], lengths: [Int], distance: Int) {
        self.positions = positions
        self.lengths = lengths
        // A greater distance than any text has is as good as the greatest.
        let distance = min(distance, Int(UInt32.max))
        self.distance = distance
        guard !positions.contains(where: \.isEmpty) else {
            lasts = []
            return
        }
        // A phrase is close from where it begins up to `length + distance` behind that: stretches, of which those of one phrase
        // that meet are joined.
        var (begins, ends) = ([Int](), [Int]())
        for (starts, length) in zip(positions, lengths) {
            for (index, start) in starts.enumerated() {
                if index > 0, start <= starts[index - 1] + length + distance { continue }
                if index > 0 { ends.append(starts[index - 1] + length + distance) }
                begins.append(start)
            }
            ends.append(starts[starts.count - 1] + length + distance)
        }
        begins.sort()
        ends.sort()
        var (begun, ended) = (0, 0)
        lasts = Set(positions.joined()).sorted().filter { last in
            while begun < begins.count, begins[begun] <= last { begun += 1 }
            while ended < ends.count, ends[ended] < last { ended += 1 }
            return begun - ended == positions.count
        }
    }

    /// How many places there are.
    var count: Int { lasts.count }

    /// The phrases at those places, each once.
    var members: [(phrase: Int, position: Int)] {
        positions.enumerated().flatMap { phrase, starts in
            starts.filter { start in
                let index = lasts.firstIndex(notLessThan: start)
                return index < lasts.count && lasts[index] <= start + lengths[phrase] + distance
            }
            .map { (phrase, $0) }
        }
    }
}

extension [Int] {
    /// In an ascending array.
    fileprivate func firstIndex(notLessThan value: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

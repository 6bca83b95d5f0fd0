/// What the phrases of a leaf share: terms that are looked up once, and places of beginnings that are merged once.
struct PhraseSources {
    typealias Unit = CompiledQuery.Phrase.Unit

    /// Whether the phrases have many terms, so that one may be in them many times.
    let areMany: Bool
    /// Whether terms are kept: not those of a few words.
    private let areKept: Bool
    /// By terms without their offsets.
    private var runs: [Unit: [PostingRun]] = [:]
    private var places: [Unit: [UInt64]] = [:]
    /// The documents of the rarest term, if any is a beginning: places in others are not merged, because a document that matches
    /// has all terms.
    private var documents = DocumentSet(capacity: 0)
    /// How many places were merged.
    private(set) var mergedCount = 0

    /// Whether phrases have many terms.
    static func areMany(_ phrases: [CompiledQuery.Phrase]) -> Bool {
        phrases.reduce(0) { $0 + $1.units.count } > 8
    }

    /// Looks up all terms, if any is a beginning.
    /// - Returns: `nil` if one of them is nowhere, so that nothing matches.
    init?(_ phrases: [CompiledQuery.Phrase], _ search: LeafSearch) {
        areMany = Self.areMany(phrases)
        let haveBeginnings = phrases.contains { $0.units.contains { $0.isPrefix } }
        areKept = areMany || haveBeginnings
        if haveBeginnings, !lookUp(phrases, search) { return nil }
    }

    /// Looks up all terms as long as each is somewhere, words before beginnings, which have more runs.
    /// - Returns: whether each is.
    private mutating func lookUp(_ phrases: [CompiledQuery.Phrase], _ search: LeafSearch) -> Bool {
        var rarest: (runs: [PostingRun], count: Int) = ([], .max)
        for isPrefix in [false, true] {
            for phrase in phrases {
                for unit in phrase.units where unit.isPrefix == isPrefix {
                    let unit = unit.withoutOffset
                    if runs[unit] != nil { continue }
                    let found = search.runs(of: unit)
                    if found.isEmpty { return false }
                    runs[unit] = found
                    let count = found.reduce(0) { $0 + $1.count }
                    if count < rarest.count { rarest = (found, count) }
                }
            }
        }
        documents = DocumentSet(capacity: search.root.capacity)
        for run in rarest.runs { run.forEachDocument { documents.insert($0) } }
        return true
    }

    /// A cursor over the places of a term.
    mutating func cursor(of unit: Unit, _ search: LeafSearch) -> PlaceCursor {
        if unit.isPrefix { return MergedPlaces(places(of: unit.withoutOffset, search)) }
        return SkippingTermCursor(runs(of: unit, search), documents: search.root.documentCount)
    }

    private mutating func runs(of unit: Unit, _ search: LeafSearch) -> [PostingRun] {
        guard areKept else { return search.runs(of: unit) }
        let unit = unit.withoutOffset
        if let known = runs[unit] { return known }
        let found = search.runs(of: unit)
        runs[unit] = found
        return found
    }

    private mutating func places(of beginning: Unit, _ search: LeafSearch) -> [UInt64] {
        if let known = places[beginning] { return known }
        let merged = MergedPlaces.merge(runs[beginning] ?? [], in: documents, for: search.reader)
        mergedCount += merged.count
        places[beginning] = merged
        return merged
    }
}

extension CompiledQuery.Phrase.Unit {
    fileprivate var withoutOffset: Self {
        var unit = self
        unit.offset = 0
        return unit
    }
}

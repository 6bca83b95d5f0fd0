/// Walks the documents in which all terms of a phrase stand, and finds the places where they follow one another.
final class PhraseCursor {
    private let units: CursorList<PlaceCursor>
    private let offsets: [UInt32]
    private let places = PlaceList()
    /// Where the phrase begins in the document at hand, ascending; see ``readStarts()``.
    let starts = PlaceList()

    init(_ phrase: CompiledQuery.Phrase, _ search: LeafSearch, _ known: inout LeafSearch.KnownRuns?) {
        let sources = phrase.units.map { unit -> (source: PlaceCursor, offset: UInt32) in
            let runs = search.runs(of: unit, &known)
            let source: PlaceCursor =
                unit.isPrefix ? MergedPlaces(runs) : SkippingTermCursor(runs, documents: search.root.documentCount)
            return (source, UInt32(unit.offset * search.columnCount))
        }
        // The rarest leads.
        .sorted { $0.source.count < $1.source.count }
        units = CursorList(ContiguousArray(sources.map { $0.source }))
        offsets = sources.map { $0.offset }
    }

    /// The first document that is not less than `target` and has all terms; `nil` if there is none.
    func seek(_ target: UInt32) -> UInt32? {
        let document = units.seek(target)
        return document == DocumentCursor.end ? nil : document
    }

    /// Reads the places in the document at hand at which the phrase begins; none if its terms stand apart.
    func readStarts() {
        starts.removeAll()
        units.with(0) { $0.readPlaces(into: starts) }
        let first = offsets[0]
        if first > 0 { starts.mapKept { $0 >= first ? $0 &- first : nil } }
        // The others are read as long as there is something to follow.
        for unit in 1..<units.count where starts.count > 0 {
            places.removeAll()
            units.with(unit) { $0.readPlaces(into: places) }
            let offset = offsets[unit]
            var at = 0
            starts.mapKept { start in
                let (wanted, isBeyond) = start.addingReportingOverflow(offset)
                while at < places.count, places[at] < wanted { at &+= 1 }
                return !isBeyond && at < places.count && places[at] == wanted ? start : nil
            }
        }
    }
}

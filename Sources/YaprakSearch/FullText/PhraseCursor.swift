/// Walks the documents in which all terms of a phrase stand, and finds the places where they follow one another.
final class PhraseCursor {
    private let units: CursorList<PlaceCursor>
    private let offsets: [UInt32]
    /// All offsets of each unit, of a phrase that has a term many times.
    private let repeats: [[UInt32]]
    private let hasRepeats: Bool
    private let places = PlaceList()
    @exclusivity(unchecked)
    private var cancellation: CancellationCheck
    /// Where the phrase begins in the document at hand, ascending; see ``readStarts()``.
    let starts = PlaceList()

    init(_ phrase: CompiledQuery.Phrase, _ search: LeafSearch, _ terms: inout PhraseSources) {
        // Of few units, each has a cursor, also those that are the same.
        let repeated = terms.areMany ? phrase.distinctUnits : nil
        let sources = (repeated?.map(\.unit) ?? phrase.units).enumerated()
            .map { number, unit -> (source: PlaceCursor, offset: UInt32, number: Int) in
                (terms.cursor(of: unit, search), UInt32(clamping: unit.offset * search.columnCount), number)
            }
            // The rarest leads.
            .sorted { $0.source.count < $1.source.count }
        cancellation = CancellationCheck(search.reader.asksIfCancelled)
        units = CursorList(ContiguousArray(sources.map { $0.source }))
        offsets = sources.map { $0.offset }
        hasRepeats = repeated?.contains { $0.offsets.count > 1 } ?? false
        repeats =
            hasRepeats
            ? sources.map { source in
                repeated?[source.number].offsets.map { UInt32(clamping: $0 * search.columnCount) } ?? []
            } : []
    }

    /// The first document that is not less than `target` and has all terms; `nil` if there is none, or nobody waits for it any
    /// more.
    func seek(_ target: UInt32) -> UInt32? {
        let document = units.seek(target) { cancellation.passAndAsk() }
        return document == DocumentCursor.end ? nil : document
    }

    /// Reads the places in the document at hand at which the phrase begins; none if its terms stand apart.
    func readStarts() {
        starts.removeAll()
        if hasRepeats { return readStartsOfRepeats() }
        units.with(0) { $0.readPlaces(into: starts) }
        let first = offsets[0]
        if first > 0 { starts.mapKept { $0 >= first ? $0 &- first : nil } }
        // The others are read as long as there is something to follow.
        for unit in 1..<units.count where starts.count > 0 {
            places.removeAll()
            units.with(unit) { $0.readPlaces(into: places) }
            keepStarts(offsets[unit])
        }
    }

    /// Keeps the starts that have one of the places at hand so far behind them.
    @inline(__always)
    private func keepStarts(_ offset: UInt32) {
        var at = 0
        starts.mapKept { start in
            let (wanted, isBeyond) = start.addingReportingOverflow(offset)
            while at < places.count, places[at] < wanted { at &+= 1 }
            return !isBeyond && at < places.count && places[at] == wanted ? start : nil
        }
    }

    /// The same where a term is in the phrase many times: its places are read once.
    @inline(never)
    private func readStartsOfRepeats() {
        for unit in 0..<units.count where unit == 0 || starts.count > 0 {
            places.removeAll()
            units.with(unit) { $0.readPlaces(into: places) }
            if unit == 0 {
                let first = offsets[0]
                for index in 0..<places.count where places[index] >= first { starts.append(places[index] &- first) }
            }
            keepStarts(repeats[unit])
        }
    }

    /// Keeps the starts that have one of the places at hand at each of some offsets.
    private func keepStarts(_ offsets: [UInt32]) {
        guard starts.count > 0, places.count > 0 else { return starts.removeAll() }
        let last = Int(places[places.count - 1])
        guard PlaceBits.areFewer(last: last, than: starts.count + places.count, offsets: offsets.count) else {
            for offset in offsets where starts.count > 0 { keepStarts(offset) }
            return
        }
        var (kept, bits) = (PlaceBits(last: last), PlaceBits(last: last))
        // A start behind the last place has nothing at any offset.
        for index in 0..<starts.count where Int(starts[index]) <= last { kept.insert(Int(starts[index])) }
        for index in 0..<places.count { bits.insert(Int(places[index])) }
        for offset in offsets { kept.formIntersection(bits, ahead: Int(offset)) }
        starts.mapKept { kept.contains(Int($0)) ? $0 : nil }
    }
}

/// A term in a document: the number of the term, the place.
struct PlacedTerm {
    var term: UInt32
    /// The position in its column × columns + the column.
    var place: UInt32

    /// By term, then by place.
    var order: UInt64 { UInt64(term) << 32 | UInt64(place) }
}

/// Splits the texts of records into terms, by number. Used by one thread at a time.
final class DocumentTerms {
    let splitter: TextSplitter
    private let columnCount: Int

    init(_ splitter: TextSplitter, columnCount: Int) {
        self.splitter = splitter
        self.columnCount = columnCount
    }

    /// Calls `body` with each term of a column's text, and returns how many there are.
    @inline(__always)
    func split(_ text: String, column: Int, _ table: TermTable, _ body: (PlacedTerm) -> Void) -> Int {
        var count = 0
        splitter.split(text, for: .document) { token in
            // Places are 32 bits: what stands behind is in no text that fits into memory with its index.
            let place = token.position &* columnCount &+ column
            guard place <= Int(Int32.max) else { return }
            count &+= 1
            body(PlacedTerm(term: table.number(of: token.term), place: UInt32(truncatingIfNeeded: place)))
        }
        return count
    }
}

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
    let columnCount: Int

    init(_ splitter: TextSplitter, columnCount: Int) {
        self.splitter = splitter
        self.columnCount = columnCount
    }

    /// Calls `body` with each term of a column's text and its place, and returns how many there are.
    @inline(__always)
    func split(
        _ text: String, column: Int, _ body: (_ term: UnsafeBufferPointer<UInt8>, _ place: UInt32) -> Void
    ) -> Int {
        var count = 0
        splitter.split(text, for: .document) { token in
            guard let place = place(of: token, column) else { return }
            count &+= 1
            body(token.term, place)
        }
        return count
    }

    /// Calls `body` with the terms that may differ between two texts of a column, and their places behind the part that both
    /// begin with.
    /// - Returns: the parts that were left out.
    @inline(__always)
    func splitDifference(
        of old: String, _ new: String, column: Int,
        _ body: (_ term: UnsafeBufferPointer<UInt8>, _ place: UInt32, _ isNew: Bool) -> Void
    ) -> TextSplitter.CommonParts {
        splitter.splitDifference(of: old, new) { token, isNew in
            if let place = place(of: token, column) { body(token.term, place, isNew) }
        }
    }

    /// Calls `body` with the terms of the parts of a column's text that were left out, and their places: with all that begin
    /// with some bytes.
    /// - Returns: by how much the places of the others grow.
    @inline(__always)
    func split(
        _ parts: TextSplitter.CommonParts, of text: String, column: Int, for wanted: TermBeginnings,
        _ body: (_ term: UnsafeBufferPointer<UInt8>, _ place: UInt32) -> Void
    ) -> Int {
        splitter.split(parts, of: text, for: wanted) { token in
            if let place = place(of: token, column) { body(token.term, place) }
        } &* columnCount
    }

    @inline(__always)
    private func place(of token: WordScanner.Token, _ column: Int) -> UInt32? {
        let place = token.position &* columnCount &+ column
        return place <= Int(PostingRun.placeMax) ? UInt32(truncatingIfNeeded: place) : nil
    }
}

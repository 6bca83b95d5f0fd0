/// A row at a position.
package protocol PositionedRow {
    var position: Int { get }
    var row: RowID { get }
    /// Alike for the same row; seldom alike for others.
    var fingerprint: UInt64 { get }
    func isSameRow(as other: Self) -> Bool
}

/// The rows that were removed at one place of a sequence and inserted at another, or at the same.
package struct RowPairs {
    /// By their index among the removed rows, ascending, and their index among the inserted ones.
    package private(set) var all: [(removed: Int, inserted: Int)] = []
    /// Those of them that stayed between the unmoved rows, and in their order among themselves; as many as
    /// possible. Ascending in both. Fewer rows may move if some of the unmoved ones do: ``FewestMoves``.
    package private(set) var staying: [(removed: Int, inserted: Int)] = []

    /// Finds them. - Complexity: O(*d* log *d*) in the number of rows given; both lists ascend by position.
    package init<Row: PositionedRow>(removed: [Row], inserted: [Row]) {
        guard !removed.isEmpty, !inserted.isEmpty else { return }
        let arrivals = Arrivals(inserted)
        all.reserveCapacity(min(removed.count, inserted.count))
        for (index, row) in removed.enumerated() {
            if let arrival = arrivals.index(of: row) { all.append((index, arrival)) }
        }
        // As many unmoved rows stand before such a row as before; if not, it passed one of them.
        let candidates = all.filter {
            removed[$0.removed].position - $0.removed == inserted[$0.inserted].position - $0.inserted
        }
        staying = longestIncreasingRun(candidates.map(\.inserted)).map { candidates[$0] }
    }
}

/// A row at a position.
package protocol PositionedRow {
    var position: Int { get }
    var row: RowID { get }
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
        for (index, row) in removed.enumerated() {
            if let arrival = arrivals[row.row] { all.append((index, arrival)) }
        }
        // As many unmoved rows stand before such a row as before; if not, it passed one of them.
        let candidates = all.filter {
            removed[$0.removed].position - $0.removed == inserted[$0.inserted].position - $0.inserted
        }
        staying = longestIncreasingRun(candidates.map(\.inserted)).map { candidates[$0] }
    }

    /// Finds a row among the inserted ones.
    private struct Arrivals<Row: PositionedRow> {
        private let rows: [Row]
        private var positions: [RowID: Int] = [:]
        /// So few are searched faster than hashed.
        private var isSearched: Bool { rows.count <= 8 }

        init(_ rows: [Row]) {
            self.rows = rows
            if isSearched { return }
            positions.reserveCapacity(rows.count)
            for (index, row) in rows.enumerated() { positions[row.row] = index }
        }

        subscript(row: RowID) -> Int? { isSearched ? rows.firstIndex { $0.row == row } : positions[row] }
    }
}

import YaprakCore

/// Where rows stand, whatever an order says of them: for those that it does not lead to.
///
/// Looking for one row is a walk, which reads no row. From the second on a table of all is faster, however many there are.
struct RowPlaces {
    let rows: RowList
    private var hasWalked = false
    private var places: [ObjectIdentifier: Int]?

    init(_ rows: RowList) { self.rows = rows }

    /// The position of a row; `nil` if it is not among them. O(*n*) the first two times, then O(1).
    mutating func position(identicalTo row: RecordBox) -> Int? {
        if !hasWalked {
            hasWalked = true
            return rows.position(identicalTo: row)
        }
        let known = places ?? rows.positions
        places = known
        return known[ObjectIdentifier(row)]
    }
}

extension RowList {
    /// The position of each row.
    fileprivate var positions: [ObjectIdentifier: Int] {
        var positions: [ObjectIdentifier: Int] = [:]
        positions.reserveCapacity(count)
        var position = 0
        forEach { row in
            positions[ObjectIdentifier(row)] = position
            position += 1
            return true
        }
        return positions
    }
}

import YaprakCore

// Where rows stand, whatever an order says of them: for those that it does not lead to.
extension RowList {
    /// So many records are compared with each row; more are looked up in a set, which takes as long as so many comparisons.
    private static let comparedMax = 8

    /// Those of some records that are among the rows, each with its position. One walk over the rows, which reads none of them
    /// and ends where all were found.
    /// - Complexity: O(*n* + *c*) for *n* rows and *c* records.
    func positions(identicalTo records: [RecordBox]) -> [(position: Int, row: RecordBox)] {
        if records.isEmpty { return [] }
        let wanted = records.map { ObjectIdentifier($0) }
        let isCompared = wanted.count <= Self.comparedMax
        let set = isCompared ? [] : Set(wanted)
        var found: [(position: Int, row: RecordBox)] = []
        var position = 0
        forEach { row in
            let identity = ObjectIdentifier(row)
            let isWanted = isCompared ? wanted.contains(identity) : set.contains(identity)
            if isWanted { found.append((position, row)) }
            position += 1
            return found.count < wanted.count
        }
        return found
    }
}

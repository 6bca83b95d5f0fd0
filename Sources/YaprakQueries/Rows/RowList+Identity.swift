import YaprakCore

// Where rows stand, whatever an order says of them: for those that it does not lead to.
extension RowList {
    /// So many records are compared with each row; more are looked up in a set, which takes as long as so many comparisons.
    private static let comparedMax = 8

    /// The positions of those of some records that are among the rows. One walk over the rows, which reads none of them and
    /// ends where all were found.
    /// - Complexity: O(*n* + *c*) for *n* rows and *c* records.
    func positions(identicalTo records: [RecordBox]) -> [Int] {
        if records.isEmpty { return [] }
        let wanted = records.map { ObjectIdentifier($0) }
        let isCompared = wanted.count <= Self.comparedMax
        let set: Set<ObjectIdentifier> = isCompared ? [] : Set(wanted)
        var found: [Int] = []
        var position = 0
        forEachIdentity { identity in
            let isWanted = isCompared ? wanted.contains(identity) : set.contains(identity)
            if isWanted { found.append(position) }
            position += 1
            return found.count < wanted.count
        }
        return found
    }
}

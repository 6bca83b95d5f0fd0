package import YaprakModel

extension StoreReader {
    /// How often a newer commit is taken in place of one that was pruned.
    private static let attemptsMax = 8

    /// Reads something as of a commit: the one that is asked for, or the newest there is.
    ///
    ///     try reader.reading(asOf: nil) { number in try state(at: number) }
    ///
    /// While the newest is read, a writer may commit and prune so much that the files no longer lead to it. Who asked for
    /// the newest then gets the one that is newest now.
    /// - Throws: what `body` throws; `commitOutOfReach` if a commit that was named can't be reached, or if the writer was
    ///   faster eight times in a row.
    package func reading<Result>(
        asOf number: CommitNumber?, _ body: (CommitNumber) throws -> Result
    ) throws -> Result {
        if let number { return try body(number) }
        var attempts = 0
        while true {
            attempts += 1
            let newest = try newest()
            do {
                return try body(newest)
            } catch let error as DatabaseError where attempts < Self.attemptsMax {
                let isPruned = try error.code == .commitOutOfReach || !leads(to: newest)
                guard isPruned, try self.newest() > newest else { throw error }
            }
        }
    }

    /// Whether there is a state to start from. Half of the files that led to a commit may look like anything.
    private func leads(to number: CommitNumber) throws -> Bool {
        try checkpoints().contains { $0.number <= number } || logReachesBackToFirst()
    }
}

import Yaprak

/// Follows every commit of a database while it is being written, and checks that none is missing.
///
///     let follower = ChangeFollower(database)
///     …
///     try await database.close()
///     let seen = try await follower.finish()
struct ChangeFollower {
    /// What was seen.
    struct Seen: Sendable, Hashable {
        var commits = 0
        var first: CommitNumber?
        var last: CommitNumber
        /// Commits that did not come right after the one before.
        var gaps = 0
        /// Changes of flights, by what they became.
        var became: [Flight.Status: Int] = [:]
    }

    private let task: Task<Seen, any Error>

    /// Starts to follow with the next commit.
    init(_ database: Database) {
        // One after the other, a commit could come in between: so the stream begins where the number says.
        let start = database.commitNumber
        let changesets = database.changesets(after: start)
        task = Task {
            var seen = Seen(last: start)
            for try await changeset in changesets {
                if changeset.commitNumber != seen.last.next() { seen.gaps += 1 }
                seen.first = seen.first ?? changeset.commitNumber
                seen.last = changeset.commitNumber
                seen.commits += 1
                for change in changeset.changes(in: .flights) {
                    if let flight = change.after?.object { seen.became[flight.status, default: 0] += 1 }
                }
            }
            return seen
        }
    }

    /// Waits for the end of the stream, which is the closing of the database.
    func finish() async throws -> Seen { try await task.value }
}

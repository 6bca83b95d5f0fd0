import TestSupport
import Testing
import Yaprak

/// A stream ends behind the last commit, not before it, however soon after it the database closes.
@Suite(.bounded) struct StreamEndTests {
    private static let rounds = Soak.volume(3_000, soak: 200_000)

    /// The number of the last commit each of the `consumers` saw, of a database that closes right after its last commit.
    private func lastSeen(
        _ count: Int, _ follow: @escaping @Sendable (Database) -> @Sendable () async throws -> CommitNumber
    ) async throws -> (newest: CommitNumber, seen: [CommitNumber]) {
        let database = Database.inMemory()
        let consumers = (0..<count).map { _ in
            let consume = follow(database)
            return Task { try await consume() }
        }
        for i in 0..<3 { try await database.write { $0[.books]["a"] = Book(title: "\(i)") } }
        let newest = database.commitNumber
        try await database.close()
        var seen: [CommitNumber] = []
        for consumer in consumers { seen.append(try await consumer.value) }
        return (newest, seen)
    }

    @Test func `A stream of changesets delivers the last commit before it ends with the database`() async throws {
        for round in 0..<Self.rounds {
            let (newest, seen) = try await lastSeen(3) { database in
                let start = database.commitNumber
                let changesets = database.changesets()
                return {
                    var last = start
                    for try await changeset in changesets { last = changeset.commitNumber }
                    return last
                }
            }
            try #require(seen.allSatisfy { $0 == newest }, "round \(round): saw \(seen) of \(newest)")
        }
    }

    @Test func `A stream of snapshots delivers the last one before it ends with the database`() async throws {
        for round in 0..<Self.rounds {
            let (newest, seen) = try await lastSeen(3) { database in
                let snapshots = database.snapshots
                return {
                    var last = CommitNumber.zero
                    for await snapshot in snapshots { last = snapshot.commitNumber }
                    return last
                }
            }
            try #require(seen.allSatisfy { $0 == newest }, "round \(round): saw \(seen) of \(newest)")
        }
    }
}

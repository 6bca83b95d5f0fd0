import TestSupport
import Testing
import Yaprak

/// What a write costs where very many views look at its collection.
@Suite(.serialized) struct ManyViewsTests {
    /// The least of several, so that what else the machine does is left out.
    private func time(_ database: Database, _ count: Int) async throws -> Duration {
        var least = Duration.seconds(60)
        for number in 0..<7 {
            let start = ContinuousClock.now
            try await database.write { $0[.books]["a"] = Book(rank: number) }
            least = min(least, ContinuousClock.now - start)
        }
        return least
    }

    /// What a view told was found by a walk over what all views before it told, so that a thousand views cost a million
    /// looks.
    @Test(.timeLimit(.minutes(2)))
    func `Twice the views cost a write twice the time`() async throws {
        func measure(_ count: Int) async throws -> Duration {
            let database = Database.inMemory()
            for number in 0..<count / 2 {
                let view = AutoView("v\(number)", of: .books, groupedBy: \.genre, sortedBy: \.rank)
                try await database.register(view)
                try await database.register(FilteredView("f\(number)", of: view) { $0.rank >= 0 })
            }
            return try await time(database, count)
        }
        let (small, large) = (try await measure(400), try await measure(800))
        #expect(large < small * 2.5 + .milliseconds(2), "\(small), \(large)")
    }
}

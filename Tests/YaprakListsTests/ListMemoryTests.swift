import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakCore

/// Lists and streams of their updates leave nothing behind.
@Suite(.bounded) struct ListMemoryTests {
    private final class Token: Sendable {}

    @Test func `Ten thousand lists and streams of updates are gone when they are dropped`() async throws {
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<200 { transaction[.cities]["c\(number)"] = City(people: number, tags: ["sea"]) }
        }
        func counts() -> (nodes: Int, rows: Int) {
            while database.timeline.reclaim(limit: .max) {}
            let counts = database.timeline.arena.counts
            return (counts.nodes, counts.rows)
        }
        weak var token: Token?
        func round(_ number: Int) async throws {
            let own = Token()
            token = own
            let shown = database.snapshot
            var sections = ViewMappings(CityView.byCountry, filter: { _ in withExtendedLifetime(own) { true } })
            sections.setRange(.flexible(length: 5, from: .end), for: "tr")
            sections.setDrawingDependenciesForAllGroups([-1])
            try sections.update(to: shown)
            var updates = database.updates(of: sections, since: number.isMultiple(of: 10) ? shown : nil)
                .makeAsyncIterator()
            if number.isMultiple(of: 10) {
                // Nothing moves, so that trees keep their shape.
                try await database.write { _ = $0[.cities].touchObject(for: "c0") }
                #expect(try await updates.next()?.rowChanges.count == 1)
                _ = try sections.advance(from: shown, to: database.snapshot)
            } else {
                #expect(try await updates.next()?.isReload == true)
            }
        }
        for number in 0..<10 { try await round(number) }
        let before = counts()
        for number in 0..<10_000 { try await round(number) }
        let after = counts()
        #expect(after == before)
        #expect(token == nil, "somebody keeps a list")
    }
}

import Observation
import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakCore
@testable import YaprakLists

/// The list for declarative interfaces.
@MainActor @Suite(.boundedInPool) struct ListModelTests {
    @Test func `The model follows, and notifies its observers`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        let model = try ListModel(ViewMappings(CityView.byCountry), in: database)
        #expect(model.sections.map(\.name) == ["tr"] && model.sections[0].map(\.object.name) == ["Ankara"])
        let (told, tell) = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = model.sections
        } onChange: {
            tell.yield()
        }
        let following = Task { try await model.follow() }
        try await database.put(["c2": City(name: "Bari", country: "it", people: 1)])
        for await _ in told { break }
        while model.sections.count < 2 { await Task.yield() }
        #expect(model.sections.map(\.id) == ["it", "tr"])
        #expect(model.row(at: ListPath(section: 0, row: 0))?.object.name == "Bari")
        #expect(
            model.row(at: ListPath(section: 2, row: 0)) == nil && model.row(at: ListPath(section: 0, row: 1)) == nil)
        following.cancel()
        try await following.value
    }

    /// What one who follows gets may be late when it comes: another one who follows, or who shows a snapshot, was faster.
    @Test func `A snapshot that comes late is not shown, also one of the same commit`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        let model = try ListModel(ViewMappings(CityView.byCountry), in: database)
        func follow(_ late: Snapshot) async throws {
            let (signals, signal) = AsyncStream<Snapshot>.makeStream()
            signal.yield(late)
            signal.finish()
            try await model.follow(signals)
        }
        let first = database.snapshot
        try await database.put(["c2": City(name: "Bari", country: "it", people: 1)])
        try model.show(database.snapshot)
        try await follow(first)
        #expect(model.sections.map(\.name) == ["it", "tr"] && model.snapshot.isIdentical(to: database.snapshot))
        // Unregistering makes another snapshot of the same commit.
        let second = database.snapshot
        try await database.unregister(CityView.byTag.name)
        #expect(second.commitNumber == database.commitNumber)
        try model.show(database.snapshot)
        try await follow(second)
        #expect(model.snapshot.isIdentical(to: database.snapshot))
        // Who shows a snapshot may go back.
        try model.show(first)
        #expect(model.sections.map(\.name) == ["tr"])
    }

    @Test func `The model shows any moment, and more of a group`() async throws {
        let database = try await Database.cities(["c1": City(people: 5), "c2": City(people: 4), "c3": City(people: 3)])
        var sections = ViewMappings(CityView.byCountry, groups: ["tr"])
        sections.setRange(.fixed(length: 1, from: .beginning), for: "tr")
        let model = try ListModel(sections, in: database)
        let past = database.snapshot
        try model.extend("tr", by: 1, at: .end)
        #expect(model.sections[0].map(\.key) == ["c1", "c2"])
        try await database.put(["c0": City(people: 9)])
        try model.show(database.snapshot)
        #expect(model.sections[0].map(\.key) == ["c0", "c1"])
        #expect(model.changes.rowChanges.map { "\($0)" } == ["delete 0.1 (c2)", "insert 0.0 (c0)"])
        try model.show(past)
        #expect(model.sections[0].map(\.key) == ["c1", "c2"] && model.mappings.commitNumber == past.commitNumber)
    }

    @Test func `The model keeps only the snapshot it shows, also where nothing in the list changed`() async throws {
        let database = try await Database.cities()
        func write(_ name: String) async throws {
            try await database.write { transaction in
                for number in 0..<200 {
                    transaction[.cities]["c\(number)"] = City(name: name, country: "it", people: number)
                }
            }
        }
        try await write("before")
        let model = try ListModel(ViewMappings(CityView.byCountry, groups: ["tr"]), in: database)
        func rows() -> Int {
            while database.timeline.reclaim(limit: .max) {}
            return database.timeline.arena.counts.rows
        }
        let before = rows()
        for name in ["after", "later"] {
            try await write(name)
            try model.show(database.snapshot)
        }
        #expect(!model.changes.hasChanges && model.snapshot.commitNumber == database.commitNumber)
        // The last commit may end a moment later than its write.
        let deadline = ContinuousClock.now + .seconds(10)
        while rows() != before, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        #expect(rows() == before, "the rows of a snapshot before are kept")
    }
}

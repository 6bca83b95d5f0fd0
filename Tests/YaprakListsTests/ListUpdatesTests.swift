import TestSupport
import Testing
import Yaprak

/// The stream of what happens in a list.
@Suite(.boundedInPool) struct ListUpdatesTests {
    @Test func `The first update is the list as it is, then every one leads on`() async throws {
        let database = try await Database.cities([
            "c1": City(name: "Ankara", people: 5), "c2": City(name: "Van", people: 1),
        ])
        var updates = database.updates(of: ViewMappings(CityView.byCountry, groups: ["tr", "it"])).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.isReload && first.mappings.numberOfItems(inSection: 0) == 2)
        try await database.put(["c3": City(name: "Roma", country: "it", people: 3)])
        let second = try #require(try await updates.next())
        #expect(second.rowChanges.map(\.kind) == [.insert(ListPath(section: 1, row: 0))])
        #expect(second.sectionChanges.isEmpty && second.mappingsBefore.numberOfItems(inGroup: "it") == 0)
        #expect(second.old.commitNumber < second.new.commitNumber)
        #expect(second.new.row(at: ListPath(section: 1, row: 0), in: second.mappings)?.object.name == "Roma")
    }

    @Test func `What happened while the consumer was busy comes as one update`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        let shown = database.snapshot
        var updates = database.updates(of: ViewMappings(CityView.byCountry), since: shown).makeAsyncIterator()
        for people in 0..<50 { try await database.put(["c2": City(name: "Van", people: people)]) }
        try await database.put(["c1": City(name: "Ankara", people: 6)])
        let update = try #require(try await updates.next())
        #expect(update.rowChanges.map { "\($0)" } == ["insert 0.0 (c2)", "update 0.0 → 0.1 (c1)"])
        #expect(update.old.isIdentical(to: shown))
        // The list as of what was shown, though the mappings were made without a snapshot.
        #expect(update.mappingsBefore.numberOfItems(inGroup: "tr") == 1)
        #expect(update.old.row(at: ListPath(section: 0, row: 0), in: update.mappingsBefore)?.object.people == 5)
    }

    @Test func `A commit that changes nothing in the list is skipped, and its window still moves`() async throws {
        let database = try await Database.cities([
            "c1": City(name: "Ankara", people: 5), "c2": City(name: "Van", people: 1),
            "c3": City(name: "Urfa", people: 2),
        ])
        var sections = ViewMappings(CityView.byCountry, groups: ["tr"])
        sections.setRange(.flexible(length: 1, offset: 1, from: .beginning), for: "tr")
        var updates = database.updates(of: sections, since: database.snapshot).makeAsyncIterator()
        try await database.put(["c9": City(name: "Bari", country: "it")])
        try await database.put(["c8": City(name: "Izmir", people: 9)])
        try await database.put(["c3": City(name: "Şanlıurfa", people: 2)])
        let update = try #require(try await updates.next())
        #expect(
            update.rowChanges.map(\.kind) == [.update(from: .init(section: 0, row: 0), to: .init(section: 0, row: 0))])
        #expect(
            update.mappings.rangePosition(of: "tr")
                == RangePosition(offsetFromBeginning: 2, offsetFromEnd: 1, length: 1))
    }

    @Test func `More changes than asked for are a reload`() async throws {
        let database = try await Database.cities()
        var updates = database.updates(of: ViewMappings(CityView.byCountry), since: database.snapshot, reloadAbove: 3)
            .makeAsyncIterator()
        try await database.put(["c1": City(), "c2": City(), "c3": City()])
        #expect(try await updates.next()?.rowChanges.count == 3)
        try await database.put(["c4": City(), "c5": City(), "c6": City(), "c7": City()])
        let update = try #require(try await updates.next())
        #expect(update.isReload && update.changes.rawChangeCount == 4 && update.mappings.itemCount == 7)
        try await database.put(["c8": City(people: 9)])
        #expect(try await updates.next()?.rowChanges.map(\.kind) == [.insert(ListPath(section: 0, row: 0))])
    }

    /// It was counted where it went and where it came: a list of 200 rows that turned round had 398 changes.
    @Test func `A row that moves within its group is one change, to another group one in each`() async throws {
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<200 { transaction[.cities]["c\(number)"] = City(people: number) }
        }
        let sections = ViewMappings(CityView.byCountry)
        let one = database.snapshot
        try await database.write { $0[.cities]["c0"]?.people = 500 }
        let two = database.snapshot
        let moved = try sections.changes(from: one, to: two, reloadAbove: 1)
        #expect(!moved.isReload && moved.rowChanges.count == 1 && moved.rawChangeCount == 1)
        try await database.write {
            try $0.setSorting(of: CityView.byCountry, sortedBy: \.people, versionTag: "ascending")
        }
        let three = database.snapshot
        let turned = try sections.changes(from: two, to: three, reloadAbove: 199)
        #expect(!turned.isReload && turned.rowChanges.count == 199 && turned.rawChangeCount == 199)
        #expect(try sections.changes(from: two, to: three, reloadAbove: 198).isReload)
        try await database.put(["c1": City(country: "it")])
        let parted = try sections.changes(from: three, to: database.snapshot)
        #expect(parted.rowChanges.count == 1 && parted.rawChangeCount == 2)
    }

    @Test func `The stream ends when the database closes, and throws without its view`() async throws {
        let database = try await Database.cities()
        var updates = database.updates(of: ViewMappings(CityView.byCountry)).makeAsyncIterator()
        var orphans = database.updates(of: ViewMappings(CityView.byTag)).makeAsyncIterator()
        _ = try await updates.next()
        _ = try await orphans.next()
        _ = try await database.unregister("byTag")
        do {
            _ = try await orphans.next()
            Issue.record("a view that is not registered has no updates")
        } catch let error as DatabaseError {
            #expect(error.code == .extensionNotRegistered)
        }
        try await database.close()
        #expect(try await updates.next() == nil)
    }

    @Test func `A list goes back in time, and into a fork`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        let past = database.snapshot
        try await database.put(["c2": City(name: "Van", people: 9)])
        let fork = database.fork(from: past)
        try await fork.put(["c3": City(name: "Urfa", people: 1)])
        let sections = ViewMappings(CityView.byCountry)
        let back = try sections.changes(from: database.snapshot, to: past)
        #expect(back.rowChanges.map { "\($0)" } == ["delete 0.0 (c2)"])
        let across = try sections.changes(from: database.snapshot, to: fork.snapshot)
        #expect(across.rowChanges.map { "\($0)" } == ["delete 0.0 (c2)", "insert 0.1 (c3)"])
        #expect(database.snapshot[CityView.byCountry].hasChanges(since: past[CityView.byCountry]))
        #expect(database.snapshot[CityView.byCountry].hasChanges(inGroup: "tr", since: past[CityView.byCountry]))
        #expect(
            !database.snapshot[CityView.byCountry].hasChanges(inAnyOf: ["it", "fr"], since: past[CityView.byCountry]))
        #expect(!past[CityView.byCountry].hasChanges(since: past[CityView.byCountry]))
    }
}

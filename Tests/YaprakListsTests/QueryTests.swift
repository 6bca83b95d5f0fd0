import TestSupport
import Testing
import Yaprak

/// What mappings answer.
@Suite(.bounded) struct QueryTests {
    @Test func `Mappings that were never updated count nothing, and take options`() {
        var sections = ViewMappings(CityView.byCountry, groups: ["tr", "it"])
        sections.setRange(.fixed(length: 2, from: .end), for: "tr")
        #expect(sections.commitNumber == nil && sections.allGroups == ["tr", "it"])
        #expect(sections.numberOfItems(inGroup: "tr") == 0 && sections.isEmpty && sections.numberOfSections == 0)
        #expect(sections.place(at: ListPath(section: 0, row: 0)) == nil && sections.group(forSection: 0) == nil)
        #expect(sections.range(of: "tr") == .fixed(length: 2, from: .end) && sections.rangePosition(of: "tr") == nil)
    }

    @Test func `Sections, rows and places answer each other, and nothing out of range`() async throws {
        let database = try await Database.cities([
            "c1": City(people: 5), "c2": City(people: 4), "c3": City(people: 3), "d1": City(country: "de", people: 1),
        ])
        var sections = ViewMappings(CityView.byCountry, groups: ["it", "tr", "de"])
        sections.setDynamic(true, for: "it")
        sections.setReversed(true, for: "tr")
        sections.setRange(.fixed(length: 2, from: .beginning), for: "tr")
        try sections.update(to: database.snapshot)
        #expect(sections.commitNumber == database.snapshot.commitNumber)
        #expect(sections.numberOfSections == 2 && sections.visibleGroups == ["tr", "de"])
        #expect(sections.allGroups == ["it", "tr", "de"] && sections.itemCount == 3)
        #expect(sections.numberOfItems(inSection: 0) == 2 && sections.numberOfItems(inSection: 2) == 0)
        #expect(sections.isEmpty("it") && !sections.isEmpty("tr") && !sections.isEmpty)
        #expect(sections.group(forSection: 1) == "de" && sections.group(forSection: -1) == nil)
        #expect(sections.section(forGroup: "it") == nil && sections.section(forGroup: "de") == 1)
        #expect(sections.place(at: ListPath(section: 0, row: 0))! == ("tr", 2))
        #expect(sections.index(forRow: 1, inSection: 0) == 1 && sections.index(forRow: 2, inSection: 0) == nil)
        #expect(sections.index(forRow: 0, inGroup: "tr") == 2 && sections.row(forIndex: 2, inGroup: "tr") == 0)
        #expect(sections.path(forIndex: 0, inGroup: "tr") == nil && sections.row(forIndex: 0, inGroup: "tr") == nil)
        #expect(sections.path(forIndex: 0, inGroup: "de") == ListPath(section: 1, row: 0))
        let position = RangePosition(offsetFromBeginning: 0, offsetFromEnd: 1, length: 2)
        #expect(sections.rangePosition(of: "tr") == position)
        #expect(database.snapshot.path(forKey: "c3", in: sections) == ListPath(section: 0, row: 0))
        #expect(database.snapshot.path(forKey: "c1", in: sections) == nil)
        #expect(database.snapshot.path(forKey: "d1", of: .cities, in: sections) == ListPath(section: 1, row: 0))
        #expect(database.snapshot.row(at: ListPath(section: 1, row: 1), in: sections) == nil)
    }

    @Test func `Few rows share a section, and know their groups`() async throws {
        let database = try await Database.cities(["c1": City(people: 5), "d1": City(country: "de", people: 1)])
        var sections = ViewMappings(CityView.byCountry)
        sections.consolidate(below: 3, into: "everywhere")
        try sections.update(to: database.snapshot)
        #expect(sections.isUsingConsolidatedGroup && sections.visibleGroups == ["everywhere"])
        #expect(sections.numberOfSections == 1 && sections.numberOfItems(inSection: 0) == 2)
        #expect(sections.place(at: ListPath(section: 0, row: 1))! == ("tr", 0))
        #expect(sections.path(forIndex: 0, inGroup: "tr") == ListPath(section: 0, row: 1))
        #expect(sections.section(forGroup: "tr") == 0 && sections.section(forGroup: "everywhere") == 0)
        try await database.put(["e1": City(country: "everywhere")])
        sections.consolidate(below: 9, into: "everywhere")
        try sections.update(to: database.snapshot)
        #expect(!sections.isUsingConsolidatedGroup && sections.numberOfSections == 3)
    }

    /// There was a section without a row, which neither came with the first row nor went with the last.
    @Test func `A section that few rows share is hidden without a row, if all groups hide`() async throws {
        let database = try await Database.cities()
        var sections = ViewMappings(CityView.byCountry, groups: ["it", "tr"])
        sections.consolidate(below: 10, into: "everywhere")
        try sections.update(to: database.snapshot)
        #expect(sections.visibleGroups == ["everywhere"], "its groups are always shown")
        sections.setDynamic(true, for: "it")
        #expect(sections.visibleGroups == ["everywhere"], "one of them is")
        let shown = sections
        sections.setDynamicForAllGroups(true)
        #expect(sections.numberOfSections == 0 && !sections.isUsingConsolidatedGroup)
        let empty = database.snapshot
        let hidden = try sections.changes(since: shown, in: empty)
        #expect(hidden.sectionChanges.map(\.description) == ["delete 0 (everywhere)"])
        try await database.put(["c1": City()])
        let one = database.snapshot
        let came = try sections.advance(from: empty, to: one)
        #expect(sections.visibleGroups == ["everywhere"] && sections.numberOfItems(inSection: 0) == 1)
        #expect(came.sectionChanges.map(\.description) == ["insert 0 (everywhere)"])
        #expect(came.rowChanges.map(\.description) == ["insert 0.0 (c1)"])
        try await database.write { $0[.cities]["c1"] = nil }
        let went = try sections.advance(from: one, to: database.snapshot)
        #expect(sections.numberOfSections == 0 && sections.path(forIndex: 0, inGroup: "tr") == nil)
        #expect(went.sectionChanges.map(\.description) == ["delete 0 (everywhere)"])
        #expect(went.rowChanges.map(\.description) == ["delete 0.0 (c1)"])
        // A row that is not in a range is not shown.
        sections.setRangeForAllGroups(.fixed(length: 5, offset: 1, from: .beginning))
        try sections.update(to: one)
        #expect(sections.numberOfSections == 0 && sections.allGroups == ["it", "tr"])
    }

    @Test func `A selection that lost its row finds the nearest`() async throws {
        let database = try await Database.cities([
            "a1": City(country: "aa"), "a2": City(country: "aa"), "c1": City(country: "cc"), "e1": City(country: "ee"),
        ])
        var sections = ViewMappings(CityView.byCountry, groups: ["_", "aa", "bb", "cc", "dd", "ee"])
        try sections.update(to: database.snapshot)
        #expect(sections.nearestPath(toRow: 7, inGroup: "aa") == ListPath(section: 1, row: 1))
        #expect(sections.nearestPath(toRow: 0, inGroup: "bb") == ListPath(section: 1, row: 1))
        #expect(sections.nearestPath(toRow: 0, inGroup: "_") == ListPath(section: 1, row: 0))
        #expect(sections.nearestPath(toRow: 0, inGroup: "dd") == ListPath(section: 3, row: 0))
        #expect(sections.nearestPath(toRow: 0, inGroup: "zz") == nil)
    }

    @Test func `A record in several groups is several rows`() async throws {
        let database = try await Database.cities(["c1": City(name: "Van", tags: ["sea", "old"])])
        var sections = ViewMappings(CityView.byTag, groups: ["sea", "old", "hill"])
        try sections.update(to: database.snapshot)
        let shown = database.snapshot
        #expect(shown.paths(forKey: "c1", in: sections) == [.init(section: 0, row: 0), .init(section: 1, row: 0)])
        try await database.put(["c1": City(name: "Van", tags: ["sea", "hill"])])
        let changes = try sections.advance(from: shown, to: database.snapshot)
        #expect(changes.rowChanges.map { "\($0)" } == ["delete 1.0 (c1)", "insert 2.0 (c1)", "update 0.0 → 0.0 (c1)"])
        #expect(changes.rowChanges.map(\.itemID.group) == ["old", "hill", "sea"])
        #expect(Set(database.snapshot.itemIDs(of: sections).flatMap(\.items)).count == 2)
    }

    @Test func `A change of groups is a move where a row has one place`() async throws {
        let database = try await Database.cities(["c1": City(name: "Van")])
        var sections = ViewMappings(CityView.byCountry, groups: ["it", "tr"])
        let shown = database.snapshot
        try await database.put(["c1": City(name: "Bari", country: "it")])
        let changes = try sections.advance(from: shown, to: database.snapshot)
        let change = try #require(changes.rowChanges.first)
        #expect(change.kind == .move(from: .init(section: 1, row: 0), to: .init(section: 0, row: 0)))
        #expect(
            change.aspects == .object && change.oldGroup == "tr" && change.group == "it"
                && change.collectionName == "cities")
    }

    @Test func `A change of groups is a move also where they share a section, and nothing was passed`() async throws {
        var list = try await Fixture(["a": "x", "b": "y"], groups: ["a", "b"]) { $0.consolidate(below: 5, into: "few") }
        let changes = try await list.become(["a": "", "b": "xy"])
        #expect(list.shown == ["xy"] && changes == ["move 0.0 → 0.0 (x)"])
    }

    @Test func `A row that moves into a reversed group has other neighbours`() async throws {
        var list = try await Fixture(["a": "rx", "b": ""], groups: ["a", "b"]) {
            $0.setReversed(true, for: "b")
            $0.setDrawingDependenciesForAllGroups([-1])
        }
        let (mappings, before) = (list.mappings, list.snapshot)
        try await list.become(["a": "", "b": "rx"])
        #expect(list.shown == ["", "xr"])
        let changes = try mappings.changes(from: before, to: list.snapshot).rowChanges
        #expect(changes.count == 2 && changes.allSatisfy { $0.aspects.contains(.dependency) }, "\(changes)")
    }

    @Test func `Sections and identities are those of the snapshot that is asked, though the mappings are older`()
        async throws
    {
        let database = try await Database.cities(["c1": City(people: 5), "c2": City(people: 4)])
        var sections = ViewMappings(CityView.byCountry, groups: ["tr"])
        try sections.update(to: database.snapshot)
        try await database.write { $0[.cities]["c1"] = nil }
        #expect(database.snapshot.sections(of: sections).map { $0.map(\.key) } == [["c2"]])
        #expect(database.snapshot.itemIDs(of: sections).map { $0.items.map(\.key) } == [["c2"]])
    }

    @Test func `Mappings name every group once`() async {
        await #expect(processExitsWith: .failure) { _ = ViewMappings(CityView.byCountry, groups: ["tr", "tr"]) }
    }
}

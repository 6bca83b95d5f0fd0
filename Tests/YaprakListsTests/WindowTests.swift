import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// What ranges show as their groups change.
@Suite(.bounded) struct WindowTests {
    private func list(_ rows: String, _ range: ListRange) async throws -> Fixture {
        try await Fixture(["a": rows], groups: ["a"]) { $0.setRange(range, for: "a") }
    }

    @Test func `A range set while its group is small shows what was asked for when there is more`() async throws {
        var list = try await list("p", .fixed(length: 3, from: .beginning))
        try await list.become(["a": "pq"])
        #expect(list.shown == ["pq"])
        try await list.become(["a": "pqrst"])
        #expect(list.shown == ["pqr"])
        try await list.become(["a": ""])
        try await list.become(["a": "vwxyz"])
        #expect(list.shown == ["vwx"])
    }

    @Test func `A flexible range set while its group is small fills up on both sides, then follows its growth`()
        async throws
    {
        var list = try await list("p", .flexible(length: 3, from: .beginning))
        try await list.become(["a": "pq"])
        try await list.become(["a": "pqr"])
        #expect(list.shown == ["pqr"])
        try await list.become(["a": "pqrs"])
        #expect(list.shown == ["pqr"])
        try await list.become(["a": "opqrs"])
        #expect(list.shown == ["opqr"])
    }

    @Test func `A flexible range over an empty group starts at what was asked for`() async throws {
        var list = try await list("", .flexible(length: 3, from: .end))
        try await list.become(["a": "pqrstu"])
        #expect(list.shown == ["stu"])
    }

    @Test func `A window that lost all its rows grows on both sides, until it is as long as was asked for`()
        async throws
    {
        var list = try await list("opqrs", .flexible(length: 2, offset: 1, from: .beginning))
        #expect(list.shown == ["pq"])
        try await list.become(["a": "ors"])
        #expect(list.shown == [""])
        try await list.become(["a": "oxrs"])
        #expect(list.shown == ["x"])
        try await list.become(["a": "oxyrs"])
        #expect(list.shown == ["xy"])
        try await list.become(["a": "oxyzrs"])
        #expect(list.shown == ["xy"])
        try await list.become(["a": "owxyzrs"])
        #expect(list.shown == ["wxy"])
    }

    @Test func `A window that fills up stops at what was asked for, however many rows come at once`() async throws {
        var list = try await list("p", .flexible(length: 3, from: .beginning))
        try await list.become(["a": "pqrstu"])
        #expect(list.shown == ["pqr"])
        list = try await self.list("s", .flexible(length: 3, from: .end, growing: .otherSide))
        try await list.become(["a": "stuvwx"])
        #expect(list.shown == ["stu"])
        list = try await self.list("opqrs", .flexible(length: 2, offset: 1, from: .beginning))
        try await list.become(["a": "ors"])
        try await list.become(["a": "otrs"])
        try await list.become(["a": "otuvwxrs"])
        #expect(list.shown == ["tu"])
        // Where it grows anyway, it takes all that comes.
        list = try await self.list("p", .flexible(length: 3, from: .end))
        try await list.become(["a": "pqrstu"])
        #expect(list.shown == ["pqrstu"])
        list = try await self.list("pq", .flexible(length: 0, from: .end))
        try await list.become(["a": "pqrs"])
        #expect(list.shown == ["rs"])
    }

    @Test func `A window whose rows were replaced by fewer in one change fills up, too`() async throws {
        var list = try await list("opqrs", .flexible(length: 2, offset: 1, from: .beginning))
        for (rows, shown) in [("oxrs", "x"), ("oxyrs", "xy"), ("oxyzrs", "xy")] {
            try await list.become(["a": rows])
            #expect(list.shown == [shown])
        }
    }

    @Test func `Another option leaves a window that lost its rows as it is`() async throws {
        var list = try await list("opqrs", .flexible(length: 2, offset: 1, from: .beginning))
        try await list.become(["a": "ors"])
        let before = list.mappings
        list.mappings.setReversed(true, for: "a")
        #expect(list.shown == [""])
        list.mappings.setRange(.fixed(length: 1, from: .end), for: "elsewhere")
        list.mappings.setReversed(false, for: "a")
        #expect(list.shown == [""] && list.mappings.rangePosition(of: "a") == before.rangePosition(of: "a"))
        try await list.become(["a": "oxrs"])
        #expect(list.shown == ["x"])
        // Asked for again, it is what was asked for.
        list.mappings.setRange(nil, for: "a")
        list.mappings.setRange(.flexible(length: 2, offset: 1, from: .beginning), for: "a")
        #expect(list.shown == ["xr"])
    }

    @Test(arguments: [ListRange.Side.beginning, .end])
    func `Rows at an edge belong to the range where it grows`(pin: ListRange.Side) async throws {
        for growth in [ListRange.Growth.pinSide, .otherSide, .bothSides] {
            var list = try await list("pqrstu", .flexible(length: 2, offset: 2, from: pin, growing: growth))
            #expect(list.shown == ["rs"])
            try await list.become(["a": "pqxrsytu"])
            let atPin = growth != .otherSide
            let away = growth != .pinSide
            let (before, after) = pin == .beginning ? (atPin, away) : (away, atPin)
            #expect(list.shown == ["\(before ? "x" : "")rs\(after ? "y" : "")"])
        }
    }

    @Test func `The greatest length trims away from the pin, the least refills towards it first`() async throws {
        var list = try await list(
            "pqrstu", .flexible(length: 2, offset: 2, from: .beginning, minLength: 2, maxLength: 3))
        try await list.become(["a": "pqrxystu"])
        #expect(list.shown == ["rxy"])
        try await list.become(["a": "pqtu"])
        #expect(list.shown == ["pq"])
    }

    @Test func `Changes between pin and window move a flexible range, not its rows`() async throws {
        var list = try await list("pqrstu", .flexible(length: 2, offset: 2, from: .beginning))
        #expect(try await list.become(["a": "xyzpqrstu"]) == [])
        #expect(list.shown == ["rs"])
        #expect(try await list.become(["a": "rstu"]) == [])
        #expect(list.shown == ["rs"])
    }

    @Test func `A flexible range stays in place when its group is sorted by something else`() async throws {
        let database = try await Database.cities()
        let names = ["p", "q", "r", "s", "t", "u", "v", "w"]
        try await database.write { transaction in
            for (number, name) in names.enumerated() { transaction[.cities][name] = City(people: -number) }
        }
        var sections = ViewMappings(CityView.byCountry, groups: ["tr"])
        sections.setRange(.flexible(length: 2, from: .beginning), for: "tr")
        var shown = database.snapshot
        try sections.update(to: shown)
        func next() throws -> String {
            let newest = database.snapshot
            _ = try sections.advance(from: shown, to: newest)
            shown = newest
            return newest.sections(of: sections)[0].map(\.key).joined()
        }
        try await database.write {
            try $0.setSorting(of: CityView.byCountry, sortedBy: .byKey, order: .descending, versionTag: "by key")
        }
        #expect(try next() == "wv")
        try await database.put(["x": City(), "y": City(), "z": City()])
        #expect(try next() == "zyxwv")
    }

    @Test func `A window that is extended shows more on the side it was extended`() async throws {
        var list = try await list("pqrstu", .fixed(length: 2, offset: 2, from: .beginning))
        try list.mappings.extend("a", by: 1, at: .end, in: list.snapshot)
        #expect(list.shown == ["rst"])
        try list.mappings.extend("a", by: 5, at: .beginning, in: list.snapshot)
        #expect(list.shown == ["pqrst"])
        #expect(list.mappings.range(of: "a") == .fixed(length: 5, from: .beginning))
    }

    @Test(arguments: [0, 1])
    func `A window extended past the end of its group fills up like one that was set so long`(offset: Int) async throws
    {
        let count = offset == 0 ? 10 : 5
        var one = try await list("pqrstu", .flexible(length: 2 + count, offset: offset, from: .end))
        var other = try await list("pqrstu", .flexible(length: 2, offset: offset, from: .end))
        let more = try other.mappings.extend("a", by: count, at: .beginning, in: other.snapshot)
        #expect(more.obstacle == .endOfGroup && one.mappings.range(of: "a") == other.mappings.range(of: "a"))
        for rows in ["nopqrstu", "mnopqrstu"] {
            try await one.become(["a": rows])
            try await other.become(["a": rows])
            #expect(one.shown == other.shown)
        }
        #expect(other.shown == [offset == 0 ? "mnopqrstu" : "nopqrst"])
    }

    @Test func `A window behind the end of its group keeps its offset when it is extended`() async throws {
        var list = try await list("", .flexible(length: 2, offset: 3, from: .end))
        try list.mappings.extend("a", by: 2, at: .beginning, in: list.snapshot)
        try await list.become(["a": "pqrstuvw"])
        #expect(list.shown == ["qrst"])
        list = try await self.list("pqrs", .flexible(length: 2, offset: 6, from: .beginning))
        try list.mappings.extend("a", by: 0, at: .end, in: list.snapshot)
        try await list.become(["a": "pqrstuvwx"])
        #expect(list.shown == ["vw"])
    }

    @Test func `A window that moved away from its pin is longer by all the rows it is extended by`() async throws {
        var list = try await list("pqrstu", .flexible(length: 2, offset: 2, from: .beginning))
        try await list.become(["a": "xyzpqrstu"])
        let more = try list.mappings.extend("a", by: 5, at: .beginning, in: list.snapshot)
        #expect(more.addedCount == 5 && list.shown == ["xyzpqrs"])
        #expect(list.mappings.range(of: "a") == .flexible(length: 7, from: .beginning))
        try await list.become(["a": ""])
        try await list.become(["a": "bcdefghij"])
        #expect(list.shown == ["bcdefgh"])
    }

    @Test func `A reversed window is extended as it is seen, and reports what came`() async throws {
        var list = try await list("pqrstu", .flexible(length: 2, from: .end, maxLength: 5))
        list.mappings.setReversed(true, for: "a")
        #expect(list.shown == ["ut"])
        let changes = try list.mappings.extend("a", by: 2, at: .end, in: list.snapshot).changes
        #expect(list.shown == ["utsr"])
        #expect(changes.rowChanges.map { "\($0)" } == ["insert 0.2 (s)", "insert 0.3 (r)"])
        try list.mappings.extend("a", by: 4, at: .end, in: list.snapshot)
        #expect(list.shown == ["utsrq"])
    }

    @Test func `Extending says how many rows came, and what stood in the way`() async throws {
        var flexible = try await list("pqrstu", .flexible(length: 2, from: .end, maxLength: 4))
        func extend(_ list: inout Fixture, _ count: Int, _ side: ListRange.Side) throws -> ListExtension {
            try list.mappings.extend("a", by: count, at: side, in: list.snapshot)
        }
        var more = try extend(&flexible, 1, .beginning)
        #expect(more.addedCount == 1 && more.obstacle == nil && flexible.shown == ["stu"])
        more = try extend(&flexible, 3, .beginning)
        #expect(more.addedCount == 1 && more.obstacle == .maxLength && flexible.shown == ["rstu"])
        more = try extend(&flexible, 3, .beginning)
        #expect(more.addedCount == 0 && more.obstacle == .maxLength && !more.changes.hasChanges)
        more = try extend(&flexible, 1, .end)
        #expect(more.addedCount == 0 && more.obstacle == .endOfGroup)
        more = try extend(&flexible, 0, .beginning)
        #expect(more.addedCount == 0 && more.obstacle == nil)

        var fixed = try await list("pqrstu", .fixed(length: 2, offset: 1, from: .beginning))
        more = try extend(&fixed, 3, .beginning)
        #expect(more.addedCount == 1 && more.obstacle == .endOfGroup && fixed.shown == ["pqr"])
        more = try extend(&fixed, 9, .end)
        #expect(more.addedCount == 3 && more.obstacle == .endOfGroup && more.changes.rowChanges.count == 3)

        var reversed = try await list("pqrstu", .flexible(length: 2, from: .end, maxLength: 3))
        reversed.mappings.setReversed(true, for: "a")
        more = try extend(&reversed, 2, .end)
        #expect(more.addedCount == 1 && more.obstacle == .maxLength && reversed.shown == ["uts"])
        #expect(try extend(&reversed, 2, .beginning).obstacle == .endOfGroup)

        var empty = try await list("", .flexible(length: 2, from: .end))
        more = try extend(&empty, 2, .beginning)
        #expect(more.addedCount == 0 && more.obstacle == .notShown)
        try await empty.become(["a": "pqrstu"])
        #expect(empty.shown == ["rstu"])
        #expect(try empty.mappings.extend("b", by: 1, at: .end, in: empty.snapshot).obstacle == .notShown)

        for range in [
            ListRange.fixed(length: 2, offset: 6, from: .beginning), .flexible(length: 2, offset: 6, from: .beginning),
        ] {
            for side in [ListRange.Side.beginning, .end] {
                var behind = try await list("pqrs", range)
                more = try extend(&behind, 1, side)
                #expect(more.addedCount == 0 && more.obstacle == .notShown, "\(range), \(side)")
            }
        }

        // One that lost its rows is where the group ends, and no row is hidden there.
        var lost = try await list("pqrs", .flexible(length: 2, offset: 2, from: .beginning))
        try await lost.become(["a": "pq"])
        #expect(try extend(&lost, 1, .end).obstacle == .endOfGroup)

        var all = try await Fixture(["a": "pq"], groups: ["a"]) { _ in }
        #expect(try extend(&all, 1, .end).obstacle == .noRange)
    }

    @Test func `A window opened on an empty group shows what arrives, up to its greatest length`() async throws {
        for (range, shown) in [
            (ListRange.flexible(length: 2, from: .end), "pqrstuvw"),
            (.flexible(length: 2, from: .end, maxLength: 4), "tuvw"),
            (.fixed(length: 2, from: .end), "vw"),
        ] {
            var list = try await list("", range)
            for rows in ["pq", "pqrst", "pqrstuvw"] { try await list.become(["a": rows]) }
            #expect(list.shown == [shown], "\(range)")
        }
    }

    @Test func `The order of calls decides between one group and all`() {
        var settings = ListSettings()
        settings.setDynamic(true, for: "a")
        settings.setDynamic(false, for: nil)
        settings.setDynamic(true, for: "b")
        #expect(["a", "b", "c"].map { settings.isDynamic[$0] } == [false, true, false])
    }

    @Test(arguments: [
        ListRange.fixed(length: 3, offset: 1, from: .beginning), .flexible(length: 2, from: .end, growing: .otherSide),
    ])
    func `Options set after reversing are as seen, before it as stored`(range: ListRange) async throws {
        func seen(_ mappings: inout ViewMappings<Fixture.View>) {
            mappings.setReversed(true, for: "a")
            mappings.setRange(range, for: "a")
            mappings.setDrawingDependencies([-1, 3], for: "a")
        }
        func stored(_ mappings: inout ViewMappings<Fixture.View>) {
            mappings.setRange(range.reversed, for: "a")
            mappings.setDrawingDependencies([1, -3], for: "a")
            mappings.setReversed(true, for: "a")
        }
        var list = try await Fixture(["a": "pqrstu"], groups: ["a"], seen)
        var other = try await Fixture(["a": "pqrstu"], groups: ["a"], stored)
        for mappings in [list.mappings, other.mappings] {
            #expect(mappings.range(of: "a") == range)
            #expect(mappings.core.settings.ranges["a"] == range.reversed)
            #expect(mappings.core.settings.dependencies["a"] == [1, -3])
            #expect(mappings.drawingDependencies(of: "a") == [-1, 3])
        }
        #expect(list.shown == other.shown)
        let changes = try await list.become(["a": "xpqSuty"])
        #expect(try await other.become(["a": "xpqSuty"]) == changes)
    }

    @Test func `What is set for all groups is turned round only in those that are reversed`() {
        var settings = ListSettings()
        settings.setReversed(true, for: "a")
        settings.setRange(.fixed(length: 2, from: .beginning), for: nil)
        #expect(settings.ranges["a"]?.pin == .end)
        #expect(settings.ranges["b"]?.pin == .beginning)
        #expect(settings.shownRange(of: "a") == settings.shownRange(of: "b"))
    }
}

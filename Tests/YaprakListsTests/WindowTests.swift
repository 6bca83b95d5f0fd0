import TestSupport
import Testing

@testable import YaprakLists

/// What ranges show as their groups change.
@Suite(.bounded) struct WindowTests {
    private func list(_ rows: String, _ range: ListRange) -> Fixture {
        Fixture(["a": rows], ListCore(groups: ["a"])) { $0.setRange(range, for: "a") }
    }

    @Test func `A range set while its group is small shows what was asked for when there is more`() {
        var list = list("p", .fixed(length: 3, from: .beginning))
        list.become(["a": "pq"])
        #expect(list.shown == ["pq"])
        list.become(["a": "pqrst"])
        #expect(list.shown == ["pqr"])
        list.become(["a": ""])
        list.become(["a": "vwxyz"])
        #expect(list.shown == ["vwx"])
    }

    @Test func `A flexible range set while its group is small fills up on both sides, then follows its growth`() {
        var list = list("p", .flexible(length: 3, from: .beginning))
        list.become(["a": "pq"])
        list.become(["a": "pqr"])
        #expect(list.shown == ["pqr"])
        list.become(["a": "pqrs"])
        #expect(list.shown == ["pqr"])
        list.become(["a": "opqrs"])
        #expect(list.shown == ["opqr"])
    }

    @Test func `A flexible range over an empty group starts at what was asked for`() {
        var list = list("", .flexible(length: 3, from: .end))
        list.become(["a": "pqrstu"])
        #expect(list.shown == ["stu"])
    }

    @Test func `A window that lost all its rows grows on both sides, until it is as long as was asked for`() {
        var list = list("opqrs", .flexible(length: 2, offset: 1, from: .beginning))
        #expect(list.shown == ["pq"])
        list.become(["a": "ors"])
        #expect(list.shown == [""])
        list.become(["a": "oxrs"])
        #expect(list.shown == ["x"])
        list.become(["a": "oxyrs"])
        #expect(list.shown == ["xy"])
        list.become(["a": "oxyzrs"])
        #expect(list.shown == ["xy"])
        list.become(["a": "owxyzrs"])
        #expect(list.shown == ["wxy"])
    }

    @Test(arguments: [ListRange.Side.beginning, .end])
    func `Rows at an edge belong to the range where it grows`(pin: ListRange.Side) {
        for growth in [ListRange.Growth.pinSide, .otherSide, .bothSides] {
            var list = list("pqrstu", .flexible(length: 2, offset: 2, from: pin, growing: growth))
            #expect(list.shown == ["rs"])
            list.become(["a": "pqxrsytu"])
            let atPin = growth != .otherSide
            let away = growth != .pinSide
            let (before, after) = pin == .beginning ? (atPin, away) : (away, atPin)
            #expect(list.shown == ["\(before ? "x" : "")rs\(after ? "y" : "")"])
        }
    }

    @Test func `The greatest length trims away from the pin, the least refills towards it first`() {
        var list = list("pqrstu", .flexible(length: 2, offset: 2, from: .beginning, minLength: 2, maxLength: 3))
        list.become(["a": "pqrxystu"])
        #expect(list.shown == ["rxy"])
        list.become(["a": "pqtu"])
        #expect(list.shown == ["pq"])
    }

    @Test func `Changes between pin and window move a flexible range, not its rows`() {
        var list = list("pqrstu", .flexible(length: 2, offset: 2, from: .beginning))
        #expect(list.become(["a": "xyzpqrstu"]) == [])
        #expect(list.shown == ["rs"])
        #expect(list.become(["a": "rstu"]) == [])
        #expect(list.shown == ["rs"])
    }

    @Test func `A flexible range stays in place when its group is sorted anew`() {
        var list = list("pqrstuvw", .flexible(length: 2, from: .beginning))
        list.become(["a": "wvutsrqp"], sortedAnew: true)
        #expect(list.shown == ["wv"])
        list.become(["a": "zyxwvutsrqp"])
        #expect(list.shown == ["zyxwv"])
    }

    @Test func `A window grown by hand shows more on the side it was grown`() {
        var list = list("pqrstu", .fixed(length: 2, offset: 2, from: .beginning))
        list.core.extend("a", by: 1, at: .end)
        #expect(list.shown == ["rst"])
        list.core.extend("a", by: 5, at: .beginning)
        #expect(list.shown == ["pqrst"])
        #expect(list.core.settings.shownRange(of: "a") == .fixed(length: 5, from: .beginning))
    }

    @Test func `A reversed window is grown as it is seen, and says what came`() {
        var list = list("pqrstu", .flexible(length: 2, from: .end, maxLength: 5))
        list.core.configure { $0.setReversed(true, for: "a") }
        #expect(list.shown == ["ut"])
        let before = list.core
        list.core.extend("a", by: 2, at: .end)
        #expect(list.shown == ["utsr"])
        let changes = list.core.changes(since: before, in: list.side)
        #expect(changes.rowChanges.map { "\($0)" } == ["insert 0.2 (s)", "insert 0.3 (r)"])
        list.core.extend("a", by: 4, at: .end)
        #expect(list.shown == ["utsrq"])
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
    func `Options set after reversing are as seen, before it as stored`(range: ListRange) {
        var seen = ListSettings()
        seen.setReversed(true, for: "a")
        seen.setRange(range, for: "a")
        seen.setDependencies([-1, 3], for: "a")
        var stored = ListSettings()
        stored.setRange(range.reversed, for: "a")
        stored.setDependencies([1, -3], for: "a")
        stored.setReversed(true, for: "a")
        for settings in [seen, stored] {
            #expect(settings.shownRange(of: "a") == range)
            #expect(settings.ranges["a"] == range.reversed)
            #expect(settings.dependencies["a"] == [1, -3])
            #expect(settings.shownDependencies(of: "a") == [-1, 3])
        }
        var list = Fixture(["a": "pqrstu"], ListCore(groups: ["a"])) { $0 = seen }
        var other = Fixture(["a": "pqrstu"], ListCore(groups: ["a"])) { $0 = stored }
        #expect(list.shown == other.shown)
        #expect(list.become(["a": "xpqSuty"]) == other.become(["a": "xpqSuty"]))
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

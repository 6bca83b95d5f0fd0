import TestSupport
import Testing

@testable import YaprakLists

/// The known faults of the ancestor's change sets, each as a list it would have been told wrongly about.
@Suite(.bounded) struct AncestorFaultTests {
    /// Both ends of the move were counted in their groups once more, and rows were balanced that nobody had asked for.
    @Test func `A row that moves between groups with fixed ranges is counted once`() {
        var list = Fixture(["a": "pqrs", "b": "uvwx"], ListCore(groups: ["a", "b"])) {
            $0.setRange(.fixed(length: 2, from: .beginning), for: nil)
        }
        let changes = list.become(["a": "qrs", "b": "upvwx"])
        #expect(list.shown == ["qr", "up"])
        #expect(changes == ["delete 1.1 (v)", "insert 0.1 (r)", "move 0.0 → 1.1 (p)"])
    }

    /// The window slides over its rows, and nothing was said.
    @Test func `A change between pin and window of a fixed range is told`() {
        var list = Fixture(["a": "pqrstu"], ListCore(groups: ["a"])) {
            $0.setRange(.fixed(length: 2, offset: 2, from: .beginning), for: "a")
        }
        #expect(list.shown == ["rs"])
        let changes = list.become(["a": "xpqrstu"])
        #expect(list.shown == ["qr"])
        #expect(changes == ["delete 0.1 (s)", "insert 0.0 (q)"])
    }

    /// The section counts by what it shows, not by what its group has.
    @Test func `A dynamic section goes when its flexible range is empty, and comes when it is not`() {
        var list = Fixture(["a": "pqrs", "b": "z"], ListCore(groups: ["a", "b"])) {
            $0.setDynamic(true, for: nil)
            $0.setRange(.flexible(length: 2, from: .beginning), for: "a")
        }
        #expect(list.become(["a": "rs", "b": "z"]) == ["delete 0 (a)", "delete 0.1 (q)", "delete 0.0 (p)"])
        #expect(list.shown == ["z"])
        #expect(list.become(["a": "trs", "b": "z"]) == ["insert 0 (a)", "insert 0.0 (t)"])
        #expect(list.shown == ["t", "z"])
    }

    /// With two operations or more, targets were named twice, or rows had the content of others.
    @Test func `Sections become one and several again with many changes at once`() {
        var list = Fixture(["a": "pqr", "b": "xyz"], ListCore(groups: ["a", "b"])) {
            $0.consolidation = .init(threshold: 5, name: "few")
        }
        let joined = list.become(["a": "Rx", "b": "zy"])
        #expect(list.shown == ["rxzy"])
        #expect(joined.prefix(3) == ["delete 1 (b)", "delete 0 (a)", "insert 0 (few)"])
        #expect(joined.filter { $0.hasPrefix("move") }.count == 4)
        let parted = list.become(["a": "xr", "b": "ywz"])
        #expect(list.shown == ["xr", "ywz"])
        #expect(parted.prefix(3) == ["delete 0 (few)", "insert 0 (a)", "insert 1 (b)"])
        #expect(parted.filter { $0.hasPrefix("insert 1.") } == ["insert 1.1 (w)"])
    }

    /// Issues 95 and 99: the group list changed, and rows came and went in sections that were not announced.
    @Test func `Another order and another choice of groups are told`() {
        let choice = Choice()
        choice.now = ["a", "b", "c"]
        let core = ListCore(
            filter: { choice.now.contains($0) },
            order: { choice.now.firstIndex(of: $0)! < choice.now.firstIndex(of: $1)! })
        let rows = ["a": "pq", "b": "r", "c": "st", "d": "u"]
        var list = Fixture(rows, core)
        choice.now = ["c", "a", "d"]
        let changes = list.become(rows)
        #expect(list.shown == ["st", "pq", "u"])
        #expect(
            changes == ["delete 1 (b)", "insert 2 (d)", "move 2 → 0 (c)", "delete 1.0 (r)", "insert 2.0 (u)"]
                || changes == ["delete 1 (b)", "insert 2 (d)", "move 0 → 1 (a)", "delete 1.0 (r)", "insert 2.0 (u)"])
    }

    /// Issue 125: a row was deleted and redrawn at one path.
    @Test func `A row that depends on its neighbour is told once`() {
        var list = Fixture(["a": "pq"], ListCore(groups: ["a"])) { $0.setDependencies([-1], for: nil) }
        #expect(list.become(["a": "pqr"]) == ["insert 0.2 (r)"])
        #expect(list.become(["a": "", "b": "pqr"]) == ["delete 0.2 (r)", "delete 0.1 (q)", "delete 0.0 (p)"])
    }
}

import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// The known faults of YapDatabase's change sets, each as a list whose changes it reported wrong.
@Suite(.bounded) struct YapDatabaseFaultTests {
    /// Both ends of the move were counted in their groups once more, and rows were balanced that nobody had asked for.
    @Test func `A row that moves between groups with fixed ranges is counted once`() async throws {
        var list = try await Fixture(["a": "pqrs", "b": "uvwx"], groups: ["a", "b"]) {
            $0.setRangeForAllGroups(.fixed(length: 2, from: .beginning))
        }
        let changes = try await list.become(["a": "qrs", "b": "upvwx"])
        #expect(list.shown == ["qr", "up"])
        #expect(changes == ["delete 1.1 (v)", "insert 0.1 (r)", "move 0.0 → 1.1 (p)"])
    }

    /// The window slides over its rows, and nothing was said.
    @Test func `A change between pin and window of a fixed range is reported`() async throws {
        var list = try await Fixture(["a": "pqrstu"], groups: ["a"]) {
            $0.setRange(.fixed(length: 2, offset: 2, from: .beginning), for: "a")
        }
        #expect(list.shown == ["rs"])
        let changes = try await list.become(["a": "xpqrstu"])
        #expect(list.shown == ["qr"])
        #expect(changes == ["delete 0.1 (s)", "insert 0.0 (q)"])
    }

    /// The section counts by what it shows, not by what its group has.
    @Test func `A dynamic section goes when its flexible range is empty, and comes when it is not`() async throws {
        var list = try await Fixture(["a": "pqrs", "b": "z"], groups: ["a", "b"]) {
            $0.setDynamicForAllGroups(true)
            $0.setRange(.flexible(length: 2, from: .beginning), for: "a")
        }
        #expect(try await list.become(["a": "rs", "b": "z"]) == ["delete 0 (a)", "delete 0.1 (q)", "delete 0.0 (p)"])
        #expect(list.shown == ["z"])
        #expect(try await list.become(["a": "trs", "b": "z"]) == ["insert 0 (a)", "insert 0.0 (t)"])
        #expect(list.shown == ["t", "z"])
    }

    /// With two operations or more, targets were named twice, or rows had the content of others.
    @Test func `Sections become one and several again with many changes at once`() async throws {
        var list = try await Fixture(["a": "pqr", "b": "xyz"], groups: ["a", "b"]) {
            $0.consolidate(below: 5, into: "few")
        }
        let joined = try await list.become(["a": "Rx", "b": "zy"])
        #expect(list.shown == ["rxzy"])
        #expect(joined.prefix(3) == ["delete 1 (b)", "delete 0 (a)", "insert 0 (few)"])
        #expect(joined.filter { $0.hasPrefix("move") }.count == 4)
        let parted = try await list.become(["a": "xr", "b": "ywz"])
        #expect(list.shown == ["xr", "ywz"])
        #expect(parted.prefix(3) == ["delete 0 (few)", "insert 0 (a)", "insert 1 (b)"])
        #expect(parted.filter { $0.hasPrefix("insert 1.") } == ["insert 1.1 (w)"])
    }

    /// Issues 95 and 99: the group list changed, and rows came and went in sections that were not announced.
    @Test func `Another order and another choice of groups are reported`() async throws {
        let choice = Choice()
        choice.now = ["a", "b", "c"]
        let rows = ["a": "pq", "b": "r", "c": "st", "d": "u"]
        var list = try await Fixture(rows) { view in
            ViewMappings(
                view, filter: { choice.now.contains($0) },
                order: { choice.now.firstIndex(of: $0)! < choice.now.firstIndex(of: $1)! })
        }
        choice.now = ["c", "a", "d"]
        let changes = try await list.become(rows)
        #expect(list.shown == ["st", "pq", "u"])
        #expect(
            changes == ["delete 1 (b)", "insert 2 (d)", "move 2 → 0 (c)", "delete 1.0 (r)", "insert 2.0 (u)"]
                || changes == ["delete 1 (b)", "insert 2 (d)", "move 0 → 1 (a)", "delete 1.0 (r)", "insert 2.0 (u)"])
    }

    /// Issue 125: a row was deleted and redrawn at one path.
    @Test func `A row that depends on its neighbour is reported once`() async throws {
        var list = try await Fixture(["a": "pq"], groups: ["a"]) { $0.setDrawingDependenciesForAllGroups([-1]) }
        #expect(try await list.become(["a": "pqr"]) == ["insert 0.2 (r)"])
        #expect(
            try await list.become(["a": "", "b": "pqr"]) == ["delete 0.2 (r)", "delete 0.1 (q)", "delete 0.0 (p)"])
    }
}

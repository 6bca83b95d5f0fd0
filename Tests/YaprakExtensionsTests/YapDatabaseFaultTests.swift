import TestSupport
import Testing
import Yaprak
import YaprakExtensions

/// What users of YapDatabase suffered from, by the number of their report.
@Suite(.bounded) struct YapDatabaseFaultTests {
    let database = Database.inMemory()
    let view = AutoView("view", of: .books, groupedBy: \.genre, sortedBy: \.rank)

    /// Issue 327: a filtered view followed its parent's log of operations, and a row that left and came again within one
    /// write was lost, or admitted without having been asked about.
    @Test func `A row that leaves and comes again in one write is judged by what it is at the end`() async throws {
        let filter = FilteredView("filter", of: view) { $0.rank < 10 }
        try await database.register(view)
        try await database.register(filter)
        try await database.write { transaction in
            transaction[.books]["in"] = Book(rank: 1)
            transaction[.books]["out"] = Book(rank: 11)
        }
        for looks in [false, true] {
            try await database.write { [view] transaction in
                for (key, rank) in [("in", 2), ("out", 12)] {
                    transaction[.books][key] = nil
                    if looks { _ = try transaction.reader(of: view) }
                    transaction[.books][key] = Book(rank: rank)
                    transaction[.books][key]?.genre = ""
                    transaction[.books][key]?.genre = "sci-fi"
                }
            }
            #expect(database.snapshot[filter].keys == ["sci-fi": ["in"]])
            #expect(database.snapshot[view].keys == ["sci-fi": ["in", "out"]])
        }
        try await database.write { transaction in
            transaction[.books]["in"]?.rank = 20
            transaction[.books]["out"]?.rank = 3
        }
        #expect(database.snapshot[filter].keys == ["sci-fi": ["out"]])
    }

    /// Issues 256 and 186: where the parent sorts by objects, a change of metadata alone did not reach the filter.
    @Test func `A change of metadata reaches a filter whose parent looks at objects`() async throws {
        let filter = FilteredView("filter", of: view, where: .byMetadata { $0 != nil })
        try await database.register(view)
        try await database.register(filter)
        try await database.write { $0[.books]["a"] = Book() }
        #expect(database.snapshot[filter].isEmpty)
        try await database.write { $0[.books].replaceMetadata(Shelf(room: "x"), for: "a") }
        #expect(database.snapshot[filter].keys == ["sci-fi": ["a"]])
        #expect(database.snapshot[filter]["sci-fi"][0].metadata?.room == "x")
        #expect(database.snapshot[view]["sci-fi"][0].metadata?.room == "x")
        try await database.write { $0[.books].replaceMetadata(nil, for: "a") }
        #expect(database.snapshot[filter].isEmpty)
    }

    /// Issue 274 and its like: what was keyed by a number of a row hit another row after a removal and an insertion.
    @Test func `A record that is removed and made again is one row`() async throws {
        let manual = ManualView("manual", of: .books)
        try await database.register(view)
        try await database.register(manual)
        try await database.write { [manual] transaction in
            transaction[.books]["a"] = Book(rank: 1)
            transaction[.books]["b"] = Book(rank: 2)
            try transaction.append("b", to: "x", in: manual)
            try transaction.append("a", to: "x", in: manual)
        }
        try await database.write { transaction in
            transaction[.books].remove("a")
            transaction[.books]["c"] = Book(rank: 0)
            transaction[.books]["a"] = Book(rank: 3)
        }
        #expect(database.snapshot[view].keys == ["sci-fi": ["c", "b", "a"]])
        #expect(database.snapshot[manual].keys == ["x": ["b", "a"]])
        #expect(database.snapshot[manual]["x"][1].object.rank == 3)
    }

    /// PR 130: questions about changes left out insertions.
    @Test func `All rows and groups can be replaced in one write`() async throws {
        try await database.register(view)
        try await database.write { transaction in
            for rank in 0..<100 { transaction[.books]["\(rank)"] = Book(genre: "g\(rank % 5)", rank: rank) }
        }
        let before = database.snapshot
        try await database.write { transaction in
            transaction[.books].removeAll()
            for rank in 0..<100 { transaction[.books]["\(rank)"] = Book(genre: "h\(rank % 5)", rank: -rank) }
        }
        let after = database.snapshot
        #expect(after[view].groupNames == ["h0", "h1", "h2", "h3", "h4"])
        #expect(after[view]["h0"].map(\.key) == stride(from: 95, through: 0, by: -5).map { "\($0)" })
        #expect(after[view].state.namesOfDifferingGroups(from: before[view].state).count == 10)
        #expect(after[view].rawChangeCount(since: before[view]) == 210)
    }

    /// Issue 222: a touch did not ask about the group again.
    @Test func `A touch asks again`() async throws {
        let flag = Flag()
        let moody = AutoView(
            "moody", of: .books, groupedBy: .byObject { _ in flag.isSet ? "b" : "a" }, sortedBy: .byKey)
        try await database.register(moody)
        try await database.write { $0[.books]["x"] = Book() }
        flag.set()
        #expect(database.snapshot[moody].keys == ["a": ["x"]])
        try await database.write { $0[.books].touchMetadata(for: "x") }
        #expect(database.snapshot[moody].keys == ["a": ["x"]])
        try await database.write { $0[.books].touchObject(for: "x") }
        #expect(database.snapshot[moody].keys == ["b": ["x"]])
    }

    @Test func `A touch of a row in one view is seen in that view alone`() async throws {
        let filter = FilteredView("filter", of: view) { _ in true }
        try await database.register(view)
        try await database.register(filter)
        try await database.write { transaction in
            for rank in 0..<10 { transaction[.books]["\(rank)"] = Book(rank: rank) }
        }
        let before = database.snapshot
        try await database.write { [view] in try $0.touchObject("3", in: view) }
        let after = database.snapshot
        let difference = after[view].state.difference(from: before[view].state, ofGroup: "sci-fi")
        #expect(difference.removed.isEmpty && difference.inserted.isEmpty)
        #expect(difference.replaced.map(\.new) == [3] && difference.replaced[0].kinds == .objectTouched)
        #expect(after[filter].state.namesOfDifferingGroups(from: before[filter].state).isEmpty)
        #expect(after[.books].row(for: "3")!.isIdentical(to: before[.books].row(for: "3")!))
        #expect(after.commitNumber > before.commitNumber, "what is to be shown anew is a commit")
    }
}

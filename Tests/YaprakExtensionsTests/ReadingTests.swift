import TestSupport
import Testing
import Yaprak

/// Groups as collections, searches by order, and explanations.
@Suite(.bounded) struct ReadingTests {
    let database = Database.inMemory()
    let view = AutoView("view", of: .books, groupedBy: \.genre, sortedBy: \.rank)
    let downwards = AutoView("downwards", of: .books, groupedBy: \.genre, sortedBy: \.rank, order: .descending)

    init() async throws {
        try await database.register(view)
        try await database.register(downwards)
        try await database.write { transaction in
            for number in 0..<500 {
                transaction[.books]["k\(number)"] = Book(
                    genre: number % 100 == 0 ? "crime" : "sci-fi", rank: number / 2)
            }
        }
    }

    // It is neither below nor above a bound: the search ended among such rows, and rows of no range were in it.
    @Test(arguments: [ViewOrder.ascending, .descending])
    func `NaN is in no range`(order: ViewOrder) async throws {
        let values: [Double] = [0.5, 2, .nan, .nan, .nan]
        let database = Database.inMemory()
        let view = AutoView(
            "numbers", of: .books, groupedBy: .everything(in: "all"), sortedBy: .byObject { values[$0.rank] },
            order: order)
        try await database.register(view)
        try await database.write { transaction in
            for rank in values.indices { transaction[.books]["\(rank)"] = Book(rank: rank) }
        }
        let group = database.snapshot[view]["all"]
        func value(_ row: Record<Book, Shelf>) -> Double { values[row.object.rank] }
        #expect(group.rows(by: value, in: 0...1).map(\.key) == ["0"])
        #expect(group.rows(by: value, in: 0..<2).map(\.key) == ["0"])
        #expect(group.rows(by: value, in: 1...).map(\.key) == ["1"])
        #expect(group.rows(by: value, in: ..<1).map(\.key) == ["0"])
        #expect(Set(group.rows(by: value, in: ...Double.infinity).map(\.key)) == ["0", "1"])
        #expect(group.rows(by: value, in: 3...4).isEmpty)
    }

    @Test func `A group is a collection`() {
        let group = database.snapshot[view]["sci-fi"]
        #expect(group.count == 495 && group.name == "sci-fi")
        #expect(group.map(\.object.rank) == group.map(\.object.rank).sorted())
        #expect(group.reversed().map(\.key) == Array(group.map(\.key).reversed()))
        let slice = group[50..<60]
        #expect(slice.startIndex == 50 && slice.map(\.key) == (50..<60).map { group[$0].key })
        #expect(slice.first?.key == group[50].key && slice.dropFirst(3).startIndex == 53)
        #expect(group.prefix(3).count == 3 && group.suffix(2).endIndex == 495)
        #expect(database.snapshot[view]["nothing"].first == nil)
        #expect(database.snapshot[view].groups.map(\.name) == ["crime", "sci-fi"])
    }

    @Test func `Every row is found from its key`() {
        let reader = database.snapshot[view]
        for name in reader.groupNames {
            for (index, row) in reader[name].enumerated() {
                #expect(reader.place(of: row.key)! == (name, index))
                #expect(reader[name].position(of: row.key) == index)
            }
        }
        #expect(reader["crime"].position(of: "k1") == nil && reader.place(of: "nobody") == nil)
    }

    @Test(arguments: [false, true]) func `A range is found by the order of the rows`(isDescending: Bool) throws {
        let group = database.snapshot[isDescending ? downwards : view]["sci-fi"]
        let sign = isDescending ? -1 : 1
        for (low, high) in [(0, 0), (10, 12), (248, 400), (-5, -1), (0, 249), (300, 310), (50, 50)] {
            let expected = group.indices.filter { low <= group[$0].object.rank && group[$0].object.rank <= high }
            let range = group.range { row in
                row.object.rank < low
                    ? (isDescending ? .after : .before)
                    : row.object.rank > high
                        ? (isDescending ? .before : .after) : .within
            }
            #expect(range == expected.first.map { $0..<(expected.last! + 1) }, "\(low) to \(high), \(sign)")
            #expect(group.rows(by: \.object.rank, in: low...high).map(\.key) == expected.map { group[$0].key })
            #expect(group.rows(by: \.object.rank, in: low..<high + 1).map(\.key) == expected.map { group[$0].key })
        }
        let all = group.map(\.object.rank)
        #expect(group.rows(by: \.object.rank, in: 100...).map(\.object.rank) == all.filter { $0 >= 100 })
        #expect(group.rows(by: \.object.rank, in: ..<100).map(\.object.rank) == all.filter { $0 < 100 })
        #expect(group.rows(by: \.object.rank, in: ...100).map(\.object.rank) == all.filter { $0 <= 100 })
        #expect(
            group.firstPosition {
                $0.object.rank == 100 ? .within : ($0.object.rank < 100) != isDescending ? .before : .after
            }
                == all.firstIndex(of: 100))
        #expect(group.firstPosition { $0.object.rank < 1000 ? .before : .within } == nil)
    }

    @Test func `A write reads what it has written`() async throws {
        try await database.write { [view] transaction in
            transaction[.books]["k0"]?.rank = 1000
            let reader = try transaction.reader(of: view)
            #expect(reader.place(of: "k0")! == ("crime", 4) && reader["crime"].last?.object.rank == 1000)
            transaction[.books].remove("k0")
            #expect(reader["crime"].count == 5)
            #expect(try transaction.reader(of: view)["crime"].count == 4)
        }
    }

    @Test func `A view says why a row is where it is, or is not there`() async throws {
        let filter = FilteredView("filter", of: view, where: .byRowInGroup { row, _ in row.object.rank > 10 })
        let chain = FilteredView("chain", of: filter, where: .byKey { $0 != "k100" })
        let manual = ManualView("manual", of: .books)
        try await database.register(filter)
        try await database.register(chain)
        try await database.register(manual)
        let some = AutoView("some", of: .books, groupedBy: .byMetadata { $0?.room }, sortedBy: \.title)
        try await database.register(some)
        try await database.write { $0[.books].set(Book(title: "T"), metadata: Shelf(room: "r"), for: "shelved") }
        let snapshot = database.snapshot
        #expect(
            snapshot.explain("k100", in: view).description
                == #""k100" is in group "crime" at 1 of 5, sorted by 50, between "k0" (0) and "k200" (100), in view "view"."#
        )
        #expect(
            snapshot.explain("nobody", in: view).description
                == #""nobody" is not in view "view": there is no record of that key in "books"."#)
        #expect(
            snapshot.explain("k0", in: chain).description
                == #""k0" is not in view "chain": the filter of view "filter", which reads the object and metadata and group, "#
                + #"rejects its row of view "view"."#
        )
        #expect(
            snapshot.explain("k100", in: chain).description
                == #""k100" is not in view "chain": its filter, which reads the key, rejects its row of view "filter"."#
        )
        #expect(
            snapshot.explain("k0", in: some).description
                == #""k0" is not in view "some": its grouping, which reads the metadata, puts the record into no group."#
        )
        #expect(
            snapshot.explain("shelved", in: some).description
                == #""shelved" is in group "r" at 0 of 1, sorted by "T", in view "some"."#)
        #expect(
            snapshot.explain("k0", in: manual).description
                == #""k0" is not in view "manual": nobody has put the record into it."#)
        #expect(
            snapshot.explain("k0", of: .movies, in: view).description
                == #""k0" is not in view "view": it looks at "books", not at "movies"."#)
    }

    @Test func `In a part of a group the row is found that is in it, where two collections have the key`() async throws
    {
        let notes = RecordCollection<String, NoMetadata>("notes")
        let mixed = AutoView(
            "mixed", versionTag: "1", of: .books, notes, groupedBy: .byObject { _ in "all" }, .byObject { _ in "all" },
            sortedBy: .byObject { $0.title }, .byObject { $0 })
        let database = Database.inMemory()
        try await database.register(mixed)
        try await database.write { transaction in
            transaction[.books]["k"] = Book(title: "a")
            transaction[.books]["other"] = Book(title: "m")
            transaction[notes]["k"] = "z"
        }
        let group = database.snapshot[mixed]["all"]
        #expect(group.position(of: "k") == 0 && group[1...].position(of: "k") == 2)
        #expect(group[1..<2].position(of: "k") == nil && group[1...].position(of: "other") == 1)
    }
}

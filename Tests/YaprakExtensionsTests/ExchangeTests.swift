import TestSupport
import Testing
import Yaprak
import YaprakExtensions

/// Grouping, sorting and filtering exchanged in a write: as few changes as lead from one to the other.
@Suite(.bounded) struct ExchangeTests {
    let database = Database.inMemory()
    let view = AutoView("view", versionTag: "rank", of: .books, groupedBy: \.genre, sortedBy: \.rank)

    init() async throws {
        try await database.register(view)
        try await database.write { transaction in
            for rank in 0..<100 {
                transaction[.books]["\(rank)"] = Book(title: "\(rank == 50 ? -1 : rank)", rank: rank)
            }
        }
    }

    @Test func `Another sorting moves the rows that stand elsewhere, and no others`() async throws {
        let before = database.snapshot[view].state
        try await database.write { [view] in
            try $0.setSorting(of: view, sortedBy: .byObject { Int($0.title)! }, versionTag: "title")
        }
        let after = database.snapshot[view].state
        let difference = after.difference(from: before, ofGroup: "sci-fi")
        #expect(difference.removed.map(\.position) == [50] && difference.inserted.map(\.position) == [0])
        #expect(difference.replaced.isEmpty, "the others are what they were")
        let back = before.difference(from: after, ofGroup: "sci-fi")
        #expect(back.removed.map(\.position) == [0] && back.inserted.map(\.position) == [50])
        #expect(!after.hasSameOrder(as: before))
        #expect(database.snapshot.versionTag(ofExtensionNamed: "view") == "title")
    }

    // Only the tag was looked at, so that a list that a user turned round stayed as it was.
    @Test func `A sorting with its tag and the other order turns the rows round, and with its own order does nothing`()
        async throws
    {
        let even = FilteredView("even", of: view, where: .byObject { (book: Book) in book.rank % 2 == 0 })
        try await database.register(even)
        let ascending = database.snapshot[view]["sci-fi"].map(\.key)
        func sort(_ order: ViewOrder) async throws {
            try await database.write { [view] in
                try $0.setSorting(of: view, sortedBy: \.rank, order: order, versionTag: "rank")
            }
        }
        let number = database.commitNumber
        try await sort(.ascending)
        #expect(database.commitNumber == number)
        try await sort(.descending)
        #expect(database.snapshot[view]["sci-fi"].map(\.key) == ascending.reversed())
        #expect(database.snapshot[even]["sci-fi"].first?.key == "98" && database.snapshot[view].versionTag == "rank")
        try await database.write { $0[.books]["99"]?.rank = -1 }
        #expect(database.snapshot[view].place(of: "99")?.index == 99)
        let turned = database.commitNumber
        try await sort(.descending)
        #expect(database.commitNumber == turned)
        try await sort(.ascending)
        #expect(database.snapshot[view]["sci-fi"].map(\.key) == ["99"] + ascending.dropLast())
    }

    @Test func `A view over several collections is turned round with its tag, too`() async throws {
        let mixed = AutoView(
            "mixed", versionTag: "1", of: .movies, .actors, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
            sortedBy: .byObject { $0.year }, .byObject { $0.since })
        try await database.register(mixed)
        try await database.write { transaction in
            transaction[.movies]["m"] = Movie(agent: "007", year: 1995)
            transaction[.actors]["a"] = Actor(agent: "007", since: 1994)
        }
        #expect(database.snapshot[mixed].keys == ["007": ["a", "m"]])
        try await database.write {
            try $0.setSorting(
                of: mixed, .movies, .actors, sortedBy: .byObject { $0.year }, .byObject { $0.since },
                order: .descending, versionTag: "1")
        }
        #expect(database.snapshot[mixed].keys == ["007": ["m", "a"]])
    }

    /// Its tag is that of the code that is registered at the next launch, and its rows stand the other way round.
    @Test(arguments: [ViewPersistence.checkpoints, .everyCommit])
    func `A stored view that was turned round is registered in the order that the program gives`(
        persistence: ViewPersistence
    ) async throws {
        let directory = TemporaryDirectory()
        let path = directory.appending("books.yaprak")
        let view = AutoView(
            "view", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank, persistence: persistence)
        let database = try await Database.open(at: path, collections: .books)
        try await database.register(view)
        try await database.write { transaction in
            for rank in 0..<9 { transaction[.books]["\(rank)"] = Book(rank: rank) }
        }
        try await database.write {
            try $0.setSorting(of: view, sortedBy: \.rank, order: .descending, versionTag: "1")
        }
        #expect(database.snapshot[view]["sci-fi"].first?.key == "8")
        try await database.checkpoint()
        try await database.close()
        let again = try await Database.open(at: path, collections: .books)
        try await again.register(view)
        #expect(again.snapshot[view]["sci-fi"].map(\.key) == (0..<9).map { "\($0)" })
        try await again.close()
    }

    // The tag of the whole is that of the last part, and a launch restored the groups of another grouping with it.
    @Test func `A stored view is restored only if all of its parts have the tag that is registered`() async throws {
        typealias Grouped = Grouping<Book, Shelf>
        let directory = TemporaryDirectory()
        let path = directory.appending("books.yaprak")
        let byGenre = Grouped.byObject { $0.genre }, byParity = Grouped.byObject { "\($0.rank % 2)" }
        func register(_ tag: String, _ grouping: Grouped) async throws -> (Database, ExtensionHost.Origin, [String]) {
            let database = try await Database.open(at: path, collections: .books)
            let view = AutoView(
                "view", versionTag: tag, of: .books, groupedBy: grouping, sortedBy: .byObject { $0.title },
                persistence: .checkpoints)
            let origin = try await database.register(view).origin
            return (database, origin, database.snapshot[view].groupNames)
        }
        var (database, origin, groups) = try await register("1", byGenre)
        #expect(origin == .populated)
        let handle = AutoView(
            "view", versionTag: "1", of: .books, groupedBy: byGenre, sortedBy: .byObject { $0.title },
            persistence: .checkpoints)
        try await database.write { transaction in
            for rank in 0..<9 { transaction[.books]["\(rank)"] = Book(title: "\(rank)", rank: rank) }
            try transaction.setGrouping(of: handle, groupedBy: byParity, versionTag: "parity")
            try transaction.setSorting(of: handle, sortedBy: \.title, versionTag: "title")
        }
        #expect(database.snapshot[handle].versionTag == "title")
        try await database.checkpoint()
        try await database.close()

        // The last tag, with the grouping that was registered all along.
        (database, origin, groups) = try await register("title", byGenre)
        #expect(origin == .populated && groups == ["sci-fi"])
        try await database.write { transaction in
            try transaction.setGrouping(of: handle, groupedBy: byParity, versionTag: "both")
            try transaction.setSorting(of: handle, sortedBy: \.title, versionTag: "both")
        }
        try await database.checkpoint()
        try await database.close()
        (database, origin, groups) = try await register("both", byParity)
        #expect(origin == .adopted && groups == ["0", "1"])
        try await database.close()
    }

    @Test func `Another grouping moves the rows whose group differs, and no others`() async throws {
        let before = database.snapshot[view].state
        try await database.write { [view] in
            try $0.setGrouping(
                of: view, groupedBy: .byObject { $0.rank % 10 == 0 ? "tens" : $0.rank == 1 ? nil : $0.genre },
                versionTag: "x")
        }
        let after = database.snapshot[view].state
        #expect(after.namesOfDifferingGroups(from: before) == ["sci-fi", "tens"])
        let difference = after.difference(from: before, ofGroup: "sci-fi")
        #expect(difference.removed.count == 11 && difference.inserted.isEmpty && difference.replaced.isEmpty)
        #expect(after.rawChangeCount(since: before) == 22, "11 left, 10 came, and a group came")
        #expect(after.hasSameOrder(as: before))
    }

    @Test func `A collection is grouped again through any handle of the view's name, whatever that says of its place`()
        async throws
    {
        let mixed = AutoView(
            "mixed", of: .movies, .actors, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
            sortedBy: .byObject { $0.year }, .byObject { $0.since })
        let turned = AutoView(
            "mixed", of: .actors, .movies, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
            sortedBy: .byObject { $0.since }, .byObject { $0.year })
        try await database.register(mixed)
        try await database.write { transaction in
            transaction[.movies]["m"] = Movie(agent: "007", year: 1995)
            transaction[.actors]["a"] = Actor(agent: "007", since: 1994)
        }
        try await database.write {
            try $0.setGrouping(of: turned, in: .movies, groupedBy: .byObject { "\($0.year)" }, versionTag: "year")
        }
        #expect(database.snapshot[mixed].keys == ["007": ["a"], "1995": ["m"]])
        // As registered, not as the handle has it.
        try await database.write {
            try $0.setSorting(
                of: turned, .movies, .actors, sortedBy: .byObject { -$0.year }, .byObject { -$0.since },
                versionTag: "backwards")
        }
        #expect(database.snapshot[turned].keys == ["007": ["a"], "1995": ["m"]])
    }

    @Test func `A filter knows when its parent puts rows into several groups from here on`() async throws {
        let even = FilteredView("even", of: view, where: .byObject { (book: Book) in book.rank % 2 == 0 })
        try await database.register(even)
        #expect(database.snapshot[even].state.root.configuration.rowsHaveOnePlace)
        try await database.write { [view] in
            try $0.setGrouping(of: view, groupedBy: .byEachObject { _ in ["one", "two"] }, versionTag: "two groups")
        }
        #expect(!database.snapshot[even].state.root.configuration.rowsHaveOnePlace)
        #expect(database.snapshot[even].groupNames == ["one", "two"] && database.snapshot[even]["two"].count == 50)
    }

    @Test func `Another filter lets rows in and out, and leaves the rest alone`() async throws {
        let filter = FilteredView("filter", versionTag: "a", of: view) { $0.rank < 50 }
        try await database.register(filter)
        let before = database.snapshot[filter].state
        try await database.write {
            try $0.setFiltering(of: filter, where: .byObject { $0.rank >= 45 }, versionTag: "b")
        }
        let after = database.snapshot[filter].state
        let difference = after.difference(from: before, ofGroup: "sci-fi")
        #expect(difference.removed.map(\.position) == Array(0..<45))
        #expect(difference.inserted.map(\.position) == Array(5..<55) && difference.replaced.isEmpty)
        #expect(after.rawChangeCount(since: before) == 95)
        // The new filter is in force from now on.
        try await database.write { $0[.books]["0"]?.rank = 45 }
        #expect(database.snapshot[filter].place(of: "0")?.index == 0)
    }

    // Rows of the handle's parent were put between those of the other, in whose order they did not stand.
    @Test func `A filter is set through any handle of the view's name, whatever that says of its parent`() async throws
    {
        let byTitle = AutoView(
            "by title", of: .books, groupedBy: { $0.rank < 50 ? "low" : "high" }, sortedBy: { $0.title })
        let filter = FilteredView("filter", versionTag: "a", of: view) { $0.rank < 10 }
        try await database.register(byTitle)
        try await database.register(filter)
        let other = FilteredView("filter", of: byTitle) { $0.rank < 10 }
        try await database.write {
            try $0.setFiltering(of: other, where: .byObject { $0.rank >= 45 }, versionTag: "b")
        }
        #expect(database.snapshot[filter].keys == ["sci-fi": (45..<100).map { "\($0)" }])
        try await database.write { [view] in
            try $0.setSorting(of: view, sortedBy: \.rank, order: .descending, versionTag: "rank")
        }
        #expect(database.snapshot[filter].keys == ["sci-fi": (45..<100).reversed().map { "\($0)" }])
    }

    // The handle's parent was asked, and stopped the program where it is not registered.
    @Test func `Any handle of a filtered view's name says why a row is not there, whatever it says of its parent`()
        async throws
    {
        let byTitle = AutoView("by title", of: .books, groupedBy: \.genre, sortedBy: \.title)
        let filter = FilteredView("filter", of: view) { $0.rank < 10 }
        let other = FilteredView("filter", of: byTitle) { $0.rank < 10 }
        try await database.register(filter)
        let expected = database.snapshot.explain("20", in: filter).answer
        #expect(expected == .rejected(by: .init(viewName: "filter", reads: "object"), parentName: "view"))
        #expect(database.snapshot.explain("20", in: other).answer == expected)
        try await database.register(byTitle)
        #expect(database.snapshot.explain("20", in: other).answer == expected)
        #expect(database.snapshot.explain("20", of: .books, in: other).answer == expected)
    }

    @Test func `A sort value that changes without moving the row is a change in its place`() async throws {
        let before = database.snapshot[view].state
        try await database.write { transaction in
            transaction[.books]["10"]?.rank = 11
            transaction[.books]["99"]?.rank = 1000
            transaction[.books]["20"]?.rank = 30
        }
        let difference = database.snapshot[view].state.difference(from: before, ofGroup: "sci-fi")
        #expect(difference.replaced.map(\.old) == [10, 99] && difference.replaced.map(\.new) == [10, 99])
        #expect(difference.removed.map(\.position) == [20] && difference.inserted.map(\.position) == [29])
    }
}

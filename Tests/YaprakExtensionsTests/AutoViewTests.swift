import TestSupport
import Testing
import Yaprak

@Suite struct AutoViewTests {
    let database = Database.inMemory()

    @Test func `Rows stand in their groups, in order, in the same commit`() async throws {
        let view = AutoView("ranks", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)
        try await database.write { transaction in
            for rank in 0..<200 {
                transaction[.books]["\(rank)"] = Book(genre: rank % 3 == 0 ? "fantasy" : "sci-fi", rank: -rank)
            }
        }
        try await database.register(view)
        let before = database.snapshot
        #expect(before[view].groupNames == ["fantasy", "sci-fi"])
        #expect(before[view]["fantasy"].map(\.key) == stride(from: 198, through: 0, by: -3).map { "\($0)" })
        #expect(before[view]["sci-fi"].count == 133 && before[view].count == 200 && before[view]["nothing"].isEmpty)
        try await database.write { transaction in
            transaction[.books]["0"]?.rank = -1000
            transaction[.books]["1"]?.genre = "crime"
            transaction[.books]["3"] = nil
        }
        let after = database.snapshot[view]
        #expect(after["fantasy"].first?.key == "0" && after["fantasy"].count == 66)
        #expect(after["crime"].map(\.key) == ["1"])
        #expect(after.place(of: "0")! == ("fantasy", 0))
        #expect(after.place(of: "3") == nil && after.group(of: "2") == "sci-fi")
        #expect(before[view]["fantasy"].last?.key == "0")
        #expect(after.state.namesOfDifferingGroups(from: before[view].state) == ["crime", "fantasy", "sci-fi"])
    }

    @Test func `A view over collections of different types is read without casts of Any`() async throws {
        let bond = AutoView(
            "bond", of: .movies, .actors, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
            sortedBy: .byObject { $0.year }, .byObject { $0.since })
        try await database.register(bond)
        try await database.write { transaction in
            transaction[.movies]["goldfinger"] = Movie(title: "Goldfinger", agent: "007", year: 1964)
            transaction[.movies]["skyfall"] = Movie(title: "Skyfall", agent: "007", year: 2012)
            transaction[.movies]["dune"] = Movie(title: "Dune", year: 1984)
            transaction[.actors]["craig"] = Actor(name: "Craig", agent: "007", since: 2006)
        }
        let rows = database.snapshot[bond]["007"]
        #expect(rows.map(\.key) == ["goldfinger", "craig", "skyfall"])
        #expect(rows.compactMap { $0.as(.movies)?.object.title } == ["Goldfinger", "Skyfall"])
        #expect(rows[1].as(.actors)?.object.name == "Craig" && rows[1].collectionName == "actors")
        #expect(database.snapshot[bond].place(of: "craig", in: .actors)! == ("007", 1))
        #expect(database.snapshot[bond].place(of: "craig", in: .movies) == nil)
    }

    @Test func `A record stands in several groups where that was declared`() async throws {
        let view = AutoView("tags", of: .books, groupedByEach: \.tags, sortedBy: \.title)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "A", tags: ["x", "y", "x"])
            transaction[.books]["b"] = Book(title: "B", tags: ["y"])
            transaction[.books]["c"] = Book(title: "C")
        }
        #expect(database.snapshot[view].keys == ["x": ["a"], "y": ["a", "b"]])
        #expect(database.snapshot[view].places(of: "a").map(\.group) == ["x", "y"])
        try await database.write { $0[.books]["a"]?.tags = ["y", "z"] }
        #expect(database.snapshot[view].keys == ["y": ["a", "b"], "z": ["a"]])
        try await database.write { $0[.books]["a"] = nil }
        #expect(database.snapshot[view].keys == ["y": ["b"]])
        try await database.write { $0[.books].removeAll() }
        #expect(database.snapshot[view].groupNames.isEmpty)
    }
}

import TestSupport
import Testing
import Yaprak

/// Boxes are cast on the word of a view's types; where they are others, the program stops before the cast.
@Suite(.bounded) struct TypeTests {
    @Test func `A view of a collection that has other types stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            try await database.write { $0[.movies]["x"] = Movie() }
            let wrong = AutoView(
                "wrong", of: RecordCollection<Book, Shelf>("movies"), groupedBy: \.genre, sortedBy: \.rank)
            try await database.register(wrong)
        }
    }

    @Test func `A view over several collections that compares their objects stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = AutoView(
                "both", of: .movies, .actors, groupedBy: .everything(in: "all"), .everything(in: "all"),
                sortedBy: .comparingObjects { $0.title < $1.title }, .comparingObjects { $0.name < $1.name })
        }
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            let both = AutoView(
                "both", of: .movies, .actors, groupedBy: .everything(in: "all"), .everything(in: "all"),
                sortedBy: .byObject { $0.year }, .byObject { $0.since })
            try await database.register(both)
            try await database.write { transaction in
                try transaction.setSorting(
                    of: both, .movies, .actors, sortedBy: .byKey, .comparingRows { $0.key < $1.key }, versionTag: "rows"
                )
            }
        }
    }

    @Test func `A row of a collection that a manual view does not look at stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            let both = ManualView("both", of: .movies, .actors)
            try await database.register(both)
            try await database.write { transaction in
                transaction[.books]["x"] = Book()
                try transaction.append("x", of: .books, to: "all", in: both)
            }
        }
    }

    @Test func `A view over several collections is sorted by their keys`() async throws {
        let database = Database.inMemory()
        let both = AutoView(
            "both", of: .movies, .actors, groupedBy: .everything(in: "all"), .everything(in: "all"),
            sortedBy: .comparingKeys { $0 > $1 }, .byKey)
        try await database.write { transaction in
            for key in ["b", "d"] { transaction[.movies][key] = Movie(title: key) }
            for key in ["a", "c", "d"] { transaction[.actors][key] = Actor() }
        }
        try await database.register(both)
        #expect(database.snapshot[both]["all"].map(\.key) == ["d", "d", "c", "b", "a"])
        try await database.write { $0[.actors]["e"] = Actor() }
        #expect(database.snapshot[both]["all"].map(\.key) == ["e", "d", "d", "c", "b", "a"])
        #expect(database.snapshot[both]["all"].map(\.collectionName)[1...2] == ["movies", "actors"])
    }

    @Test func `A filter whose parent's name belongs to another view is not registered`() async throws {
        let database = Database.inMemory()
        let books = AutoView("view", of: .books, groupedBy: \.genre, sortedBy: \.rank)
        let movies = AutoView("view", of: .movies, groupedBy: \.agent, sortedBy: \.year)
        try await database.register(movies)
        let filter = FilteredView("filter", of: books) { $0.rank > 0 }
        let error = await #expect(throws: DatabaseError.self) { try await database.register(filter) }
        #expect(error?.code == .typeMismatch)
        #expect(!database.snapshot.isRegistered("filter"))
    }

    @Test func `A row of another collection is not the row that was asked for`() async throws {
        let database = Database.inMemory()
        let both = AutoView(
            "both", of: .movies, .actors, groupedBy: .everything(in: "all"), .everything(in: "all"),
            sortedBy: .byObject { $0.year }, .byObject { $0.since })
        try await database.register(both)
        try await database.write { $0[.movies]["x"] = Movie(title: "X") }
        let row = database.snapshot[both]["all"][0]
        #expect(row.as(.actors) == nil && row.as(.movies)?.object.title == "X")
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            let both = ManualView("both", of: .movies, .actors)
            try await database.register(both)
            try await database.write { transaction in
                transaction[.movies]["x"] = Movie()
                try transaction.append("x", of: .movies, to: "all", in: both)
            }
            _ = database.snapshot[both]["all"][0].as(RecordCollection<Book, Shelf>("movies"))
        }
    }
}

import TestSupport
import Testing
import Yaprak

/// What the initializers of a view take, its groupings and sortings may be changed to.
@Suite(.bounded) struct ExchangeByPropertyTests {
    enum Pace: String, Sendable { case slow, fast }

    @Test func `Grouping and sorting are set by properties, as a view is made by them`() async throws {
        let database = Database.inMemory()
        let view = AutoView("books", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "z", genre: "sci-fi", rank: 1, tags: ["x", "y"])
            transaction[.books]["b"] = Book(title: "y", genre: "crime", rank: 2, tags: ["y"])
            transaction[.books]["c"] = Book(title: "x", genre: "sci-fi", rank: 3)
        }
        #expect(database.snapshot[view].keys == ["sci-fi": ["a", "c"], "crime": ["b"]])
        try await database.write { try $0.setSorting(of: view, sortedBy: \.title, versionTag: "title") }
        #expect(database.snapshot[view].keys == ["sci-fi": ["c", "a"], "crime": ["b"]])
        try await database.write {
            try $0.setSorting(of: view, sortedBy: \.rank, order: .descending, versionTag: "rank, falling")
            try $0.setGrouping(of: view, groupedBy: \.title, versionTag: "title")
        }
        #expect(database.snapshot[view].keys == ["x": ["c"], "y": ["b"], "z": ["a"]])
        try await database.write {
            try $0.setGrouping(of: view, groupedBy: { $0.rank < 2 ? Pace.slow : .fast }, versionTag: "pace")
        }
        #expect(database.snapshot[view].keys == ["slow": ["a"], "fast": ["c", "b"]])
        try await database.write { try $0.setGrouping(of: view, groupedByEach: \.tags, versionTag: "tags") }
        #expect(database.snapshot[view].keys == ["x": ["a"], "y": ["b", "a"]])
    }
}

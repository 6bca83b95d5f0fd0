import Foundation
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

    // The initializers took them, and what changes a grouping later did not.
    @Test func `Groups are set to the numbers and the days of records, as a view is made by them`() async throws {
        let database = Database.inMemory()
        let view = AutoView("books", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title)
        let numbered = AutoView("numbered", of: .books, groupedBy: \.rank, sortedBy: \.title)
        let day: @Sendable (Book) -> Date? = {
            $0.rank < 0 ? nil : Date(timeIntervalSince1970: 86_400 * Double($0.rank))
        }
        let dated = AutoView("dated", of: .books, groupedByDay: day, sortedBy: \.title)
        try await database.write { transaction in
            for (key, rank) in [("a", 10), ("b", 2), ("c", -1), ("d", 10)] {
                transaction[.books][key] = Book(title: key, rank: rank)
            }
        }
        try await database.register(view)
        try await database.register(numbered)
        try await database.register(dated)
        try await database.write { try $0.setGrouping(of: view, groupedBy: \.rank, versionTag: "rank") }
        #expect(database.snapshot[view].keys == ["-1": ["c"], "10": ["a", "d"], "2": ["b"]])
        #expect(database.snapshot[view].keys == database.snapshot[numbered].keys)
        try await database.write { try $0.setGrouping(of: view, groupedByDay: day, versionTag: "day") }
        #expect(database.snapshot[view].keys == ["1970-01-03": ["b"], "1970-01-11": ["a", "d"]])
        #expect(database.snapshot[view].keys == database.snapshot[dated].keys)
    }
}

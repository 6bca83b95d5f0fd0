import TestSupport
import Testing
import Yaprak

@Suite(.bounded) struct FilteredViewTests {
    let database = Database.inMemory()
    let view = AutoView("ranks", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)

    @Test func `A filtered view follows its parent in the same commit`() async throws {
        let even = FilteredView("even", of: view) { $0.rank.isMultiple(of: 2) }
        let long = FilteredView("long", of: even, where: .byKey { $0.count > 1 })
        try await database.register(view)
        try await database.write { transaction in
            for rank in 0..<30 { transaction[.books]["\(rank)"] = Book(rank: rank) }
        }
        try await database.register(even)
        try await database.register(long)
        #expect(database.snapshot[long].keys == ["sci-fi": stride(from: 10, to: 30, by: 2).map { "\($0)" }])
        try await database.write { transaction in
            transaction[.books]["10"]?.rank = 101
            transaction[.books]["11"]?.rank = 100
            transaction[.books]["12"]?.genre = "crime"
            transaction[.books]["14"] = nil
        }
        #expect(
            database.snapshot[long].keys == [
                "sci-fi": ["16", "18", "20", "22", "24", "26", "28", "11"], "crime": ["12"],
            ])
        try await database.write { [view] in
            try $0.setSorting(of: view, sortedBy: .byObject { $0.rank }, order: .descending, versionTag: "2")
        }
        #expect(database.snapshot[long].keys["sci-fi"] == ["11", "28", "26", "24", "22", "20", "18", "16"])
        try await database.write { try $0.setFiltering(of: even, where: .byObject { $0.rank >= 27 }, versionTag: "x") }
        #expect(database.snapshot[long].keys == ["sci-fi": ["10", "11", "29", "28", "27"]])
        #expect(database.snapshot[even].versionTag == "x")
    }
}

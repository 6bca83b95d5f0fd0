import Foundation
import TestSupport
import Testing
import Yaprak

// snippet: query-book
struct Novel: Codable, Sendable {
    var title: String
    var genre: String
    var isbn: String?
    var salesRank: Int
    var tags: [String] = []
    var price = 0.0
}

extension RecordCollection where Object == Novel, Metadata == NoMetadata {
    static var novels: Self { Self("novels") }
}
// end

// snippet: query-enum
enum Binding: String, Codable, Sendable, IndexValue { case paperback, hardcover }
// end

/// The programs on the page "Queries".
@Suite(.bounded) struct QueriesPageTests {
    private func fill(_ database: Database) async throws {
        try await database.write { transaction in
            transaction[.novels]["dune"] = Novel(
                title: "Dune", genre: "sci-fi", isbn: "978-0-441-17271-9", salesRank: 3, tags: ["desert"], price: 9.5)
            transaction[.novels]["emma"] = Novel(title: "Emma", genre: "romance", salesRank: 8, price: 4)
            transaction[.novels]["ubik"] = Novel(
                title: "Ubik", genre: "sci-fi", salesRank: 120, tags: ["time"], price: 7)
        }
    }

    @Test func `Indexes find what the page says`() async throws {
        let database = Database.inMemory()
        try await fill(database)

        // snippet: query-indexes
        let genreRank = RecordIndex("novels.genreRank", of: .novels, \.genre, \.salesRank)
        let isbn = RecordIndex("novels.isbn", of: .novels, \.isbn, unique: true)
        let tags = RecordIndex("novels.tags", of: .novels, \.tags)
        let cheapest = RecordIndex(
            "novels.cheapest", of: .novels, columns: .ascending(\.price), .descending { $0.title.lowercased() })
        try await database.register(genreRank)
        try await database.register(isbn)
        try await database.register(tags)
        try await database.register(cheapest)
        // end

        // snippet: query-reads
        let index = database.snapshot[genreRank]
        let best = try index.equal("sci-fi").range(..<100)
        for novel in best { print(novel.key, novel.object.title) }
        let dune = try database.snapshot[isbn].row(for: "978-0-441-17271-9")
        let backwards = try index.equal("sci-fi").reversed().prefix(20).map(\.key)
        let two = try index.oneOf(["romance", "sci-fi"]).count
        let place = try index.equal("sci-fi").offset(of: "ubik")
        // end
        #expect(best.map(\.key) == ["dune"] && dune?.key == "dune" && backwards == ["ubik", "dune"])
        #expect(two == 3 && place == 1)
        #expect(try database.snapshot[tags].equal("time").map(\.key) == ["ubik"])

        // snippet: query-values
        let sciFi = try index.equal("sci-fi")
        let worst = try sciFi.maximum(as: Int.self)  // 120, in O(log n)
        let total = try sciFi.sum(ofColumn: 1)  // 123, exactly
        for genre in try index.values(ofColumn: 0, as: String.self) { print(genre) }
        // end
        #expect(worst == 120 && total == 123)
        #expect(database.snapshot[cheapest].map(\.key) == ["emma", "ubik", "dune"])
    }

    @Test func `Queries find what the page says`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        try await database.register(RecordIndex("novels.genreRank", of: .novels, \.genre, \.salesRank))
        try await database.register(RecordIndex("novels.isbn", of: .novels, \.isbn, unique: true))

        // snippet: query-query
        let bestsellers = RecordQuery(
            .novels, where: #Predicate { $0.genre == "sci-fi" && $0.salesRank < 100 }, sortedBy: RecordSort(\.title),
            limit: 20)
        for novel in database.snapshot[bestsellers] { print(novel.key, novel.object.title) }
        let count = database.snapshot.count(of: bestsellers)
        // end
        #expect(count == 1 && database.snapshot[bestsellers].map(\.key) == ["dune"])

        // snippet: query-forms
        let cheap = database.snapshot[.novels].query(where: #Predicate { $0.price < 5 })
        let keys = RecordQuery<Novel, NoMetadata>(.novels, key: #Predicate { $0.starts(with: "e") })
        let long = RecordQuery(.novels, sortedBy: RecordSort(\.salesRank, .descending)) { (novel: Novel) in
            novel.title.count > 3
        }
        try await database.write { transaction in
            for novel in try transaction[keys] { transaction[.novels][novel.key]?.price = 3 }
        }
        // end
        #expect(cheap.map(\.key) == ["emma"] && database.snapshot[long].map(\.key) == ["ubik", "emma", "dune"])
        #expect(database.snapshot[.novels]["emma"]?.price == 3)

        // snippet: query-explain
        print(database.snapshot.explain(bestsellers))
        // index novels.genreRank: 1 entries read, 0 tested, 1 rows, sorted
        // not novels.isbn: the condition says nothing that its first column could be searched for
        // end
        #expect(
            "\(database.snapshot.explain(bestsellers))" == """
                index novels.genreRank: 1 entries read, 0 tested, 1 rows, sorted
                not novels.isbn: the condition says nothing that its first column could be searched for
                """)

        // snippet: query-pages
        var query = RecordQuery<Novel, NoMetadata>(.novels, sortedBy: RecordSort(\.salesRank), limit: 2)
        let snapshot = database.snapshot
        let page = snapshot[query]
        let next = snapshot[query.after(page.last!)]
        // end
        query.limit = nil
        #expect(page.map(\.key) + next.map(\.key) == snapshot[query].map(\.key))
    }

    @Test func `A unique index refuses a second record with its values`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        let isbn = RecordIndex("novels.isbn", of: .novels, \.isbn, unique: true)
        try await database.register(isbn)
        var keys: [String] = []
        // snippet: query-unique
        do {
            try await database.write { $0[.novels]["copy"] = $0[.novels]["dune"] }
        } catch let error as DatabaseError where error.code == .uniqueViolation {
            keys = (error.cause as? UniqueViolation)?.keys ?? []  // ["copy", "dune"]; nothing was written
        }
        // end
        #expect(keys == ["copy", "dune"])
        #expect(Binding.indexType == String.indexType)
        #expect(database.snapshot[.novels]["copy"] == nil)
    }
}

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
        let keys = RecordCollection.novels.query(key: #Predicate { $0.starts(with: "e") })
        let long = RecordCollection.novels.query(sortedBy: RecordSort(\.salesRank, .descending)) { $0.title.count > 3 }
        try await database.write { transaction in
            for novel in try transaction[keys] { transaction[.novels][novel.key]?.price = 3 }
        }
        // end
        #expect(cheap.map(\.key) == ["emma"] && database.snapshot[long].map(\.key) == ["ubik", "emma", "dune"])
        #expect(database.snapshot[.novels]["emma"]?.price == 3)

        // snippet: query-explain
        print(database.snapshot.explain(bestsellers))
        // index novels.genreRank: 1 entry read, 0 tested, 1 row, sorted
        // not novels.isbn: the condition says nothing that its first column could be searched for
        // end
        #expect(
            "\(database.snapshot.explain(bestsellers))" == """
                index novels.genreRank: 1 entry read, 0 tested, 1 row, sorted
                not novels.isbn: the condition says nothing that its first column could be searched for
                """)

        // snippet: query-pages
        var query = RecordCollection.novels.query(sortedBy: RecordSort(\.salesRank), limit: 2)
        let snapshot = database.snapshot
        let page = snapshot[query]
        let next = snapshot[query.after(page.last!)]
        // end
        // snippet: query-cursor
        let text = try query.cursor(after: page.last!).text
        let more = database.snapshot[try query.after(QueryCursor(parsing: text))]
        // end
        #expect(more.map(\.key) == next.map(\.key))
        query.limit = nil
        #expect(page.map(\.key) + next.map(\.key) == snapshot[query].map(\.key))
    }

    private final class ListView: Sendable {
        func show(_ rows: QueryRows<Novel, NoMetadata>) {}
        func apply(_ changes: QueryChanges, _ rows: QueryRows<Novel, NoMetadata>) {}
    }

    @Test func `What is live ends with the database`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        let genreRank = RecordIndex("novels.genreRank", of: .novels, \.genre, \.salesRank)
        try await database.register(genreRank)
        let bestsellers = RecordCollection.novels.query(where: #Predicate { $0.salesRank < 100 })
        let list = ListView()
        @Sendable func show(_ text: String) {}
        let tasks = [
            Task {
                // snippet: query-live
                for await update in database.updates(of: bestsellers) {
                    if update.changes.isReload {
                        list.show(update.rows)
                    } else {
                        list.apply(update.changes, update.rows)
                    }
                }
                // end
            },
            Task {
                // snippet: query-observe
                for await dune in database.updates(of: .novels, key: "dune") { show(dune?.object.title ?? "gone") }
                for await count in database.counts(of: bestsellers) { show("\(count) bestsellers") }
                for await sum in database.sums(of: bestsellers, \.salesRank) { show("\(sum) in all") }
                for await total in database.observe({ try? $0[genreRank].sum(ofColumn: 1) }) {
                    show("\(total ?? 0) in all")
                }
                // end
            },
            Task { @MainActor in
                // snippet: query-model
                let model = QueryModel(bestsellers, in: database)
                let following = Task { await model.follow() }
                let count = ValueModel(database.counts(of: bestsellers), now: model.rows.count)
                // end
                #expect((1...2).contains(count.value))
                await following.value
            },
        ]
        try await database.write { $0[.novels].remove("dune") }
        try await database.close()
        for task in tasks { await task.value }
    }

    @Test func `Ten tasks are programs that run`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        let isbn = RecordIndex("novels.isbn", of: .novels, \.isbn, unique: true)
        try await database.register(isbn)
        let snapshot = database.snapshot
        @Sendable func show(_ rows: QueryRows<Novel, NoMetadata>) {}
        // snippet: query-tasks
        // 1. One record by its key
        let dune = snapshot[.novels]["dune"]
        // 2. One record by a unique value
        let byISBN = try snapshot[isbn].row(for: "978-0-441-17271-9")
        // 3. Some records, sorted, the first twenty
        let top = RecordQuery(
            .novels, where: #Predicate { $0.genre == "sci-fi" }, sortedBy: RecordSort(\.salesRank), limit: 20)
        let rows = snapshot[top]
        // 4. How many
        let count = snapshot.count(of: RecordCollection.novels.query(where: #Predicate { $0.genre == "sci-fi" }))
        // 5. A range of values
        let ranked = snapshot[.novels].query(where: #Predicate { $0.salesRank >= 1 && $0.salesRank < 10 })
        // 6. A prefix
        let prefixed = snapshot[.novels].query(where: #Predicate { $0.title.starts(with: "Du") })
        // 7. One of several tags
        let tagged = snapshot[.novels].query(where: #Predicate { $0.tags.contains("desert") })
        // 8. The next page
        let next = snapshot[top.after(rows.last!)]
        // 9. Changing what a query finds
        try await database.write { transaction in
            for novel in try transaction[top] { transaction[.novels][novel.key]?.price *= 0.9 }
        }
        // 10. Following a query
        let following = Task { for await update in database.updates(of: top) { show(update.rows) } }
        // end
        #expect(dune?.title == "Dune" && byISBN?.key == "dune" && rows.map(\.key) == ["dune", "ubik"] && count == 2)
        #expect(ranked.count == 2 && prefixed.count == 1 && tagged.count == 1 && next.isEmpty)
        #expect(database.snapshot[.novels]["dune"]?.price == 9.5 * 0.9)
        try await database.close()
        await following.value
    }

    private final class SectionedList: Sendable {
        func apply(_ batch: BatchUpdates, _ sections: QuerySections<Novel, NoMetadata>) {}
    }

    @Test func `A list of sections follows a query`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        let list = SectionedList()
        let following = Task {
            // snippet: query-sections
            let newest = RecordCollection.novels.query(sortedBy: RecordSort(\.salesRank), limit: 50)
            var shown = QuerySections(database.snapshot[newest]) { $0.object.genre }
            for await update in database.updates(of: newest) {
                let next = QuerySections(update.rows) { $0.object.genre }
                list.apply(BatchUpdates(next.changes(since: shown)), next)
                shown = next
            }
            // end
            return shown.map(\.name)
        }
        // The loop starts once its task runs: it has to see the database open.
        try await database.write { $0[.novels].remove("emma") }
        try await Task.sleep(for: .milliseconds(50))
        try await database.close()
        #expect(await following.value == ["sci-fi"])
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

import Foundation
import TestSupport
import Testing
import Yaprak

/// A number in each type of floating point.
private struct Share: Codable, Sendable {
    var ratio: Float
    var perhaps: Float?
    var double: Double { Double(ratio) }
    var graphic: CGFloat { CGFloat(ratio) }
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
        var half: Float16 { Float16(ratio) }
    #endif
    #if !(os(Windows) || os(Android)) && (arch(i386) || arch(x86_64))
        var extended: Float80 { Float80(ratio) }
    #endif
}

extension RecordCollection where Object == Share, Metadata == NoMetadata {
    fileprivate static var shares: Self { Self("shares") }
}

/// What a query promises beside its rows: which index it reads, and how much of it.
@Suite(.bounded) struct QueryTests {
    private func database(_ count: Int = 2_000) async throws -> Database {
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 0..<count {
                var random = SplitMix64(seed: UInt64(number))
                var goods = Goods.random(&random)
                goods.genre = "genre\(number % 20)"
                goods.rank = number
                goods.code = number * 7 % count
                goods.tags = ["t\(number % 50)", "all"]
                transaction[.goods].set(goods, metadata: number % 3 == 0 ? "m\(number % 4)" : nil, for: "g\(number)")
            }
        }
        try await database.register(RecordIndex("genreRank", of: .goods, \.genre, \.rank))
        try await database.register(RecordIndex("code", of: .goods, \.code, unique: true))
        try await database.register(RecordIndex("tags", of: .goods, \.tags))
        return database
    }

    @Test func `A query reads the entries that match, and tests what no index proves`() async throws {
        let snapshot = try await database().snapshot
        func explain(_ query: RecordQuery<Goods, String>) -> QueryExplanation { snapshot.explain(query) }
        let exact = explain(RecordQuery(.goods, where: #Predicate { $0.genre == "genre3" && $0.rank < 1_000 }))
        #expect(
            exact.indexes == ["genreRank"] && exact.readEntryCount == 50 && exact.testedRecordCount == 0
                && exact.rowCount == 50)
        let residual = explain(RecordQuery(.goods, where: #Predicate { $0.genre == "genre3" && $0.byte < 128 }))
        #expect(residual.indexes == ["genreRank"])
        #expect(residual.readEntryCount == 100 && residual.testedRecordCount == 100)
        let smaller = explain(RecordQuery(.goods, where: #Predicate { $0.genre == "genre3" && $0.tags.contains("t3") }))
        #expect(smaller.indexes == ["tags"] && smaller.readEntryCount == 40 && smaller.rowCount == 20)
        #expect(smaller.others.map(\.index) == ["genreRank", "code"])
        let code: Int? = 5
        let union = explain(
            RecordQuery(.goods, where: #Predicate<Goods> { $0.code == code || ($0.genre == "genre1" && $0.rank == 21) })
        )
        #expect(Set(union.indexes) == ["code", "genreRank"] && union.readEntryCount == 2)
        let either = explain(RecordQuery(.goods, where: #Predicate<Goods> { $0.code == code || $0.byte == 1 }))
        #expect(either.indexes.isEmpty && either.readEntryCount == 2_000)
        let genres = ["genre1", "genre2"]
        let ranks = 10..<50
        let several = explain(
            RecordQuery(.goods, where: #Predicate { genres.contains($0.genre) && ranks.contains($0.rank) }))
        #expect(several.indexes == ["genreRank"] && several.readEntryCount == 4 && several.testedRecordCount == 0)
        // It would take as many searches as there are ranks, spelled out.
        let open = 0..<Int.max
        let all = explain(
            RecordQuery(.goods, where: #Predicate { genres.contains($0.genre) && open.contains($0.rank) }))
        #expect(all.indexes == ["genreRank"] && all.readEntryCount == 200 && all.testedRecordCount == 0)
        let never = explain(RecordQuery(.goods, where: #Predicate { $0.genre == "a" && $0.genre == "b" }))
        #expect(never.readEntryCount == 0 && never.rowCount == 0)
        #expect("\(exact)".hasPrefix("index genreRank: 50 entries read, 0 tested, 50 rows, sorted\nnot code: "))
    }

    @Test func `An index in order is read no further than the last row`() async throws {
        let snapshot = try await database().snapshot
        let first = RecordQuery(
            .goods, where: #Predicate { $0.genre == "genre3" }, sortedBy: RecordSort(\.rank), limit: 5)
        #expect(snapshot.explain(first).readEntryCount == 5 && snapshot.explain(first).isInOrder)
        #expect(snapshot[first].map(\.object.rank) == [3, 23, 43, 63, 83])
        let last = RecordQuery(
            .goods, where: #Predicate { $0.genre == "genre3" && $0.rank > 40 },
            sortedBy: RecordSort(\.rank, .descending), limit: 5)
        #expect(snapshot.explain(last).readEntryCount == 6)
        #expect(snapshot[last].map(\.object.rank) == [1983, 1963, 1943, 1923, 1903])
        let page = first.after(snapshot[first].last!)
        #expect(snapshot.explain(page).readEntryCount == 6 && snapshot[page].first?.object.rank == 103)
        let all = RecordQuery(.goods, sortedBy: RecordSort(\.code, .descending), limit: 3)
        #expect(snapshot.explain(all).readEntryCount == 4)
        #expect(snapshot[all].map(\.object.code) == [1999, 1998, 1997])
    }

    @Test func `A count of what an index has reads nothing`() async throws {
        try await expectGrowth("counting", 4_000) { count in
            let snapshot = try await database(count).snapshot
            let query = RecordQuery<Goods, String>(.goods, where: #Predicate { $0.genre == "genre3" })
            #expect(snapshot.count(of: query) == count / 20)
            return ContinuousClock().measure { for _ in 0..<2_000 { _ = snapshot.count(of: query) } }
        }
    }

    @Test func `Key, metadata and closures are conditions, too`() async throws {
        let database = try await database(200)
        try await database.register(RecordIndex("room", of: .goods, columns: .metadata(\.count), .ascending(\.rank)))
        let snapshot = database.snapshot
        let all = snapshot[.goods]
        let byKey = RecordQuery<Goods, String>(.goods, key: #Predicate { $0.starts(with: "g19") })
        #expect(snapshot[byKey].map(\.key) == all.filter { $0.key.hasPrefix("g19") }.map(\.key))
        let byMetadata = RecordQuery<Goods, String>(.goods, metadata: #Predicate { $0.count == 2 })
        #expect(snapshot[byMetadata].map(\.key) == all.filter { $0.metadata != nil }.map(\.key))
        #expect(snapshot.explain(byMetadata).indexes == ["room"])
        let ofCollection = RecordCollection.goods.query(metadata: #Predicate { $0.count == 2 })
        #expect(snapshot[ofCollection].map(\.key) == snapshot[byMetadata].map(\.key))
        let both = RecordQuery<Goods, String>(
            .goods, where: #Predicate { $0.rank > 100 }, key: #Predicate { $0.contains("3") },
            metadata: #Predicate { $0 == "m1" })
        #expect(
            snapshot[both].map(\.key)
                == all.filter { $0.object.rank > 100 && $0.key.contains("3") && $0.metadata == "m1" }.map(\.key))
        let closure = RecordQuery(.goods, sortedBy: RecordSort(\.rank, .descending), limit: 2) { (goods: Goods) in
            goods.rank % 50 == 0
        }
        #expect(snapshot[closure].map(\.object.rank) == [150, 100])
        #expect(all.query(where: #Predicate { $0.rank == 7 }).map(\.key) == ["g7"])
        #expect(all[keys: "g10"..<"g2"].query(where: #Predicate { $0.rank < 120 }).count == 30)
        let last = all.query(sortedBy: RecordSort(\.rank, .descending), limit: 2) { $0.rank < 7 }
        #expect(last.map(\.key) == ["g6", "g5"])
        #expect(all[keys: "g10"..<"g2"].query { $0.rank < 120 }.count == 30)
        let described = RecordQuery(
            .goods, sortedBy: RecordSort(SortDescriptor(\Goods.rank, order: .reverse)), limit: 2)
        #expect(snapshot[described].map(\.object.rank) == [199, 198])
    }

    @Test func `A sort descriptor of a property is served by its index, and sorts as Foundation does`() async throws {
        let database = try await database(300)
        try await database.register(RecordIndex("byRank", of: .goods, \.rank))
        let snapshot = database.snapshot
        let all = Array(snapshot[.goods])
        func check(_ descriptor: SortDescriptor<Goods>, index: String?) {
            let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(descriptor), limit: 40)
            let explanation = snapshot.explain(query)
            #expect(explanation.indexes == (index.map { [$0] } ?? []) && explanation.isInOrder == (index != nil))
            // Equal ones in the order of their keys, as they come.
            let expected = all.enumerated().sorted { a, b in
                switch descriptor.compare(a.element.object, b.element.object) {
                case .orderedAscending: true
                case .orderedDescending: false
                case .orderedSame: a.offset < b.offset
                }
            }
            #expect(snapshot[query].map(\.key) == expected.prefix(40).map(\.element.key), "\(descriptor)")
        }
        for order in [SortOrder.forward, .reverse] {
            check(SortDescriptor(\.rank, order: order), index: "byRank")
            check(SortDescriptor(\.code, order: order), index: "code")
            check(SortDescriptor(\.genre, comparator: .lexical, order: order), index: nil)
        }
    }

    // Foundation calls NaN equal to every number, which is no order: rows stood anywhere, and some were on no page.
    @Test func `A sort descriptor of any type of numbers puts NaN last, and pages have each row once`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            for (key, ratio) in [("0", 0), ("a", 2), ("b", .nan), ("c", 1), ("d", .nan)] as [(String, Float)] {
                transaction[.shares][key] = Share(ratio: ratio, perhaps: ratio)
            }
        }
        let snapshot = database.snapshot
        func check(_ descriptor: (SortOrder) -> SortDescriptor<Share>) {
            for order in [SortOrder.forward, .reverse] {
                let keys = order == .forward ? ["0", "c", "a", "b", "d"] : ["b", "d", "a", "c", "0"]
                var query = RecordQuery<Share, NoMetadata>(.shares, sortedBy: RecordSort(descriptor(order)))
                #expect(snapshot[query].map(\.key) == keys, "\(descriptor(order))")
                query.limit = 2
                var pages: [String] = []
                var page = snapshot[query]
                while let last = page.last, pages.count < 10 {
                    pages += page.map(\.key)
                    page = snapshot[query.after(last)]
                }
                #expect(pages == keys, "\(descriptor(order))")
            }
        }
        check { SortDescriptor(\.ratio, order: $0) }
        check { SortDescriptor(\.perhaps, order: $0) }
        check { SortDescriptor(\.double, order: $0) }
        check { SortDescriptor(\.graphic, order: $0) }
        #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
            check { SortDescriptor(\.half, order: $0) }
        #endif
        #if !(os(Windows) || os(Android)) && (arch(i386) || arch(x86_64))
            check { SortDescriptor(\.extended, order: $0) }
        #endif
    }

    @Test func `A cursor brings a page's end through text, and refuses what is none`() async throws {
        let database = try await database(200)
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.price), RecordSort(\.genre), limit: 30)
        var pages: [String] = []
        var snapshot = database.snapshot
        let all = snapshot[RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.price), RecordSort(\.genre))]
        var page = snapshot[query]
        while let last = page.last {
            pages += page.map(\.key)
            let cursor = try query.cursor(after: last, in: snapshot)
            let text = cursor.text
            #expect(try QueryCursor(parsing: text).commitNumber == snapshot.commitNumber)
            #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
            // Whatever becomes of the row: its place is known.
            try await database.write { $0[.goods].remove(last.key) }
            snapshot = database.snapshot
            page = snapshot[try query.after(QueryCursor(parsing: text))]
        }
        #expect(pages == all.map(\.key))
        let cursor = try query.cursor(after: all[3])
        #expect(try QueryCursor(parsing: cursor.text) == cursor && cursor.commitNumber == nil)
        #expect(try JSONDecoder().decode(QueryCursor.self, from: JSONEncoder().encode(cursor)) == cursor)
        struct Other: Codable, Sendable { var must: Int }
        let others = RecordCollection<Other, NoMetadata>("goods")
        let texts = ["", "x", "====", "AAAA", "é", cursor.text + "A", String(cursor.text.dropLast(5)), "_w"]
        for text in texts {
            let error = #expect(throws: DatabaseError.self, "\(text)") { try QueryCursor(parsing: text) }
            #expect(error?.code == .invalidQuery)
        }
        let wrong = [
            #expect(throws: DatabaseError.self) { try RecordQuery<Other, NoMetadata>(others).after(cursor) },
            #expect(throws: DatabaseError.self) {
                try RecordQuery<Other, NoMetadata>(RecordCollection("else")).after(cursor)
            },
        ]
        #expect(wrong.allSatisfy { $0?.code == .invalidQuery })
        #expect(wrong.allSatisfy { $0?.message.lowercased().contains("begin with the first page.") == true })
    }

    @Test func `A query without an index in its snapshot scans, and one of no collection is empty`() async throws {
        let database = Database.inMemory()
        let query = RecordQuery<Goods, String>(.goods, where: #Predicate { $0.rank == 1 }, limit: 3)
        #expect(database.snapshot[query].isEmpty && database.snapshot.count(of: query) == 0)
        var random = SplitMix64(seed: 1)
        var goods = Goods.random(&random)
        goods.rank = 1
        try await database.write { [goods] in $0[.goods]["a"] = goods }
        let before = database.snapshot
        try await database.register(RecordIndex("rank", of: .goods, \.rank))
        #expect(before.explain(query).indexes.isEmpty && before[query].count == 1)
        #expect(database.snapshot.explain(query).rowCount == 1)
        for limit in [0, -3] {
            var none = query
            none.limit = limit
            #expect(database.snapshot[none].isEmpty && database.snapshot.count(of: none) == 0)
        }
    }
}

import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakQueries

/// A value whose `==` says less than its bytes.
private struct Address: RawRepresentable, Codable, Sendable, IndexValue {
    var rawValue: String
    static func == (a: Self, b: Self) -> Bool { a.rawValue.lowercased() == b.rawValue.lowercased() }
}

private struct Item: Codable, Sendable, Equatable {
    var rank = 0
    var next = 100
    var code: Int?
    var name: String?
    var tags: [String] = []
    var address = Address(rawValue: "a")
    var price = 0.0
    var title = ""
    var last = 7
}

extension RecordCollection where Object == Item, Metadata == NoMetadata {
    fileprivate static var items: Self { Self("items") }
}

private typealias ItemQuery = RecordQuery<Item, NoMetadata>

extension Item {
    /// Foundation adds: the largest number has no next one.
    fileprivate static var nextRankIsLow: Predicate<Item> { #Predicate { $0.rank + 1 < 100 } }
    /// Foundation makes the range: one can't end before it begins.
    fileprivate static var spans50: Predicate<Item> { #Predicate { ($0.rank...$0.next).contains(50) } }
}

/// A value that does not come back as it was: its score is left out, and its time in whole seconds. Without a name it does not
/// come back at all.
private struct Game: Codable, Sendable {
    var name: String
    var score = 0.0
    var time = Date(timeIntervalSinceReferenceDate: 0)

    enum CodingKeys: CodingKey { case name, time }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !name.isEmpty { try container.encode(name, forKey: .name) }
        try container.encode(time.timeIntervalSinceReferenceDate.rounded(.down), forKey: .time)
    }
}

extension Game {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        time = Date(timeIntervalSinceReferenceDate: try container.decode(Double.self, forKey: .time))
    }
}

extension RecordCollection where Object == Game, Metadata == NoMetadata {
    fileprivate static var games: Self { Self("games") }
}

/// What conditions, orders and indexes make of values that are unlike most, and of code that changes its mind.
@Suite(.bounded) struct QueryFaultTests {
    private func database(_ items: [Item], _ indexes: RecordIndex<Item, NoMetadata>...) async throws -> Database {
        let database = Database.inMemory()
        for index in indexes { try await database.register(index) }
        try await database.write { transaction in
            for (number, item) in items.enumerated() { transaction[.items]["k\(100 + number)"] = item }
        }
        return database
    }

    private func keys(_ query: ItemQuery, in database: Database) -> [String] { database.snapshot[query].map(\.key) }

    @Test func `An index with a column of elements is not asked for records that may have none`() async throws {
        var items = (0..<30).map { Item(rank: $0 % 3, tags: ["x"], title: "other") }
        items[4] = Item(rank: 7, title: "wanted")
        let index = RecordIndex<Item, NoMetadata>(
            "titleTags", of: .items, columns: .ascending(\.title), .ascending(\.tags))
        let database = try await database(items, index)
        let query = ItemQuery(.items, where: #Predicate { $0.title == "wanted" })
        #expect(keys(query, in: database) == ["k104"])
        #expect(database.snapshot[query].count == 1)
        let either = ItemQuery(.items, where: #Predicate { $0.title == "wanted" || $0.title == "none" })
        #expect(keys(either, in: database) == ["k104"])
        // Where elements are asked for, it is.
        let tagged = ItemQuery(.items, where: #Predicate { $0.title == "other" && $0.tags.contains("x") })
        #expect(keys(tagged, in: database).count == 29)
        #expect(database.snapshot.explain(tagged).indexes == ["titleTags"])
    }

    @Test func `A list of values is compared as what the property is, whatever it would cast to`() async throws {
        let database = try await database([Item(code: nil), Item(code: 0), Item(code: 5, name: ""), Item(code: 6)])
        let none: [Int] = [], noText: [String] = []
        #expect(keys(ItemQuery(.items, where: #Predicate { none.contains($0.rank) }), in: database).isEmpty)
        #expect(keys(ItemQuery(.items, where: #Predicate { none.contains($0.last) }), in: database).isEmpty)
        #expect(keys(ItemQuery(.items, where: #Predicate { noText.contains($0.title) }), in: database).isEmpty)
        let codes: [Int?] = [0, 5], names: [String?] = [""]
        #expect(
            keys(ItemQuery(.items, where: #Predicate { codes.contains($0.code) }), in: database) == ["k101", "k102"])
        #expect(keys(ItemQuery(.items, where: #Predicate { names.contains($0.name) }), in: database) == ["k102"])
        try await database.register(RecordIndex("code", of: .items, \.code))
        #expect(
            keys(ItemQuery(.items, where: #Predicate { codes.contains($0.code) }), in: database) == ["k101", "k102"])
    }

    /// What a condition and an order look at that is no part of a record.
    private final class Outside: Sendable {
        let state = Mutex((least: 0, turn: 1))
        var least: Int { state.withLock { $0.least } }
        var turn: Int { state.withLock { $0.turn } }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `Rows whose condition or order changes its mind are let go with their records`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let outside = Outside()
        let database = try await database((0..<200).map { Item(rank: $0) })
        let condition: @Sendable (Item) -> Bool = { $0.rank >= outside.least }
        var live = [
            LiveRows(ItemQuery(.items, where: condition), in: database.snapshot),
            LiveRows(ItemQuery(.items, sortedBy: RecordSort { $0.object.rank * outside.turn }), in: database.snapshot),
            LiveRows(
                ItemQuery(.items, sortedBy: RecordSort { $0.object.rank * outside.turn }, limit: 20, where: condition),
                in: database.snapshot),
        ]
        for step in 0..<120 {
            if random.chance(20) {
                let (least, turn) = (random.below(220), random.chance(50) ? 1 : -1)
                outside.state.withLock { $0 = (least, turn) }
            }
            let (key, rank) = ("k\(100 + random.below(200))", random.below(220))
            if random.chance(10) {
                // So many that lists with a limit have to be filled up.
                let first = random.below(160)
                try await database.write { for number in first..<first + 40 { $0[.items].remove("k\(100 + number)") } }
            } else if random.chance(10) {
                let values = (0..<60).map { ("k\(100 + $0 * 3)", random.below(220)) }
                try await database.write { for (key, rank) in values { $0[.items][key] = Item(rank: rank) } }
            } else if random.chance(40) {
                try await database.write { $0[.items].remove(key) }
            } else {
                try await database.write { $0[.items][key] = Item(rank: rank) }
            }
            let snapshot = database.snapshot
            for index in live.indices {
                _ = live[index].advance(to: snapshot)
                // Each row is the record that the snapshot has, once: none that nothing keeps.
                var seen: Set<ObjectIdentifier> = []
                live[index].rows.forEach { row in
                    #expect(seen.insert(ObjectIdentifier(row)).inserted, "seed \(seed), step \(step), query \(index)")
                    let record = snapshot[.items].row(for: Record<Item, NoMetadata>(box: row).key)
                    #expect(record?.storedBox === row, "seed \(seed), step \(step), query \(index)")
                    return record?.storedBox === row
                }
            }
        }
    }

    @Test func `An entry follows the bytes of its value, whatever == says of it`() async throws {
        for entries in [IndexEntries.holdRecords, .holdKeys] {
            let index = RecordIndex<Item, NoMetadata>("address", of: .items, \.address, entries: entries)
            let database = try await database([Item(address: Address(rawValue: "A@x"))], index)
            try await database.write { $0[.items]["k100"]?.address = Address(rawValue: "a@x") }
            #expect(try database.snapshot[index].equal(Address(rawValue: "a@x")).map(\.key) == ["k100"])
            try await database.write { $0[.items].remove("k100") }
            #expect(database.snapshot[index].map(\.key).isEmpty)
        }
        let unique = RecordIndex<Item, NoMetadata>("unique", of: .items, \.address, unique: true)
        let database = try await database(["A", "b"].map { Item(address: Address(rawValue: $0)) }, unique)
        try await database.write { $0[.items]["k100"]?.address = Address(rawValue: "a") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.items]["k101"]?.address = Address(rawValue: "a") }
        }
        #expect(error?.code == .uniqueViolation)
    }

    @Test func `A page of rows that are all alike reads no more than a page`() async throws {
        let items = (0..<2_000).map { Item(rank: $0 % 2, title: "same") }
        let database = try await database(items, RecordIndex("title", of: .items, \.title))
        let query = ItemQuery(.items, where: #Predicate { $0.title == "same" }, limit: 20)
        var pages: [[String]] = []
        var page = database.snapshot[query]
        while let last = page.last {
            pages.append(page.map(\.key))
            let next = query.after(last)
            #expect(database.snapshot.explain(next).readEntryCount <= 21)
            page = database.snapshot[next]
        }
        #expect(pages.joined().elementsEqual(database.snapshot[.items].keys))
        // In a unique index the records without a value are alike.
        try await database.register(RecordIndex("code", of: .items, \.code, unique: true))
        let ordered = ItemQuery(.items, sortedBy: RecordSort(\.code), limit: 30)
        var all: [String] = []
        page = database.snapshot[ordered]
        while let last = page.last {
            all += page.map(\.key)
            page = database.snapshot[ordered.after(last)]
        }
        #expect(all.elementsEqual(database.snapshot[.items].keys))
    }

    // The next page began behind what was decoded: it was the same one again, for ever, or left rows out.
    @Test func `No cursor stands behind a record that would stand elsewhere when it is decoded`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 1...3 {
                let time = Date(timeIntervalSinceReferenceDate: 10 + Double(number) / 4)
                transaction[.games]["k\(number)"] = Game(name: "n\(number)", score: Double(number), time: time)
            }
        }
        let snapshot = database.snapshot
        for order in [ViewOrder.ascending, .descending] {
            for sort in [RecordSort<Game, NoMetadata>(\.score, order), RecordSort(\.time, order)] {
                let query = RecordQuery(.games, sortedBy: sort, limit: 1)
                let row = try #require(snapshot[query].first)
                let error = #expect(throws: DatabaseError.self) { try query.cursor(after: row) }
                #expect(error?.code == .encodingFailed && error?.place.key == row.key)
                #expect(error?.message.contains("after(_:)") == true)
                // The row itself stands where it is.
                #expect(snapshot[query.after(row)].map(\.key) == ["k2"])
            }
            // What it is sorted by comes back, whatever else does not.
            let query = RecordQuery(.games, sortedBy: RecordSort<Game, NoMetadata>(\.name, order), limit: 1)
            var keys: [String] = []
            var page = snapshot[query]
            while let last = page.last, keys.count < 4 {
                keys.append(last.key)
                page = snapshot[try query.after(query.cursor(after: last))]
            }
            #expect(keys == (order == .ascending ? ["k1", "k2", "k3"] : ["k3", "k2", "k1"]))
        }
        try await database.write { $0[.games]["k0"] = Game(name: "") }
        let query = RecordQuery<Game, NoMetadata>(.games, limit: 1)
        let nameless = try #require(database.snapshot[query].first)
        let error = #expect(throws: DatabaseError.self) { try query.cursor(after: nameless) }
        #expect(error?.code == .encodingFailed && error?.cause is DecodingError)
        #expect(error?.message.contains("Use after(_:) with the row.") == true)
    }

    @Test(arguments: [false, true])
    func `Pages are whole where a column of elements stands before that of the order`(isDescending: Bool) async throws {
        let items = (0..<90).map { Item(rank: $0 % 20, tags: $0 % 3 == 0 ? ["z", "m", "a"] : ["m", "b"]) }
        let index = RecordIndex<Item, NoMetadata>(
            "tagsRank", of: .items, columns: .ascending(\.tags), .ascending(\.rank))
        let database = try await database(items, index)
        let sort = RecordSort<Item, NoMetadata>(\.rank, isDescending ? .descending : .ascending)
        for tag in ["a", "b", "m", "z"] {
            let query = ItemQuery(.items, where: #Predicate { $0.tags.contains(tag) }, sortedBy: sort)
            let expected = keys(query, in: database)
            #expect(expected.count == items.count { $0.tags.contains(tag) })
            let paged = ItemQuery(.items, where: #Predicate { $0.tags.contains(tag) }, sortedBy: sort, limit: 7)
            #expect(database.snapshot.explain(paged).indexes == ["tagsRank"])
            var all: [String] = []
            var page = database.snapshot[paged]
            while let last = page.last, all.count <= expected.count {
                all += page.map(\.key)
                page = database.snapshot[paged.after(last)]
            }
            #expect(all == expected, "\(tag)")
        }
    }

    @Test func `Live rows with a limit are refilled where a column of elements stands before that of the order`()
        async throws
    {
        let items = (0..<90).map { Item(rank: $0, tags: $0 % 3 == 0 ? ["z", "m", "a"] : ["m", "b"]) }
        let index = RecordIndex<Item, NoMetadata>(
            "tagsRank", of: .items, columns: .ascending(\.tags), .ascending(\.rank))
        let database = try await database(items, index)
        let query = ItemQuery(
            .items, where: #Predicate { $0.tags.contains("m") }, sortedBy: RecordSort(\.rank), limit: 2)
        var updates = database.updates(of: query).makeAsyncIterator()
        _ = await updates.next()
        for _ in 0..<30 {
            try await database.write { transaction in
                for row in try transaction.snapshot()[query] { transaction[.items][row.key] = nil }
            }
            let update = try #require(await updates.next())
            #expect(update.rows.map(\.key) == keys(query, in: database))
        }
    }

    @Test func `A query that is kept does not keep the closures of an index it was answered by`() async throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        let query = ItemQuery(.items, where: #Predicate { $0.title == "b" })
        do {
            let token = Token()
            weakToken = token
            let database = try await database(
                [Item(title: "a"), Item(title: "b")],
                RecordIndex(
                    "title", of: .items, columns: .ascending(\.title),
                    .ascending { [token] _ in
                        withExtendedLifetime(token) { 1 }
                    }))
            #expect(database.snapshot.explain(query).indexes == ["title"])
            try await database.close()
        }
        // What a database frees may be freed a little later, by its own thread.
        for _ in 0..<1_000 where weakToken != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(weakToken == nil)
        withExtendedLifetime(query) {}
    }

    @Test func `An observed NaN comes once`() async throws {
        let database = try await database([])
        let calls = Mutex(0)
        let values = database.observe { snapshot in
            calls.withLock { $0 += 1 }
            return snapshot[.items].count < 3 ? Double.nan : 3
        }
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next()?.isNaN == true)
        let second = Task { [iterator] in
            var iterator = iterator
            return await iterator.next()
        }
        let before = calls.withLock { $0 }
        try await database.write { $0[.items]["a"] = Item() }
        while calls.withLock({ $0 }) == before { await Task.yield() }
        try await database.write { transaction in
            for key in ["b", "c"] { transaction[.items][key] = Item() }
        }
        #expect(await second.value == 3)
    }

    @Test func `A row before the first of an index stops the program`() async throws {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            let index = RecordIndex<Item, NoMetadata>("rank", of: .items, \.rank)
            try await database.register(index)
            try await database.write { transaction in
                for rank in 0..<9 { transaction[.items]["\(rank)"] = Item(rank: rank) }
            }
            let rows = try database.snapshot[index].range(3..<6)
            _ = rows[Int(String("-1"))!]
        }
    }

    // What Foundation throws means that a record does not match. This it does not throw.
    @Test func `A predicate that computes with a record may stop the program, and one that compares does not`()
        async throws
    {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            try await database.write { $0[.items]["a"] = Item(rank: .max) }
            _ = database.snapshot.count(of: ItemQuery(.items, where: Item.nextRankIsLow))
        }
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            try await database.write { $0[.items]["a"] = Item(rank: 2, next: 1) }
            _ = database.snapshot.count(of: ItemQuery(.items, where: Item.spans50))
        }
        let database = try await database([Item(rank: .max), Item(rank: 2, next: 1), Item(rank: 98), Item(rank: 99)])
        let low = ItemQuery(.items, where: #Predicate { $0.rank < 99 })
        #expect(keys(low, in: database) == ["k101", "k102"])
        let between = ItemQuery(.items, where: #Predicate { $0.rank <= 50 && 50 <= $0.next })
        #expect(keys(between, in: database).isEmpty)
        // Where they can be computed, both say the same.
        let plain = try await self.database([Item(rank: 98), Item(rank: 99), Item(rank: 2)])
        #expect(keys(ItemQuery(.items, where: Item.nextRankIsLow), in: plain) == keys(low, in: plain))
        #expect(keys(ItemQuery(.items, where: Item.spans50), in: plain) == keys(between, in: plain))
    }

    @Test func `Behind a row that the query does not have is the same by an index and by a scan`() async throws {
        let items = (0..<60).map { Item(rank: $0 % 7, title: ["a", "m", "z"][$0 % 3]) }
        let scanned = try await database(items)
        let indexed = try await database(items, RecordIndex("titleRank", of: .items, \.title, \.rank))
        for order in [ViewOrder.ascending, .descending] {
            let queries = [
                ItemQuery(
                    .items, where: #Predicate { $0.title == "m" }, sortedBy: RecordSort(\.rank, order), limit: 50),
                ItemQuery(
                    .items, where: #Predicate { $0.title == "m" }, sortedBy: RecordSort(\.title, order),
                    RecordSort(\.rank, order), limit: 50),
            ]
            for query in queries {
                for row in scanned.snapshot[.items] {
                    let next = query.after(row)
                    #expect(
                        keys(next, in: indexed) == keys(next, in: scanned), "behind \(row.key), \(row.object.title)")
                }
            }
        }
    }

    @Test func `An extreme that does not fit the type asked for is an error`() async throws {
        let index = RecordIndex<Item, NoMetadata>("rank", of: .items, \.title, \.rank)
        let database = try await database([Item(rank: 5_000, title: "a"), Item(rank: 5, title: "b")], index)
        let rows = database.snapshot[index]
        #expect(try rows.oneOf(["a", "b"]).maximum(as: Int.self) == 5_000)
        let error = #expect(throws: DatabaseError.self) { try rows.oneOf(["a", "b"]).maximum(as: Int8.self) }
        #expect(error?.code == .invalidQuery)
        #expect(try rows.equal("b").maximum(as: Int8.self) == 5)
        #expect(try rows.equal("c").maximum(as: Int8.self) == nil)
    }

    @Test func `No record is asked for by NaN`() async throws {
        let index = RecordIndex<Item, NoMetadata>("price", of: .items, \.price)
        let down = RecordIndex<Item, NoMetadata>("down", of: .items, columns: .descending(\.price))
        let database = try await database([Item(price: .nan), Item(price: 1)], index, down)
        for index in [index, down] {
            let error = #expect(throws: DatabaseError.self) { try database.snapshot[index].row(for: Double.nan) }
            #expect(error?.code == .invalidQuery)
            #expect(try database.snapshot[index].row(for: 1.0)?.key == "k101")
        }
    }

    @Test func `A list longer than its index is not looked up value by value`() async throws {
        let database = try await database(
            (0..<100).map { Item(title: "t\($0)") }, RecordIndex("title", of: .items, \.title))
        let long = (0..<10_000).map { "t\($0 * 3)" }
        let query = ItemQuery(.items, where: #Predicate { long.contains($0.title) })
        let explanation = database.snapshot.explain(query)
        #expect(explanation.indexes.isEmpty && explanation.testedRecordCount == 100)
        #expect(keys(query, in: database).count == 34)
        let short = ItemQuery(.items, where: #Predicate { ["t1", "t2"].contains($0.title) })
        #expect(database.snapshot.explain(short).indexes == ["title"])
    }

    @Test(arguments: [1, 63, 64, 65, 70])
    func `A condition of many parts has the rows of all, however many an index proves`(parts: Int) async throws {
        let items = (0..<100).map { Item(rank: $0, title: "t") }
        let database = try await database(items, RecordIndex("rank", of: .items, \.rank))
        // Ranks above 0, above 1, …: the last part leaves the fewest.
        let predicate = Predicate<Item> { item in
            func isAbove(_ rank: Int) -> some StandardPredicateExpression<Bool> {
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_KeyPath(root: item, keyPath: \.rank),
                    rhs: PredicateExpressions.build_Arg(rank), op: .greaterThan)
            }
            func all(
                _ those: some StandardPredicateExpression<Bool>, _ next: Int
            ) -> any StandardPredicateExpression<Bool> {
                if next == parts { return those }
                return all(PredicateExpressions.build_Conjunction(lhs: those, rhs: isAbove(next)), next + 1)
            }
            return all(isAbove(0), 1)
        }
        let query = ItemQuery(.items, where: predicate, sortedBy: RecordSort(\.rank))
        let wanted = items.filter { $0.rank > parts - 1 }.map(\.rank)
        #expect(database.snapshot[query].map(\.object.rank) == wanted)
        #expect(database.snapshot.count(of: query) == wanted.count)
        let explanation = database.snapshot.explain(query)
        #expect(explanation.indexes == ["rank"] && explanation.readEntryCount == wanted.count)
        // Of the first 64 none is asked.
        #expect(explanation.testedRecordCount == (parts > 64 ? wanted.count : 0))
    }
}

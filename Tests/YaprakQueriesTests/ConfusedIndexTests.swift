import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakTrees

@testable import YaprakCore
@testable import YaprakExtensions
@testable import YaprakQueries

private struct Letter: Codable, Sendable, Equatable {
    var title = "t"
    var number = 0
    var text = ""
    var tags: [String] = []
}

extension RecordCollection where Object == Letter, Metadata == NoMetadata {
    fileprivate static var letters: Self { Self("letters") }
}

private typealias LetterIndex = RecordIndex<Letter, NoMetadata>

/// An index found the old entry of a record by asking its columns again. One that had changed its mind led to nothing, and the
/// entry stayed for good: a query had a record that was gone, or the same twice, and a live query followed it into memory that
/// was freed; an entry that holds a key stopped the program.
@Suite(.bounded) struct ConfusedIndexTests {
    /// What the columns look at that is no part of a record.
    private final class Outside: Sendable {
        private let state = Mutex(0)
        var turn: Int { state.withLock { $0 } }
        func set(_ turn: Int) { state.withLock { $0 = turn } }
        /// Another number each time.
        func next() -> Int {
            state.withLock { state in
                state += 1
                return state
            }
        }
    }

    private struct Undone: Error {}

    private static let forms: [(entries: IndexEntries, persistence: IndexPersistence)] = [
        (.holdRecords, .rebuilt), (.holdKeys, .rebuilt), (.holdRecords, .checkpoints), (.holdKeys, .checkpoints),
    ]

    /// Indexes of all kinds: behind a column that can be trusted, alone, unique, and with several values.
    private static func indexes(_ outside: Outside, _ form: Int) -> [LetterIndex] {
        let (entries, persistence) = forms[form]
        return [
            LetterIndex(
                "day", of: .letters, columns: .ascending(\.title), .ascending { _ in outside.turn }, entries: entries,
                persistence: persistence),
            LetterIndex(
                "turned", of: .letters, columns: .descending { $0.number * (outside.turn % 2 == 0 ? 1 : -1) },
                entries: entries, persistence: persistence),
            // What one record has in one turn another has in the next.
            LetterIndex(
                "unique", of: .letters, columns: .ascending { $0.number &+ outside.turn }, unique: true,
                entries: entries, persistence: persistence),
            LetterIndex(
                "some", of: .letters,
                columns: .ascending { (letter: Letter) -> Int? in
                    letter.number % 3 == outside.turn % 3 ? nil : letter.number
                }, unique: true, entries: entries, persistence: persistence),
            LetterIndex(
                "several", of: .letters, columns: .ascending(\.title),
                .ascending { (letter: Letter) -> [Int] in
                    [letter.number, letter.number] + Array(0..<outside.turn % 4)
                }, entries: entries, persistence: persistence),
            LetterIndex(
                "none", of: .letters,
                columns: .ascending { (letter: Letter) -> [Int] in outside.turn % 2 == 0 ? [letter.number, 1] : [] },
                entries: entries, persistence: persistence),
            LetterIndex(
                "uniques", of: .letters,
                columns: .ascending { (letter: Letter) -> Set<Int> in [letter.number, letter.number + outside.turn] },
                unique: true, entries: entries, persistence: persistence),
        ]
    }

    /// What is wrong with an index; `nil` for nothing. It may have a record in a wrong place.
    private static func fault(of index: LetterIndex, in snapshot: Snapshot) -> String? {
        guard snapshot.isRegistered(index.name) else { return nil }
        let (rows, records) = (snapshot[index], snapshot[.letters])
        // Before one is read: that would stop the program.
        for key in rows.keys where records.row(for: key) == nil { return "\(index.name) has \(key), which is gone" }
        if !["several", "none", "uniques"].contains(index.name) {
            if Set(rows.keys).count != rows.count { return "\(index.name) has a record twice" }
            if rows.count != records.count { return "\(index.name) has \(rows.count) of \(records.count) records" }
        }
        for row in rows {
            guard let record = records.row(for: row.key), record.isIdentical(to: row) else {
                return "\(index.name) has an earlier \(row.key)"
            }
        }
        return remembersItsEntries(rows.source.root) ? nil : "\(index.name) remembers other entries than it has"
    }

    /// Whether the lists of the entries of records have those of the tree, and no others.
    private static func remembersItsEntries(_ root: IndexRoot) -> Bool {
        let configuration = root.configuration
        guard configuration.remembersEntries else { return root.remembered.count == 0 }
        var hasAll = true
        root.tree.forEach { entry in
            let columns = configuration.columnBytes(configuration.columns.count, in: entry)
            if root.rememberedEntries(of: configuration.recordKey(entry))[columns] == nil { hasAll = false }
        }
        var count = 0
        root.remembered.forEach { row in count += unsafeDowncast(row, to: RememberedEntries.self).entries.count }
        return hasAll && count == root.tree.count
    }

    private static let queries: [RecordQuery<Letter, NoMetadata>] = [
        RecordQuery(.letters, where: #Predicate { $0.title == "t" }),
        RecordQuery(.letters, where: #Predicate { $0.title == "t" }, sortedBy: RecordSort(\.number)),
        RecordQuery(.letters, where: #Predicate { $0.title == "t" }, sortedBy: RecordSort(\.number), limit: 10),
    ]

    /// A write of some records, perhaps looked at on the way, perhaps undone.
    private static func write(
        _ random: inout SplitMix64, _ indexes: [LetterIndex], _ outside: Outside, to database: Database
    ) async throws {
        let draw = random.next()
        do {
            try await database.write { transaction in
                var random = SplitMix64(seed: draw)
                for _ in 0..<(random.chance(10) ? 30 : 1 + random.below(3)) {
                    step(&random, &transaction)
                    if random.chance(10) { outside.set(random.below(9)) }
                    guard random.chance(15) else { continue }
                    let snapshot = try transaction.snapshot()
                    for index in indexes {
                        let fault = fault(of: index, in: snapshot)
                        try #require(fault == nil, "within a write")
                    }
                }
                if random.chance(10) { throw Undone() }
            }
        } catch is Undone {
        } catch let error as DatabaseError where error.code == .uniqueViolation {}
    }

    private static func step(_ random: inout SplitMix64, _ transaction: inout WriteTransaction) {
        let key = "k\(10 + random.below(60))"
        let title = random.chance(70) ? "t" : "u"
        switch random.below(100) {
        case 0..<30: transaction[.letters].remove(key)
        case 30..<40: transaction[.letters].touchRow(for: key)
        case 40..<60: transaction[.letters][key]?.text = "x\(random.below(9))"
        case 60..<70: transaction[.letters][key]?.title = title
        case 70: transaction[.letters].removeAll()
        default: transaction[.letters][key] = Letter(title: title, number: random.below(400))
        }
    }

    @Test(arguments: [0, 1], [1, 2, 3, 4] as [UInt64])
    func `An index whose column changes its mind has each record of its snapshot, once, and no other`(
        form: Int, seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let outside = Outside()
        let indexes = Self.indexes(outside, form)
        var database = Database.inMemory()
        try await database.write { transaction in
            for number in 0..<40 { transaction[.letters]["k\(10 + number)"] = Letter(number: number * 10) }
        }
        for index in indexes { try await database.register(index) }
        var live = Self.queries.map { LiveRows($0, in: database.snapshot) }
        var held: [Snapshot] = []
        for step in 0..<150 {
            if random.chance(25) { outside.set(random.below(9)) }
            switch random.below(40) {
            case 0..<4:
                let index = indexes[random.below(indexes.count)]
                if database.snapshot.isRegistered(index.name) {
                    try await database.unregister(index.name)
                } else {
                    do {
                        try await database.register(index)
                    } catch let error as DatabaseError where error.code == .uniqueViolation {}
                }
            case 4:
                guard let past = held.randomElement(using: &random) else { continue }
                do {
                    try await database.restore(past)
                } catch let error as DatabaseError where error.code == .uniqueViolation {}
            case 5:
                database = database.fork()
                held = []
            default: try await Self.write(&random, indexes, outside, to: database)
            }
            let snapshot = database.snapshot
            if random.chance(10) { held.append(snapshot) }
            for index in indexes {
                let fault = Self.fault(of: index, in: snapshot)
                try #require(fault == nil, "seed \(seed), step \(step)")
            }
            for number in live.indices {
                _ = live[number].advance(to: snapshot)
                var seen: Set<ObjectIdentifier> = []
                var fault: String?
                live[number].rows.forEach { row in
                    if !seen.insert(ObjectIdentifier(row)).inserted { fault = "a row is there twice" }
                    let record = snapshot[.letters].row(for: Record<Letter, NoMetadata>(box: row).key)
                    if record?.storedBox !== row { fault = "a row is not the record of the snapshot" }
                    return fault == nil
                }
                try #require(fault == nil, "seed \(seed), step \(step), query \(number)")
            }
        }
        for snapshot in held {
            for index in indexes { #expect(Self.fault(of: index, in: snapshot) == nil, "held, seed \(seed)") }
        }
    }

    /// What the newest state keeps alive, against what its arena holds.
    private static func checkMemory(_ database: Database, _ place: String) async {
        while database.timeline.reclaim(limit: .max) {}
        var nodes = Set<UInt>()
        var rowCount = 0
        let state = await database.working
        for tree in state.trees {
            var rows = Set<UInt>()
            tree.collectAddresses(nodes: &nodes, rows: &rows)
            rowCount += rows.count
        }
        let counts = database.timeline.arena.counts
        #expect(counts.nodes == nodes.count && counts.rows == rowCount, "\(place): \(counts), \(rowCount) rows")
    }

    @Test(arguments: [0, 1], [1, 2] as [UInt64])
    func `Entries and what is remembered of them are freed, also when a write is undone or an index made again`(
        form: Int, seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let outside = Outside()
        let indexes = Self.indexes(outside, form)
        let database = Database.inMemory()
        for index in indexes { try await database.register(index) }
        for round in 0..<6 {
            for _ in 0..<20 {
                if random.chance(25) { outside.set(random.below(9)) }
                try await Self.write(&random, indexes, outside, to: database)
            }
            await Self.checkMemory(database, "seed \(seed), round \(round)")
        }
        await #expect(throws: (any Error).self) {
            try await database.write { transaction in
                for number in 0..<60 { transaction[.letters]["k\(10 + number)"]?.title = "undone" }
                _ = try transaction.snapshot()
                throw Undone()
            }
        }
        await Self.checkMemory(database, "seed \(seed), undone")
        for index in indexes { try await database.unregister(index.name) }
        await Self.checkMemory(database, "seed \(seed), without indexes")
        try await database.write { $0.removeAll() }
        await Self.checkMemory(database, "seed \(seed), empty")
        let left = database.timeline.arena.counts
        #expect(left.nodes == 0 && left.rows == 0 && left.bytes == 0)
    }

    @Test(arguments: [2, 3], [1, 2] as [UInt64])
    func `A stored index whose column changes its mind is adopted as that of its records, or not at all`(
        form: Int, seed: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        var random = SplitMix64(seed: seed)
        let outside = Outside()
        let indexes = Self.indexes(outside, form)
        for opening in 0..<5 {
            let database = try await Database.open(at: path, collections: .letters)
            for index in indexes {
                do {
                    try await database.register(index)
                } catch let error as DatabaseError where error.code == .uniqueViolation {}
            }
            for step in 0..<20 {
                if random.chance(20) { outside.set(random.below(9)) }
                try await Self.write(&random, indexes, outside, to: database)
                if step == 12 { try await database.checkpoint() }
                for index in indexes {
                    let fault = Self.fault(of: index, in: database.snapshot)
                    try #require(fault == nil, "seed \(seed), opening \(opening), step \(step)")
                }
            }
            try await database.close()
            if opening % 2 == 0 { outside.set(random.below(9)) }
        }
    }

    @Test func `Stored keys that name a record twice are refused, whatever its column says each time`() async throws {
        let outside = Outside()
        let index = LetterIndex(
            "next", of: .letters, columns: .ascending { _ in outside.next() }, persistence: .checkpoints)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            for key in ["first", "other"] { transaction[.letters][key] = Letter() }
        }
        let stored = try #require(try index.encode(database.snapshot[index].source.root))
        #expect(try index.decodedKeys(stored, over: database.snapshot) == ["first", "other"])
        let place = try #require(stored.firstRange(of: Array("other".utf8)))
        var twice = stored
        twice.replaceSubrange(place, with: Array("first".utf8))
        #expect(throws: (any Error).self) { try index.decodedKeys(twice, over: database.snapshot) }
    }

    /// Rows of a live query are kept by their snapshot, which has them all (decision 0057).
    @Test(arguments: [IndexEntries.holdRecords, .holdKeys])
    func `Neither a query nor its updates have a record that only an old entry still led to`(
        entries: IndexEntries
    ) async throws {
        let outside = Outside()
        let index = LetterIndex(
            "day", of: .letters, columns: .ascending(\.title), .ascending { _ in outside.turn }, entries: entries)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            for number in 0..<10 { transaction[.letters]["other\(number)"] = Letter(title: "other") }
            for key in ["k1", "k2"] { transaction[.letters][key] = Letter(title: "a") }
        }
        outside.set(1)
        try await database.write { $0[.letters].remove("k1") }
        #expect(Array(database.snapshot[index].keys).count == 11)
        let query = RecordQuery<Letter, NoMetadata>(
            .letters, where: #Predicate { $0.title == "a" }, sortedBy: RecordSort(\.number))
        #expect(database.snapshot.explain(query).indexes == ["day"])
        var live = LiveRows(query, in: database.snapshot)
        #expect(live.rows.count == 1)
        try await database.write { $0[.letters]["k2"]?.text = "new" }
        _ = live.advance(to: database.snapshot)
        try await database.unregister("day")
        _ = live.advance(to: database.snapshot)
        #expect(live.rows.count == 1 && live.rows[0] === database.snapshot[.letters].row(for: "k2")?.storedBox)
    }

    // The column behind the elements was asked once for each of them, also where they repeat.
    @Test(arguments: [IndexEntries.holdRecords, .holdKeys])
    func `A record whose elements repeat is among the rows once, whatever the column behind them says each time`(
        entries: IndexEntries
    ) async throws {
        let outside = Outside()
        let index = LetterIndex(
            "tags", of: .letters, columns: .ascending(\.tags), .ascending { _ in outside.next() }, entries: entries)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            for number in 0..<10 { transaction[.letters]["other\(number)"] = Letter() }
            transaction[.letters]["n1"] = Letter(tags: ["a", "b", "a"])
        }
        #expect(Array(database.snapshot[index].keys) == ["n1", "n1"])
        let query = RecordQuery<Letter, NoMetadata>(
            .letters, where: #Predicate { $0.tags.contains("a") }, sortedBy: RecordSort(\.title))
        #expect(database.snapshot.explain(query).indexes == ["tags"])
        #expect(database.snapshot[query].map(\.key) == ["n1"])
        #expect(database.snapshot.count(of: query) == 1)
        var live = LiveRows(query, in: database.snapshot)
        try await database.write { $0[.letters]["n1"]?.text = "new" }
        _ = live.advance(to: database.snapshot)
        #expect(live.rows.count == 1 && live.rows[0] === database.snapshot[.letters].row(for: "n1")?.storedBox)
        // Made of records that are there already, and changed.
        try await database.unregister("tags")
        try await database.register(index)
        #expect(Array(database.snapshot[index].keys) == ["n1", "n1"])
        try await database.write { $0[.letters]["n1"]?.tags = ["b", "b"] }
        _ = live.advance(to: database.snapshot)
        #expect(Array(database.snapshot[index].keys) == ["n1"] && live.rows.count == 0)
    }

    @Test func `An index that missed an entry is made again once, and one that misses none never`() async throws {
        let outside = Outside()
        let index = LetterIndex(
            "day", of: .letters, columns: .ascending { outside.turn * 1_000 + $0.number })
        let database = Database.inMemory()
        try await database.register(index)
        func remakes() -> Int { database.snapshot[index].source.root.remakes }
        try await database.write { transaction in
            for number in 0..<50 { transaction[.letters]["k\(number)"] = Letter(number: number) }
        }
        for number in 0..<20 {
            try await database.write { transaction in
                transaction[.letters]["k\(number)"]?.text = "new"
                transaction[.letters]["k\(number + 20)"]?.number += 100
                transaction[.letters].remove("k\(number + 5)")
            }
        }
        #expect(remakes() == 0)
        outside.set(1)
        for number in 40..<50 { try await database.write { $0[.letters]["k\(number)"]?.text = "new" } }
        #expect(remakes() == 1)
        // All records are where the column puts them now.
        let first = try database.snapshot[index].values(ofColumn: 0, as: Int.self).first { _ in true }
        #expect(first.map { $0 >= 1_000 } == true)
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

/// Random histories of records and of the indexes themselves, through public API: at each commit a query finds what a scan
/// finds, an aggregate is what the records add up to, and what a live query delivers leads from its last rows to these.
@Suite(.bounded) struct QueryHistoryTests {
    /// A query, and the rows that were delivered last.
    private struct Asked {
        let query: RecordQuery<Goods, String>
        let predicate: Predicate<Goods>
        let sorts: [RandomSort]
        var updates: QueryUpdates<Goods, String>.Iterator
        var counts: ObservedValues<Int>.Iterator
        var sums: ObservedValues<Int128>.Iterator
        var rows: [GoodsRecord] = []
        var count = -1
        var sum: Int128 = -1

        init(_ predicates: inout RandomPredicates, _ database: Database) {
            predicate = predicates.predicate(depth: 2)
            sorts = [RandomSort(&predicates.random)]
            let limit = predicates.random.chance(40) ? 1 + predicates.random.below(12) : nil
            query = RecordQuery(.goods, where: predicate, sortedBy: sorts[0].sort, limit: limit)
            updates = database.updates(of: query).makeAsyncIterator()
            counts = database.counts(of: query).makeAsyncIterator()
            sums = database.sums(of: query, { $0.rank }).makeAsyncIterator()
        }

        /// Follows another database, from nothing.
        mutating func begin(_ database: Database) {
            (rows, count, sum) = ([], -1, -1)
            updates = database.updates(of: query).makeAsyncIterator()
            counts = database.counts(of: query).makeAsyncIterator()
            sums = database.sums(of: query, { $0.rank }).makeAsyncIterator()
        }

        func expected(in snapshot: Snapshot) -> [GoodsRecord] {
            let all = snapshot[.goods].filter { (try? predicate.evaluate($0.object)) ?? false }
            return Array(all.sorted { sorts.areInOrder($0, $1) }.prefix(query.limit ?? .max))
        }

        mutating func check(_ snapshot: Snapshot, _ name: Comment) async throws {
            let expected = expected(in: snapshot)
            try #require(snapshot[query].map(\.key) == expected.map(\.key), name)
            try #require(snapshot.count(of: query) == expected.count, name)
            // What differs is delivered, and nothing else.
            let isFirst = count < 0
            let isSame = zip(rows, expected).allSatisfy { $0.isIdentical(to: $1) } && rows.count == expected.count
            if isFirst || !isSame {
                let update = try #require(await updates.next(), name)
                try #require(update.new.commitNumber == snapshot.commitNumber, name)
                try #require(update.changes.isReload == isFirst, name)
                try #require(update.oldRows.map(\.key) == rows.map(\.key), name)
                try #require(update.rows.map(\.key) == expected.map(\.key), name)
                try #require(zip(update.rows, expected).allSatisfy { $0.isIdentical(to: $1) }, name)
                let applied = LiveQueryTests.applying(update.changes, to: rows, new: expected)
                try #require(applied == expected.map(\.key), name)
                rows = Array(update.rows)
            }
            if expected.count != count {
                count = try #require(await counts.next(), name)
                try #require(count == expected.count, name)
            }
            let total = expected.reduce(Int128(0)) { $0 + Int128($1.object.rank) }
            if isFirst || total != sum {
                sum = try #require(await sums.next(), name)
                try #require(sum == total, name)
            }
        }
    }

    /// The indexes of a history: some of all, and one whose tag changes.
    private struct Indexes {
        var registered: Set<String> = []
        var tag = 1

        func tagged(_ tag: Int) -> RecordIndex<Goods, String> {
            // Another tag is other code.
            let isTurned = tag.isMultiple(of: 2)
            return RecordIndex(
                "tagged", versionTag: "\(tag)", of: .goods,
                columns: isTurned ? .descending(\.rank) : .ascending(\.rank), .ascending(\.discount),
                persistence: .checkpoints)
        }

        mutating func change(_ database: Database, _ random: inout SplitMix64) async throws {
            if random.chance(30) {
                if registered.contains("tagged") { try await database.unregister("tagged") }
                tag += random.below(3)
                try await database.register(tagged(tag))
                registered.insert("tagged")
                return
            }
            // That of codes refuses some of the writes.
            let index = GoodsIndex.all[random.below(GoodsIndex.all.count)].index
            if registered.remove(index.name) != nil {
                try await database.unregister(index.name)
            } else if index.name != "code" {
                try await database.register(index)
                registered.insert(index.name)
            }
        }

        func registerAgain(_ database: Database) async throws {
            for index in GoodsIndex.all where registered.contains(index.index.name) {
                try await database.register(index.index)
            }
            if registered.contains("tagged") { try await database.register(tagged(tag)) }
        }

        func check(_ snapshot: Snapshot, _ name: Comment) throws {
            for index in GoodsIndex.all where registered.contains(index.index.name) {
                let fault = try index.fault(in: snapshot)
                try #require(fault == nil, name)
            }
            let all = Array(snapshot[.goods])
            if registered.contains("tagged") {
                let rows = snapshot[tagged(tag)]
                let ranks = all.map(\.object.rank).sorted()
                let values = try Array(rows.values(ofColumn: 0, as: Int.self))
                try #require(values == (tag.isMultiple(of: 2) ? ranks.reversed() : ranks), name)
                try #require(try rows.sum(ofColumn: 0) == ranks.reduce(Int128(0)) { $0 + Int128($1) }, name)
                let (least, greatest): (Int?, Int?) = (try rows.minimum(), try rows.maximum())
                try #require(least == ranks.min() && greatest == ranks.max() && rows.count == ranks.count, name)
                // Added in the order of the index.
                let sum = rows.reduce(0.0) { $0 + ($1.object.discount ?? 0) }
                let found = try rows.sum(ofColumn: 1, as: Double.self)
                try #require(found == sum || found.isNaN && sum.isNaN, name)
            }
            guard registered.contains("genreRank") else { return }
            for genre in Goods.genres {
                let found = try snapshot[GoodsIndex.all[0].index].equal(genre)
                let ranks = all.filter { $0.object.genre == genre }.map(\.object.rank)
                let (least, greatest): (Int?, Int?) = (try found.minimum(), try found.maximum())
                try #require(least == ranks.min() && greatest == ranks.max() && found.count == ranks.count, name)
                try #require(try found.sum(ofColumn: 1) == ranks.reduce(Int128(0)) { $0 + Int128($1) }, name)
            }
        }
    }

    @Test(arguments: Array(1...UInt64(Soak.volume(8, soak: 400))))
    func `Whatever happens to records and indexes, queries, live results and aggregates are those of a scan`(
        seed: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        var database = try await Database.open(at: path, collections: .goods)
        var writes = GoodsWrites(seed: seed)
        var predicates = RandomPredicates(random: SplitMix64(seed: seed + 77))
        var random = SplitMix64(seed: seed + 7_777)
        var indexes = Indexes()
        var asked = (0..<6).map { _ in Asked(&predicates, database) }
        var past: [Snapshot] = []
        for step in 0..<50 {
            let name: Comment = "seed \(seed), step \(step)"
            switch random.below(20) {
            case 0..<4: try await indexes.change(database, &random)
            case 4:
                if let snapshot = past.randomElement(using: &random) { try await database.restore(snapshot) }
            case 5:
                if random.chance(50) { try await database.checkpoint() }
                try await database.close()
                #expect(await asked[0].updates.next() == nil, name)
                database = try await Database.open(at: path, collections: .goods)
                try await indexes.registerAgain(database)
                for number in asked.indices { asked[number].begin(database) }
                past = []
            case 6:
                // A fork goes its own way, with its own followers.
                let fork = database.fork()
                var others = asked
                for number in others.indices { others[number].begin(fork) }
                for number in others.indices { try await others[number].check(fork.snapshot, name) }
                try await writes.write(to: fork)
                for number in others.indices { try await others[number].check(fork.snapshot, name) }
            default: for _ in 0...random.below(3) { try await writes.write(to: database) }
            }
            let snapshot = database.snapshot
            try indexes.check(snapshot, name)
            for number in asked.indices { try await asked[number].check(snapshot, name) }
            if random.chance(20) { past.append(snapshot) }
        }
        for snapshot in past {
            for question in asked {
                let expected = question.expected(in: snapshot).map(\.key)
                try #require(snapshot[question.query].map(\.key) == expected, "seed \(seed), past")
            }
        }
        try await database.close()
    }
}

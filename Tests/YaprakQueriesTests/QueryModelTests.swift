import Foundation
import TestSupport
import Testing
import Yaprak

/// Random queries, held against what every record says when Foundation evaluates the predicate.
@Suite(.bounded) struct QueryModelTests {
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(4, soak: 100)))

    private struct Question {
        let predicate: Predicate<Goods>
        let sorts: [RandomSort]
        let limit: Int?

        init(_ predicates: inout RandomPredicates) {
            predicate = predicates.predicate()
            sorts = (0..<predicates.random.below(3)).map { _ in RandomSort(&predicates.random) }
            limit = predicates.random.chance(40) ? predicates.random.below(12) : nil
        }

        var query: RecordQuery<Goods, String> {
            switch sorts.count {
            case 0: RecordQuery(.goods, where: predicate, limit: limit)
            case 1: RecordQuery(.goods, where: predicate, sortedBy: sorts[0].sort, limit: limit)
            default: RecordQuery(.goods, where: predicate, sortedBy: sorts[0].sort, sorts[1].sort, limit: limit)
            }
        }

        func all(in records: some Sequence<GoodsRecord>) -> [GoodsRecord] {
            records.filter { (try? predicate.evaluate($0.object)) ?? false }.sorted { sorts.areInOrder($0, $1) }
        }

        func expected(in records: some Sequence<GoodsRecord>) -> [String] {
            all(in: records).prefix(limit ?? .max).map(\.key)
        }
    }

    private func database(_ seed: UInt64, indexes: [GoodsIndex] = GoodsIndex.all) async throws -> Database {
        let database = Database.inMemory()
        for index in indexes { try await database.register(index.index) }
        var writes = GoodsWrites(seed: seed)
        writes.keys = 120
        for _ in 0..<80 { try await writes.write(to: database) }
        return database
    }

    private func name(_ seed: UInt64, _ round: Int, _ question: Question) -> Comment {
        "seed \(seed), round \(round): \(question.predicate.description.prefix(900))"
    }

    @Test(arguments: seeds) func `What a query finds is what Foundation finds among all records, in order`(seed: UInt64)
        async throws
    {
        let database = try await database(seed)
        let snapshot = database.snapshot
        let bare = try await self.database(seed, indexes: [])
        var predicates = RandomPredicates(random: SplitMix64(seed: seed))
        var usesOfIndexes = 0
        var usesOfOrder = 0
        for round in 0..<Soak.volume(250, soak: 2_000) {
            let question = Question(&predicates)
            let query = question.query
            let expected = question.expected(in: snapshot[.goods])
            let name = name(seed, round, question)
            try #require(snapshot[query].map(\.key) == expected, name)
            try #require(snapshot.count(of: query) == expected.count, name)
            try #require(bare.snapshot[query].map(\.key) == question.expected(in: bare.snapshot[.goods]), name)
            let explanation = snapshot.explain(query)
            #expect(explanation.rowCount == expected.count, name)
            if !explanation.indexes.isEmpty { usesOfIndexes += 1 }
            if !explanation.indexes.isEmpty, explanation.isInOrder { usesOfOrder += 1 }
        }
        // Else the rest says nothing.
        #expect(usesOfIndexes > 40 && usesOfOrder > 3, "\(usesOfIndexes) and \(usesOfOrder)")
    }

    @Test(arguments: seeds) func `A condition on keys reads their stretches, and finds what a scan finds`(
        seed: UInt64
    ) async throws {
        let database = try await database(seed)
        try await database.write { transaction in
            var random = SplitMix64(seed: seed)
            for key in ["", "\u{0}", "é", "g1\u{0}", "g\u{301}"] {
                transaction[.goods][key] = Goods.random(&random)
                transaction[.goods][key]?.code = nil
            }
        }
        let snapshot = database.snapshot
        let all = Array(snapshot[.goods])
        var predicates = RandomPredicates(random: SplitMix64(seed: seed))
        var stretches = 0
        for round in 0..<Soak.volume(250, soak: 2_000) {
            let keys = predicates.keyPredicate()
            let object = predicates.random.chance(40) ? predicates.predicate(depth: 1) : nil
            let sort = RandomSort(&predicates.random)
            let isSorted = predicates.random.chance(50)
            let limit = predicates.random.chance(40) ? predicates.random.below(12) : nil
            let query =
                isSorted
                ? RecordQuery(.goods, where: object, key: keys, sortedBy: sort.sort, limit: limit)
                : RecordQuery(.goods, where: object, key: keys, limit: limit)
            let matches = try all.filter { record in
                try keys.evaluate(record.key) && object.map { (try? $0.evaluate(record.object)) ?? false } ?? true
            }
            let sorted = isSorted ? matches.sorted { [sort].areInOrder($0, $1) } : matches
            let expected = sorted.prefix(limit ?? .max).map(\.key)
            let name = Comment("seed \(seed), round \(round): \(keys.description.prefix(900)), \(isSorted)")
            try #require(snapshot[query].map(\.key) == expected, name)
            try #require(snapshot.count(of: query) == expected.count, name)
            if let row = sorted.randomElement(using: &predicates.random) {
                let rest = sorted.drop { $0.key != row.key }.dropFirst().prefix(limit ?? .max)
                try #require(snapshot[query.after(row)].map(\.key) == rest.map(\.key), name)
            }
            let explanation = snapshot.explain(query)
            if explanation.readsKeyRange {
                stretches += 1
                try #require(explanation.readEntryCount <= all.count, name)
            }
        }
        #expect(stretches > 40, "\(stretches)")
    }

    @Test func `A query for one key of many reads its record, and counts read none`() async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: 1)
        let goods = Goods.random(&random)
        try await database.write { transaction in for key in 0..<5_000 { transaction[.goods]["g\(key)"] = goods } }
        let snapshot = database.snapshot
        let one = snapshot.explain(RecordQuery<Goods, String>(.goods, key: #Predicate { $0 == "g77" }))
        #expect(one.readEntryCount == 1 && one.rowCount == 1 && one.description.hasPrefix("keys: 1 entry read"))
        let some = RecordQuery<Goods, String>(.goods, key: #Predicate { $0 >= "g10" && $0 < "g11" })
        #expect(snapshot.explain(some).readEntryCount == 111 && snapshot.count(of: some) == 111)
        let prefixed = snapshot.explain(RecordQuery<Goods, String>(.goods, key: #Predicate { $0.starts(with: "g499") }))
        #expect(prefixed.readEntryCount == 11 && prefixed.rowCount == 11)
        let slice = snapshot[.goods][keys: "g10"..<"g11"]
        #expect(slice.query(where: #Predicate { $0.rank > -100 }).count == 111)
    }

    @Test(arguments: seeds.prefix(2)) func `Pages put together are the whole, whatever is written in between`(
        seed: UInt64
    ) async throws {
        let database = try await database(seed)
        var predicates = RandomPredicates(random: SplitMix64(seed: seed + 99))
        for round in 0..<Soak.volume(60, soak: 500) {
            let question = Question(&predicates)
            let snapshot = database.snapshot
            let all = question.all(in: snapshot[.goods])
            var query = question.query
            query.limit = 1 + predicates.random.below(7)
            var pages: [GoodsRecord] = []
            while true {
                let page = snapshot[pages.last.map { query.after($0) } ?? query]
                pages += page
                guard page.count == query.limit else { break }
            }
            try #require(pages.map(\.key) == all.map(\.key), name(seed, round, question))
            // Behind a row that is another one by now.
            guard let row = all.randomElement(using: &predicates.random) else { continue }
            var writes = GoodsWrites(seed: seed &+ UInt64(round))
            writes.keys = 120
            try await writes.write(to: database)
            let later = question.all(in: database.snapshot[.goods]).filter { question.sorts.areInOrder(row, $0) }
            try #require(
                database.snapshot[query.after(row)].map(\.key) == later.prefix(query.limit!).map(\.key),
                name(seed, round, question))
        }
    }

    @Test(arguments: seeds.prefix(2))
    func `In a transaction a query sees what was written, with and without indexes that have followed`(
        seed: UInt64
    ) async throws {
        let database = try await database(seed)
        var predicates = RandomPredicates(random: SplitMix64(seed: seed + 7))
        for round in 0..<40 {
            let question = Question(&predicates)
            let (query, name) = (question.query, name(seed, round, question))
            var random = predicates.random
            let goods = (0..<4).map { _ in Goods.random(&random) }
            predicates.random = random
            nonisolated(unsafe) let asked = question
            try await database.write { transaction in
                for (number, goods) in goods.enumerated() {
                    transaction[.goods]["g\(number * 7)"] = goods
                    let rows = transaction[.goods].rows
                    #expect(
                        rows.query(where: asked.predicate).map(\.key).sorted()
                            == asked.all(in: rows).map(\.key).sorted(), name)
                    let found = try transaction[query].map(\.key)
                    #expect(found == asked.expected(in: transaction[.goods].rows), name)
                }
                transaction[.goods].remove("g7")
                let found = try transaction[query].map(\.key)
                #expect(found == asked.expected(in: transaction[.goods].rows), name)
            }
        }
    }
}

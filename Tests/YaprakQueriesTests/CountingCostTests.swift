import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakCore
import YaprakLocks

@testable import YaprakQueries

/// What counting, adding up and following cost beside their answers: orders that nobody asks for, and trees of rows.
@Suite(.bounded) struct CountingCostTests {
    /// How often the order was asked for the value of a record.
    private final class Calls: Sendable {
        let count = Mutex(0)
    }

    private let calls = Calls()

    /// Goods in the order of a closure, whose calls are counted.
    private func query(limit: Int? = nil) -> RecordQuery<Goods, String> {
        let sort = RecordSort<Goods, String>(by: { [calls] record in
            calls.count.withLock { $0 += 1 }
            return record.object.rank
        })
        return RecordQuery(.goods, where: #Predicate { $0.rank >= 100 }, sortedBy: sort, limit: limit)
    }

    private func orderings(_ body: () -> Void) -> Int {
        calls.count.withLock { $0 = 0 }
        body()
        return calls.count.withLock { $0 }
    }

    private func database() async throws -> Database {
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 0..<500 {
                var random = SplitMix64(seed: UInt64(number))
                var goods = Goods.random(&random)
                goods.rank = number
                transaction[.goods]["g\(number)"] = goods
            }
        }
        return database
    }

    /// It sorted all matches, and threw them away.
    @Test(arguments: [false, true]) func `A count asks for no order, with a limit and an index, too`(
        hasIndex: Bool
    ) async throws {
        let database = try await database()
        if hasIndex { try await database.register(RecordIndex("code", of: .goods, \.rank, \.code)) }
        let snapshot = database.snapshot
        let count = orderings {
            #expect(snapshot.count(of: query()) == 400)
            #expect(snapshot.count(of: query(limit: 7)) == 7)
            #expect(snapshot.count(of: query(limit: 500)) == 400)
            #expect(snapshot.count(of: query(limit: 0)) == 0)
            #expect(LiveCount(query(limit: 7), in: snapshot).value == 7)
        }
        #expect(count == 0)
        // Behind a row: each match is compared with it once, and with no other.
        let row = try #require(snapshot[.goods].row(for: "g300"))
        let behind = orderings { #expect(snapshot.count(of: query().after(row)) == 199) }
        #expect(behind == 2 * 400)
        let page = orderings { #expect(snapshot.count(of: query(limit: 5).after(row)) == 5) }
        #expect((10...2 * 400).contains(page))
    }

    /// It looked at each record before the row, so that paging with a count each was quadratic.
    @Test func `A count behind a row in the order of keys looks at nothing before it`() async throws {
        let snapshot = try await database().snapshot
        let query = RecordQuery<Goods, String>(
            .goods,
            where: { [calls] _ in
                calls.count.withLock { $0 += 1 }
                return true
            })
        let row = try #require(snapshot[.goods].row(for: "g95"))
        let behind = snapshot[.goods].keys.filter { $0 > "g95" }.count
        let tests = orderings { #expect(snapshot.count(of: query.after(row)) == behind) }
        #expect(tests == behind)
    }

    /// It sorted all rows, and ran a query with a limit twice.
    @Test func `A sum asks for no order, and with a limit no more than its rows do`() async throws {
        let snapshot = try await database().snapshot
        let all = orderings {
            let sum = LiveSum(query(), in: snapshot) { $0.rank }
            #expect(sum.value == Int128((100..<500).reduce(0, +)))
        }
        #expect(all == 0)
        let rows = orderings { _ = LiveRows(query(limit: 10), in: snapshot) }
        let sum = orderings {
            let sum = LiveSum(query(limit: 10), in: snapshot) { $0.rank }
            #expect(sum.value == Int128((100..<110).reduce(0, +)))
        }
        #expect(rows > 0 && sum == rows)
    }

    /// It made a tree of all rows, found nothing in it, and threw it away.
    @Test func `A write to a match that is not among the rows costs no more with many rows`() throws {
        func record(_ key: String) -> RecordBox {
            TypedRecord<Int, NoMetadata>.make(key: key, object: 0, metadata: nil, objectStamp: 0, metadataStamp: 0)
        }
        let (row, other, next) = (record("a"), record("b"), record("b"))
        let order = RecordOrder(sorts: [])
        /// Seconds for some writes, by the best of some runs.
        func seconds(_ count: Int) -> Double {
            var rows = RowList(ContiguousArray(repeating: row, count: count))
            return (0..<10).map { _ in
                let start = ThreadClock.seconds
                var found = 0
                for _ in 0..<50 where rows.exchange(other, for: next, in: order) != nil { found += 1 }
                let end = ThreadClock.seconds
                #expect(found == 0)
                return end - start
            }.min()!
        }
        let (few, many) = (seconds(1_000), seconds(256_000))
        #expect(many < few * 20 + 0.001, "\(few) s of 1,000 rows, \(many) s of 256,000")
        // One that is there is exchanged, as before.
        var rows = RowList([row, other])
        let place = rows.exchange(other, for: next, in: order)
        #expect(place == 1)
        #expect(rows.count == 2 && rows[0] === row && rows[1] === next)
    }
}

import Dispatch
import Foundation
import GRDB
import Yaprak

extension Measure {
    /// P9: a row's sort key changes: from the start of the write until an observer of 50 rows has the row change.
    static var rowChange: Measure {
        Measure(id: "P9") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let database = try await Database.filled(keys, items)
            try await database.register(itemsByRank)
            let grdb = try GRDBPeer(.memory)
            try grdb.fillRecords(keys, items)
            try grdb.indexByRank()
            let bare = BareList(zip(keys, items).map { Boxed(key: $0, item: $1) }, group: "group1")
            let changes = 500

            let series = try await interleave(
                [
                    Contender(name: "Yaprak, updates(of:)") { try await ours(database, keys[1], changes) },
                    Contender(name: "GRDB, ValueObservation") { try theirs(grdb, keys[1], changes) },
                    Contender(name: "bare sorted blocks") { try loop(bare, keys[1], items[1], changes) },
                ], runs: settings.runs)
            report.compare(
                "P9", "sort key changed, write's start to row change received", series[0], series[1], .timesFaster(40),
                bound: series[2])
            report.compare(
                "P9", "sort key changed, write's start to row change received", series[0], series[2], .none)
        }
    }

    private static func loop(_ list: BareList, _ key: String, _ item: Item, _ count: Int) throws -> Double {
        guard var row = list.newest.blocks.lazy.flatMap(\.rows).first(where: { $0.record.key == key }) else {
            throw UsageError("the record is in no block")
        }
        var item = item
        item.rank = 0.5
        row = list.update(row, item)
        var shown = list.newest
        var samples: [UInt64] = []
        for i in 0..<count {
            item.rank = Double(i % 7 + 1) * 1e-6
            let start = now()
            row = list.update(row, item)
            let newest = list.newest
            let changes = BareList.changes(from: shown, to: newest, shown: 50, group: "group1")
            shown = newest
            guard !changes.isEmpty else { throw UsageError("the change did not arrive") }
            samples.append(now() - start)
        }
        samples.sort()
        return Double(samples[samples.count / 2])
    }

    private static func ours(_ database: Yaprak.Database, _ key: String, _ count: Int) async throws -> Double {
        var mappings = ViewMappings(itemsByRank, groups: ["group1"])
        mappings.setRange(.fixed(length: 50, from: .beginning), for: "group1")
        var iterator = database.updates(of: mappings).makeAsyncIterator()
        try await database.write { $0[.items][key]?.rank = 0.5 }
        _ = try await iterator.next()
        var samples: [UInt64] = []
        for i in 0..<count {
            let rank = Double(i % 7 + 1) * 1e-6
            let start = now()
            try await database.write { $0[.items][key]?.rank = rank }
            guard let update = try await iterator.next(), !update.rowChanges.isEmpty else {
                throw UsageError("the change did not arrive")
            }
            samples.append(now() - start)
        }
        samples.sort()
        return Double(samples[samples.count / 2])
    }

    private static func theirs(_ grdb: GRDBPeer, _ key: String, _ count: Int) throws -> Double {
        let arrival = Arrival()
        let observation = ValueObservation.tracking { db in
            try ItemRecord.fetchAll(db, sql: "SELECT * FROM item WHERE grp = 'group1' ORDER BY rank LIMIT 50")
        }
        let watch = observation.start(
            in: grdb.writer, scheduling: .async(onQueue: DispatchQueue(label: "observer")),
            onError: { error in
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        ) { rows in
            arrival.received(rows.first { $0.key == key }?.rank)
        }
        defer { watch.cancel() }
        var samples: [UInt64] = []
        for i in 0..<count {
            let rank = Double(i % 7 + 1) * 1e-6 + (i % 2 == 0 ? 0 : 1e-9)
            arrival.expect(rank)
            let start = now()
            try grdb.writer.write { db in
                try db.execute(sql: "UPDATE item SET rank = ? WHERE key = ?", arguments: [rank, key])
            }
            samples.append(arrival.wait() - start)
        }
        samples.sort()
        return Double(samples[samples.count / 2])
    }

    /// When the observer had the value that is waited for.
    private final class Arrival: @unchecked Sendable {
        private let lock = NSLock()
        private let semaphore = DispatchSemaphore(value: 0)
        private var expected: Double?
        private var at: UInt64 = 0

        func expect(_ rank: Double) { lock.withLock { expected = rank } }

        func received(_ rank: Double?) {
            let time = now()
            lock.withLock {
                guard let expected, rank == expected else { return }
                self.expected = nil
                at = time
                semaphore.signal()
            }
        }

        func wait() -> UInt64 {
            semaphore.wait()
            return lock.withLock { at }
        }
    }
}

import CHelpers
import Foundation
import GRDB
import Yaprak

extension Measure {
    /// P19: a write of one record with three indexes, and what their entries cost.
    static var indexedWrites: Measure {
        Measure(id: "P19") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let volumes = Volume.make(n)
            let plain = try await Yaprak.Database.filled(keys, volumes)
            let records = try await Yaprak.Database.filled(keys, volumes)
            let entries = try await Yaprak.Database.filled(keys, volumes)
            for (database, holding) in [(records, IndexEntries.holdRecords), (entries, .holdKeys)] {
                for index in [
                    RecordIndex("number", of: .volumes, \.number, unique: true, entries: holding),
                    RecordIndex("isbn", of: .volumes, \.isbn, unique: true, entries: holding),
                    RecordIndex("genre", of: .volumes, \.genre, \.rank, entries: holding),
                ] { try await database.register(index) }
            }
            let grdb = try VolumePeer(keys, volumes)
            let count = 3_000
            let probes = keys.indices.shuffled().prefix(count).map { $0 }
            var salt = 0

            func update(
                _ database: Yaprak.Database, _ change: @escaping @Sendable (inout Volume, Int) -> Void
            ) -> () async throws -> Double {
                {
                    salt += 1
                    let salt = salt
                    return try await time(count) {
                        for i in probes {
                            let key = keys[i]
                            try await database.write { transaction in
                                guard var volume = transaction[.volumes][key] else { return }
                                change(&volume, salt)
                                transaction[.volumes][key] = volume
                            }
                        }
                    }
                }
            }
            let stock: @Sendable (inout Volume, Int) -> Void = { $0.stock = $1 }
            let all: @Sendable (inout Volume, Int) -> Void = { volume, salt in
                volume.number = volume.number % n + salt * n
                volume.isbn = "978-\(volume.number + 1_000_000_000_000_000)"
                volume.rank = (volume.rank + salt) % n
            }
            // An update of a whole record rewrites the entries of all indexes, whatever has changed. Where no indexed column
            // changes, GRDB is asked to write those columns only that do: it has to find them, and leaves the indexes alone.
            func sql(
                changesOnly: Bool, _ change: @escaping @Sendable (inout VolumeRecord, Int) -> Void
            ) -> () throws -> Double {
                {
                    salt += 1
                    let salt = salt
                    return try time(500) {
                        for i in probes.prefix(500) {
                            try grdb.writer.write { db in
                                guard var record = try VolumeRecord.fetchOne(db, key: keys[i]) else { return }
                                if changesOnly {
                                    try record.updateChanges(db) { change(&$0, salt) }
                                } else {
                                    change(&record, salt)
                                    try record.update(db)
                                }
                            }
                        }
                    }
                }
            }
            // Short samples, which anything that happens beside them distorts: so many of them.
            let series = try await interleave(
                [
                    Contender(name: "Yaprak, no index", run: update(plain, stock)),
                    Contender(name: "three indexes, no indexed column changes", run: update(records, stock)),
                    Contender(name: "three indexes of keys, no indexed column changes", run: update(entries, stock)),
                    Contender(name: "three indexes, all change", run: update(records, all)),
                    Contender(name: "three indexes of keys, all change", run: update(entries, all)),
                    Contender(name: "GRDB, memory, changed columns", run: sql(changesOnly: true) { $0.stock = $1 }),
                    Contender(
                        name: "GRDB, memory, all change",
                        run: sql(changesOnly: false) { record, salt in
                            record.number = record.number % n + salt * n
                            record.isbn = "978-\(record.number + 1_000_000_000_000_000)"
                            record.rank = (record.rank + salt) % n
                        }),
                ], runs: 4 * settings.runs)
            report.compare(
                "P19", "write with three indexes, no indexed column changes", series[1], series[0], .atMost(2.5))
            report.compare("P19", "the same, entries hold keys", series[2], series[0], .atMost(1.5))
            report.compare("P19", "write with three indexes, no indexed column changes", series[1], series[5], .none)
            report.compare("P19", "write with three indexes, all columns change", series[3], series[6], .timesFaster(4))
            report.compare(
                "P19", "the same, entries hold keys, all columns change", series[4], series[6], .timesFaster(4))
            try await memory(keys, volumes, report)
            try await liveQuery(records, keys, report, settings)
        }
    }

    private static func memory(_ keys: [String], _ volumes: [Volume], _ report: Report) async throws {
        let database = try await Yaprak.Database.filled(keys, volumes)
        try await database.settle()
        func perEntry(_ index: RecordIndex<Volume, NoMetadata>) async throws -> Double {
            let grown = try await heapGrowth {
                try await database.register(index)
                try await database.settle()
            }
            return Double(grown.bytes) / Double(keys.count)
        }
        let int = try await perEntry(RecordIndex("m1", of: .volumes, \.number, unique: true))
        let string = try await perEntry(RecordIndex("m2", of: .volumes, \.isbn, unique: true))
        let intKeys = try await perEntry(RecordIndex("m3", of: .volumes, \.number, unique: true, entries: .holdKeys))
        report.hold("P19", "bytes of an entry, unique Int", int, atMost: 80, unit: .bytes)
        report.hold("P19", "bytes of an entry, unique String of 20 bytes", string, atMost: 120, unit: .bytes)
        report.hold("P19", "bytes of an entry that holds a key, unique Int", intKeys, unit: .bytes)
    }

    /// What a commit costs a live query that it concerns, beside a write without one.
    private static func liveQuery(
        _ database: Yaprak.Database, _ keys: [String], _ report: Report, _ settings: Settings
    ) async throws {
        let query = RecordQuery<Volume, NoMetadata>(
            .volumes, where: #Predicate { $0.genre == "genre5" && $0.stock < 500 }, sortedBy: RecordSort(\.rank))
        let mine = keys.indices.filter { $0 % 100 == 5 }.map { keys[$0] }
        var live = database.updates(of: query).makeAsyncIterator()
        _ = await live.next()
        // The databases of other contenders are being freed: beside that, a commit takes up to five times as long.
        try await waitUntilIdle()
        var costs: [Double] = []
        for run in 0..<4 * settings.runs {
            var nanoseconds = 0.0
            for i in 0..<1_000 {
                let key = mine[i % mine.count]
                try await database.write { $0[.volumes][key]?.stock = (run * 7919 + i * 31) % 450 }
                nanoseconds += await time(1) { sink &+= UInt64(await live.next()?.rows.count ?? 0) }
            }
            costs.append(nanoseconds / 1_000)
        }
        report.hold(
            "P19", "a commit that concerns a live query", Series(name: "", samples: costs).median, atMost: 2_000,
            unit: .nanoseconds)
    }
}

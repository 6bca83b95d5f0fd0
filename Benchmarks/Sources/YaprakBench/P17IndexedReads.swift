import Foundation
import GRDB
import Yaprak

private let byNumber = RecordIndex("number", of: .volumes, \.number, unique: true)
private let byISBN = RecordIndex("isbn", of: .volumes, \.isbn, unique: true)
private let byGenre = RecordIndex("genre", of: .volumes, \.genre, \.rank)

extension Measure {
    /// P17: one record by a unique value. P18: fifty by a range, with a condition that no index knows.
    static var indexedReads: Measure {
        Measure(id: "P17") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let volumes = Volume.make(n)
            let database = try await Yaprak.Database.filled(keys, volumes)
            try await database.register(byNumber)
            try await database.register(byISBN)
            try await database.register(byGenre)
            let snapshot = database.snapshot
            let grdb = try VolumePeer(keys, volumes)
            let wanted = Array(volumes.indices.shuffled().prefix(20_000))
            let (numbers, isbns) = (wanted.map { volumes[$0].number }, wanted.map { fresh(volumes[$0].isbn) })
            let probes = wanted.map { fresh(keys[$0]) }

            // Samples of 10 ms, which anything that happens beside them distorts: so many of them.
            let series = try await interleave(
                [
                    Contender(name: "Yaprak, Int") { try time(numbers.count) { try readNumbers(snapshot, numbers) } },
                    Contender(name: "Yaprak, String") { try time(isbns.count) { try readISBNs(snapshot, isbns) } },
                    Contender(name: "Yaprak, by key") { time(probes.count) { readKeys(snapshot, probes) } },
                    Contender(name: "GRDB, Int") {
                        try time(2_000) { try grdb.readOne("number", numbers.prefix(2_000).map { $0 }) }
                    },
                    Contender(name: "GRDB, String") {
                        try time(2_000) { try grdb.readOne("isbn", isbns.prefix(2_000).map { $0 }) }
                    },
                ], runs: 4 * settings.runs)
            report.compare("P17", "record by a unique Int", series[0], series[2], .atMost(1.5))
            report.compare("P17", "record by a unique Int", series[0], series[3], .timesFaster(8))
            report.compare("P17", "record by a unique String", series[1], series[2], .atMost(2))
            report.compare("P17", "record by a unique String", series[1], series[4], .timesFaster(8))

            let prepared = try await rangeQueries(snapshot, grdb, settings)
            report.compare("P18", "range of 50 and a condition, prepared", prepared[0], prepared[3], .timesFaster(16))
            report.compare("P18", "the same by name and closure", prepared[1], prepared[3], .timesFaster(16))
            report.compare("P18", "the same, from a fresh #Predicate", prepared[2], prepared[3], .timesFaster(8))
        }
    }

    private static func rangeQueries(
        _ snapshot: Snapshot, _ grdb: VolumePeer, _ settings: Settings
    ) async throws -> [Series] {
        // A genre has n / 100 records, whose ranks are spread over n: the first 50 of them, whatever n is.
        let bound = 50 * 100
        let queries = (0..<100).map { i in
            let genre = "genre\(i)"
            return RecordQuery<Volume, NoMetadata>(
                .volumes, where: #Predicate { $0.genre == genre && $0.rank < bound && $0.stock < 500 },
                sortedBy: RecordSort(\.rank))
        }
        return try await interleave(
            [
                Contender(name: "Yaprak, prepared") {
                    time(2_000) { for i in 0..<2_000 { sink &+= UInt64(sum(snapshot[queries[i % 100]])) } }
                },
                Contender(name: "Yaprak, by name") {
                    try time(2_000) {
                        let index = snapshot[byGenre]
                        for i in 0..<2_000 {
                            var sum = 0
                            for row in try index.equal("genre\(i % 100)").range(..<bound) where row.object.stock < 500 {
                                sum &+= row.object.stock
                            }
                            sink &+= UInt64(sum)
                        }
                    }
                },
                Contender(name: "Yaprak, fresh") {
                    time(2_000) {
                        for i in 0..<2_000 {
                            let genre = "genre\(i % 100)"
                            let query = RecordQuery<Volume, NoMetadata>(
                                .volumes, where: #Predicate { $0.genre == genre && $0.rank < bound && $0.stock < 500 },
                                sortedBy: RecordSort(\.rank))
                            sink &+= UInt64(sum(snapshot[query]))
                        }
                    }
                },
                Contender(name: "GRDB, memory") { try time(400) { try grdb.readRanges(400, below: bound) } },
            ], runs: settings.runs)
    }

    @inline(never)
    private static func sum(_ rows: QueryRows<Volume, NoMetadata>) -> Int {
        var sum = 0
        for row in rows { sum &+= row.object.stock }
        return sum
    }

    @inline(never)
    private static func readNumbers(_ snapshot: Snapshot, _ numbers: [Int]) throws {
        let index = snapshot[byNumber]
        var sum = 0
        for number in numbers { sum &+= try index.row(for: number)?.object.stock ?? 0 }
        sink &+= UInt64(sum)
    }

    @inline(never)
    private static func readISBNs(_ snapshot: Snapshot, _ isbns: [String]) throws {
        let index = snapshot[byISBN]
        var sum = 0
        for isbn in isbns { sum &+= try index.row(for: isbn)?.object.stock ?? 0 }
        sink &+= UInt64(sum)
    }

    @inline(never)
    private static func readKeys(_ snapshot: Snapshot, _ keys: [String]) {
        let records = snapshot[.volumes]
        var sum = 0
        for key in keys { sum &+= records[key]?.stock ?? 0 }
        sink &+= UInt64(sum)
    }
}

extension VolumePeer {
    func readOne(_ column: String, _ values: [some DatabaseValueConvertible]) throws {
        try writer.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM volume WHERE \(column) = ?")
            for value in values { sink &+= UInt64(try VolumeRecord.fetchOne(statement, arguments: [value])!.stock) }
        }
    }

    func readRanges(_ count: Int, below bound: Int) throws {
        try writer.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT * FROM volume WHERE genre = ? AND rank < ? AND stock < 500 ORDER BY rank")
            for i in 0..<count {
                let rows = try VolumeRecord.fetchAll(statement, arguments: ["genre\(i % 100)", bound])
                sink &+= UInt64(rows.reduce(0) { $0 + $1.stock })
            }
        }
    }
}

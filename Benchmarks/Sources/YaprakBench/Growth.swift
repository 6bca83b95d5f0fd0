import Foundation
import Yaprak

/// Cost against size: P1, P3 and P4 at ten thousand, a hundred thousand and a million rows.
struct Growth {
    let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    struct Point {
        var measure: String
        var name: String
        var rows: Int
        var nanoseconds: Double
    }

    func run() async throws {
        var points: [Point] = []
        for rows in [10_000, 100_000, settings.manyRows] where !points.contains(where: { $0.rows == rows }) {
            points += try await measure(rows)
        }
        try FileManager.default.createDirectory(atPath: settings.output, withIntermediateDirectories: true)
        let csv = points.map { "\($0.measure),\($0.name),\($0.rows),\(Finding.short($0.nanoseconds))" }
        try (["measure,name,rows,nanoseconds"] + csv).joined(separator: "\n").appending("\n")
            .write(toFile: settings.output + "/growth.csv", atomically: true, encoding: .utf8)
        try Plot(points).svg.write(toFile: settings.output + "/growth.svg", atomically: true, encoding: .utf8)
        for point in points {
            print(point.measure, point.name, point.rows, Finding.text(point.nanoseconds, .nanoseconds), separator: "\t")
        }
    }

    private func measure(_ n: Int) async throws -> [Point] {
        let keys = KeyShape.random.keys(n)
        let items = Item.make(n)
        let probes = probes(keys)
        let probeBytes = probes.map { Array($0.utf8) }
        let bytes = keys.map { Array($0.utf8) }
        let blobs = (0..<n).map(blob)
        let dictionary = Dictionary(uniqueKeysWithValues: zip(keys, zip(keys, items).map { Boxed(key: $0, item: $1) }))
        let operations = min(n, 10_000)

        var points: [Point] = []
        func add(_ measure: String, _ contenders: [Contender]) async throws {
            for series in try await interleave(contenders, runs: settings.runs) {
                points.append(Point(measure: measure, name: series.name, rows: n, nanoseconds: series.median))
            }
        }
        let database = try await Database.filled(keys, items)
        let snapshot = database.snapshot
        let lmdb = LMDBPeer(.writeMapWithoutSync, in: try settings.freshDirectory("lmdb"))
        lmdb.fill(bytes, blobs)
        defer { lmdb.close() }

        try await add(
            "P1 point read",
            [
                Contender(name: "Yaprak") { time(n) { Measure.readAll(snapshot, probes) } },
                Contender(name: "Dictionary") { time(n) { Measure.readAll(dictionary, probes) } },
                Contender(name: "LMDB") { time(n) { lmdb.read(probeBytes) } },
            ])
        try await add(
            "P3 update, one per transaction",
            [
                Contender(name: "Yaprak") {
                    try await time(operations) { try await database.update(probes[..<operations], items) }
                },
                Contender(name: "LMDB") { time(operations) { lmdb.update(probeBytes[..<operations], blobs) } },
            ])
        try await add(
            "P4 bulk load, per row",
            [
                Contender(name: "Yaprak") {
                    let database = Database.inMemory()
                    return try await time(n) { try await database.fill(keys, items) }
                },
                Contender(name: "LMDB") {
                    let lmdb = LMDBPeer(.writeMapWithoutSync, in: try settings.freshDirectory("lmdb-load"))
                    defer { lmdb.close() }
                    return time(n) { lmdb.fill(bytes, blobs) }
                },
            ])
        return points
    }
}

import Foundation
import Yaprak

extension Measure {
    /// P2: `database.snapshot[.items][key]`, the newest state each time.
    static var newestRead: Measure {
        Measure(id: "P2") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let probes = probes(keys)
            let bytes = probes.map { Array($0.utf8) }
            let few = probes.prefix(min(n, 5_000))

            let database = try await Database.filled(keys, Item.make(n))
            let lmdb = LMDBPeer(.withoutSync, in: try settings.freshDirectory("lmdb"))
            lmdb.fill(keys.map { Array($0.utf8) }, (0..<n).map(blob))
            let grdb = try GRDBPeer(.memory)
            try grdb.fill(keys, (0..<n).map { Data(blob($0)) })

            let series = try await interleave(
                [
                    Contender(name: "Yaprak") { time(n) { readNewest(database, probes) } },
                    Contender(name: "LMDB, transaction begun") { time(n) { lmdb.readBeginningAnew(bytes) } },
                    Contender(name: "LMDB, transaction renewed") { time(n) { lmdb.read(bytes, each: true) } },
                    Contender(name: "GRDB, memory, sync read") { try time(few.count) { try grdb.readBlobsEach(few) } },
                    Contender(name: "GRDB, memory, async read") {
                        try await time(few.count) { try await grdb.readBlobsEachAwaiting(few) }
                    },
                ], runs: settings.runs)
            lmdb.close()

            let targets: [Target] = [.atMost(0.6), .atMost(0.8), .timesFaster(25), .timesFaster(100)]
            for (peer, target) in zip(series.dropFirst(), targets) {
                report.compare("P2", "point read of the newest state", series[0], peer, target)
            }
        }
    }

    @inline(never)
    private static func readNewest(_ database: Database, _ probes: [String]) {
        for key in probes { sink &+= UInt64(database.snapshot[.items][key]!.count) }
    }
}

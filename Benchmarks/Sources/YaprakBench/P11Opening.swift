import Foundation
import SystemPackage
import Yaprak

extension Measure {
    /// P11: opens typed records from a checkpoint, the page cache warm, on all cores.
    static var opening: Measure {
        Measure(id: "P11") { settings, report in
            let n = settings.manyRows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let path = FilePath(try settings.freshDirectory("yaprak") + "/open.yaprak")
            do {
                var options = DatabaseOptions()
                options.durability = .relaxed
                options.checkpoints = .manual
                let database = try await Database.open(at: path, options: options, collections: .items)
                try await database.fill(keys, items, per: 10_000)
                try await database.checkpoint()
                try await database.close()
            }
            let directory = try settings.freshDirectory("grdb")
            do {
                let grdb = try GRDBPeer(.normal, in: directory)
                try grdb.fillRecords(keys, items, per: 10_000)
                try grdb.close()
            }

            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        let start = now()
                        let database = try await Database.open(at: path, collections: .items)
                        let cost = Double(now() - start) / Double(n)
                        precondition(database.snapshot[.items].count == n)
                        try await database.close()
                        return cost
                    },
                    Contender(name: "GRDB, fetched into a Dictionary") {
                        try time(n) {
                            let grdb = try GRDBPeer(.normal, in: directory, fresh: false)
                            try grdb.readAllRecords()
                            try grdb.close()
                        }
                    },
                ], runs: min(settings.runs, 3))

            report.compare("P11", "open \(n) records from a checkpoint, per row", series[0], series[1], .timesFaster(5))
            let bytes = try checkpointBytes(of: path)
            report.hold("P11", "rows opened per second", 1e9 / series[0].median, unit: .rate)
            report.hold("P11", "checkpoint bytes per row on disk", bytes / Double(n), unit: .bytes)
            report.hold(
                "P11", "checkpoint bytes opened per second", bytes / (series[0].median * Double(n)) * 1e9, unit: .bytes)
        }
    }

    private static func checkpointBytes(of path: FilePath) throws -> Double {
        let files = FileManager.default.enumerator(atPath: path.string)?.compactMap { $0 as? String } ?? []
        let sizes = try files.filter { $0.hasSuffix(".ckpt") }.map {
            try FileManager.default.attributesOfItem(atPath: path.string + "/" + $0)[.size] as? NSNumber
        }
        return sizes.map { $0?.doubleValue ?? 0 }.max() ?? 0
    }
}

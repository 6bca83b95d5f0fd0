import Foundation
import SystemPackage
import Yaprak
import YaprakReplay

extension Measure {
    /// P12: replays a log without types, to the state as of its newest commit; the page cache is warm.
    static var replay: Measure {
        Measure(id: "P12") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let path = FilePath(try settings.freshDirectory("yaprak") + "/replay.yaprak")
            var options = DatabaseOptions()
            options.durability = .relaxed
            options.checkpoints = .manual
            let database = try await Database.open(at: path, options: options, collections: .items)
            try await database.fill(keys, items)
            try await database.close()
            let bytes = keys.map { Array($0.utf8) }
            let values = try items.map { try CBORRecordCoder.shared.encode($0) }

            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        // What is measured ends with the snapshot; letting go of it is not part of it, for neither.
                        var kept: Snapshot?
                        let cost = try time(n) { kept = try ReplayReader(path).snapshot() }
                        precondition(kept?.untyped("items").count == n)
                        return cost
                    },
                    Contender(name: "SQLite C, memory") {
                        let sqlite = SQLitePeer()
                        return time(n) { sqlite.fill(bytes, values) }
                    },
                    Contender(name: "Yaprak, opened") {
                        var kept: Database?
                        let cost = try await time(n) { kept = try await Database.open(at: path, options: options) }
                        try await kept?.close()
                        return cost
                    },
                ], runs: settings.runs)

            report.compare(
                "P12", "replay a log of \(n) records, untyped, per record", series[0], series[1], .timesFaster(5))
            report.compare("P12", "open it, nothing bound, per record", series[2], series[1], .none)
        }
    }
}

import CHelpers
import Foundation
import SystemPackage
import Yaprak

extension Measure {
    /// P5: the bulk load of P4 with the log on: encoded, compressed, one sync per transaction.
    static var bulkLoadLogged: Measure {
        Measure(id: "P5") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let data = (0..<n).map { Data(blob($0)) }

            var written = 0.0
            func grdb(_ mode: GRDBPeer.Mode) -> Contender {
                Contender(name: mode.rawValue) {
                    let peer = try GRDBPeer(mode, in: try settings.freshDirectory("grdb"))
                    let cost = try time(n) { try peer.fill(keys, data) }
                    try peer.close()
                    return cost
                }
            }
            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        let path = try settings.freshDirectory("yaprak") + "/load.yaprak"
                        let database = try await Database.open(at: FilePath(path), collections: .items)
                        let before = ch_bytes_written()
                        let cost = try await time(n) { try await database.fill(keys, items) }
                        written = Double(ch_bytes_written() - before) / Double(n)
                        try await database.close()
                        return cost
                    },
                    grdb(.normal), grdb(.full),
                ], runs: settings.runs)

            report.compare("P5", "bulk load, 1,000 per transaction, log on", series[0], series[1], .timesFaster(10))
            report.compare("P5", "bulk load, 1,000 per transaction, log on", series[0], series[2], .timesFaster(10))
            if ch_counts() != 0 { report.hold("P5", "bytes written per row", written, unit: .bytes) }
        }
    }
}

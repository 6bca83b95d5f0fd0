import CHelpers
import Foundation
import SystemPackage
import Yaprak

extension Measure {
    /// P6: a durable commit, one writer.
    static var durableCommit: Measure {
        Measure(id: "P6") { settings, report in
            let n = min(settings.rows, 10_000)
            let operations = settings.isQuick ? 100 : 300
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let blobs = (0..<n).map(blob)
            let data = blobs.map { Data($0) }
            let bytes = keys.map { Array($0.utf8) }

            let path = try settings.freshDirectory("yaprak") + "/durable.yaprak"
            let database = try await Database.open(at: FilePath(path), collections: .items)
            try await database.fill(keys, items)
            let grdb = try GRDBPeer(.full, in: try settings.freshDirectory("grdb"))
            try grdb.fill(keys, data)
            let lmdb = LMDBPeer(.durable, in: try settings.freshDirectory("lmdb"))
            lmdb.fill(bytes, blobs)
            let log = try BareLog(at: settings.freshDirectory("bare") + "/log")

            var salt = 0
            var syncs = 0.0
            var written = 0.0
            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        salt += 1
                        let (syncsBefore, writtenBefore) = (ch_syncs(), ch_bytes_written())
                        let cost = try await time(operations) {
                            for i in 0..<operations {
                                let item = items[(i + salt) % n]
                                try await database.write { $0[.items][keys[i]] = item }
                            }
                        }
                        syncs = Double(ch_syncs() - syncsBefore) / Double(operations)
                        written = Double(ch_bytes_written() - writtenBefore) / Double(operations)
                        return cost
                    },
                    Contender(name: "append of 128 B and fdatasync") {
                        time(operations) { log.append(128, times: operations) }
                    },
                    Contender(name: "GRDB, WAL FULL") {
                        try time(operations) { try grdb.update(keys[..<operations], data, salt: salt) }
                    },
                    Contender(name: "LMDB, durable") { time(operations) { lmdb.update(bytes[..<operations], blobs) } },
                ], runs: settings.runs)
            lmdb.close()
            try await database.close()

            for (peer, target) in zip(series.dropFirst(), [Target.atMost(1), .atMost(1), .atMost(0.65)]) {
                report.compare("P6", "durable commit, one writer", series[0], peer, target)
            }
            if ch_counts() != 0 {
                report.hold("P6", "syncs per commit, one writer", syncs, atMost: 1.05)
                report.hold("P6", "bytes written per commit, one writer", written, unit: .bytes)
            }
        }
    }
}

/// A file that grows by a write and a sync: the least a durable commit can cost without preallocation.
private struct BareLog {
    private let file: Int32

    init(at path: String) throws {
        file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0o644)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func append(_ count: Int, times: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        for _ in 0..<times {
            precondition(write(file, bytes, count) == count)
            #if canImport(Darwin)
                precondition(fcntl(file, F_FULLFSYNC) == 0)
            #else
                precondition(fdatasync(file) == 0)
            #endif
        }
    }
}

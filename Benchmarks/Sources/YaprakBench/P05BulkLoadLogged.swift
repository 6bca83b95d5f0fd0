import CHelpers
import CLZ4Frame
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
            func ours(_ name: String, _ durability: Durability) -> Contender {
                Contender(name: name) {
                    let path = try settings.freshDirectory("yaprak") + "/load.yaprak"
                    var options = DatabaseOptions()
                    options.durability = durability
                    let database = try await Database.open(at: FilePath(path), options: options, collections: .items)
                    let before = ch_bytes_written()
                    let cost = try await time(n) { try await database.fill(keys, items) }
                    // The bare loop writes and syncs as much as the load that is synced does.
                    if durability == .always { written = Double(ch_bytes_written() - before) / Double(n) }
                    try await database.close()
                    return cost
                }
            }
            // What no engine that keeps its word can be without: the bytes and the syncs, and nothing else.
            let bare = Contender(name: "append of as many bytes, and as many syncs") {
                let path = try settings.freshDirectory("bare") + "/log"
                let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
                defer { close(file) }
                let bytes = [UInt8](repeating: 1, count: Int(written) * 1000)
                return time(n) {
                    for _ in stride(from: 0, to: n, by: 1000) {
                        sink &+= UInt64(max(0, write(file, bytes, bytes.count)))
                        fsync(file)
                    }
                }
            }
            // And what one in memory that stores values of `Codable` can't be without: it has them, encodes them, and compresses
            // what it writes. A writer that waits for its sync can't do one beside the other.
            let encoded = Contender(name: "a Dictionary, bare encoding, LZ4, append and sync") {
                let path = try settings.freshDirectory("bare") + "/log"
                let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
                defer { close(file) }
                var dictionary: [String: Boxed] = [:]
                defer { sink &+= UInt64(dictionary.count) }
                return try time(n) {
                    for start in stride(from: 0, to: n, by: 1000) {
                        var bytes: [UInt8] = []
                        for i in start..<min(n, start + 1000) {
                            dictionary[keys[i]] = Boxed(key: keys[i], item: items[i])
                            bytes += keys[i].utf8
                            bytes += try CBORRecordCoder.shared.encode(items[i])
                        }
                        let packed = lz4(bytes)
                        sink &+= UInt64(max(0, write(file, packed, packed.count)))
                        fsync(file)
                    }
                }
            }
            let series = try await interleave(
                [
                    ours("Yaprak", .always), grdb(.normal), grdb(.full), ours("Yaprak, no sync", .relaxed), bare,
                    encoded, grdb(.off),
                ], runs: settings.runs, isolated: true)

            report.compare(
                "P5", "bulk load, 1,000 per transaction, log on", series[0], series[1], .timesFaster(10),
                bound: series[5])
            report.compare(
                "P5", "bulk load, 1,000 per transaction, log on", series[0], series[2], .timesFaster(10),
                bound: series[5])
            report.compare("P5", "the same, neither synced", series[3], series[6], .timesFaster(10), bound: series[5])
            report.compare("P5", "bulk load, 1,000 per transaction, log on", series[0], series[5], .none)
            report.compare("P5", "the same, and what the disk takes of it", series[0], series[4], .none)
            if ch_counts() != 0 { report.hold("P5", "bytes written per row", written, unit: .bytes) }
        }
    }
}

/// One LZ4 block.
func lz4(_ bytes: [UInt8]) -> [UInt8] {
    let most = Int(LZ4_compressBound(Int32(bytes.count)))
    return [UInt8](unsafeUninitializedCapacity: most) { room, count in
        bytes.withUnsafeBytes { source in
            count = Int(
                LZ4_compress_default(
                    source.bindMemory(to: CChar.self).baseAddress,
                    UnsafeMutableRawPointer(room.baseAddress)?.assumingMemoryBound(to: CChar.self), Int32(source.count),
                    Int32(most)))
        }
    }
}

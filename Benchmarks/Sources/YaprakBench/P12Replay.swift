import CLZ4Frame
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

            let blocks = stride(from: 0, to: n, by: 1000).map { start in
                let range = start..<min(n, start + 1000)
                return BareBlock(bytes[range], values[range])
            }

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
                    Contender(name: "bare LZ4 blocks into a Dictionary") {
                        var dictionary: [String: [UInt8]] = [:]
                        let cost = time(n) { for block in blocks { block.read(into: &dictionary) } }
                        precondition(dictionary.count == n)
                        return cost
                    },
                ], runs: settings.runs, isolated: true)

            report.compare(
                "P12", "replay a log of \(n) records, untyped, per record", series[0], series[1], .timesFaster(10),
                bound: series[3])
            report.compare("P12", "replay a log of \(n) records, untyped, per record", series[0], series[3], .none)
            report.compare("P12", "open it, nothing bound, per record", series[2], series[1], .none)
        }
    }
}

/// Keys and values one after the other, compressed as one block: a file without checksums, heads, numbers, times and types.
struct BareBlock: Sendable {
    private let packed: [UInt8]
    private let count: Int

    init(_ keys: ArraySlice<[UInt8]>, _ values: ArraySlice<[UInt8]>) {
        var bytes: [UInt8] = []
        for (key, value) in zip(keys, values) {
            bytes += [UInt8(key.count), UInt8(value.count)]
            bytes += key
            bytes += value
        }
        count = bytes.count
        packed = lz4(bytes)
    }

    func read(into dictionary: inout [String: [UInt8]]) {
        forEach { key, value in dictionary[key] = Array(value) }
    }

    /// Calls `body` with each key and its value.
    func forEach(_ body: (String, UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: count) { bytes in
            packed.withUnsafeBytes { packed in
                let source = packed.bindMemory(to: CChar.self).baseAddress
                precondition(
                    LZ4_decompress_safe(source, bytes.baseAddress, Int32(packed.count), Int32(count)) == count)
            }
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while let keyCount = rest.popFirst(), let valueCount = rest.popFirst() {
                let key = String(decoding: rest.prefix(Int(keyCount)), as: UTF8.self)
                rest = rest.dropFirst(Int(keyCount))
                body(key, UnsafeRawBufferPointer(rebasing: rest.prefix(Int(valueCount))))
                rest = rest.dropFirst(Int(valueCount))
            }
        }
    }
}

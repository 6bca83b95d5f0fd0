import Dispatch
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

            let blocks = try stride(from: 0, to: n, by: 1000).map { start in
                let range = start..<min(n, start + 1000)
                return BareBlock(
                    keys[range].map { Array($0.utf8) }[...],
                    try range.map { try CBORRecordCoder.shared.encode(items[$0]) }[...])
            }

            // The clock stops when the records are there. What was read is counted behind it, and so lives until then: ours is
            // closed and freed outside of the time, and so are the others'.
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
                        let start = now()
                        let grdb = try GRDBPeer(.normal, in: directory, fresh: false)
                        let records = try grdb.readAllRecords()
                        let cost = Double(now() - start) / Double(n)
                        precondition(records.count == n)
                        try grdb.close()
                        return cost
                    },
                    Contender(name: "bare LZ4 blocks, decoded on all cores into a Dictionary") {
                        let start = now()
                        let dictionary = decoded(blocks)
                        let cost = Double(now() - start) / Double(n)
                        precondition(dictionary.count == n)
                        return cost
                    },
                ], runs: min(settings.runs, 3), isolated: true)

            let what = "open \(n) records from a checkpoint, per row"
            report.compare("P11", what, series[0], series[1], .timesFaster(5), bound: series[2])
            report.compare("P11", what, series[0], series[2], .none)
            let bytes = try checkpointBytes(of: path)
            report.hold("P11", "rows opened per second", 1e9 / series[0].median, unit: .rate)
            report.hold("P11", "checkpoint bytes per row on disk", bytes / Double(n), unit: .bytes)
            report.hold(
                "P11", "checkpoint bytes opened per second", bytes / (series[0].median * Double(n)) * 1e9, unit: .rate)
        }
    }

    /// What no opening of typed records can be without: nothing is read, checked, ordered or counted.
    private static func decoded(_ blocks: [BareBlock]) -> [String: Boxed] {
        nonisolated(unsafe) let parts = UnsafeMutableBufferPointer<[Boxed]>.allocate(capacity: blocks.count)
        parts.initialize(repeating: [])
        defer {
            parts.deinitialize()
            parts.deallocate()
        }
        // Each iteration writes to a part of its own.
        DispatchQueue.concurrentPerform(iterations: blocks.count) { number in
            var boxes: [Boxed] = []
            blocks[number].forEach { key, value in
                guard let item = try? CBORRecordCoder.shared.decode(Item.self, from: value) else { return }
                boxes.append(Boxed(key: key, item: item))
            }
            parts[number] = boxes
        }
        var dictionary: [String: Boxed] = [:]
        for boxes in parts { for box in boxes { dictionary[box.key] = box } }
        return dictionary
    }

    private static func checkpointBytes(of path: FilePath) throws -> Double {
        let files = FileManager.default.enumerator(atPath: path.string)?.compactMap { $0 as? String } ?? []
        let sizes = try files.filter { $0.hasSuffix(".ckpt") }.map {
            try FileManager.default.attributesOfItem(atPath: path.string + "/" + $0)[.size] as? NSNumber
        }
        return sizes.map { $0?.doubleValue ?? 0 }.max() ?? 0
    }
}

import HashTreeCollections
import Yaprak

extension Measure {
    /// P4: bulk load, 1,000 rows per transaction, in memory.
    static var bulkLoad: Measure {
        Measure(id: "P4") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let bytes = keys.map { Array($0.utf8) }
            let blobs = (0..<n).map(blob)
            // What orders a row in the view, as bytes that are ordered alike.
            let entries = items.indices.map { i in
                Array(items[i].group.utf8) + [0]
                    + withUnsafeBytes(of: items[i].rank.bitPattern.bigEndian) { Array($0) } + bytes[i]
            }

            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        let database = Database.inMemory()
                        return try await time(n) { try await database.fill(keys, items) }
                    },
                    Contender(name: "LMDB writemap, no sync") {
                        let lmdb = LMDBPeer(.writeMapWithoutSync, in: try settings.freshDirectory("lmdb"))
                        defer { lmdb.close() }
                        return time(n) { lmdb.fill(bytes, blobs) }
                    },
                    Contender(name: "TreeDictionary, no transactions") {
                        var tree = TreeDictionary<String, Boxed>()
                        return time(n) { for i in 0..<n { tree[keys[i]] = Boxed(key: keys[i], item: items[i]) } }
                    },
                    Contender(name: "Dictionary, no transactions") {
                        var dictionary: [String: Boxed] = [:]
                        return time(n) { for i in 0..<n { dictionary[keys[i]] = Boxed(key: keys[i], item: items[i]) } }
                    },
                ], runs: settings.runs, isolated: true)

            for (peer, target) in zip(series.dropFirst(), [Target.atMost(0.45), .none, .none]) {
                // A hash table that takes as many objects and does nothing else.
                report.compare(
                    "P4", "bulk load, 1,000 per transaction, per row", series[0], peer, target,
                    bound: target.description.isEmpty ? nil : series[3])
            }

            let withView = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        let database = Database.inMemory()
                        try await database.register(itemsByRank)
                        return try await time(n) { try await database.fill(keys, items) }
                    },
                    Contender(name: "GRDB memory, records and an index") {
                        let grdb = try GRDBPeer(.memory)
                        try grdb.indexByRank()
                        return try time(n) { try grdb.fillRecords(keys, items) }
                    },
                    Contender(name: "LMDB writemap, no sync, and a sorted index") {
                        let lmdb = LMDBPeer(
                            .writeMapWithoutSync, in: try settings.freshDirectory("lmdb"), hasIndex: true)
                        defer { lmdb.close() }
                        return time(n) { lmdb.fill(bytes, blobs, entries: entries) }
                    },
                ], runs: settings.runs, isolated: true)
            report.compare(
                "P4", "the same with a sorted and grouped view, per row", withView[0], withView[1], .timesFaster(8),
                bound: withView[2])
            report.compare(
                "P4", "the same with a sorted and grouped view, per row", withView[0], withView[2], .none)
        }
    }
}

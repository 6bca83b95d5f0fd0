import CHelpers
import Foundation
import HashTreeCollections
import Yaprak

extension Measure {
    /// P3: `await database.write` of one row, in memory, published, with its changeset.
    static var singleWrite: Measure {
        Measure(id: "P3") { settings, report in
            let n = settings.rows
            let operations = min(n, 10_000)
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let blobs = (0..<n).map(blob)
            let data = blobs.map { Data($0) }
            let probes = probes(keys)
            let bytes = probes.map { Array($0.utf8) }

            let database = try await Database.filled(keys, items)
            let followed = try await Database.filled(keys, items)
            try await followed.register(CommitCounter())
            let rows = zip(keys, items).map { Boxed(key: $0, item: $1) }
            var tree = TreeDictionary(uniqueKeysWithValues: zip(keys, rows))
            var dictionary = Dictionary(uniqueKeysWithValues: zip(keys, rows))
            let bare = BareWriter(rows)
            let lmdb = LMDBPeer(.writeMapWithoutSync, in: try settings.freshDirectory("lmdb"))
            lmdb.fill(keys.map { Array($0.utf8) }, blobs)
            let grdb = try GRDBPeer(.memory)
            try grdb.fill(keys, data)

            var allocations = Double.infinity
            // Other rows with each run, for all alike.
            var round = 0
            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        round += 1
                        let slice = window(probes, operations, round)
                        let before = ch_allocations()
                        let cost = try await time(operations) { try await database.update(slice, items) }
                        // The least of all runs: what databases before it left behind is freed beside some of them.
                        allocations = min(allocations, Double(ch_allocations() - before) / Double(operations))
                        return cost
                    },
                    Contender(name: "Yaprak, one extension") {
                        let slice = window(probes, operations, round)
                        return try await time(operations) { try await followed.update(slice, items) }
                    },
                    Contender(name: "LMDB writemap, no sync") {
                        let slice = window(bytes, operations, round)
                        return time(operations) { lmdb.update(slice, blobs) }
                    },
                    Contender(name: "GRDB, memory") {
                        let slice = window(probes, operations, round).prefix(2_000)
                        return try time(slice.count) { try grdb.update(slice, data, salt: round * 7919) }
                    },
                    Contender(name: "TreeDictionary, snapshot held") {
                        let slice = window(probes, operations, round)
                        return time(operations) {
                            var held = tree
                            for (i, key) in slice.enumerated() {
                                tree[key] = rows[i]
                                held = tree
                            }
                            sink &+= UInt64(held.count)
                        }
                    },
                    Contender(name: "Dictionary, snapshot held") {
                        let slice = window(probes, operations, round).prefix(5)
                        return time(slice.count) {
                            var held = dictionary
                            for (i, key) in slice.enumerated() {
                                dictionary[key] = rows[i]
                                held = dictionary
                            }
                            sink &+= UInt64(held.count)
                        }
                    },
                    Contender(name: "bare path copy in an actor") {
                        let slice = window(probes, operations, round)
                        return await time(operations) {
                            for (i, key) in slice.enumerated() { await bare.update(key, items[i]) }
                        }
                    },
                ], runs: settings.runs)
            lmdb.close()

            report.compare("P3", "update, one per transaction", series[0], series[2], .atMost(0.6), bound: series[6])
            report.compare(
                "P3", "update, one per transaction", series[0], series[3], .timesFaster(5), bound: series[6])
            report.compare("P3", "update, one per transaction", series[0], series[4], .none)
            report.compare("P3", "update, one per transaction", series[0], series[5], .none)
            report.compare("P3", "update, one per transaction", series[0], series[6], .none)
            report.compare("P3", "update, one per transaction, one extension", series[1], series[2], .none)
            if ch_counts() != 0 {
                report.hold(
                    "P3", "allocations per commit of one update", (allocations * 100).rounded() / 100, atMost: 6)
            }
        }
    }

    /// A stretch of `count` elements, another one for each round.
    static func window<Element>(_ all: [Element], _ count: Int, _ round: Int) -> ArraySlice<Element> {
        let windows = max(1, all.count / count)
        let start = round % windows * count
        return all[start..<start + count]
    }
}

/// The least an extension can do: it counts.
struct CommitCounter: DatabaseExtension {
    let name = "counter"
    func makeRoot() -> Int { 0 }
    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        root += 1
        return nil
    }
}

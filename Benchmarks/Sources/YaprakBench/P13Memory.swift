import CHelpers
import HashTreeCollections
import Yaprak

extension Measure {
    /// P13: what the index costs over keys and payloads, and what a held snapshot costs.
    static var memory: Measure {
        Measure(id: "P13") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)

            // All share the strings; what is counted is what each keeps beside them.
            let array = heapGrowth { zip(keys, items).map { (key: $0, item: $1) } }
            let boxes = heapGrowth { zip(keys, items).map { Boxed(key: $0, item: $1) } }
            let dictionary = heapGrowth { Dictionary(uniqueKeysWithValues: zip(keys, boxes.made)) }
            let tree = heapGrowth { TreeDictionary(uniqueKeysWithValues: zip(keys, boxes.made)) }
            let bare = heapGrowth {
                zip(keys, items).map { (word: UInt64(0), box: StampedBox($0, $1)) }
            }
            let ours = try await heapGrowth {
                let database = try await Database.filled(keys, items)
                try await database.settle()
                return database
            }
            func perRow(_ bytes: Int) -> Double { Double(bytes) / Double(n) }
            report.hold(
                "P13", "index bytes per row, over an array of (key, object)", perRow(ours.bytes - array.bytes),
                unit: .bytes)
            report.hold(
                "P13", "index bytes per row, over an array of boxes of both", perRow(ours.bytes - boxes.bytes),
                atMost: 40, unit: .bytes)
            report.hold(
                "P13", "the same of a sorted array without a gap, of boxes with our stamps",
                perRow(bare.bytes - boxes.bytes),
                unit: .bytes)
            report.hold("P13", "Dictionary's bytes per row, boxes not counted", perRow(dictionary.bytes), unit: .bytes)
            report.hold("P13", "TreeDictionary's bytes per row, boxes not counted", perRow(tree.bytes), unit: .bytes)

            let database = ours.made
            let held = try await heapGrowth {
                var snapshots: [Snapshot] = []
                snapshots.reserveCapacity(1000)
                for i in 0..<1000 {
                    let at = i &* 7919 % n
                    try await database.write { $0[.items][keys[at]] = items[(at + 1) % n] }
                    snapshots.append(database.snapshot)
                }
                try await database.settle()
                return snapshots
            }
            report.hold(
                "P13", "bytes per held snapshot, one-row commits apart", Double(held.bytes) / 1000, atMost: 4096,
                unit: .bytes)
            withExtendedLifetime((array, boxes, dictionary, tree, bare, held)) {}
        }
    }
}

/// A box with what a record needs for its promises: when it came into the tree, when its object and its metadata were changed,
/// the end of its key, its metadata. What no index can be without that finds it by words of the key.
private final class StampedBox: Sendable {
    private let contents:
        (key: String, stamps: (UInt64, UInt64, UInt64), tail: UInt64, item: Item, metadata: NoMetadata?)

    init(_ key: String, _ item: Item) { contents = (key, (0, 0, 0), 0, item, nil) }
}

extension Database {
    /// Lets the background free what nobody needs.
    func settle() async throws {
        try await Task.sleep(for: .milliseconds(300))
    }
}

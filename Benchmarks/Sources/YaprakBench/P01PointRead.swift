import Foundation
import HashTreeCollections
import Yaprak

extension Measure {
    /// P1: `snapshot[.items][key]`, the snapshot held.
    static var pointRead: Measure {
        Measure(id: "P1") { settings, report in
            for shape in KeyShape.allCases { try await pointRead(shape, settings, report) }
        }
    }

    private static func pointRead(_ shape: KeyShape, _ settings: Settings, _ report: Report) async throws {
        let n = settings.rows
        let keys = shape.keys(n)
        let items = Item.make(n)
        let probes = probes(keys)
        let bytes = probes.map { Array($0.utf8) }
        let few = probes.prefix(min(n, 20_000))

        let database = try await Database.filled(keys, items)
        let snapshot = database.snapshot
        let pairs = zip(keys, items).map { ($0, Boxed(key: $0, item: $1)) }
        let bare = BareIndex(pairs.map(\.1))
        let dictionary = Dictionary(uniqueKeysWithValues: pairs)
        let tree = TreeDictionary(uniqueKeysWithValues: pairs)
        let lmdb = LMDBPeer(.withoutSync, in: try settings.freshDirectory("lmdb"))
        lmdb.fill(keys.map { Array($0.utf8) }, (0..<n).map(blob))
        let grdb = try GRDBPeer(.memory)
        try grdb.fill(keys, (0..<n).map { Data(blob($0)) })
        try grdb.fillRecords(keys, items)

        let series = try await interleave(
            [
                Contender(name: "Yaprak") { time(n) { readAll(snapshot, probes) } },
                Contender(name: "Dictionary<String, Row>") { time(n) { readAll(dictionary, probes) } },
                Contender(name: "TreeDictionary<String, Row>") { time(n) { readAll(tree, probes) } },
                Contender(name: "LMDB, no copy") { time(n) { lmdb.read(bytes) } },
                Contender(name: "GRDB, memory, blob") { try time(few.count) { try grdb.readBlobs(few) } },
                Contender(name: "GRDB, memory, record") { try time(few.count) { try grdb.readRecords(few) } },
                Contender(name: "Yaprak, row") { time(n) { readRows(snapshot, probes) } },
                Contender(name: "blocks of words, full and in order") { time(n) { readAll(bare, probes) } },
            ], runs: settings.runs)
        lmdb.close()

        let targets: [Target] = [.atMost(0.6), .none, .atMost(1), .timesFaster(6), .timesFaster(10)]
        for (peer, target) in zip(series.dropFirst(), targets) {
            report.compare("P1", "point read in a held snapshot, \(shape.rawValue)", series[0], peer, target)
        }
        // No bound: it takes longer.
        report.compare("P1", "point read in a held snapshot, \(shape.rawValue)", series[0], series[7], .none)
        // What a dictionary of boxes does: a reference comes back, and what is read of the object is read through it.
        report.compare("P1", "row(for:) in a held snapshot, \(shape.rawValue)", series[6], series[1], .none)
    }

    @inline(never)
    static func readAll(_ snapshot: Snapshot, _ probes: [String]) {
        for key in probes { sink &+= UInt64(snapshot[.items][key]!.count) }
    }

    @inline(never)
    private static func readRows(_ snapshot: Snapshot, _ probes: [String]) {
        for key in probes { sink &+= UInt64(snapshot[.items].row(for: key)!.object.count) }
    }

    @inline(never)
    static func readAll(_ dictionary: [String: Boxed], _ probes: [String]) {
        for key in probes { sink &+= UInt64(dictionary[key]!.item.count) }
    }

    @inline(never)
    static func readAll(_ index: BareIndex, _ probes: [String]) {
        for key in probes { sink &+= UInt64(index.row(for: key).item.count) }
    }

    @inline(never)
    static func readAll(_ tree: TreeDictionary<String, Boxed>, _ probes: [String]) {
        for key in probes { sink &+= UInt64(tree[key]!.item.count) }
    }
}

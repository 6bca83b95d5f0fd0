import CHelpers
import Yaprak

extension Measure {
    /// P16: one old snapshot, held while every row is replaced many times over.
    static var oldSnapshot: Measure {
        Measure(id: "P16") { settings, report in
            let n = settings.rows
            let updates = settings.manyRows
            let keys = KeyShape.random.keys(n)

            // Payloads are made inside, so that each version has its own.
            let pinned = try await heapGrowth {
                let database = try await Database.filled(keys, Item.make(n))
                try await database.settle()
                return (database: database, snapshot: database.snapshot)
            }
            let database = pinned.made.database
            let more = try await heapGrowth {
                var random = SplitMix64(11)
                for i in 0..<updates {
                    let key = keys[i &* 7919 % n]
                    let item = Item(i, &random)
                    try await database.write { $0[.items][key] = item }
                }
                try await database.settle()
            }
            let both = Double(pinned.bytes + more.bytes)
            report.hold(
                "P16", "heap of a pinned version and the live one, \(updates) commits apart", both,
                atMost: 2 * Double(pinned.bytes) * 1.05, unit: .bytes)
            precondition(pinned.made.snapshot[.items].count == n)
        }
    }
}

import Yaprak

extension Measure {
    /// P10: the section and row changes of 7,000 scattered changes in a view of many rows, against as many look-ups of a
    /// row's rank in the same view.
    static var listChanges: Measure {
        Measure(id: "P10") { settings, report in
            let n = settings.manyRows
            let changed = min(7_000, n / 10)
            let keys = KeyShape.random.keys(n)
            let database = try await Database.filled(keys, Item.make(n))
            try await database.register(itemsByRank)
            let old = database.snapshot
            let touched = probes(keys).prefix(changed)
            try await database.write { transaction in
                for (i, key) in touched.enumerated() {
                    transaction[.items][key]?.rank = Double(i * 7919 % 1_000_000) / 1000
                }
            }
            let new = database.snapshot
            var before = ViewMappings(itemsByRank, groups: (0..<100).map { "group\($0)" })
            try before.update(to: old)
            let mappings = before

            let series = try await interleave(
                [
                    Contender(name: "Yaprak, changes") {
                        try time(1) { sink &+= UInt64(try mappings.changes(from: old, to: new).rowChanges.count) }
                    },
                    Contender(name: "rank look-ups") {
                        time(1) {
                            for key in touched { sink &+= UInt64(new[itemsByRank].places(of: key).first?.index ?? 0) }
                        }
                    },
                ], runs: settings.runs)
            report.compare("P10", "\(changed) changes in a view of \(n) rows", series[0], series[1], .atMost(1))
        }
    }
}

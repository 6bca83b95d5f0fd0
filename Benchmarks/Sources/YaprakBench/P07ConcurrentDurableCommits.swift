import CHelpers
import SystemPackage
import Yaprak

extension Measure {
    /// P7: durable commits of 64 writers at once, against one writer of the same run.
    static var concurrentDurableCommits: Measure {
        Measure(id: "P7") { settings, report in
            let n = min(settings.rows, 10_000)
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let path = try settings.freshDirectory("yaprak") + "/durable.yaprak"
            let database = try await Database.open(at: FilePath(path), collections: .items)
            try await database.fill(keys, items)

            let alone = settings.isQuick ? 100 : 300
            let each = settings.isQuick ? 50 : 200
            let writers = 64
            var syncs = 0.0
            let series = try await interleave(
                [
                    Contender(name: "Yaprak, 64 writers") {
                        let before = ch_syncs()
                        let cost = try await time(writers * each) {
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                for writer in 0..<writers {
                                    group.addTask {
                                        for i in 0..<each {
                                            let at = (writer * each + i) % n
                                            try await database.write { $0[.items][keys[at]] = items[(at + 1) % n] }
                                        }
                                    }
                                }
                                try await group.waitForAll()
                            }
                        }
                        syncs = Double(ch_syncs() - before) / Double(writers * each)
                        return cost
                    },
                    Contender(name: "Yaprak, one writer") {
                        try await time(alone) {
                            for i in 0..<alone { try await database.write { $0[.items][keys[i]] = items[(i + 1) % n] } }
                        }
                    },
                ], runs: settings.runs)
            try await database.close()

            report.compare("P7", "durable commit, 64 writers", series[0], series[1], .timesFaster(15))
            if ch_counts() != 0 { report.hold("P7", "syncs per commit, 64 writers", syncs, atMost: 1.0 / 20) }
        }
    }
}

import Synchronization
import Yaprak

extension Measure {
    /// P14: one reader on a held snapshot, idle and while one writer commits without pause.
    static var readerBesideWriter: Measure {
        Measure(id: "P14") { settings, report in
            let n = settings.rows
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let probes = probes(keys)
            let database = try await Database.filled(keys, items)
            let snapshot = database.snapshot

            var idle99: [Double] = []
            var busy99: [Double] = []
            let series = try await interleave(
                [
                    Contender(name: "busy") {
                        let isDone = Flag()
                        let writer = Task.detached(priority: .high) {
                            var i = 0
                            while !isDone.isSet {
                                let at = i &* 7919 % n
                                try await database.write { $0[.items][keys[at]] = items[(at + 1) % n] }
                                i += 1
                            }
                            return i
                        }
                        try await Task.sleep(for: .milliseconds(20))
                        let sorted = latencies(snapshot, probes)
                        isDone.set()
                        guard try await writer.value > 0 else { throw UsageError("the writer did not write") }
                        busy99.append(percentile(sorted, 0.99))
                        return percentile(sorted, 0.5)
                    },
                    Contender(name: "idle") {
                        let sorted = latencies(snapshot, probes)
                        idle99.append(percentile(sorted, 0.99))
                        return percentile(sorted, 0.5)
                    },
                ], runs: settings.runs)

            report.compare("P14", "read beside a writer that never pauses, p50", series[0], series[1], .atMost(1.3))
            report.compare(
                "P14", "read beside a writer that never pauses, p99", Series(name: "busy", samples: busy99),
                Series(name: "idle", samples: idle99), .atMost(1.5))
        }
    }

    @inline(never)
    private static func latencies(_ snapshot: Snapshot, _ probes: [String]) -> [UInt64] {
        var result: [UInt64] = []
        result.reserveCapacity(probes.count)
        for key in probes {
            let start = now()
            sink &+= UInt64(snapshot[.items][key]!.count)
            result.append(now() - start)
        }
        result.sort()
        return result
    }
}

/// Set by one task, read by another.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

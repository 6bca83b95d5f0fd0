import CHelpers
import Synchronization
import Yaprak

extension Measure {
    /// P15: a fork of many rows, against taking a snapshot.
    static var fork: Measure {
        Measure(id: "P15") { settings, report in
            let n = settings.manyRows
            let database = try await Database.filled(KeyShape.random.keys(n), Item.make(n))
            let small = try await Database.filled(KeyShape.random.keys(1000), Item.make(1000))
            try await database.settle()
            let operations = 2_000

            let series = try await interleave(
                [
                    Contender(name: "Yaprak, fork") {
                        precondition(database.fork().snapshot[.items].count == n)
                        return timeOfMaking(operations) { database.fork() }
                    },
                    Contender(name: "snapshot") { timeOfMaking(operations) { database.snapshot } },
                    Contender(name: "a bare actor with a state of its own") {
                        let shared = BareState(of: nil)
                        return timeOfMaking(operations) { BareActor(BareState(of: shared)) }
                    },
                ], runs: settings.runs)
            report.compare("P15", "fork of \(n) rows", series[0], series[1], .atMost(10), bound: series[2])
            report.compare("P15", "fork of \(n) rows", series[0], series[2], .none)

            // The gate on what doesn't wobble: a fork of a million rows takes what a fork of a thousand takes.
            if ch_counts() != 0 {
                let many = await allocations { database.fork() }
                let few = await allocations { small.fork() }
                report.hold("P15", "allocations of a fork of \(n) rows", Double(many), atMost: min(5, Double(few)))
            }
            let heap = heapGrowth {
                var forks: [Database] = []
                for _ in 0..<100 { forks.append(database.fork()) }
                return forks
            }
            report.hold("P15", "bytes of a fork of \(n) rows", Double(heap.bytes) / 100, atMost: 8192, unit: .bytes)
            withExtendedLifetime(heap) {}
        }
    }

    /// The time of making a value, which is kept, without that of giving it up.
    ///
    /// A hundred are kept at a time, so that the allocator gives no memory back to the system in between: to get pages again
    /// takes up to twice as long as to make the forks, in some runs and not in others.
    @inline(__always)
    private static func timeOfMaking<Made>(_ count: Int, _ make: () -> Made) -> Double {
        let kept = 100
        var values: [Made] = []
        values.reserveCapacity(kept)
        var total = 0.0
        for _ in 0..<count / kept {
            total += time(kept) { for _ in 0..<kept { values.append(make()) } }
            values.removeAll(keepingCapacity: true)
        }
        return total / Double(count / kept)
    }

    private static func allocations(_ make: () async -> Database) async -> UInt64 {
        _ = await make()
        // The least of several: what else the process does in the background may allocate beside some of them.
        var least = UInt64.max
        for _ in 0..<9 {
            let before = ch_allocations()
            let made = await make()
            least = min(least, ch_allocations() - before)
            withExtendedLifetime(made) {}
        }
        return least
    }
}

/// The least that a fork is: an actor, and an object that says what it shares and has a lock.
private actor BareActor {
    private let state: BareState
    init(_ state: BareState) { self.state = state }
}

private final class BareState: Sendable {
    private let origin: BareState?
    private let count = Mutex(0)
    init(of origin: BareState?) { self.origin = origin }
}

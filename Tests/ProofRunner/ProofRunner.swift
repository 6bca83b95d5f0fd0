import Foundation
import Proof
import Yaprak

/// Runs a part of the proof and prints its totals as one line of JSON. The exit code is 1 if something was found.
///
///     ProofRunner simulation --from 1 --count 10000 --seconds 600
///     ProofRunner histories --from 1 --count 500              clients over power cuts, checked for anomalies
///     ProofRunner isolation --transactions 1000000            one large history of a database in memory
///     ProofRunner crashes --from 1 --count 5                  power cuts at every call of every operation, twice
///     ProofRunner faults --from 1 --count 1                   every call of every operation fails with every error
///     ProofRunner bits --bytes 65536 [--killed 1]             every bit of a database, every length of its files; with
///                                                             --step N each n-th, beginning with another --from N
///     ProofRunner forged --from 1 --count 10000               damage with right sums
///     ProofRunner cancellation --from 1 --count 5             every call of the API cancelled at every step
///     ProofRunner load --each 64 --seconds 60 --path FILE     writers, readers, followers
///     ProofRunner corpus --path FOLDER                        the first inputs of the fuzzers
///     ProofRunner planted --from 1 --count 50                 the checker against planted anomalies
@main
struct ProofRunner {
    static func main() async throws {
        let arguments = Arguments()
        let started = ContinuousClock.now
        var totals: [String: Int]
        switch arguments.part {
        case "simulation": totals = simulate(arguments)
        case "histories": totals = recordHistories(arguments)
        case "isolation": totals = await checkIsolation(arguments)
        case "crashes": totals = enumerateCrashes(arguments)
        case "faults": totals = enumerateFaults(arguments)
        case "bits": totals = flipBits(arguments)
        case "forged": totals = forge(arguments)
        case "cancellation": totals = cancel(arguments)
        case "load": totals = try await load(arguments)
        case "corpus": totals = writeCorpus(arguments)
        case "planted": totals = plant(arguments)
        default:
            print(
                """
                usage: ProofRunner simulation|histories|isolation|crashes|faults|bits|forged|cancellation|load|corpus|planted
                                   [--from N] [--count N] [--seconds N]
                """)
            exit(64)
        }
        totals["seconds"] = Int((ContinuousClock.now - started).components.seconds)
        let fields = totals.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        print("{\"part\": \"\(arguments.part)\", \(fields.joined(separator: ", "))}")
    }

    /// Says what was found, and ends.
    static func fail(_ text: String) -> Never {
        print("FOUND: \(text)")
        exit(1)
    }

    static func simulate(_ arguments: Arguments) -> [String: Int] {
        var totals = ["commits": 0, "crashes": 0, "refusals": 0, "backups": 0, "ghosts": 0, "steps": 0, "launches": 0]
        var digest: UInt64 = 0
        let seeds = arguments.forEachSeed { seed in
            let script = SimulationScript(seed: seed)
            let outcome = Simulation(script).run()
            if let failure = outcome.failure {
                let (shrunk, reason) = script.shrunk()
                fail("seed \(seed): \(failure)\nshrunk: \(reason)\n\(shrunk)")
            }
            if seed % 100 == 0, Simulation(script).run() != outcome { fail("seed \(seed) is two histories") }
            digest = digest &* 31 &+ outcome.digest
            totals["commits"]! += outcome.commits
            totals["crashes"]! += outcome.crashes
            totals["refusals"]! += outcome.refusals
            totals["backups"]! += outcome.backups
            totals["ghosts"]! += outcome.ghosts
            totals["steps"]! += outcome.steps
            totals["launches"]! += outcome.launches
        }
        // The same in every process.
        print("digest of all histories: \(digest)")
        return totals.merging(seeds) { $1 }
    }

    static func recordHistories(_ arguments: Arguments) -> [String: Int] {
        var transactions = 0
        let seeds = arguments.forEachSeed { seed in
            guard let history = CrashHistory.record(seed: seed, opens: 4) else {
                fail("seed \(seed) does not open, or hangs")
            }
            let anomalies = HistoryChecker(history).anomalies()
            if !anomalies.isEmpty { fail("seed \(seed): \(anomalies)") }
            transactions += history.transactions.count
        }
        return ["transactions": transactions].merging(seeds) { $1 }
    }

    static func checkIsolation(_ arguments: Arguments) async -> [String: Int] {
        let count = arguments.number("transactions", 1_000_000)
        let seed = UInt64(arguments.number("from", 1))
        let clients = 8
        let database = Database.inMemory()
        let recorder = HistoryRecorder(seed: seed)
        await recorder.run(database, clients: clients, transactions: count / clients)
        let history = recorder.history()
        let started = ContinuousClock.now
        let anomalies = HistoryChecker(history).anomalies()
        let took = (ContinuousClock.now - started) / Duration.milliseconds(1)
        if !anomalies.isEmpty { fail("seed \(seed): \(anomalies)") }
        if let failure = CommitOrderCheck.failure(in: history) { fail("seed \(seed): \(failure)") }
        return ["from": Int(seed), "transactions": history.transactions.count, "checkMilliseconds": Int(took)]
    }

    static func enumerateCrashes(_ arguments: Arguments) -> [String: Int] {
        var images = 0
        let seeds = arguments.forEachSeed { seed in
            for operation in WritingOperation.all(seed: seed) {
                var enumeration = CrashEnumeration(operation)
                enumeration.cut(seed: seed, stride: arguments.number("stride", 1))
                if let failure = enumeration.failure { fail("seed \(seed), \(failure)") }
                images += enumeration.images
            }
        }
        return ["images": images].merging(seeds) { $1 }
    }

    static func enumerateFaults(_ arguments: Arguments) -> [String: Int] {
        var images = 0, faults = 0
        let seeds = arguments.forEachSeed { seed in
            for operation in WritingOperation.all(seed: seed) {
                var enumeration = CrashEnumeration(operation)
                enumeration.failEveryCall(stride: arguments.number("stride", 1))
                if let failure = enumeration.failure { fail("seed \(seed), \(failure)") }
                images += enumeration.images
                faults += enumeration.faults
            }
        }
        return ["images": images, "faults": faults].merging(seeds) { $1 }
    }

    static func plant(_ arguments: Arguments) -> [String: Int] {
        var caught = 0
        let seeds = arguments.forEachSeed { seed in
            for kind in Anomaly.Kind.allCases {
                let found = HistoryChecker(PlantedAnomaly.history(kind, count: 2000, seed: seed)).anomalies()
                guard found.contains(where: { $0.kind == kind }) else {
                    fail("seed \(seed), \(kind) is missed: \(found)")
                }
                caught += 1
            }
            var serial = SerialHistory(seed: seed)
            serial.add(2000)
            let found = HistoryChecker(serial.history).anomalies()
            if !found.isEmpty { fail("seed \(seed), nothing planted: \(found)") }
        }
        return ["caught": caught].merging(seeds) { $1 }
    }
}

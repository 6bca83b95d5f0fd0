import Proof

extension ProofRunner {
    static func flipBits(_ arguments: Arguments) -> [String: Int] {
        let isKilled = arguments.number("killed", 0) != 0
        var damaged = DamagedDatabase(bytes: arguments.number("bytes", 65536), closes: !isKilled)
        let bits = damaged.bits
        let step = max(1, arguments.number("step", 1))
        // Each run begins with another bit, so that several with a step come to see all of them.
        let run = max(1, arguments.number("from", 1))
        let first = (run - 1) % step
        damaged.flipBits(first..<bits, step: step)
        let flipped = damaged.totals.copies
        damaged.truncate(from: first, step: step)
        if let failure = damaged.failure { fail(failure) }
        let totals = damaged.totals
        let regions = Set(totals.unnoticed.keys)
        let known = Set((DamagedDatabase.harmless.union(DamagedDatabase.evidence)).map(\.rawValue))
        print("unnoticed: \(totals.unnoticed.sorted { $0.key < $1.key })")
        if !regions.isSubset(of: known) { fail("damage that nobody notices in \(regions.subtracting(known))") }
        return [
            "bits": bits, "flipped": flipped, "lengths": totals.copies - flipped, "refused": totals.refused,
            "noticed": totals.noticed, "shorter": totals.shorter, "unnoticed": totals.unnoticed.values.reduce(0, +),
            "killed": isKilled ? 1 : 0, "step": step, "from": run, "to": run + 1,
        ]
    }

    static func forge(_ arguments: Arguments) -> [String: Int] {
        var damaged = DamagedDatabase(bytes: arguments.number("bytes", 20000), closes: true)
        let seeds = arguments.forEachSeed { seed in
            damaged.forge(seed: seed)
            if let failure = damaged.failure { fail(failure) }
        }
        return seeds
    }

    static func cancel(_ arguments: Arguments) -> [String: Int] {
        var sweep = CancellationSweep()
        let seeds = arguments.forEachSeed { seed in
            for call in CancellationSweep.calls { sweep.sweep(call, seeds: seed..<seed + 1) }
            if let failure = sweep.failure { fail(failure) }
        }
        return ["runs": sweep.runs, "calls": CancellationSweep.calls.count].merging(seeds) { $1 }
    }

    static func load(_ arguments: Arguments) async throws -> [String: Int] {
        let each = arguments.number("each", 64)
        guard let path = arguments.text("path") else { fail("load needs --path, where nothing is yet") }
        let totals = try await LoadRun.run(at: path, each: each, seconds: arguments.number("seconds", 60))
        if let failure = totals.failure { fail(failure) }
        return [
            "each": each, "commits": totals.commits, "reads": totals.reads, "changesets": totals.changesets,
            "residentEarlyKiB": totals.residentEarly, "residentLateKiB": totals.residentLate,
        ]
    }
}

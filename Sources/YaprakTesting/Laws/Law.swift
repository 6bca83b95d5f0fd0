internal import Testing
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A law that a history can break.
protocol Law: Sendable {
    /// The name of the function that checks it, for messages.
    var title: String { get }
    /// Whether histories have commits alone.
    var hasOnlyCommits: Bool { get }
    /// What has to come about in one history at least, or the law has looked at nothing; each as what is said if it never does.
    /// A run notes in its trace which of them it has met.
    var omissions: [String] { get }

    /// Does what a script says, in databases with these options.
    /// - Returns: what is wrong, or `nil`.
    func run(_ script: LawScript, _ trace: LawTrace, _ options: DatabaseOptions) async -> String?
}

extension Law {
    /// Runs random histories until one breaks the law; then reports the shortest that can be found.
    ///
    /// - Returns: whether none does. Histories that have nothing to look at prove nothing, and that is reported, too. False
    ///   if the task was cancelled before all were tried.
    func check(histories: Int, seed: UInt64, at location: SourceLocation) async -> Bool {
        let only: UInt64?
        do throws(WantedSeed.Fault) { only = try WantedSeed.fromEnvironment() } catch {
            reportIssue("\(title): \(error)", at: location)
            return false
        }
        var refusal: String?, hasCommits = false, met: Set<Int> = []
        for number in 0..<UInt64(only == nil ? max(histories, 1) : 1) {
            if Task.isCancelled { return false }
            let seed = only ?? seed &+ number
            var script = LawScript(seed: seed, onlyCommits: hasOnlyCommits)
            let trace = LawTrace()
            guard await attempt(script, trace) != nil else {
                hasCommits = hasCommits || trace.hasCommits
                met.formUnion(trace.met)
                refusal = refusal ?? trace.refusal
                continue
            }
            // From here on the numbers are those that were drawn. What drew too many for that draws them from its seed again.
            for (step, draws) in trace.draws.enumerated() where step < script.steps.count {
                for (edit, draws) in draws.enumerated() where edit < script.steps[step].edits.count {
                    if let draws { script.steps[step].edits[edit] = .init(draws: draws) }
                }
            }
            await report(script, seed, at: location)
            return false
        }
        let omission = omissions.indices.first { !met.contains($0) }
        // One history that is repeated, of another law, may well have nothing.
        if hasCommits && (omission == nil || only != nil) || only != nil && refusal == nil { return true }
        let reason =
            hasCommits
            ? omissions[omission!]
            : refusal.map { "every commit threw. The first threw: \($0)" }
                ?? "no edit changed anything. Are its collections those of the extension?"
        reportIssue("\(title): nothing was tried, because \(reason)", at: location)
        return false
    }

    /// Runs a script on one thread, always in the same order, without waiting for others.
    private func attempt(_ script: LawScript, _ trace: LawTrace) async -> String? {
        let outcome = try? await blocking { () -> LawOutcome in
            let scheduler = SeededScheduler(seed: 0)
            return scheduler.run {
                var options = DatabaseOptions()
                options.clock = { Int64(scheduler.now()) }
                options.store.scheduler = scheduler
                return LawOutcome.done(fault: await run(script, trace, options))
            } ?? .stuck
        }
        if case .done(let fault)? = outcome { return fault }
        return "every task waits, and nobody will wake one. Does an edit or the extension wait for others?"
    }

    private func report(_ script: LawScript, _ seed: UInt64, at location: SourceLocation) async {
        let shortest = await script.shrunk { await attempt($0, LawTrace()) != nil }
        let trace = LawTrace()
        guard let fault = await attempt(shortest, trace) else {
            reportIssue(
                """
                \(title): seed \(seed) fails, and does not when it is repeated. The extension or the edit depends on something \
                else than the records and its choices: a clock, a random number, a hash seed, an object that it keeps.
                """, at: location)
            return
        }
        reportIssue(
            """
            \(title): \(fault)
            The shortest history of seed \(seed) that leads there, of \(script.steps.count) steps and \(script.editCount) \
            edits (YAPRAK_SEED=\(seed) repeats it):
            \(shortened(trace.lines, to: 100).joined(separator: "\n"))
            """, at: location)
    }
}

/// How a run of a script ended.
private enum LawOutcome: Sendable {
    case done(fault: String?)
    case stuck
}

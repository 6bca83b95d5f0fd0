#if Inspector
    import Yaprak
    import YaprakReplay

    /// A bisection by an expression, from its ends to what came out.
    struct BisectionRun: Sendable {
        struct Probe: Sendable {
            let number: CommitNumber
            let verdict: ReplayBisection.Verdict
            /// What can't be read, it and others around it; `nil` if it was read.
            let lost: ClosedRange<CommitNumber>?
            /// What was left after it.
            let candidates: ClosedRange<CommitNumber>

            var leftCount: UInt64 { candidates.upperBound.rawValue - candidates.lowerBound.rawValue + 1 }
        }

        let good: CommitNumber
        let bad: CommitNumber
        private(set) var probes: [Probe] = []
        private(set) var search: ReplayBisection
        /// Whether the oldest state there is is bad already, and was said to be good: then nothing was looked for.
        let isBadFromBeginning: Bool
        /// Whether commits were skipped because a file is damaged, which may be put back.
        private(set) var isDamaged = false

        /// Runs it: at most ⌈log₂ n⌉ + 1 states are looked at, and those whose verdicts are known not again; where the good
        /// end is the oldest state that can be shown, which nobody has looked at, that one, too. Commits to whose states nothing
        /// leads are skipped.
        ///
        /// - Throws: `invalidParameter` as a ``Refusal`` if the ends are in the wrong order; errors of reading;
        ///   `CancellationError`, with the verdicts that were reached kept.
        init(
            _ expression: ReplayExpression, good: CommitNumber, bad: CommitNumber, in history: any InspectedHistory,
            keeping verdicts: KnownVerdicts
        ) async throws {
            guard good < bad else {
                throw Refusal(400, "invalidParameter", "The good commit, \(good), comes before the bad one, \(bad).")
            }
            self.good = good
            self.bad = bad
            search = ReplayBisection(good: good, bad: bad)
            let isOldest = try await history.reach().lowerBound == good
            isBadFromBeginning = isOldest ? try await verdicts.isBad(good, where: expression, in: history) : false
            if isBadFromBeginning { return }
            while let number = search.next {
                try Task.checkCancellation()
                var verdict = ReplayBisection.Verdict.skip
                var lost: ClosedRange<CommitNumber>?
                do {
                    verdict = try await verdicts.isBad(number, where: expression, in: history) ? .bad : .good
                    search.note(verdict)
                } catch let error as DatabaseError where number != bad {
                    guard let range = try await history.unreachable(around: number, after: error) else { throw error }
                    search.note(skipping: range)
                    if error.code != .commitOutOfReach { isDamaged = true }
                    lost = range
                }
                probes.append(Probe(number: number, verdict: verdict, lost: lost, candidates: search.candidates))
            }
        }
    }
#endif

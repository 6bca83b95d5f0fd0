#if Inspector
    import Yaprak
    import YaprakReplay

    /// A bisection by an expression, from its ends to what came out.
    struct BisectionRun: Sendable {
        struct Probe: Sendable {
            let number: CommitNumber
            let isBad: Bool
            /// What was left after it.
            let candidates: ClosedRange<CommitNumber>

            var leftCount: UInt64 { candidates.upperBound.rawValue - candidates.lowerBound.rawValue + 1 }
        }

        let good: CommitNumber
        let bad: CommitNumber
        private(set) var probes: [Probe] = []
        private(set) var search: ReplayBisection

        /// Runs it: at most ⌈log₂ n⌉ + 1 states are looked at.
        ///
        /// - Throws: `badRequest` as a ``Refusal`` if the ends are in the wrong order; errors of reading.
        init(
            _ expression: ReplayExpression, good: CommitNumber, bad: CommitNumber, in history: any InspectedHistory
        ) async throws {
            guard good < bad else {
                throw Refusal(400, "invalidParameter", "The good commit, \(good), comes before the bad one, \(bad).")
            }
            self.good = good
            self.bad = bad
            search = ReplayBisection(good: good, bad: bad)
            while let number = search.next {
                try Task.checkCancellation()
                let snapshot = try await history.snapshot(at: number)
                let isBad = try await BlockingWork.run { expression.holds(in: snapshot) }
                search.note(isBad ? .bad : .good)
                probes.append(Probe(number: number, isBad: isBad, candidates: search.candidates))
            }
        }
    }
#endif

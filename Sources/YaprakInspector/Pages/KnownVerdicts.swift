#if Inspector
    import Yaprak
    import YaprakLocks
    import YaprakReplay

    /// What bisections found of states, for those who search again: a search may take longer than an answer.
    final class KnownVerdicts: Sendable {
        private struct Question: Hashable {
            let expression: ReplayExpression
            let number: CommitNumber
            /// When the commit was made: a directory that took the place of another has other commits of these numbers.
            let nanoseconds: Int64
        }

        private static let most = 4096
        private let known = Mutex<[Question: Bool]>([:])

        /// Whether an expression is true of the state as of a commit.
        ///
        /// - Throws: errors of reading; `CancellationError`.
        /// - Complexity: that of the expression the first time, of reading the commit in brief later.
        func isBad(
            _ number: CommitNumber, where expression: ReplayExpression, in history: any InspectedHistory
        ) async throws -> Bool {
            // The log may not have the commit any more, of which a checkpoint has the state: nothing is kept of it.
            let entry = number > .zero ? try? await history.entries(in: number...number).first : nil
            let question = entry.map {
                Question(expression: expression, number: number, nanoseconds: $0.nanosecondsSince1970)
            }
            if let question, let verdict = known.withLock({ $0[question] }) { return verdict }
            // Before the first commit there is nothing, and nothing to read.
            let snapshot =
                number == .zero ? Database.inMemory().snapshot : try await history.snapshot(at: number)
            let verdict = try await BlockingWork.run { cancellation in
                guard let holds = expression.holds(in: snapshot, unless: { cancellation.isCancelled }) else {
                    throw CancellationError()
                }
                return holds
            }
            if let question { keep(verdict, of: question) }
            return verdict
        }

        private func keep(_ verdict: Bool, of question: Question) {
            let old = known.withLock { known in
                var old: [Question: Bool] = [:]
                // Searches are few and short: beginning with none costs one of them its verdicts.
                if known.count >= Self.most { swap(&old, &known) }
                known[question] = verdict
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
#endif

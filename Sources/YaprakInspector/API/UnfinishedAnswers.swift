#if Inspector
    import YaprakLocks

    /// Answers whose clients are to ask again. They go on for a while, for who does; what nobody asks for in that time is
    /// cancelled.
    final class UnfinishedAnswers: Sendable {
        typealias Work = Task<Response, Never>

        private struct Unfinished {
            let work: Work
            let end: Task<Void, Never>
            let order: Int
        }

        private struct State {
            var answers: [String: Unfinished] = [:]
            var order = 0
            var isStopped = false
        }

        /// The most that go on at a time without somebody who waits; one more takes the place of the oldest.
        static let most = 4

        private let state = Mutex(State())

        /// The work on an answer, which is the caller's from now on; `nil` if there is none.
        func take(_ question: String) -> Work? {
            let taken = state.withLock { $0.answers.removeValue(forKey: question) }
            taken?.end.cancel()
            return taken?.work
        }

        /// Keeps the work on an answer for so long, until somebody takes it. If there is some on the same answer already, which
        /// began earlier, this one is cancelled.
        func keep(_ work: Work, on question: String, for patience: Duration) {
            let surplus = state.withLock { state -> Unfinished? in
                let end = Task { [weak self] in
                    try? await Task.sleep(for: patience)
                    if !Task.isCancelled { self?.take(question)?.cancel() }
                }
                state.order += 1
                let unfinished = Unfinished(work: work, end: end, order: state.order)
                guard !state.isStopped, state.answers[question] == nil else { return unfinished }
                state.answers[question] = unfinished
                guard state.answers.count > Self.most else { return nil }
                let oldest = state.answers.min { $0.value.order < $1.value.order }?.key
                return oldest.flatMap { state.answers.removeValue(forKey: $0) }
            }
            surplus?.end.cancel()
            surplus?.work.cancel()
        }

        /// Cancels all work, and keeps no other.
        func stop() {
            let all = state.withLock { state in
                state.isStopped = true
                defer { state.answers = [:] }
                return Array(state.answers.values)
            }
            for unfinished in all {
                unfinished.end.cancel()
                unfinished.work.cancel()
            }
        }
    }
#endif

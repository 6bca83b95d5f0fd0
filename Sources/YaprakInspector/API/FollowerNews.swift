#if Inspector
    import YaprakLocks

    /// What waits for one follower: the last news, and whether a sign of life is due. Later news take the place of earlier
    /// ones.
    final class FollowerNews: Sendable {
        struct Waiting: Sendable {
            var news: EventHub.News?
            var hasBeaten = false
        }

        private let waiting = Mutex(Waiting())
        private let signals: AsyncStream<Void>
        private let signal: AsyncStream<Void>.Continuation

        init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        func put(_ news: EventHub.News) {
            waiting.withLock { $0.news = news }
            signal.yield()
        }

        func beat() {
            waiting.withLock { $0.hasBeaten = true }
            signal.yield()
        }

        func finish() { signal.finish() }

        /// Takes what waits, as soon as there is something; `nil` at the end, or when the task is cancelled.
        func next() async -> Waiting? {
            for await _ in signals {
                let taken = waiting.withLock { waiting in
                    defer { waiting = Waiting() }
                    return waiting
                }
                if taken.news != nil || taken.hasBeaten { return taken }
            }
            return nil
        }
    }
#endif

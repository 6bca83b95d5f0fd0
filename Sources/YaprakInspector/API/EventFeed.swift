#if Inspector
    import Yaprak

    /// The events for one follower. Nothing waits in it but ``FollowerNews``: an event is made when it is asked for.
    ///
    /// Ends with its last reference, which is that of the stream: a client may go without asking for another event.
    actor EventFeed {
        private static let signOfLife = ": still here\n\n"

        private let hub: EventHub
        private let news = FollowerNews()
        private let heart: Task<Void, Never>
        private let onEnd: @Sendable () -> Void
        private let last: CommitNumber?
        private var seen: FollowedState?
        private var hasJoined = false

        init(
            _ hub: EventHub, after last: CommitNumber?, heartbeat: Duration, onEnd: @escaping @Sendable () -> Void
        ) {
            self.hub = hub
            self.onEnd = onEnd
            self.last = last
            heart = Task { [news] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: heartbeat)
                    news.beat()
                }
            }
        }

        deinit {
            heart.cancel()
            onEnd()
            Task { [hub, news] in await hub.leave(news) }
        }

        /// The next event, or a sign of life; the first is one. `nil` when the hub has ended, or the task is cancelled.
        func next() async -> String? {
            guard hasJoined else {
                hasJoined = true
                await hub.join(news)
                return Self.signOfLife
            }
            while let waiting = await news.next() {
                // Which database it was that a follower saw before it came, nobody knows: it is taken for this one.
                if seen == nil, let last, let now = waiting.news?.state {
                    seen = FollowedState(newest: last, replacements: now.replacements)
                }
                guard let news = waiting.news, news.state != seen else {
                    if waiting.hasBeaten { return Self.signOfLife }
                    continue
                }
                let event = await hub.event(of: news, after: seen)
                seen = news.state
                return event
            }
            return nil
        }
    }
#endif

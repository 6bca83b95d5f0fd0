#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Notifies followers of new commits: one look at the log serves them all.
    ///
    ///     id: 31108
    ///     event: commits
    ///     data: {"newest":31108,"commits":[{"commit":31108,…}],"isCut":false}
    ///
    /// The identifier of an event is the newest commit it speaks of. A follower that comes back with it (`Last-Event-ID`)
    /// gets what it missed in one event: at most the last hundred commits, and whether there were more. A follower that
    /// does not read gets fewer events, each with more commits: what waits for it is one number.
    ///
    /// What happened since the last event is put into words once for all who have seen that one.
    actor EventHub {
        /// The most commits in one event.
        static let commitsMax: UInt64 = 100
        /// How long there is nothing new after an event: a program that writes at full speed does not make its watchers, and
        /// what serves them, work as hard.
        static let pause = Duration.milliseconds(100)

        private struct News: Sendable {
            let newest: CommitNumber
            /// The commit that was the newest before, and the event for those who know of it.
            let before: CommitNumber?
            let event: String
        }

        private let history: any InspectedHistory
        private var followers: [Int: AsyncStream<News>.Continuation] = [:]
        private var nextFollower = 0
        private var newest: CommitNumber?

        init(_ history: any InspectedHistory) { self.history = history }

        /// Follows the history until its task ends.
        func run() async {
            for await number in history.follow() {
                if followers.isEmpty {
                    newest = number
                    continue
                }
                let event = await event(of: number, after: newest)
                let news = News(newest: number, before: newest, event: event)
                newest = number
                for follower in followers.values { follower.yield(news) }
                try? await Task.sleep(for: Self.pause)
            }
            for follower in followers.values { follower.finish() }
        }

        /// The events for one follower.
        nonisolated func events(
            after last: CommitNumber?, heartbeat: Duration, onEnd: @escaping @Sendable () -> Void
        ) -> AsyncThrowingStream<String, any Error> {
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(4)) { continuation in
                let task = Task {
                    let (id, numbers) = await self.join()
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { await self.serve(numbers, after: last, to: continuation) }
                        group.addTask {
                            while !Task.isCancelled {
                                continuation.yield(": still here\n\n")
                                try? await Task.sleep(for: heartbeat)
                            }
                        }
                        await group.next()
                        group.cancelAll()
                    }
                    await self.leave(id)
                    continuation.finish()
                }
                continuation.onTermination = { _ in
                    task.cancel()
                    onEnd()
                }
            }
        }

        private func join() -> (Int, AsyncStream<News>) {
            let (stream, continuation) = AsyncStream.makeStream(of: News.self, bufferingPolicy: .bufferingNewest(1))
            nextFollower += 1
            followers[nextFollower] = continuation
            if let newest { continuation.yield(News(newest: newest, before: nil, event: "")) }
            return (nextFollower, stream)
        }

        /// How many follow now.
        var followerCount: Int { followers.count }

        private func leave(_ id: Int) { followers.removeValue(forKey: id)?.finish() }

        private nonisolated func serve(
            _ news: AsyncStream<News>, after last: CommitNumber?,
            to continuation: AsyncThrowingStream<String, any Error>.Continuation
        ) async {
            var seen = last
            for await news in news {
                if Task.isCancelled { return }
                if seen == news.newest { continue }
                let isNext = seen != nil && seen == news.before
                let event = isNext ? news.event : await event(of: news.newest, after: seen)
                seen = news.newest
                continuation.yield(event)
            }
        }

        /// What came after a commit; nothing but the newest if there is none before.
        private nonisolated func event(of number: CommitNumber, after seen: CommitNumber?) async -> String {
            // A number that goes back is another log: a backup that was put back.
            let isAnother = seen.map { number < $0 } ?? false
            var commits: [CommitIndex.Entry] = [], isCut = isAnother
            if let from = seen, !isAnother {
                let first = max(
                    from.next(), CommitNumber(number.rawValue - min(number.rawValue, Self.commitsMax - 1)))
                isCut = first > from.next()
                commits = (try? await history.entries(in: first...number)) ?? []
            }
            let data: CBORValue = [
                "newest": .unsigned(number.rawValue), "commits": .array(commits.map { API.json($0) }),
                "isCut": .bool(isCut),
            ]
            return "id: \(number)\nevent: commits\ndata: \(data.json())\n\n"
        }
    }
#endif

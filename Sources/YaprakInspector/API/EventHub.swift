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
    /// does not read gets fewer events, each with more commits: what waits for it is one number, and the commits of its next
    /// event are those since the last one that it took.
    ///
    /// What happened since the last event is put into words once for all who have seen that one.
    actor EventHub {
        /// The most commits in one event.
        static let commitsMax: UInt64 = 100
        /// How long there is nothing new after an event: a program that writes at full speed does not make its watchers, and
        /// what serves them, work as hard.
        static let pause = Duration.milliseconds(100)

        struct News: Sendable {
            let newest: CommitNumber
            /// The commit that was the newest before, and the event for those who know of it.
            let before: CommitNumber?
            let event: String
        }

        private let history: any InspectedHistory
        private var followers: [ObjectIdentifier: FollowerNews] = [:]
        private var newest: CommitNumber?

        init(_ history: any InspectedHistory) { self.history = history }

        /// Follows the history until its task ends.
        func run() async {
            for await number in history.follow() {
                // A registration, or a type that a collection gets, is a state of its own, without a commit.
                if number == newest { continue }
                if followers.isEmpty {
                    newest = number
                    continue
                }
                let event = await event(of: number, after: newest)
                let news = News(newest: number, before: newest, event: event)
                newest = number
                for follower in followers.values { follower.put(news) }
                try? await Task.sleep(for: Self.pause)
            }
            for follower in followers.values { follower.finish() }
        }

        /// The events for one follower, each made when the one before has been taken.
        ///
        /// - Parameter onEnd: is called once, when nobody can take another.
        nonisolated func events(
            after last: CommitNumber?, heartbeat: Duration, onEnd: @escaping @Sendable () -> Void
        ) -> AsyncThrowingStream<String, any Error> {
            let feed = EventFeed(self, after: last, heartbeat: heartbeat, onEnd: onEnd)
            return AsyncThrowingStream(unfolding: { await feed.next() })
        }

        /// Puts what is new from now on in for a follower, and the newest commit there is.
        func join(_ follower: FollowerNews) {
            followers[ObjectIdentifier(follower)] = follower
            if let newest { follower.put(News(newest: newest, before: nil, event: "")) }
        }

        /// How many follow now.
        var followerCount: Int { followers.count }

        func leave(_ follower: FollowerNews) { followers.removeValue(forKey: ObjectIdentifier(follower))?.finish() }

        /// The event of some news for who has seen a commit: the one that is made already, if that was the newest before.
        nonisolated func event(of news: News, after seen: CommitNumber?) async -> String {
            let isNext = seen != nil && seen == news.before
            return isNext ? news.event : await event(of: news.newest, after: seen)
        }

        /// What came after a commit; nothing but the newest if there is none before, or if nothing came.
        private nonisolated func event(of number: CommitNumber, after seen: CommitNumber?) async -> String {
            // A number that goes back is another log: a backup that was put back.
            let isAnother = seen.map { number < $0 } ?? false
            var commits: [CommitIndex.Entry] = [], isCut = isAnother
            if let from = seen, from < number {
                let first = max(
                    from.next(), CommitNumber(number.rawValue - min(number.rawValue, Self.commitsMax - 1)))
                isCut = first > from.next()
                commits = (try? await history.entries(in: first...number)) ?? []
                // Some may not be known: removed, or made before the inspector came.
                if UInt64(commits.count) <= number.rawValue - first.rawValue { isCut = true }
            }
            let data: CBORValue = [
                "newest": .unsigned(number.rawValue), "commits": .array(commits.map { API.json($0) }),
                "isCut": .bool(isCut),
            ]
            return "id: \(number)\nevent: commits\ndata: \(data.json())\n\n"
        }
    }
#endif

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
    /// Where another database took the place of the one that was followed, `"isReplaced":true` says so: what is known of its
    /// commits is void, though it may have as many.
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
            let state: FollowedState
            /// The state before, and the event for those who know of it.
            let before: FollowedState?
            let event: String
        }

        private let history: any InspectedHistory
        private var followers: [ObjectIdentifier: FollowerNews] = [:]
        private var newest: FollowedState?

        init(_ history: any InspectedHistory) { self.history = history }

        /// Follows the history until its task ends.
        func run() async {
            for await state in history.follow() {
                // A registration, or a type that a collection gets, is a state of its own, without a commit.
                if state == newest { continue }
                if followers.isEmpty {
                    newest = state
                    continue
                }
                let event = await event(of: state, after: newest)
                let news = News(state: state, before: newest, event: event)
                newest = state
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
            if let newest { follower.put(News(state: newest, before: nil, event: "")) }
        }

        /// How many follow now.
        var followerCount: Int { followers.count }

        func leave(_ follower: FollowerNews) { followers.removeValue(forKey: ObjectIdentifier(follower))?.finish() }

        /// The event of some news for who has seen a state: the one that is made already, if that was the newest before.
        nonisolated func event(of news: News, after seen: FollowedState?) async -> String {
            let isNext = seen != nil && seen == news.before
            return isNext ? news.event : await event(of: news.state, after: seen)
        }

        /// What came after a state; nothing but the newest if there is none before, or if nothing came.
        private nonisolated func event(of state: FollowedState, after seen: FollowedState?) async -> String {
            let number = state.newest
            let isReplaced = seen.map { $0.replacements != state.replacements } ?? false
            // A number that goes back is another log: a backup that was put back.
            var commits: [CommitIndex.Entry] = [], isCut = isReplaced || seen.map { number < $0.newest } ?? false
            if let from = seen?.newest, from < number, !isReplaced {
                let first = max(
                    from.next(), CommitNumber(number.rawValue - min(number.rawValue, Self.commitsMax - 1)))
                isCut = first > from.next()
                commits = (try? await history.entries(in: first...number)) ?? []
                // Some may not be known: removed, or made before the inspector came.
                if UInt64(commits.count) <= number.rawValue - first.rawValue { isCut = true }
            }
            var data: [CBORValue.Pair] = [
                .init("newest", .unsigned(number.rawValue)), .init("commits", .array(commits.map { API.json($0) })),
                .init("isCut", .bool(isCut)),
            ]
            if isReplaced { data.append(.init("isReplaced", true)) }
            return "id: \(number)\nevent: commits\ndata: \(CBORValue.map(data).json())\n\n"
        }
    }
#endif

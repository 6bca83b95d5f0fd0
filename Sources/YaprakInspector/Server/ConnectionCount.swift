#if Inspector
    import YaprakLocks

    /// How many there are of something that there may be so many of.
    final class ConnectionCount: Sendable {
        private let most: Int
        private let count = Mutex(0)

        init(max most: Int) { self.most = most }

        /// Counts one more, unless there are enough.
        func add() -> Bool {
            count.withLock { count in
                guard count < most else { return false }
                count += 1
                return true
            }
        }

        /// Counts one less.
        func remove() { count.withLock { $0 -= 1 } }

        /// How many there are now.
        var current: Int { count.withLock { $0 } }
    }
#endif

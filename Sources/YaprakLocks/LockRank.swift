#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The order in which the locks of the package are taken: a lock is taken only while every lock the thread holds has a
/// lower rank. No two locks of one rank are held together, so no two threads can wait for each other.
///
/// The list is complete: a lock that is not named here is a ``leaf``. Debug builds check each acquisition and stop at the
/// first that breaks the order; release builds contain no ranks. `Concurrency.md` explains what each lock protects.
@usableFromInline
package enum LockRank: UInt8, CaseIterable, Sendable {
    /// `Publication`: the newest snapshot and the end of the chain of changesets.
    case publication
    /// `StreamPlace`: where one stream stands in the chain.
    case streamPlace
    /// `ChangesetLink`: the way from one commit to the next.
    case changesetLink
    /// `Timeline`: one slice of reclaiming.
    case reclaiming
    /// `Timeline`: the list of versions.
    case timeline
    /// Everything else. Nothing is taken while one of these is held.
    case leaf
}

#if DEBUG
    /// The ranks a thread holds, one bit each, in a word of the thread's own.
    enum HeldRanks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            precondition(pthread_key_create(&key, nil) == 0, "a thread can be given a word of its own")
            return key
        }()

        private static var held: UInt {
            get { UInt(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }

        /// Called before a lock is taken, so that a deadlock stops the program with a message.
        @inline(never)
        static func willTake(_ rank: LockRank) {
            let bit = UInt(1) << UInt(rank.rawValue)
            precondition(
                held < bit,
                """
                a lock of rank \(rank) is taken while the thread holds \
                \(LockRank.allCases.filter { held & (1 << UInt($0.rawValue)) != 0 }): see LockRank
                """
            )
            held |= bit
        }

        @inline(never)
        static func didRelease(_ rank: LockRank) { held &= ~(UInt(1) << UInt(rank.rawValue)) }
    }
#endif

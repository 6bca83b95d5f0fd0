public import YaprakModel
import YaprakStorage

/// Commits of a log, the newest first.
///
/// A log is written to be read forwards, so this reads stretches of it, each twice as long as the one before: *n* commits
/// cost at most about twice their bytes, and a short search for each doubling. Stretches are short enough to be held: a
/// few megabytes, or one commit if that is larger.
public struct ReversedCommits: AsyncSequence, Sendable {
    /// A commit.
    public typealias Element = ReplayCommit

    let store: StoreReader
    let first: CommitNumber
    let last: CommitNumber

    /// An iterator that starts at the last commit of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Delivers commits, the newest first.
    public struct Iterator: AsyncIteratorProtocol {
        private static let stretchMax: UInt64 = 1 << 14
        private static let heldBytesMax = 8 << 20
        private let commits: ReversedCommits
        private var held: [StoreReader.Commit?] = []
        /// Everything above has been delivered or is held.
        private var below: UInt64
        private var stretch: UInt64 = 64

        init(_ commits: ReversedCommits) {
            self.commits = commits
            below = commits.last.rawValue
        }

        private var floor: UInt64 { Swift.max(1, commits.first.rawValue) }

        /// The commit before the last one delivered, or `nil` when the first of the range was.
        ///
        /// - Throws: as ``ReplayCommits/Iterator/next()``.
        public mutating func next() throws(DatabaseError) -> ReplayCommit? {
            // A stretch may be within a hole that a repair has left: each is then twice as long, however long that is.
            while held.isEmpty, below >= floor { try readStretch() }
            guard let commit = held.popLast() ?? nil else { return nil }
            return try ReplayCommit(commit)
        }

        private mutating func readStretch() throws(DatabaseError) {
            let from = Swift.max(floor, below - Swift.min(below, stretch - 1))
            var stored = try commits.store.commits(
                from: CommitNumber(from), through: CommitNumber(below), skippingHoles: true)
            var bytes = 0, dropped = 0, hasDropped = false
            while let commit = try stored.next() {
                held.append(commit)
                bytes += commit.item.count
                // Too much for once: the older ones come with the next stretch.
                while bytes > Self.heldBytesMax, held.count - dropped > 1 {
                    bytes -= held[dropped]?.item.count ?? 0
                    held[dropped] = nil
                    dropped += 1
                    hasDropped = true
                }
                // Behind a long hole a stretch may have any number of commits.
                if dropped > Int(Self.stretchMax), dropped > held.count / 2 {
                    held.removeFirst(dropped)
                    dropped = 0
                }
            }
            held.removeFirst(dropped)
            // Not counted: there may be a hole among those that were dropped.
            below = hasDropped ? (held.first??.number.rawValue ?? from) - 1 : from - 1
            if hasDropped {
                stretch = UInt64(Swift.max(1, held.count))
            } else {
                let longest = held.isEmpty ? UInt64.max / 2 : Self.stretchMax
                stretch = stretch < longest / 2 ? stretch * 2 : longest
            }
        }
    }
}

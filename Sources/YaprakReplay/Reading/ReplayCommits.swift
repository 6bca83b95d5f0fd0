public import YaprakModel
import YaprakStorage

/// Commits of a log, in the order in which they were made.
///
///     for try await commit in reader.commits(from: 100, through: 200) { print(commit.commitNumber) }
///
/// Ends at the newest commit that is complete when the end is reached. Commits that a repair has marked as missing are
/// left out; their numbers are. The iterator reads a frame at a time and blocks
/// while it does, so that it serves a synchronous `while let commit = try commits.next()` as well.
public struct ReplayCommits: AsyncSequence, Sendable {
    /// A commit.
    public typealias Element = ReplayCommit

    let store: StoreReader
    let first: CommitNumber
    let last: CommitNumber?

    /// An iterator that starts at the first commit of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Delivers commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let commits: ReplayCommits
        private var stored: StoreReader.Commits?

        init(_ commits: ReplayCommits) { self.commits = commits }

        /// The next commit, or `nil` at the end; ask again later where a program may be writing.
        ///
        /// - Throws: `DatabaseError`: `commitOutOfReach` if the log does not reach back to it, or was pruned meanwhile;
        ///   `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
        /// - Complexity: the first is O(bytes of its segment and number of files), the others O(their bytes), whatever
        ///   the number of files; the answer that there is none lists the directory.
        public mutating func next() throws(DatabaseError) -> ReplayCommit? {
            if stored == nil {
                // A new database has no log yet; its first commit may come.
                if try !commits.store.hasLog(), try commits.first > commits.store.newest() { return nil }
                stored = try commits.store.commits(
                    from: commits.first, through: commits.last, skippingHoles: true)
            }
            guard let commit = try stored?.next() else { return nil }
            return try ReplayCommit(commit)
        }
    }
}

extension ReplayReader {
    /// The commits from `first` to `last`, or to the newest there is.
    ///
    /// - Throws: nothing yet; the iterator does, at its first step.
    /// - Complexity: O(1).
    public func commits(from first: CommitNumber = 1, through last: CommitNumber? = nil) -> ReplayCommits {
        ReplayCommits(store: store, first: first, last: last)
    }

    /// The commits from `last`, or the newest there is, back to `first`.
    ///
    /// - Throws: errors of finding the newest: `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: as ``newestCommitNumber()``.
    public func commitsBackwards(
        from first: CommitNumber = 1, through last: CommitNumber? = nil
    ) throws(DatabaseError) -> ReversedCommits {
        let newest = try newestCommitNumber()
        return ReversedCommits(store: store, first: first, last: min(last ?? newest, newest))
    }
}

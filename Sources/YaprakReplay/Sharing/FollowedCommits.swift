import YaprakLocks
public import YaprakModel

/// Commits of a log as they are made, by any program: each once, in order, without an end.
///
///     for try await commit in reader.followedCommits(after: 100) { print(commit.commitNumber, commit.origin) }
///
/// The log is looked at every ``interval`` while there is nothing new, on a thread that no task waits for. Ends when its
/// task is cancelled.
public struct FollowedCommits: AsyncSequence, Sendable {
    /// A commit.
    public typealias Element = ReplayCommit

    let commits: ReplayCommits
    /// How long the log is left alone after it was found to have nothing new.
    public let interval: Duration

    /// An iterator that starts after the commit the sequence was made with. O(1).
    public func makeAsyncIterator() -> Iterator { Iterator(commits, interval) }

    /// Delivers commits.
    public struct Iterator: AsyncIteratorProtocol {
        // One thread at a time: a call of `next()` ends before the next begins, whatever thread it runs on.
        private final class SharedIterator: Sendable {
            let commits: Exclusive<Boxed>
            init(_ commits: ReplayCommits) { self.commits = Exclusive(Boxed(commits.makeAsyncIterator())) }
        }

        private final class Boxed {
            var iterator: ReplayCommits.Iterator
            /// What reading ended with, until the commits before it were delivered.
            var failure: (any Error)?
            init(_ iterator: ReplayCommits.Iterator) { self.iterator = iterator }

            /// The next commits that there are.
            func readBatch() throws -> [ReplayCommit] {
                if let failure {
                    self.failure = nil
                    throw failure
                }
                var read: [ReplayCommit] = [], bytes = 0
                do {
                    while read.count < Iterator.batchMax, bytes < Iterator.batchBytesMax,
                        let commit = try iterator.next()
                    {
                        read.append(commit)
                        bytes += commit.byteCount
                    }
                } catch {
                    if read.isEmpty { throw error }
                    failure = error
                }
                return read
            }
        }

        private static let batchMax = 256
        private static let batchBytesMax = 8 << 20
        private let shared: SharedIterator
        private let interval: Duration
        private var ready: ArraySlice<ReplayCommit> = []

        init(_ commits: ReplayCommits, _ interval: Duration) {
            shared = SharedIterator(commits)
            self.interval = interval
        }

        /// The next commit; waits for it. `nil` when the task is cancelled.
        ///
        /// - Throws: as ``ReplayCommits/Iterator/next()``. - Complexity: O(its bytes).
        public mutating func next() async throws -> ReplayCommit? {
            while !Task.isCancelled {
                if let commit = ready.popFirst() { return commit }
                let shared = shared
                let read: [ReplayCommit]
                do {
                    read = try await BlockingWork.run { try shared.commits.use { try $0.readBatch() } }
                } catch is CancellationError { return nil }
                ready = read[...]
                if ready.isEmpty { try? await Task.sleep(for: interval) }
            }
            return nil
        }
    }
}

extension ReplayReader {
    /// The commits after one, those there are and then those that will be made.
    ///
    /// - Parameters:
    ///   - number: the commit before the first.
    ///   - interval: how long the log is left alone after it was found to have nothing new.
    /// - Complexity: O(1); nothing is read yet.
    public func followedCommits(
        after number: CommitNumber, every interval: Duration = .milliseconds(50)
    ) -> FollowedCommits {
        FollowedCommits(commits: commits(from: CommitNumber(min(number.rawValue, .max - 1) + 1)), interval: interval)
    }
}

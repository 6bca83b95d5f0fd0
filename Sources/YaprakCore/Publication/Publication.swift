import YaprakLocks
import YaprakModel

/// The newest snapshot, and who waits for the one after it.
///
/// The one place where writers and readers meet: a reader holds the lock for one retain. Nobody awaits an actor to
/// read. Waiters are resumed, and what is replaced is released, after the lock.
final class Publication: Sendable {
    private struct State {
        var newest: SnapshotState
        /// The end of the chain, as long as somebody follows it; `nil` otherwise.
        var tail: ChangesetLink?
        /// Those who wait; `nil` until somebody does, and when they are resumed.
        var waiters: [UInt64: CheckedContinuation<Void, Never>]?
        var nextWaiter: UInt64 = 0
        var isClosed = false
        /// Where the chain ended when lagging streams were last looked after.
        var lookedAfter: (number: UInt64, bytes: UInt64)

        /// Whether it is time to look after lagging streams again, `link` being the newest.
        mutating func noteLook(at link: ChangesetLink, bytes: UInt64) -> Bool {
            let isDue =
                link.number.rawValue &- lookedAfter.number >= commitsBetweenLooks
                || link.bytes &- lookedAfter.bytes >= bytes
            if isDue { lookedAfter = (link.number.rawValue, link.bytes) }
            return isDue
        }
    }

    /// Streams are looked after once in so many commits, or earlier where commits are large.
    private static let commitsBetweenLooks: UInt64 = 256

    private var bytesBetweenLooks: UInt64 { UInt64(max(lagLimit.bytes / 16, 1)) }

    private let state: Mutex<State>
    /// All live streams of changesets.
    let streams = Mutex(StreamRegistry())
    let lagLimit: LagLimit
    /// Whether the last commit found somebody who follows: then the next one makes its link before it takes the lock. Only
    /// `publish` knows it, and commits are published one after the other.
    nonisolated(unsafe) private var isFollowed = false

    /// Whether a seed decides what runs next; see `WorkScheduler`.
    private let isScheduled: Bool

    /// - Parameter isScheduled: whether those who wait are resumed one after the other, in the order in which they came.
    init(_ first: SnapshotState, lagLimit: LagLimit, isScheduled: Bool = false) {
        state = Mutex(State(newest: first, lookedAfter: (first.number.rawValue, 0)), rank: .publication)
        self.lagLimit = lagLimit
        self.isScheduled = isScheduled
    }

    /// The newest published state.
    var newest: SnapshotState { readNewest() }

    @inline(never)
    private func readNewest() -> SnapshotState { state.withLockInlined { $0.newest } }

    /// The newest state together with its place in the chain of commits, and whether it is the last: nothing is published after
    /// the publication has closed. Asked for one after the other, commits and the end could come in between.
    var newestWithTail: (newest: SnapshotState, tail: ChangesetLink, isLast: Bool) {
        state.withLock { state in
            let tail =
                state.tail
                ?? ChangesetLink(changeset: nil, number: state.newest.number, bytes: state.lookedAfter.bytes)
            state.tail = tail
            return (state.newest, tail, state.isClosed)
        }
    }

    /// The newest state, and whether it is the last; see ``newestWithTail``.
    var newestOrLast: (newest: SnapshotState, isLast: Bool) { state.withLock { ($0.newest, $0.isClosed) } }

    /// Makes a commit what readers see from this instant on. Of one that nobody follows, no changeset is made.
    @inline(never)
    func publish(_ commit: borrowing Draft.Sealed) {
        publish(commit.state, isCommit: true) {
            ChangesetLink(
                changeset: Changeset(commit.contents), number: commit.state.number, bytes: UInt64(commit.retainedBytes))
        }
    }

    /// The same of a plain one, which has left its changes in the draft that made it.
    @inline(never)
    func publish(_ newest: SnapshotState, of draft: Draft, origin: String, nanoseconds: Int64) {
        publish(newest, isCommit: true) {
            let contents = draft.takeContents(origin: origin, nanoseconds: nanoseconds)
            let bytes = contents.retainedBytes()
            return ChangesetLink(changeset: Changeset(contents), number: newest.number, bytes: UInt64(bytes))
        }
    }

    /// The same of one whose changeset is made.
    ///
    /// - Parameter bytes: what the changeset keeps in memory, about.
    @inline(never)
    func publish(_ newest: SnapshotState, _ changeset: Changeset, bytes: Int) {
        publish(newest, isCommit: true) {
            ChangesetLink(changeset: changeset, number: newest.number, bytes: UInt64(bytes))
        }
    }

    /// Makes the same commit in another shape what readers see from this instant on: a collection was bound, an extension
    /// registered.
    @inline(never)
    func publish(_ newest: SnapshotState) {
        publish(newest, isCommit: false) { preconditionFailure("no commit, no link") }
    }

    /// - Parameter makeLink: makes the link of the commit, if somebody follows.
    @inline(__always)
    private func publish(_ newest: SnapshotState, isCommit: Bool, makeLink: () -> ChangesetLink) {
        let prepared = isCommit && isFollowed ? makeLink() : nil
        let (old, woken, laggards) = state.withLockInlined { state in
            let old = state.newest
            state.newest = newest
            var oldTail: ChangesetLink?
            var laggards: ChangesetLink?
            if isCommit, state.tail != nil {
                // Who follows holds the end of the chain, or a link whose successors end there.
                isFollowed = !isKnownUniquelyReferenced(&state.tail)
                oldTail = state.tail.take()
                if isFollowed {
                    let link = prepared ?? makeLink()
                    oldTail?.append(link)
                    state.tail = link
                    if state.noteLook(at: link, bytes: bytesBetweenLooks) { laggards = link }
                }
            }
            return ((old, oldTail, prepared), state.waiters.take(), laggards)
        }
        if let woken { resume(woken) }
        withExtendedLifetime(old) {}
        if let laggards { detachLaggingStreams(behind: laggards) }
    }

    /// Ends every stream.
    func close() {
        let woken: [UInt64: CheckedContinuation<Void, Never>]? = state.withLock { state in
            state.isClosed = true
            return state.waiters.take()
        }
        if let woken { resume(woken) }
    }

    /// Resumes those who wait: a few at once, many in a task, so that no writer wakes more than a few.
    @inline(never)
    private func resume(_ waiters: [UInt64: CheckedContinuation<Void, Never>]) {
        if isScheduled {
            for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
        } else if waiters.count <= Self.resumedMax {
            for waiter in waiters.values { waiter.resume() }
        } else {
            // High, whatever the priorities of those who wait: resuming a task queues it at its own. A task of lower priority
            // than they have could itself wait for a thread; to find the highest, the writer would have to look at each.
            Task.detached(priority: .high) {
                for (index, waiter) in waiters.values.enumerated() {
                    waiter.resume()
                    if index % Self.resumedMax == Self.resumedMax - 1 { await Task.yield() }
                }
            }
        }
    }

    /// A writer resumes at most so many itself.
    private static let resumedMax = 64

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters?.count ?? 0 } }

    /// Returns when something newer than `seen` is published, when the publication closes, or when the task is cancelled.
    func wait(after seen: SnapshotState) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = state.withLock { state in
                    guard state.newest === seen, !state.isClosed, !Task.isCancelled else { return false }
                    if state.waiters == nil { state.waiters = [:] }
                    state.waiters?[id] = continuation
                    return true
                }
                if !wait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters?.removeValue(forKey: id) }?.resume()
        }
    }
}

import YaprakLocks
import YaprakStorage

/// The newest snapshot, and who waits for the one after it.
///
/// The one place where writers and readers meet: a lock held for nanoseconds on either side. Nobody awaits an actor to
/// read. Waiters are resumed after the lock is let go.
final class Publication: Sendable {
    private struct State {
        var newest: SnapshotState
        var tail: ChangesetLink
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false
        var cursors: [WeakCursor] = []
    }

    private struct WeakCursor {
        weak var cursor: ChangesetCursor?
    }

    /// Streams are looked after once in so many commits.
    private static let careInterval: UInt64 = 256

    private let state: Mutex<State>

    init(_ first: SnapshotState) {
        state = Mutex(State(newest: first, tail: ChangesetLink(changeset: nil, number: first.number)))
    }

    /// The newest published state. Nanoseconds.
    var newest: SnapshotState { state.withLock { $0.newest } }

    /// The newest state together with its place in the chain of commits.
    var newestWithTail: (SnapshotState, ChangesetLink) { state.withLock { ($0.newest, $0.tail) } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Makes `newest` what readers see from this instant on. With a changeset it is a commit; without one it is the
    /// same commit in another shape (a collection was bound, an extension registered).
    func publish(_ newest: SnapshotState, _ changeset: Changeset?) {
        let link = changeset.map { ChangesetLink(changeset: $0, number: newest.number) }
        // What is replaced is let go of outside the lock.
        let (old, woken) = state.withLock { state in
            let old = (state.newest, state.tail)
            state.newest = newest
            if let link {
                state.tail.next.withLock { $0 = link }
                state.tail = link
            }
            let woken = state.waiters
            if !woken.isEmpty { state.waiters = [:] }
            return (old, woken)
        }
        for waiter in woken.values { waiter.resume() }
        withExtendedLifetime(old) {}
        if link != nil, newest.number.rawValue % Self.careInterval == 0 { cutLaggingCursors(newest.number) }
    }

    func care(for cursor: ChangesetCursor) {
        state.withLock { state in
            state.cursors.removeAll { $0.cursor == nil }
            state.cursors.append(WeakCursor(cursor: cursor))
        }
    }

    private func cutLaggingCursors(_ newest: CommitNumber) {
        let cursors = state.withLock { $0.cursors.compactMap(\.cursor) }
        for cursor in cursors { cursor.cut(newest: newest) }
    }

    /// Ends every stream.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in woken.values { waiter.resume() }
    }

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
                    state.waiters[id] = continuation
                    return true
                }
                if !wait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}

import YaprakLocks
import YaprakModel

/// The completion of one queued commit: where its writer waits for the log.
///
/// Others may wait beside the writer: who closes, drains or binds waits for the newest commit.
///
///     open ──resolve──▶ resolved
///       └────wait────▶ waiting ──resolve──▶ resolved, all who wait go on
final class CommitTicket: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, any Error>])
        case resolved(Result<Void, DatabaseError>)
    }

    private let state = Mutex(State.waiting([]))

    /// Says what became of it. Once.
    func resolve(_ result: Result<Void, DatabaseError>) {
        let waiters: [CheckedContinuation<Void, any Error>] = state.withLock { state in
            defer { state = .resolved(result) }
            if case .waiting(let waiters) = state { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume(with: result.mapError { $0 as any Error }) }
    }

    /// Returns when the commit is durable as the options demand.
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `abandoned`, `readOnly`.
    nonisolated(nonsending) func wait() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let result: Result<Void, DatabaseError>? = state.withLock { state in
                switch state {
                case .resolved(let result): return result
                case .waiting(let waiters):
                    state = .waiting(waiters + [continuation])
                    return nil
                }
            }
            if let result { continuation.resume(with: result.mapError { $0 as any Error }) }
        }
    }
}

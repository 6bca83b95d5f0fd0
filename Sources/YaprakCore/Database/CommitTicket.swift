import YaprakLocks
import YaprakModel

/// The completion of one queued commit: where its writer waits for the log.
///
/// Others may wait beside the writer: who closes, drains or binds waits for the newest commit.
///
///     open ──resolve──▶ resolved
///       └────wait────▶ waiting ──resolve──▶ resolved, all who wait go on
final class CommitTicket: Sendable {
    private struct State {
        var waiters: [CheckedContinuation<Void, any Error>] = []
        /// `nil` while it is open.
        var result: Result<Void, DatabaseError>?
    }

    private let state = Mutex(State())

    /// Says what became of it. Once.
    func resolve(_ result: Result<Void, DatabaseError>) {
        let waiters: [CheckedContinuation<Void, any Error>] = state.withLock { state in
            defer { state = State(result: result) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(with: result.mapError { $0 as any Error }) }
    }

    /// Returns when the commit is durable as the options demand.
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `abandoned`, `readOnly`.
    nonisolated(nonsending) func wait() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let result: Result<Void, DatabaseError>? = state.withLock { state in
                if state.result == nil { state.waiters.append(continuation) }
                return state.result
            }
            if let result { continuation.resume(with: result.mapError { $0 as any Error }) }
        }
    }
}

import Synchronization
import YaprakStorage

/// Where a writer waits for the log to say what became of its commit.
///
///     open ──resolve──▶ resolved
///       └────wait────▶ waiting ──resolve──▶ resolved, the waiter goes on
final class CommitTicket: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Void, any Error>)
        case resolved(Result<Void, DatabaseError>)
    }

    private let state = Mutex(State.open)

    /// Says what became of it. Once.
    func resolve(_ result: Result<Void, DatabaseError>) {
        let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
            defer { state = .resolved(result) }
            if case .waiting(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume(with: result.mapError { $0 as any Error })
    }

    /// Returns when the commit is durable as the options demand.
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `abandoned`, `readOnly`.
    nonisolated(nonsending) func wait() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let result: Result<Void, DatabaseError>? = state.withLock { state in
                if case .resolved(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(with: result.mapError { $0 as any Error }) }
        }
    }
}

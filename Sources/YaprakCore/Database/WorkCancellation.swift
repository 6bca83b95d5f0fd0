import YaprakLocks
import YaprakStorage

/// Whether the task that asked for blocking work was cancelled: the thread that does it has no task that it could ask.
final class WorkCancellation: Sendable {
    private let isCancelled = Mutex(false)

    /// - Throws: `CancellationError` if nobody waits for the work any more.
    func check() throws(CancellationError) { if isCancelled.withLock({ $0 }) { throw CancellationError() } }

    fileprivate func cancel() { isCancelled.withLock { $0 = true } }
}

extension DatabaseFiles {
    /// Runs blocking work as `blocking(on:_:)`; the work looks at its argument now and then where it takes long.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before it began.
    static func cancellable<Result: Sendable>(
        on scheduler: (any WorkScheduler)?, _ body: @escaping @Sendable (WorkCancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = WorkCancellation()
        return try await withTaskCancellationHandler {
            try await blocking(on: scheduler) {
                try cancellation.check()
                return try body(cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

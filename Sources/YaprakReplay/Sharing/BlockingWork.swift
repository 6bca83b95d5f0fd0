import Dispatch
internal import YaprakLocks

/// Runs what blocks while it reads files, on threads that no task waits for.
package enum BlockingWork {
    /// Whether the task that asked for some work was cancelled: a thread of a queue has no task that it could ask.
    package final class Cancellation: Sendable {
        private let flag = Mutex(false)

        /// Whether nobody waits for the work any more.
        package var isCancelled: Bool { flag.withLock { $0 } }

        /// - Throws: `CancellationError` if nobody waits for the work any more.
        package func check() throws(CancellationError) { if isCancelled { throw CancellationError() } }

        fileprivate func cancel() { flag.withLock { $0 = true } }
    }

    private static let queue = DispatchQueue(label: "yaprak.replay", qos: .userInitiated, attributes: .concurrent)

    /// The result of `body`, which runs on another thread and looks at its argument now and then where it takes long.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before it began.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await Errand.run {
                try cancellation.check()
                return try body(cancellation)
            } by: {
                queue.async(execute: $0)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// The same for what takes no longer than a task that was cancelled may wait.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await run { _ in try body() }
    }
}

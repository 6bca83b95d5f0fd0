import Dispatch
internal import YaprakLocks

/// Runs what blocks while it reads files, on threads that no task waits for.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "yaprak.replay", qos: .userInitiated, attributes: .concurrent)

    /// The result of `body`, which runs on another thread.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

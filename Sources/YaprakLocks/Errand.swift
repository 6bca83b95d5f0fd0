/// Work that one task asks for and a thread does.
///
///     let bytes = try await Errand.run({ try read(path) }, by: { DispatchQueue.global().async(execute: $0) })
///
/// The thread keeps none of it: what the work refers to is let go before the task goes on, and the result is the task's.
/// Otherwise a thread that is slow to end would still have a snapshot, a file or a whole database after the call that used
/// it has returned.
package final class Errand<Value: Sendable>: Sendable {
    private enum State {
        case todo(@Sendable () throws -> Value)
        case underway
        case done(Result<Value, any Error>)
    }

    private let state: Mutex<State>

    private init(_ body: @escaping @Sendable () throws -> Value) { state = Mutex(.todo(body)) }

    /// The result of `body`.
    ///
    /// - Parameter start: gets the work, and runs it once, on any thread.
    /// - Throws: what `body` throws.
    package static func run(
        _ body: @escaping @Sendable () throws -> Value, by start: (@escaping @Sendable () -> Void) -> Void
    ) async throws -> Value {
        let errand = Errand(body)
        await withCheckedContinuation { continuation in
            start {
                errand.perform()
                continuation.resume()
            }
        }
        return try errand.takeResult()
    }

    @inline(never)
    private func perform() {
        guard case .todo(let body) = replace(with: .underway) else { preconditionFailure("an errand is run once") }
        let result = Result { try body() }
        _ = replace(with: .done(result))
    }

    @inline(never)
    private func takeResult() throws -> Value {
        guard case .done(let result) = replace(with: .underway) else {
            preconditionFailure("an errand that ended has a result, and one taker")
        }
        return try result.get()
    }

    private func replace(with next: State) -> State {
        state.withLock { state in
            defer { state = next }
            return state
        }
    }
}

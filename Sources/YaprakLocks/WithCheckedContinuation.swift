// Waiting for a continuation, as the thread sanitizer has to see it. In builds without it this file is empty.
//
// What precedes `resume` precedes what follows the `await`. The runtime says both halves to the sanitizer where the task
// waits already, but only the first where `resume` comes before the `await`: the task then goes on at once
// (`swift_continuation_awaitImpl` in the runtime's Task.cpp releases the task's address, and never acquires it). A value
// that another thread has made is then reported as a race. These functions stand before the standard library's in every
// file that imports this module, and say the second half.

#if YAPRAK_TSAN
    @_silgen_name("__tsan_acquire")
    private func acquire(_ address: UnsafeRawPointer)

    /// The address that the runtime released: a task is what its handle consists of.
    @inline(never)
    private func acquireTask() {
        withUnsafeCurrentTask { task in
            guard let task else { return }
            precondition(MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UnsafeRawPointer>.size)
            acquire(unsafeBitCast(task, to: UnsafeRawPointer.self))
        }
    }

    package func withCheckedContinuation<Value>(
        isolation: isolated (any Actor)? = #isolation, function: String = #function,
        _ body: (CheckedContinuation<Value, Never>) -> Void
    ) async -> sending Value {
        defer { acquireTask() }
        return await _Concurrency.withCheckedContinuation(isolation: isolation, function: function, body)
    }

    package func withCheckedThrowingContinuation<Value>(
        isolation: isolated (any Actor)? = #isolation, function: String = #function,
        _ body: (CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> sending Value {
        defer { acquireTask() }
        return try await _Concurrency.withCheckedThrowingContinuation(
            isolation: isolation, function: function, body)
    }
#endif

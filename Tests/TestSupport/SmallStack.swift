import Foundation

/// Threads with as little stack as a secondary thread of macOS and iOS has: 512 kB.
///
///     try SmallStack.run { _ = try decoder.decode(Nested.self, from: bytes) }
///     try await Task(executorPreference: SmallStack.executor) { try await database.write { … } }.value
public enum SmallStack {
    static let bytes = 512 << 10

    /// Runs `body` on such a thread, and waits for it. Only for tests whose thread may wait.
    public static func run<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        // The caller waits while the thread runs it.
        nonisolated(unsafe) let body = body
        let done = DispatchSemaphore(value: 0)
        // Written by the thread, read after it has signalled.
        nonisolated(unsafe) var result: Result<Value, any Error>?
        let thread = Thread {
            result = Result { try body() }
            done.signal()
        }
        thread.stackSize = bytes
        thread.start()
        done.wait()
        return try result!.get()
    }

    /// Runs each job on such a thread of its own.
    public static let executor: any TaskExecutor = Executor()

    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            thread.stackSize = SmallStack.bytes
            thread.start()
        }
    }
}

import Foundation

/// Measures processor time, of asynchronous work, too: for laws of growth, in which other processes must not count.
///
///     let clock = ProcessorClock()
///     try await expectGrowth("cascade", 500) { count in
///         try await clock.measure { try await database.write { … } }
///     }
///
/// The work runs on a thread of its own, where the actors that it calls come along. What it starts without waiting for it (a
/// thread of the log, an unstructured task) is not measured.
public struct ProcessorClock: Sendable {
    /// A clock.
    public init() {}

    /// The processor time of synchronous work on the calling thread.
    public func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = ThreadClock.seconds
        try body()
        return .seconds(ThreadClock.seconds - start)
    }

    /// The processor time of work on a thread of its own.
    public func measure(_ body: () async throws -> Void) async rethrows -> Duration {
        let thread = MeasuringThread()
        defer { thread.end() }
        return try await withTaskExecutorPreference(thread) {
            let start = ThreadClock.seconds
            try await body()
            return .seconds(ThreadClock.seconds - start)
        }
    }
}

/// One thread that runs the jobs of one measurement.
private final class MeasuringThread: TaskExecutor {
    private let condition = NSCondition()
    // Only touched under the condition's lock.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []
    private nonisolated(unsafe) var isOver = false

    init() {
        let thread = Thread { self.work() }
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    /// No measurement needs the thread any more. What is still queued for it, such as the end of a task it started, is run first.
    func end() {
        condition.lock()
        isOver = true
        condition.signal()
        condition.unlock()
    }

    private func work() {
        while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty && !isOver { condition.wait() }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}

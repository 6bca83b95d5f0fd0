import Foundation

/// Threads beside the cooperative pool, for tests that block or compute for long.
///
/// The pool has as many threads as the machine has cores, perhaps two, and gets no more when one of them waits. What a
/// test has to wait for, another test's time limit included, then never runs. A job given to these threads takes one that
/// is idle, or a new one: none waits for another.
///
///     @Suite(.bounded) struct KillTests { … }
///
///     let writer = Task(executorPreference: OwnThreads.shared) { try await database.write { _ in gate.wait() } }
public final class OwnThreads: TaskExecutor {
    /// The only ones.
    public static let shared = OwnThreads()

    private struct State {
        var jobs: [UnownedJob] = []
        /// Threads that will look for a job without being asked to: those that wait, and those that are being started.
        var ready = 0
    }

    private let condition = NSCondition()
    // Only touched under the condition's lock.
    private nonisolated(unsafe) var state = State()

    private static let idleMax = 8

    private init() {}

    /// Runs a job at once, on a thread where nothing else runs.
    public func enqueue(_ job: consuming ExecutorJob) {
        condition.lock()
        state.jobs.append(UnownedJob(job))
        let needsThread = state.ready < state.jobs.count
        if needsThread { state.ready += 1 }
        condition.signal()
        condition.unlock()
        guard needsThread else { return }
        let thread = Thread { self.work() }
        // As the main thread has it: a debug build of a test is not sparing.
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func work() {
        while true {
            let job = nextJob()
            job.runSynchronously(on: asUnownedTaskExecutor())
            condition.lock()
            let isSpare = state.ready >= Self.idleMax
            if !isSpare { state.ready += 1 }
            condition.unlock()
            if isSpare { return }
        }
    }

    /// Takes a job: the caller is ready no longer. Waits for one as long as it takes.
    private func nextJob() -> UnownedJob {
        condition.lock()
        defer { condition.unlock() }
        while state.jobs.isEmpty { condition.wait() }
        state.ready -= 1
        return state.jobs.removeFirst()
    }
}

internal import ToolSupport
internal import YaprakLocks
package import YaprakStorage

/// Runs tasks, the log and blocking work on one thread, in an order that follows from a seed: one seed is one history.
///
///     let scheduler = SeededScheduler(seed: 7)
///     options.store.scheduler = scheduler
///     let result = scheduler.run { … }            // nil: everybody waits, and nobody will ever be woken
///
/// Whatever can run next is in one of three lines: jobs of tasks, work that blocks, logs with something to do. The seed
/// picks. Work that blocks is interrupted where it writes to the disk: others run in between, on the same thread, above it
/// on the stack. They are chosen so that none waits for one below it.
///
/// Tasks must be structured, or be given the executor: one that runs elsewhere is not part of the history.
package final class SeededScheduler: TaskExecutor, WorkScheduler, @unchecked Sendable {
    // Only one thread runs it; the lock is for jobs that come from elsewhere, such as a detached task of the engine.
    private let incoming = Mutex<[UnownedJob]>([])
    private var jobs: [UnownedJob] = []
    private var works: [@Sendable () -> Void] = []
    private var logs: [(turn: @Sendable () -> LogRest, due: UInt64)] = []
    private var random: SplitMix64
    private var clock: UInt64 = 1_000_000_000
    /// What is on the stack.
    private var isInJob = false
    private var isInLog = false
    private var depth = 0

    /// What to do before a step, by its number.
    private var plans: [(step: Int, body: @Sendable () -> Void)] = []

    /// How many times something was picked.
    package private(set) var steps = 0
    /// A digest of all picks, in order.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    /// A run that takes longer than this hangs.
    private static let stepsMax = 2_000_000

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    // MARK: What comes

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        incoming.withLock { $0.append(job) }
    }

    package func run(_ work: @escaping @Sendable () -> Void) { works.append(work) }

    package func logHasWork(_ turn: @escaping @Sendable () -> LogRest) { logs.append((turn, 0)) }

    package func now() -> UInt64 { clock }

    /// Does something so many steps from now, between two that run. At once for 0.
    package func plan(inSteps count: Int, _ body: @escaping @Sendable () -> Void) {
        if count == 0 { body() } else { plans.append((steps + count, body)) }
    }

    // MARK: What runs

    /// Runs `body` and everything it starts until there is nothing left to run.
    /// - Returns: the result; nil if it did not come to its end.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result? {
        let result = Mutex<Result?>(nil)
        let box = Box(result: result)
        let task = Task(executorPreference: self) { box.set(await body()) }
        while steps < Self.stepsMax, step(jobs: true, works: true, log: true) || advanceClock() {}
        withExtendedLifetime(task) {}
        return box.value()
    }

    private final class Box<Result: Sendable>: Sendable {
        private let result: Mutex<Result?>
        init(result: consuming sending Mutex<Result?>) { self.result = result }
        func set(_ value: Result) { result.withLock { $0 = value } }
        func value() -> Result? { result.withLock { $0 } }
    }

    /// Runs one of what may run; false if there is nothing.
    private func step(jobs runsJobs: Bool, works runsWorks: Bool, log runsLog: Bool) -> Bool {
        jobs += incoming.withLock { incoming in
            defer { incoming.removeAll(keepingCapacity: true) }
            return incoming
        }
        let jobCount = runsJobs ? jobs.count : 0
        let workCount = runsWorks ? works.count : 0
        let due = runsLog && !isInLog ? logs.indices.filter { logs[$0].due <= clock } : []
        let count = jobCount + workCount + due.count
        guard count > 0 else { return false }
        let pick = count == 1 ? 0 : random.below(count)
        steps += 1
        clock += 1000
        while let plan = plans.firstIndex(where: { $0.step <= steps }) { plans.remove(at: plan).body() }
        digest = (digest ^ UInt64(pick + count << 16)) &* 0x100_0000_01B3
        if pick < jobCount {
            let job = jobs.remove(at: pick)
            let before = isInJob
            isInJob = true
            job.runSynchronously(on: asUnownedTaskExecutor())
            isInJob = before
        } else if pick < jobCount + workCount {
            works.remove(at: pick - jobCount)()
        } else {
            runLog(due[pick - jobCount - workCount])
        }
        return true
    }

    private func runLog(_ index: Int) {
        let turn = logs.remove(at: index).turn
        isInLog = true
        let rest = turn()
        isInLog = false
        switch rest {
        case .more: logs.append((turn, 0))
        case .idle(until: let deadline?): logs.append((turn, deadline))
        case .idle(until: nil), .ended: break
        }
    }

    /// Moves the clock to the next deadline, if there is one.
    private func advanceClock() -> Bool {
        guard let next = logs.map(\.due).min(), next > clock else { return false }
        clock = next
        return true
    }

    package func wait(until isDone: () -> Bool) {
        while !isDone() {
            if step(jobs: false, works: false, log: true) || advanceClock() { continue }
            preconditionFailure("work waits for a log that has nothing to do")
        }
    }

    /// Lets others run, where blocking work or the log is about to change the disk.
    package func interrupt() {
        guard !isInJob, depth < 3 else { return }
        depth += 1
        defer { depth -= 1 }
        while random.chance(40) {
            // Work that waits for the log can't run above a turn of it.
            guard step(jobs: true, works: !isInLog && depth < 2, log: !isInLog) else { return }
        }
    }
}

internal import Dispatch
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
/// on the stack. They are chosen so that none waits for one below it. When nothing can run, the clock moves to the next
/// deadline.
///
/// Tasks must be structured, or be given the executor: one that runs elsewhere is not part of the history. ``escapes`` counts
/// how often one of those was noticed.
package final class SeededScheduler: WorkScheduler, @unchecked Sendable {
    // Only one thread runs it, and touches what is not behind the lock. What comes may come from others: a task that
    // escaped, an object that is released elsewhere.
    private struct Incoming {
        var jobs: [UnownedJob] = []
        var works: [@Sendable () -> Void] = []
        var logs: [LogTurn] = []
        var isDriven = false
        var escapes = 0
    }

    private let incoming = Mutex(Incoming())
    private let arrival = DispatchSemaphore(value: 0)
    private var jobs: [UnownedJob] = []
    private var works: [@Sendable () -> Void] = []
    /// A log with something to do. Not a tuple: a closure that goes into one and out again is wrapped each time.
    private struct LogTurn: Sendable {
        let turn: @Sendable () -> LogRest
        var due: UInt64
    }
    private var logs: [LogTurn] = []
    private var random: SplitMix64
    private var clock: UInt64 = 1_000_000_000
    /// What is on the stack.
    private var isInJob = false
    private var isInLog = false
    private var depth = 0

    /// What to do before a step, by its number.
    private var plans: [(step: Int, body: @Sendable () -> Void)] = []

    /// Who waits for a time.
    private let timers: (any TimerLine)?

    /// How many times something was picked.
    package private(set) var steps = 0
    /// A digest of all picks, in order.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Whether it has stopped at its last step, with something left to run.
    package private(set) var isExhausted = false

    /// A run that takes longer than this hangs.
    package static let stepsMax = 2_000_000
    private let stepsMax: Int
    /// Whether the thread is the one that runs a scheduler.
    private static let isDriving = ThreadFlag()

    /// Whether the thread is one that runs a scheduler: it may block for what others do, and nobody else waits for it.
    package static var isOnThread: Bool { isDriving.isSet }

    /// - Parameter stepsMax: it stops after so many steps.
    package init(seed: UInt64, timers: (any TimerLine)? = nil, stepsMax: Int = SeededScheduler.stepsMax) {
        random = SplitMix64(seed: seed)
        self.timers = timers
        self.stepsMax = stepsMax
    }

    // MARK: What comes

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isForeign = !Self.isDriving.isSet
        let wakes = incoming.withLock { incoming in
            incoming.jobs.append(job)
            guard isForeign, incoming.isDriven else { return false }
            incoming.escapes += 1
            return true
        }
        if wakes { arrival.signal() }
    }

    package func run(_ work: @escaping @Sendable () -> Void) {
        let isForeign = !Self.isDriving.isSet
        incoming.withLock { $0.works.append(work) }
        if isForeign { arrival.signal() }
    }

    package func logHasWork(_ turn: @escaping @Sendable () -> LogRest) {
        let log = LogTurn(turn: turn, due: 0)
        if Self.isDriving.isSet { return logs.append(log) }
        incoming.withLock { $0.logs.append(log) }
        arrival.signal()
    }

    package func now() -> UInt64 { clock }

    package var isDriven: Bool { incoming.withLock { $0.isDriven } }

    package func noteUse() {
        guard !Self.isDriving.isSet else { return }
        incoming.withLock { if $0.isDriven { $0.escapes += 1 } }
    }

    /// How often a task that runs elsewhere woke one that runs here, or used a database.
    package var escapes: Int { incoming.withLock { $0.escapes } }

    /// Does something so many steps from now, between two that run. At once for 0.
    package func plan(inSteps count: Int, _ body: @escaping @Sendable () -> Void) {
        if count <= 0 { body() } else { plans.append((steps + min(count, stepsMax), body)) }
    }

    /// No call takes longer than until here. Deadlines that are set then still fit the numbers.
    private static let longestCall = UInt64(Int64.max)

    /// Lets time pass: a call that takes long.
    package func pass(_ nanoseconds: UInt64) {
        catchUp()
        let rest = Self.longestCall - min(clock, Self.longestCall)
        move(by: min(nanoseconds, rest))
    }

    /// Somebody else may have moved the time of those who wait for it: a test, by its clock.
    private func catchUp() { clock = max(clock, timers?.elapsed ?? 0) }

    private func move(by nanoseconds: UInt64) {
        clock += nanoseconds
        timers?.advance(to: clock)
    }

    // MARK: What runs

    /// Runs `body` and everything it starts until there is nothing left to run.
    /// - Returns: the result; nil if it did not come to its end.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result? {
        let run = start(body)
        drive(run, patience: 0)
        return run.result
    }

    /// What a run came to.
    package final class Run<Result: Sendable>: Sendable {
        private let value = Mutex<Result?>(nil)
        fileprivate init() {}
        fileprivate func set(_ result: Result) { value.withLock { $0 = result } }
        /// The result; nil if it has not come to its end.
        package var result: Result? { value.withLock { $0 } }
    }

    /// Makes the task of a run. It has the task-local values of the caller. Nothing runs before ``drive(_:patience:isFailure:)``.
    package func start<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Run<Result> {
        let run = Run<Result>()
        Task(executorPreference: self) { run.set(await body()) }
        return run
    }

    /// Runs everything, on this thread, until there is nothing left to run.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for tasks that escaped, each time, in seconds.
    ///   - isFailure: whether a result is a failure. After one time stands still for those who wait for it: nobody may be left to
    ///     cancel them.
    package func drive<Result>(_ run: Run<Result>, patience: Double, isFailure: (Result) -> Bool = { _ in false }) {
        _ = Self.isDriving.unlessSet {
            incoming.withLock { $0.isDriven = true }
            while true {
                if steps >= stepsMax, hasSomethingLeft() {
                    isExhausted = true
                    break
                }
                if step(jobs: true, works: true, log: true) { continue }
                let hasFailed = run.result.map(isFailure) ?? false
                if !hasFailed, advanceClock() { continue }
                guard run.result == nil, patience > 0, arrival.wait(timeout: .now() + patience) == .success else {
                    break
                }
            }
            incoming.withLock { $0.isDriven = false }
            // What came at the last moment: nobody else runs it.
            while step(jobs: false, works: true, log: false) {}
        }
    }

    /// Whether there is something to run, now or at a later time.
    private func hasSomethingLeft() -> Bool {
        takeIncoming()
        return !(jobs.isEmpty && works.isEmpty && logs.isEmpty) || nextDeadline != nil
    }

    private func takeIncoming() {
        incoming.withLock { incoming in
            jobs += incoming.jobs
            works += incoming.works
            if !incoming.logs.isEmpty {
                logs += incoming.logs
                incoming.logs = []
            }
            incoming.jobs.removeAll(keepingCapacity: true)
            incoming.works.removeAll(keepingCapacity: true)
        }
    }

    /// Runs one of what may run; false if there is nothing.
    private func step(jobs runsJobs: Bool, works runsWorks: Bool, log runsLog: Bool) -> Bool {
        takeIncoming()
        catchUp()
        let jobCount = runsJobs ? jobs.count : 0
        let workCount = runsWorks ? works.count : 0
        let due = runsLog && !isInLog ? logs.indices.filter { logs[$0].due <= clock } : []
        let count = jobCount + workCount + due.count
        guard count > 0 else { return false }
        let pick = count == 1 ? 0 : random.below(count)
        steps += 1
        move(by: 1000)
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
        var log = logs.remove(at: index)
        isInLog = true
        let rest = log.turn()
        isInLog = false
        switch rest {
        case .more: log.due = 0
        case .idle(until: let deadline?): log.due = deadline
        case .idle(until: nil), .ended: return
        }
        logs.append(log)
    }

    /// The next time that something waits for.
    private var nextDeadline: UInt64? {
        [logs.map(\.due).min(), timers?.nextDeadline].compactMap { $0 }.filter { $0 > clock }.min()
    }

    /// Moves the clock to the next deadline, if there is one.
    private func advanceClock() -> Bool {
        guard let next = nextDeadline else { return false }
        move(by: next - clock)
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
        guard Self.isDriving.isSet, !isInJob, depth < 3 else { return }
        depth += 1
        defer { depth -= 1 }
        while random.chance(40) {
            // Work that waits for the log can't run above a turn of it.
            guard step(jobs: true, works: !isInLog && depth < 2, log: !isInLog) else { return }
        }
    }
}

/// Those who wait for a time of a scheduler's clock.
package protocol TimerLine: Sendable {
    /// The earliest time that somebody waits for, in nanoseconds.
    var nextDeadline: UInt64? { get }
    /// The time that it is for them, in nanoseconds: ahead of the scheduler's where somebody else has moved it.
    var elapsed: UInt64 { get }
    /// It is that time now: wakes those who waited for it.
    func advance(to nanoseconds: UInt64)
}

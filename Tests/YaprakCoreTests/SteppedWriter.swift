import Testing

@testable import YaprakCore

/// A writer whose task runs one step at a time, on the thread of the test, when the test says so: between two steps it is a
/// task that the system does not run.
///
///     enter ▸ wait ▸ claim ▸ pass          where the turn is not offered at once
///     enter ▸ claim ▸ pass
///
/// Not safe to share: all writers of a ``SteppedTurns`` belong to one thread, which makes them, steps them and cancels them.
final class SteppedWriter: TaskExecutor, @unchecked Sendable {
    enum Outcome { case served, cancelled }

    private unowned let turns: SteppedTurns
    private let isBehindAll: Bool
    private let ignoresCancellation: Bool
    private var task: Task<Void, Never>?
    /// What the task has to run, if it is awake. One at most.
    private var jobs: [UnownedJob] = []
    /// Where it stands between two steps.
    private var pause: CheckedContinuation<Void, Never>?
    private(set) var outcome: Outcome?
    /// Whether it has the turn.
    private(set) var isAtWork = false

    /// Whether it has a step to do: it does not wait in line, and has not ended.
    var isAwake: Bool { outcome == nil && (!jobs.isEmpty || pause != nil) }

    fileprivate init(
        _ turns: SteppedTurns, _ priority: TaskPriority, isBehindAll: Bool, ignoresCancellation: Bool
    ) {
        self.turns = turns
        self.isBehindAll = isBehindAll
        self.ignoresCancellation = ignoresCancellation
        task = Task(executorPreference: self, priority: priority) { await self.run() }
    }

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    /// Does the next step, or several.
    func step(_ count: Int = 1) {
        for _ in 0..<count {
            if let pause {
                self.pause = nil
                pause.resume()
            }
            let jobs = jobs
            self.jobs = []
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    func cancel() { task?.cancel() }

    private func run() async {
        let (ticket, isOffered) = turns.queue.enter(isBehindAll: isBehindAll)
        await stop()
        var waits = !isOffered
        while true {
            if waits {
                do {
                    try await wait(ticket)
                } catch {
                    outcome = .cancelled
                    return
                }
            }
            if turns.queue.claim(ticket) { break }
            waits = true
            await stop()
        }
        isAtWork = true
        await stop()
        isAtWork = false
        if let favored = turns.queue.pass() { turns.favor(favored) }
        outcome = .served
    }

    private func wait(_ ticket: WriteTurns.Ticket) async throws {
        if ignoresCancellation {
            await turns.queue.waitIgnoringCancellation(ticket)
        } else {
            try await turns.queue.wait(ticket)
        }
    }

    /// Ends a step.
    private func stop() async { await withCheckedContinuation { pause = $0 } }
}

/// A write queue whose writers are stepped by a test.
final class SteppedTurns: @unchecked Sendable {
    let queue: WriteTurns
    /// Those that were offered the turn before their time, and are not reconsidered yet.
    private(set) var favored: [WriteTurns.Favored] = []
    /// Those among them that have had the offer ever since, and so may keep others waiting: one that was overtaken has used its
    /// patience, and if it is offered the turn once more, then in the usual way.
    private var excused: [WriteTurns.Favored] = []

    init(overtakingsMax: Int = WriteTurns.overtakingsMax) { queue = WriteTurns(overtakingsMax: overtakingsMax) }

    /// A writer that has come for a turn, and perhaps done more steps.
    func writer(
        _ priority: TaskPriority, isBehindAll: Bool = false, ignoresCancellation: Bool = false, steps: Int = 1
    ) -> SteppedWriter {
        let writer = SteppedWriter(
            self, priority, isBehindAll: isBehindAll, ignoresCancellation: ignoresCancellation)
        writer.step(steps)
        return writer
    }

    fileprivate func favor(_ one: WriteTurns.Favored) {
        favored.append(one)
        excused.append(one)
    }

    /// Lets the queue judge one that was favored once more.
    func reconsider(at index: Int) {
        let one = favored.remove(at: index)
        // It is offered the turn no longer then, or nobody goes before it.
        queue.reconsider(one)
        if queue.isOffered(to: one) { excused.removeAll { queue.isOffered(to: $0) } }
    }

    /// Lets the queue judge all that were favored once more.
    func reconsider() {
        while !favored.isEmpty { reconsider(at: 0) }
    }

    /// Whether the invariant of ``WriteTurns`` holds. Asked after each step: it notes who is offered the turn no longer.
    var isSound: Bool {
        excused.removeAll { !queue.isOffered(to: $0) }
        return !queue.isOwed(notCounting: excused)
    }
}

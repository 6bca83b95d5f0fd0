internal import Foundation
public import Testing
internal import ToolSupport
public import Yaprak
internal import YaprakCore
internal import YaprakLocks
internal import YaprakSimulator
internal import YaprakStorage

/// One run of a test whose tasks run in an order that follows from a seed.
///
///     await explore(seeds: 1_000) { run in
///         let database = try await Database.open(at: "/shop", on: run.disk, options: run.options, collections: .books)
///         …
///     }
///
/// Structured tasks (task groups, `async let`) and default actors of the body run on one thread, one at a time, and the seed
/// picks which is next whenever there is a choice. The database runs in it, too, with ``options``: its log, opening, closing,
/// checkpoints, reclaiming.
///
/// What it can't control: `Task { … }` and `Task.detached` unless they are given ``executor``; the main actor and other custom
/// executors; `Task.sleep`, callbacks and threads. If one of those wakes a task of the run, or writes to its database, the
/// test fails and says so. Hash tables, addresses and clocks that the code under test reads are not controlled either.
///
/// A run is over when nothing of it can run and nobody waits for a time, which may be after its body. It has 2,000,000 steps at
/// most, of which a write takes some ten, and fails if they are not enough. So cancel a task that sleeps again and again, as one
/// that polls does, before the body ends (`defer { polling.cancel() }`): time goes on for it, unless the body has thrown.
public final class SeededRun: Sendable {
    /// The seed.
    public let seed: UInt64
    /// The time of the run. It moves by a microsecond with each step, and to the next deadline when nothing can run.
    public let clock: TestClock
    /// A disk whose calls are interleaved with everything else.
    public let disk: SimulatedDisk
    let scheduler: SeededScheduler
    private let random: Mutex<SplitMix64>

    init(seed: UInt64, stepsMax: Int = SeededScheduler.stepsMax) {
        self.seed = seed
        clock = TestClock()
        scheduler = SeededScheduler(seed: seed, timers: clock, stepsMax: stepsMax)
        disk = SimulatedDisk(MemoryFileSystem(), scheduler)
        random = Mutex(SplitMix64(seed: ~seed))
    }

    /// Options for the databases of the run: its clock, its order, identifiers that follow from the seed.
    public var options: DatabaseOptions {
        var options = DatabaseOptions()
        options.clock = clock.commitTime
        options.store.scheduler = scheduler
        options.store.random = { [self] in random.withLock { $0.next() } }
        return options
    }

    /// What runs the tasks; for those that are not structured: `Task(executorPreference: run.executor) { … }`.
    public var executor: any TaskExecutor { scheduler }

    /// Random numbers that follow from the seed, others with each call.
    public func makeChoices() -> Choices { Choices(seed: random.withLock { $0.next() }) }

    // MARK: Running

    /// How long a run waits for tasks that escaped before it gives up, in seconds.
    private static let patience = 5.0

    /// Why a run failed, beside the issues that it recorded.
    enum Fault: Error, CustomStringConvertible {
        case stuck
        case escaped(Int)
        case endless(steps: Int, isBehindBody: Bool)

        var description: String {
            switch self {
            case .stuck: "every task waits, and nobody will wake one. A lock, or a task that runs elsewhere?"
            case .escaped(let count):
                """
                tasks that run elsewhere used the database or woke tasks of the run, \(count) times: the order did not follow \
                from the seed. Use task groups or async let, or give Task(executorPreference:) the executor of the run; sleep by \
                run.clock.
                """
            case .endless(let steps, let isBehindBody):
                isBehindBody
                    ? """
                    the body has ended, and a task that it started has not, or the body takes nearly all the steps \
                    itself: the run has taken \(steps.counted("step")). Cancel the task before the body ends, or make the \
                    body smaller.
                    """
                    : """
                    the run has taken \(steps.counted("step")), and its body has not ended. Does a task wait by yielding? Let it \
                    sleep by run.clock, or make the body smaller.
                    """
            }
        }
    }

    /// Runs a body and everything it starts.
    ///
    /// The thread is one of its own: the body may compute for long, and none of Swift's threads is kept.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (SeededRun) async throws -> Result
    ) async -> Swift.Result<Result, any Error> {
        let run = scheduler.start { () async -> Swift.Result<Result, any Error> in
            do { return .success(try await body(self)) } catch { return .failure(error) }
        }
        await withCheckedContinuation { continuation in
            let thread = Thread { [scheduler] in
                scheduler.drive(
                    run, patience: Self.patience, isFailure: { if case .failure = $0 { true } else { false } })
                continuation.resume()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        if case .failure(let error)? = run.result { return .failure(error) }
        if scheduler.escapes > 0 { return .failure(Fault.escaped(scheduler.escapes)) }
        if scheduler.isExhausted {
            return .failure(Fault.endless(steps: scheduler.steps, isBehindBody: run.result != nil))
        }
        return run.result ?? .failure(Fault.stuck)
    }
}

/// Runs a test under one seed after the other, and stops at the first that fails.
///
///     @Test func `Transfers keep the sum`() async {
///         await explore(seeds: 1_000) { run in
///             let bank = Bank(try await Fixture.accounts.fork(options: run.options))
///             await withTaskGroup(of: Void.self) { group in
///                 for _ in 0..<4 { group.addTask { await bank.transfer(1, from: "a", to: "b") } }
///             }
///             #expect(bank.sum == 100)
///         }
///     }
///
/// Each seed is another order of the tasks; see ``SeededRun`` for what it controls. A seed fails if the body throws,
/// records an issue, waits forever, takes too many steps, or starts a task that escapes or does not end; in a test of XCTest
/// the issues of this library count, failed assertions of XCTest don't: throw there. The failure has the seed:
/// `YAPRAK_SEED=17` in the environment runs that one alone, and it fails in the same way. If the task is cancelled, the seed
/// at hand is the last.
/// - Parameters:
///   - count: how many seeds are tried.
///   - first: the first seed; the others are the numbers after it, and 0 after the largest.
///   - sourceLocation: where a failure is reported.
///   - body: the test. It is called once for each seed, one after the other, and makes its databases itself.
/// - Returns: the seed that failed, or `nil`.
@discardableResult
public func explore(
    seeds count: Int = 1_000, from first: UInt64 = 0, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (SeededRun) async throws -> Void
) async -> UInt64? {
    let only: UInt64?
    do throws(WantedSeed.Fault) { only = try WantedSeed.fromEnvironment() } catch {
        reportIssue("\(error)", at: sourceLocation)
        return nil
    }
    // The numbers go on with 0 after the largest one.
    for number in 0..<UInt64(only == nil ? max(count, 1) : 1) {
        // Bodies run in tasks of their own: a test that is over, by its time limit say, would go on with all the others.
        if Task.isCancelled { return nil }
        let seed = only ?? first &+ number
        let remedy = "seed \(seed); YAPRAK_SEED=\(seed) repeats it"
        let issues = IssueCount(remedy)
        let result = await SeededRun(seed: seed).perform { run in
            guard let test = Test.current else {
                return try await IssueCount.$current.withValue(issues) { try await body(run) }
            }
            let observer = IssueHandlingTrait.compactMapIssues { issue in
                guard issue.isFailure else { return issue }
                issues.add()
                var issue = issue
                issue.comments.append("\(remedy)")
                return issue
            }
            try await observer.provideScope(for: test, testCase: Test.Case.current) { try await body(run) }
        }
        if case .failure(let error) = result {
            reportIssue("\(remedy): \(error)", at: sourceLocation)
            return seed
        }
        if issues.count > 0 { return seed }
    }
    return nil
}

/// Runs a body once, in the order that follows from a seed, and returns what it returns.
///
///     let commits = try await withSeed(17) { run in … }
///
/// - Throws: what the body throws; an error that says so if every task waits, one escaped, or the run does not end.
@discardableResult
public func withSeed<Result: Sendable>(
    _ seed: UInt64, _ body: @escaping @Sendable (SeededRun) async throws -> Result
) async throws -> Result {
    try await SeededRun(seed: seed).perform(body).get()
}

import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakTesting

/// Tests that are over, by their time limit say, end, and so do runs that go on and on. One seed is repeated only if it is one.
@Suite(.bounded) struct CanceledRunTests {
    /// Runs a check in a task, which `body` can cancel from its first step on.
    private func value<Value: Sendable>(
        of check: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async -> Value
    ) async -> Value {
        let box = Running<Value>()
        let task = Task {
            while box.task == nil { await Task.yield() }
            return await check { box.task?.cancel() }
        }
        box.set(task)
        return await task.value
    }

    private final class Running<Value: Sendable>: Sendable {
        private let state = Mutex<Task<Value, Never>?>(nil)
        var task: Task<Value, Never>? { state.withLock { $0 } }
        func set(_ task: Task<Value, Never>) { state.withLock { $0 = task } }
    }

    // Bodies run in tasks of their own, so that all other seeds were tried.
    @Test func `No seed is tried after the one that was at hand when the test was canceled`() async {
        let seeds = Log()
        let failed = await value { cancel in
            await explore(seeds: 1_000_000) { run in
                seeds.add("\(run.seed)")
                cancel()
            }
        }
        #expect(failed == nil && seeds.lines == ["0"])
    }

    @Test func `No history is tried after the one that was at hand when the test was canceled`() async {
        let edits = Log()
        let holds = await value { cancel in
            await checkListLaw(of: bySalesRank, histories: .max) { transaction, choices in
                edits.add("edit")
                cancel()
                transaction[.books][choices.key(among: 8)] = Book(title: "t", salesRank: choices.below(6))
            }
        }
        #expect(!holds && !edits.lines.isEmpty && edits.lines.count < 1000)
    }

    @Test func `A history that fails is reported as it is when the test was canceled`() async {
        let readings = Log()
        let index = RecordIndex("rank", of: .books, \.genre, \.salesRank)
        let texts = await reports {
            let holds = await self.value { cancel in
                // No reading is equal to another one: each history fails, also the shortest.
                @Sendable func reading() -> Int {
                    cancel()
                    readings.add("reading")
                    return readings.lines.count
                }
                return await checkExtension(index, histories: 100_000, reading: { _ in reading() }) {
                    transaction, choices in
                    transaction[.books][choices.key(among: 8)] = Book(title: "t", salesRank: choices.below(6))
                }
            }
            #expect(!holds)
        }
        #expect(texts.count == 1 && texts[0].contains("YAPRAK_SEED="), "\(texts)")
        #expect(readings.lines.count < 30, "no shorter one is looked for")
    }

    // It was said that every task waits.
    @Test func `A body that takes too many steps fails with their number`() async {
        let fault = await #expect(throws: SeededRun.Fault.self) {
            try await SeededRun(seed: 1, stepsMax: 10_000).perform { _ in
                for _ in 0..<20_000 { await Task.yield() }
            }.get()
        }
        let text = fault?.description ?? ""
        #expect(text.contains("10,000 steps") && text.contains("its body has not ended"), "\(text)")
    }

    /// Starts a task that goes on until it is cancelled.
    private static func startPolling(in run: SeededRun, _ polls: Log = Log()) -> Task<Void, any Error> {
        Task(executorPreference: run.executor) {
            while !Task.isCancelled {
                try await run.clock.sleep(for: .seconds(1))
                polls.add("poll")
            }
        }
    }

    // Each seed took all the steps there are, and passed.
    @Test func `A task that goes on behind the body fails the run, unless it is cancelled`() async throws {
        let fault = await #expect(throws: SeededRun.Fault.self) {
            try await SeededRun(seed: 1, stepsMax: 10_000).perform { run in _ = Self.startPolling(in: run) }.get()
        }
        let text = fault?.description ?? ""
        #expect(text.contains("10,000 steps") && text.contains("the body has ended"), "\(text)")

        let duration = try await SeededRun(seed: 1, stepsMax: 10_000).perform { run in
            let begin = run.clock.now
            let polling = Self.startPolling(in: run)
            defer { polling.cancel() }
            try await run.clock.sleep(for: .seconds(10))
            return begin.duration(to: run.clock.now)
        }.get()
        #expect(duration >= .seconds(10))
    }

    // It took all the steps there are, and the error came after them.
    @Test func `A task that goes on behind a body that throws keeps nobody waiting`() async {
        struct Planted: Error {}
        let polls = Log()
        await #expect(throws: Planted.self) {
            try await SeededRun(seed: 1, stepsMax: 10_000).perform { run in
                _ = Self.startPolling(in: run, polls)
                try await run.clock.sleep(for: .seconds(10))
                throw Planted()
            }.get()
        }
        #expect((9...11).contains(polls.lines.count), "\(polls.lines.count) times")
    }

    // Any other text was ignored: all seeds ran, and nothing was repeated.
    @Test func `A seed of the environment is a number in decimal digits, or refused`() {
        #expect(WantedSeed(nil) == .all && WantedSeed("") == .all)
        #expect(WantedSeed("17") == .only(17) && WantedSeed("18446744073709551615") == .only(.max))
        for text in ["0x11", "17 ", "-1", "18446744073709551616", "seed 17"] {
            #expect(WantedSeed(text) == .unreadable(text))
            #expect(WantedSeed.Fault(text: text).description.contains(text))
        }
    }
}

import TestSupport
import Testing
import YaprakSimulator

/// When a seeded scheduler stops.
@Suite(.bounded) struct SeededSchedulerTests {
    private func scheduler(stepsMax: Int) -> SeededScheduler {
        let scheduler = SeededScheduler(seed: 1, stepsMax: stepsMax)
        _ = scheduler.run { () async -> Bool in
            for _ in 0..<20 { await Task.yield() }
            return true
        }
        return scheduler
    }

    // It had nothing left to run, and was said to have stopped before its end.
    @Test func `A run that ends with its last step is not exhausted`() {
        let steps = scheduler(stepsMax: 1_000).steps
        #expect((20..<1_000).contains(steps))
        #expect(!scheduler(stepsMax: steps).isExhausted)
        let short = scheduler(stepsMax: steps - 1)
        #expect(short.isExhausted && short.steps == steps - 1)
    }
}

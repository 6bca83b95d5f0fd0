import TestSupport
import Testing

/// What the laws of growth accept and refuse, with times that are made up.
@Suite(.bounded) struct ExpectGrowthTests {
    @Test func `What is linear is accepted, also where more of it leaves the caches`() async throws {
        await expectGrowth("linear", 100) { .microseconds($0) }
        await expectGrowth("logarithmic", 100) { .nanoseconds($0 * (Int.bitWidth - $0.leadingZeroBitCount)) }
        await expectGrowth("out of the caches", 100) { .microseconds($0 > 100 ? $0 * 7 / 4 : $0) }
    }

    @Test func `What is quadratic is refused, also where half of the work is linear`() async throws {
        await withKnownIssue { await expectGrowth("quadratic", 100) { .microseconds($0 * $0) } }
        await withKnownIssue { await expectGrowth("half", 100) { .microseconds($0 * $0 + 100 * $0) } }
    }

    @Test func `One pair of runs that nothing disturbs is enough`() async throws {
        var calls = 0
        await expectGrowth("disturbed", 100) { count in
            calls += 1
            return .microseconds(calls == 6 || !calls.isMultiple(of: 2) ? count : 5 * count)
        }
        #expect(calls == 6)
    }
}

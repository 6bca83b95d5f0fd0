import Foundation
public import Testing
import YaprakLocks

/// Runs the tests of a suite a few at a time, on ``OwnThreads``, and ends each after some minutes with an issue.
///
///     @Suite(.bounded) struct SnapshotTests { … }
///     @Suite(.boundedInPool) struct WriteOrderTests { … }       // what is tested is how tasks share the pool
///
/// The pool has as many threads as the machine has cores, perhaps two. A test that blocks, or that computes for a minute
/// without suspending, keeps one of them from all others.
///
/// Every suite has it: `Scripts/test` looks after that. The library starts all tests at once, and its own time limit
/// counts from there: what a test waits for the processor would be taken for its own. A test that never suspends is not
/// ended by any limit; the watchdog of `Scripts/test` is for those. A soak is as long as somebody likes.
public struct BoundedTests: SuiteTrait, TestTrait, TestScoping {
    private static let minutesMax =
        ProcessInfo.processInfo.environment["YAPRAK_TEST_MINUTES"].flatMap { Int($0) } ?? 10
    private static let turns = Turns(2 * max(2, ProcessInfo.processInfo.activeProcessorCount))
    private static let isSoak = ProcessInfo.processInfo.environment["YAPRAK_SOAK"] != nil

    let isInPool: Bool

    /// Also for the suites in it.
    public var isRecursive: Bool { true }

    /// Writes down how long a test took, behind its turn: what the library prints counts from the start of the run.
    private static func note(_ test: Test, _ duration: Duration) {
        guard let path = ProcessInfo.processInfo.environment["YAPRAK_TEST_TIMES"], let file = fopen(path, "a") else {
            return
        }
        // One write for each line, which `a` puts at the end although others write.
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        let name = "\(test.sourceLocation.fileName)\t\(test.displayName ?? test.name)"
        fputs(String(format: "%.3f", seconds) + "\t\(name)\n", file)
        fclose(file)
    }

    /// Runs a test when it is its turn.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        let start = ContinuousClock.now
        defer {
            Self.turns.giveBack()
            Self.note(test, .now - start)
        }
        if isInPool { return try await limited(function) }
        try await withTaskExecutorPreference(OwnThreads.shared) { try await limited(function) }
    }

    private func limited(_ function: @concurrent @Sendable () async throws -> Void) async throws {
        if Self.isSoak { return try await function() }
        // The group ends before this does.
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await function() }
                group.addTask {
                    try await Task.sleep(for: .seconds(60 * Self.minutesMax))
                    Issue.record("the test has run for \(Self.minutesMax) minutes")
                }
                // The first to end; the other is cancelled, and the test waited for.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

extension Trait where Self == BoundedTests {
    /// The tests end within minutes, few run at a time, on threads of their own.
    public static var bounded: Self { Self(isInPool: false) }

    /// The same in the pool of the process, for suites that test how tasks share it. None of them blocks.
    public static var boundedInPool: Self { Self(isInPool: true) }
}

/// Turns that are given out first come, first served.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

internal import YaprakLocks
internal import YaprakSimulator

/// A clock that stands still until a test moves it.
///
///     let clock = TestClock()
///     var options = DatabaseOptions()
///     options.clock = clock.commitTime                        // the time of commits
///     let model = OutboxModel(database, clock: clock)         // `any Clock<Duration>`, as in the program
///     await clock.advance(by: .seconds(60))
///
/// Sleepers are woken in the order of their deadlines. In a ``SeededRun`` the clock of the run moves by itself, to the next
/// deadline whenever nothing else can run.
public final class TestClock: Clock, Sendable {
    /// A time of the clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// Nanoseconds since 1970.
        public let nanosecondsSince1970: Int64

        /// A time.
        public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

        /// The time so much later; the latest there is if that is beyond it.
        public func advanced(by duration: Duration) -> Instant {
            Instant(
                nanosecondsSince1970: Int64(
                    clamping: Int128(nanosecondsSince1970) + duration.attoseconds / 1_000_000_000))
        }

        /// How much later another time is.
        public func duration(to other: Instant) -> Duration {
            .nanoseconds(other.nanosecondsSince1970) - .nanoseconds(nanosecondsSince1970)
        }

        /// Whether a time is before another.
        public static func < (a: Instant, b: Instant) -> Bool { a.nanosecondsSince1970 < b.nanosecondsSince1970 }

        /// Nanoseconds since 1970, as text.
        public var description: String { "\(nanosecondsSince1970)" }
    }

    private struct State {
        var now: Int64
        var sleepers: [UInt64: (deadline: Int64, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>
    /// What a scheduler calls 0.
    private let origin: Int64

    /// A clock that stands at a time: the first second of 2013 in UTC if nothing else is said.
    public init(nanosecondsSince1970: Int64 = 1_356_998_400_000_000_000) {
        origin = nanosecondsSince1970
        state = Mutex(State(now: nanosecondsSince1970))
    }

    /// The time.
    public var now: Instant { Instant(nanosecondsSince1970: state.withLock { $0.now }) }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The time in the form of `DatabaseOptions.clock`.
    public var commitTime: @Sendable () -> Int64 { { self.now.nanosecondsSince1970 } }

    /// How many tasks wait for a time.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until it is that time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isDue = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if deadline.nanosecondsSince1970 <= state.now { return true }
                    state.sleepers[id] = (deadline.nanosecondsSince1970, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
        if !isDue { throw CancellationError() }
    }

    /// Moves the clock, and wakes who waits for a time on the way, one after the other.
    ///
    /// The tasks that wait get a chance to run after each, at the end, and before the first, to begin to wait. How far they come
    /// in that time is not known: wait for what they do, a commit, say. In a ``SeededRun`` all is in order, and the logs of its
    /// databases do what has become due.
    public func advance(by duration: Duration) async {
        let end = now.advanced(by: duration)
        await letOthersRun()
        while let next = state.withLock({ $0.sleepers.values.map(\.deadline).min() }), next <= end.nanosecondsSince1970
        {
            wake(upTo: next)
            await letOthersRun()
        }
        wake(upTo: end.nanosecondsSince1970)
        // In a seeded run: the logs.
        await letOthersRun()
    }

    private func letOthersRun() async { for _ in 0..<20 { await Task.yield() } }

    private func wake(upTo time: Int64) {
        let woken = state.withLock { state in
            state.now = max(state.now, time)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }
}

extension TestClock: TimerLine {
    package var nextDeadline: UInt64? {
        state.withLock { $0.sleepers.values.map(\.deadline).min() }.map {
            UInt64(clamping: Int128($0) - Int128(origin))
        }
    }

    package var elapsed: UInt64 { UInt64(clamping: Int128(now.nanosecondsSince1970) - Int128(origin)) }

    package func advance(to nanoseconds: UInt64) {
        wake(upTo: Int64(clamping: Int128(origin) + Int128(nanoseconds)))
    }
}

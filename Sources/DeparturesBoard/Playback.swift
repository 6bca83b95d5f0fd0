import ToolSupport
import Yaprak

/// Plays a timetable into a database: one commit for each minute in which something happens.
///
/// What is known of the past is in the database alone. The clock is part of every commit, so that after a crash, at any
/// moment, the clock and the flights agree; the play continues with the minute after the clock's.
struct Playback {
    let database: Database
    /// Stop after this minute.
    var until: Minute?
    /// A checkpoint each time this many simulated days have passed; none if 0.
    var checkpointDays = 5
    /// Simulated minutes per second; as fast as can be if `nil`.
    var speed: Double?
    /// Asked before each commit, and while waiting for its time, whether to stop.
    var isCancelled: @Sendable () -> Bool = { false }

    /// What an event makes of a flight.
    var fold: @Sendable (inout Flight, DepartureEvent) -> Void = { $0.apply($1) }

    /// The version that commits say made them; none if `nil`.
    var version: String?

    /// Called before each commit with its minute.
    var willCommit: @Sendable (Minute) async throws -> Void = { _ in }

    /// What a run did.
    struct Result: Sendable {
        var commits = 0
        var events = 0
        /// The bytes of the events from the beginning of the timetable, uncompressed.
        var rawBytes = 0
        var seconds = 0.0
        var isCancelled = false
    }

    /// The last minute that is in the database.
    static func clock(of snapshot: Snapshot) -> Clock? { snapshot[.clock][Clock.key] }

    /// Plays what is not in the database yet. A minute that is not played any more stays in the timetable: another play can
    /// go on with it.
    /// - Throws: errors of reading the timetable, of writing to the database, and of `progress`; `InputError` if something
    ///   happens to a flight that the database does not have.
    func run(_ timetable: Timetable, progress: (Minute, Result) throws -> Void = { _, _ in }) async throws -> Result {
        var result = Result()
        var clock = Self.clock(of: database.snapshot)
        let start = ContinuousClock.now
        var begin = clock?.minute
        while let events = try timetable.nextMinute(), let minute = events.first?.at {
            if let until, minute > until {
                timetable.putBack(events)
                break
            }
            if let clock, minute <= clock.minute { continue }
            let first = begin ?? minute
            begin = first
            try await wait(start, minute.count - first.count)
            if isCancelled() {
                timetable.putBack(events)
                result.isCancelled = true
                break
            }
            let next = Clock(minute: minute, eventCount: (clock?.eventCount ?? 0) + events.count)
            try await willCommit(minute)
            try await commit(events, next)
            if let clock, checkpointDays > 0,
                minute.count / 1440 / checkpointDays > clock.minute.count / 1440 / checkpointDays
            {
                try await database.checkpoint()
            }
            clock = next
            result.commits += 1
            result.events += events.count
            result.seconds = seconds(ContinuousClock.now - start)
            try progress(minute, result)
        }
        result.rawBytes = timetable.rawBytes
        return result
    }

    /// Waits until this many simulated minutes have passed since `start`.
    private func wait(_ start: ContinuousClock.Instant, _ minutes: Int) async throws {
        guard let speed else { return }
        let end = start + .seconds(Double(minutes) / speed)
        while !isCancelled(), case let now = ContinuousClock.now, now < end {
            try await Task.sleep(until: min(end, now + .milliseconds(100)))
        }
    }

    private func commit(_ events: [DepartureEvent], _ clock: Clock) async throws {
        try await database.write(origin: "board") { transaction in
            for event in events {
                if let flight = event.flight {
                    transaction[.flights][event.key] = flight
                } else {
                    // Nothing of this minute is kept then.
                    guard var flight = transaction[.flights][event.key] else {
                        throw InputError("\(event.op) of \(event.key) at \(event.at): there is no such flight")
                    }
                    fold(&flight, event)
                    transaction[.flights][event.key] = flight
                }
            }
            transaction[.clock][Clock.key] = clock
            transaction.setInfo(CommitInfo(minute: clock.minute, version: version))
        }
    }
}

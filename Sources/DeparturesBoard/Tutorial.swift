import Synchronization
import SystemPackage
import ToolSupport
import Yaprak
import YaprakLocks
import YaprakStorage

/// The database of the tutorial "Find a bug with bisect": three days of January 2013, and a mistake.
///
/// The same bytes each time: the clock is that of the play (its minutes, taken for UTC), and random bits are seeded.
enum Tutorial {
    /// When version 1.1 of the board went to work.
    static let deployed = Minute("2013-01-02 12:00")!
    /// The last minute: a flight is delayed past midnight in it.
    static let end = Minute("2013-01-03 21:45")!

    /// Plays the days into a database at `path`.
    /// - Throws: `alreadyExists` if there is one with commits; errors of reading the timetable and of writing.
    static func make(at path: FilePath, _ timetable: Timetable) async throws {
        let now = PlayClock()
        let random = Mutex(SplitMix64(seed: 3))
        var options = DatabaseOptions()
        options.clock = { now.nanoseconds.load(ordering: .relaxed) }
        options.retention = .all
        options.durability = .relaxed
        options.checkpoints = .manual
        options.store.random = { random.withLock { $0.next() } }
        let database = try await Database.open(at: path, options: options, collections: .flights, .clock)
        guard database.commitNumber == 0 else {
            try await database.close()
            throw DatabaseError(.alreadyExists, "\(path) has commits already. Give another directory with --path.")
        }
        do {
            try await play(timetable, into: database, now)
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }

    /// Version 1.1 goes on in the timetable where 1.0 has stopped.
    private static func play(_ timetable: Timetable, into database: Database, _ now: PlayClock) async throws {
        _ = try await BoardViews.register(in: database)
        for (version, fold, until) in [
            ("1.0", Flight.foldOfVersion10, deployed), ("1.1", Flight.foldOfVersion11, end),
        ] {
            var playback = Playback(database: database, until: until, checkpointDays: 1)
            playback.fold = fold
            playback.version = version
            playback.willCommit = { now.nanoseconds.store($0.nanosecondsSince1970, ordering: .relaxed) }
            _ = try await playback.run(timetable)
        }
    }

    private final class PlayClock: Sendable { let nanoseconds = Atomic<Int64>(0) }
}

extension Flight {
    /// What an event makes of a flight.
    static let foldOfVersion10: @Sendable (inout Flight, DepartureEvent) -> Void = { $0.apply($1) }

    /// The same, with the mistake: the delay is worked out from the times on the board, which has no dates. A flight of
    /// 22:50 that is to leave at 01:26 is then 21 hours early.
    static let foldOfVersion11: @Sendable (inout Flight, DepartureEvent) -> Void = { flight, event in
        flight.apply(event)
        guard event.op == .delay, let minutes = event.minutes else { return }
        // snippet: tutorial-mistake
        let scheduled = flight.scheduled.count % 1440
        let expected = (flight.scheduled.count + minutes) % 1440
        flight.delay = expected - scheduled  // minutes of one day, from times of two
        // end
    }
}

extension Minute {
    /// The minute as a time of commits: 1 January 2013 began 1,356,998,400 seconds after 1970.
    fileprivate var nanosecondsSince1970: Int64 { (1_356_998_400 + Int64(count) * 60) * 1_000_000_000 }
}

import Yaprak
import YaprakReplay

/// The next departures from an airport at a minute: a function of the flights known then.
///
///     let board = Board(from: "JFK", at: minute, of: flights)
///     for line in board.lines { print(line.flight.scheduled, line.flight.destination) }
struct Board: Sendable, Hashable {
    let airport: String
    let minute: Minute
    /// The lines, by the time the flight is expected to leave.
    let lines: [Line]

    /// A flight on the board.
    struct Line: Sendable, Hashable {
        let key: String
        let flight: Flight
    }

    /// The flights on the board: those that have not left, and cancelled ones until their time has passed.
    init(from airport: String, at minute: Minute, of flights: some Sequence<Line>, count: Int = 15) {
        self.airport = airport
        self.minute = minute
        let shown = flights.filter { line in
            let flight = line.flight
            guard flight.origin == airport else { return false }
            switch flight.status {
            case .scheduled, .delayed: return true
            case .cancelled: return flight.scheduled >= minute
            case .departed, .arrived: return false
            }
        }
        lines = Array(
            shown.sorted {
                ($0.flight.expected, $0.flight.scheduled, $0.key) < ($1.flight.expected, $1.flight.scheduled, $1.key)
            }
            .prefix(count))
    }
}

extension Board {
    /// The board as it was at `minute`, from the files of a database: travels to the last commit of that minute.
    ///
    /// - Throws: `commitOutOfReach` if the log no longer goes back so far, and errors of reading.
    /// - Complexity: O(bytes of the log).
    static func travel(to minute: Minute, from airport: String, in reader: ReplayReader) throws -> (Board, CommitNumber)
    {
        let number = try commit(at: minute, in: reader)
        var flights: [Line] = []
        if number > .zero {
            flights = try reader.snapshot(at: number).untyped("flights").map { record in
                Line(key: record.key, flight: try record.object(as: Flight.self))
            }
        }
        return (Board(from: airport, at: minute, of: flights), number)
    }

    /// The same for the first of some minutes that the log still has.
    ///
    /// - Throws: as for the last of them.
    static func travel(
        toFirstOf minutes: [Minute], from airport: String, in reader: ReplayReader
    ) throws -> (Board, CommitNumber) {
        for minute in minutes.dropLast() {
            do {
                return try travel(to: minute, from: airport, in: reader)
            } catch let error as DatabaseError where error.code == .commitOutOfReach {
                continue
            }
        }
        return try travel(to: minutes[minutes.count - 1], from: airport, in: reader)
    }

    /// What to show if nobody says: 17:00 of the 15th; of the last day, if the log no longer goes back so far; else the last
    /// minute. All of them have been played.
    static func usualMinutes(upTo now: Minute) -> [Minute] {
        let evening = 17 * 60
        let lastEvening = now.count < evening ? now.count : now.count - (now.count - evening) % 1440
        return [min(now, Minute(count: 21_180)), Minute(count: lastEvening), now]
    }

    /// The last commit at or before a minute; 0 if there is none.
    private static func commit(at minute: Minute, in reader: ReplayReader) throws -> CommitNumber {
        guard let oldest = try reader.oldestCommitNumber() else { return .zero }
        var found = CommitNumber.zero
        var first: Minute?
        var commits = reader.commits(from: oldest).makeAsyncIterator()
        while let commit = try commits.next() {
            guard let info = try commit.info(as: CommitInfo.self) else { continue }
            first = first ?? info.minute
            if info.minute > minute { break }
            found = commit.commitNumber
        }
        if found == .zero, oldest > 1 {
            throw DatabaseError(
                .commitOutOfReach,
                """
                \(minute) is older than what the log keeps, which begins \(first.map { "at \($0)" } ?? "later"). \
                Give a later --at, or play with --retention all into another directory.
                """)
        }
        return found
    }
}

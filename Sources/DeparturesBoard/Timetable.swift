import Foundation
import SystemPackage
import ToolSupport

/// Reads events, a minute at a time.
///
///     let timetable = try Timetable("Fixtures/departures-2013-01.ndjson.lz4")
///     while let minute = try timetable.nextMinute() { print(minute[0].at, minute.count) }
final class Timetable {
    private let path: String
    private let lines: LineReader
    private let decoder = JSONDecoder()
    /// The first event of the minute after the one that was read last.
    private var ahead: DepartureEvent?
    /// A minute that was given back.
    private var minuteAhead: [DepartureEvent]?
    private var last: Minute?

    /// - Throws: ``UnreadableTimetable``.
    init(_ path: String) throws {
        self.path = path
        do {
            lines = try LineReader(path)
        } catch let error as Errno {
            throw UnreadableTimetable(path: path, cause: error)
        }
    }

    /// The bytes of the events so far, uncompressed.
    var rawBytes: Int { lines.lineBytes }

    /// All events of the next minute that has any; `nil` at the end.
    /// - Throws: ``UnreadableTimetable``; `InputError` for a line that is no event, is earlier than the one before, or has
    ///   a delay that is longer than the play.
    func nextMinute() throws -> [DepartureEvent]? {
        if let events = minuteAhead {
            minuteAhead = nil
            return events
        }
        guard let first = try ahead ?? nextEvent() else { return nil }
        ahead = nil
        var events = [first]
        while let event = try nextEvent() {
            guard event.at == first.at else {
                ahead = event
                break
            }
            events.append(event)
        }
        return events
    }

    /// Takes back the minute that was read last: it is the next one again.
    func putBack(_ events: [DepartureEvent]) { minuteAhead = events }

    private func nextEvent() throws -> DepartureEvent? {
        do {
            guard let line = try lines.next() else { return nil }
            let event = try decoder.decode(DepartureEvent.self, from: Data(line))
            if let last, event.at < last {
                throw InputError(
                    "line \(lines.number) of \(path): \(event.at) comes after \(last). Sort the events by time.")
            }
            let delays = [event.minutes, event.delay, event.flight?.delay].compactMap { $0 }
            guard delays.allSatisfy({ $0.magnitude < Minute.counts.count }) else {
                throw InputError(
                    "line \(lines.number) of \(path): a delay has fewer than \(Minute.counts.count) minutes")
            }
            last = event.at
            return event
        } catch let error as Errno {
            throw UnreadableTimetable(path: path, cause: error)
        } catch let error as DecodingError {
            throw InputError("line \(lines.number) of \(path) is no event: \(error)")
        }
    }
}

/// A file of events that can't be read.
struct UnreadableTimetable: Error, CustomStringConvertible {
    let path: String
    let cause: Errno

    var description: String { "the events in \(path): \(cause). Give their file with --data." }
}

import Foundation
import SystemPackage
import ToolSupport

/// Reads events, a minute at a time.
///
///     let timetable = try Timetable("Fixtures/departures-2013-01.ndjson.lz4")
///     while let minute = try timetable.nextMinute() { print(minute[0].at, minute.count) }
final class Timetable {
    private let lines: LineReader
    private let decoder = JSONDecoder()
    private var ahead: DepartureEvent?

    /// - Throws: ``UnreadableTimetable``.
    init(_ path: String) throws {
        do {
            lines = try LineReader(path)
        } catch let error as Errno {
            throw UnreadableTimetable(path: path, cause: error)
        }
    }

    /// The bytes of the events so far, uncompressed.
    var rawBytes: Int { lines.lineBytes }

    /// All events of the next minute that has any; `nil` at the end.
    func nextMinute() throws -> [DepartureEvent]? {
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

    private func nextEvent() throws -> DepartureEvent? {
        guard let line = try lines.next() else { return nil }
        return try decoder.decode(DepartureEvent.self, from: Data(line))
    }
}

/// A file of events that can't be opened.
struct UnreadableTimetable: Error, CustomStringConvertible {
    let path: String
    let cause: Errno

    var description: String { "the events in \(path): \(cause). Give their file with --data." }
}

import Foundation
import SystemPackage
import TestSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import DeparturesBoard

/// January 2013 in a log: a commit for each minute in which something happened, a checkpoint each day. Made once for all
/// tests of the process.
enum January {
    static let commitCount = 31_108
    private static let data = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/departures-2013-01.ndjson.lz4").path

    private static let log = Task {
        let directory = NSTemporaryDirectory() + "yaprak-january-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // Which test uses it last is not known.
        atexit { January.removeFiles() }
        let path = FilePath(directory + "/january.yaprak")
        let database = try await Database.open(at: path, options: replayable(), collections: .flights, .clock)
        _ = try await Playback(database: database, checkpointDays: 1).run(timetable())
        try await database.close()
        return path
    }

    private static func removeFiles() {
        let directory = NSTemporaryDirectory() + "yaprak-january-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Where the log is.
    static func path() async throws -> FilePath { try await log.value }

    static func timetable() throws -> Timetable { try Timetable(data) }
}

/// The flights after each commit, computed from the events in a dictionary.
struct JanuaryModel {
    private(set) var flights: [String: Flight] = [:]
    /// The flights as CBOR, for those who have no types.
    private(set) var bytes: [String: [UInt8]] = [:]
    private(set) var minute = Minute(count: 0)
    private(set) var number = 0
    private let timetable: Timetable

    init() throws { timetable = try January.timetable() }

    /// Goes on to a commit: the one of the `number`th minute that has events.
    mutating func advance(to number: Int) throws {
        while self.number < number, let events = try timetable.nextMinute() {
            for event in events {
                if let flight = event.flight { flights[event.key] = flight } else { flights[event.key]?.apply(event) }
                bytes[event.key] = try flights[event.key].map { try CBOREncoder().encode($0) }
            }
            minute = events[0].at
            self.number += 1
        }
    }

    /// A section for each airport, as the board has them.
    func sections(where isIncluded: (Flight) -> Bool = { _ in true }) -> [ShownList.Section] {
        BoardViews.airports.map { airport in
            let waiting = flights.filter { $0.value.waitsAt == airport && isIncluded($0.value) }
            let rows = waiting.sorted { ($0.value.expected, $0.key) < ($1.value.expected, $1.key) }
                .prefix(BoardViews.rowsMax)
            return ShownList.Section(name: airport, rows: rows.map { ShownList.Line(key: $0.key, flight: $0.value) })
        }
    }
}

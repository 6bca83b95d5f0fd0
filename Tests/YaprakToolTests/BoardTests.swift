import ArgumentParser
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakReplay

@testable import DeparturesBoard

/// The example: interrupted it goes on, and what it shows is what a plain fold over the events gives.
@Suite(.bounded) struct BoardTests {
    private func open(_ path: String) async throws -> Database {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.retention = .all
        return try await Database.open(at: FilePath(path), options: options, collections: .flights, .clock)
    }

    private func play(_ path: String, until: Minute, stopAfter: Int = .max) async throws -> Playback.Result {
        let database = try await open(path)
        let follower = ChangeFollower(database)
        let asked = Atomic(0)
        var playback = Playback(database: database, until: until, checkpointDays: 1)
        playback.isCancelled = { asked.add(1, ordering: .relaxed).newValue > stopAfter }
        let result = try await playback.run(Timetable(fixture("departures-2013-01")))
        let newest = database.commitNumber
        try await database.close()
        let seen = try await follower.finish()
        #expect(seen.gaps == 0)
        #expect(seen.commits == result.commits)
        #expect(seen.last == newest)
        return result
    }

    @Test func `Interrupted it goes on with the minute after the last`() async throws {
        let folder = try Folder()
        let until = Minute("2013-01-01 18:00")!
        let path = folder("board.yaprak")
        let first = try await play(path, until: until, stopAfter: 300)
        #expect(first.isCancelled)
        #expect(first.commits == 300)
        let second = try await play(path, until: until)
        let third = try await play(path, until: until)
        #expect(third.commits == 0)

        let whole = folder("whole.yaprak")
        let result = try await play(whole, until: until)
        #expect(first.commits + second.commits == result.commits)
        #expect(first.events + second.events == result.events)
        let (a, b) = (try ReplayReader(FilePath(path)).snapshot(), try ReplayReader(FilePath(whole)).snapshot())
        #expect(a.commitNumber == b.commitNumber)
        #expect(a.collectionNames == b.collectionNames)
        for name in a.collectionNames { #expect(Array(a.untyped(name)) == Array(b.untyped(name))) }
    }

    @Test func `Plays of one timetable, each until its minute or cancelled, lose no minute between them`() async throws
    {
        let timetable = try Timetable(fixture("departures-2013-01"))
        let database = Database.inMemory()
        var minutes: [Minute] = []
        for until in ["06:00", "08:00", "10:00"].map({ Minute("2013-01-01 \($0)")! }) {
            _ = try await Playback(database: database, until: until).run(timetable) { minute, _ in
                minutes.append(minute)
            }
        }
        var playback = Playback(database: database)
        playback.isCancelled = { true }
        #expect(try await playback.run(timetable).commits == 0)
        let end = Minute("2013-01-01 10:30")!
        _ = try await Playback(database: database, until: end).run(timetable) { minute, _ in minutes.append(minute) }

        let all = try Timetable(fixture("departures-2013-01"))
        var expected: [Minute] = []
        while let minute = try all.nextMinute()?[0].at, minute <= end { expected.append(minute) }
        #expect(minutes == expected)
        try await database.close()
    }

    /// A file of events of its own.
    private func timetable(_ lines: String..., in folder: Folder) throws -> Timetable {
        try Timetable(folder.write(lines.joined(separator: "\n"), to: "events.ndjson"))
    }

    private static let scheduled = """
        {"at":5,"op":"schedule","key":"a","flight":{"carrier":"B6","number":1,"origin":"JFK","destination":"BUR",\
        "scheduled":90,"distance":2465,"status":"scheduled"}}
        """

    @Test func `What happens to an unknown flight ends the play, and nothing of its minute is kept`() async throws {
        let folder = try Folder()
        let timetable = try timetable(
            Self.scheduled, #"{"at":7,"op":"cancel","key":"a"}"#, #"{"at":7,"op":"depart","key":"b"}"#, in: folder)
        let database = Database.inMemory()
        let error = await #expect(throws: InputError.self) {
            _ = try await Playback(database: database).run(timetable)
        }
        #expect(error?.description == "depart of b at 2013-01-01 00:07: there is no such flight")
        #expect(database.commitNumber == 1)
        #expect(database.snapshot[.flights]["a"]?.status == .scheduled)
    }

    @Test(arguments: [
        (#"{"at":4,"op":"cancel","key":"a"}"#, "2013-01-01 00:04 comes after 2013-01-01 00:05"), ("{", "is no event"),
        (#"{"at":50000,"op":"cancel","key":"a"}"#, "50000 is no minute of the play"),
        (#"{"at":-1,"op":"cancel","key":"a"}"#, "-1 is no minute of the play"),
        (#"{"at":6,"op":"delay","key":"a","minutes":9223372036854775807}"#, "a delay has fewer than 50000 minutes"),
        (#"{"at":6,"op":"arrive","key":"a","delay":-9223372036854775808}"#, "a delay has fewer than 50000 minutes"),
        (
            """
            {"at":6,"op":"schedule","key":"b","flight":{"carrier":"B6","number":1,"origin":"JFK","destination":"BUR",\
            "scheduled":90,"distance":2465,"status":"delayed","delay":50000}}
            """, "a delay has fewer than 50000 minutes"
        ),
    ])
    func `A line that is no event, or is out of order, is named`(line: String, reason: String) throws {
        let folder = try Folder()
        let timetable = try timetable(Self.scheduled, line, in: folder)
        let error = #expect(throws: InputError.self) {
            while try timetable.nextMinute() != nil {}
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("line 2 of ") && text.contains(reason), "\(text)")
    }

    @Test func `Where the log does not go back to a minute any more, the next choice is shown`() async throws {
        let folder = try Folder()
        let path = folder("board.yaprak")
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        options.retention = .checkpoints(2)
        let database = try await Database.open(at: FilePath(path), options: options, collections: .flights, .clock)
        let end = Minute("2013-01-03 01:00")!
        let playback = Playback(database: database, until: end, checkpointDays: 1)
        _ = try await playback.run(Timetable(fixture("departures-2013-01")))
        try await database.close()

        let reader = try ReplayReader(FilePath(path))
        let (gone, there) = (Minute("2013-01-01 17:00")!, Minute("2013-01-02 17:00")!)
        let error = #expect(throws: DatabaseError.self) { try Board.travel(to: gone, from: "JFK", in: reader) }
        #expect(error?.code == .commitOutOfReach)
        let (board, commit) = try Board.travel(toFirstOf: [gone, there, end], from: "JFK", in: reader)
        #expect(board.minute == there && !board.lines.isEmpty)
        let (same, number) = try Board.travel(to: there, from: "JFK", in: reader)
        #expect(board == same && commit == number)
        #expect(throws: DatabaseError.self) { try Board.travel(toFirstOf: [gone], from: "JFK", in: reader) }
    }

    @Test func `Without a minute of one's choice, one is shown that was played`() {
        func usual(_ now: String) -> [String] { Board.usualMinutes(upTo: Minute(now)!).map(\.description) }
        #expect(usual("2013-02-01 03:50") == ["2013-01-15 17:00", "2013-01-31 17:00", "2013-02-01 03:50"])
        #expect(usual("2013-01-20 18:00") == ["2013-01-15 17:00", "2013-01-20 17:00", "2013-01-20 18:00"])
        #expect(usual("2013-01-01 03:00") == ["2013-01-01 03:00", "2013-01-01 03:00", "2013-01-01 03:00"])
    }

    @Test(arguments: [["--from", "SFO"], ["--speed", "0"], ["--speed", "1e-300"], ["--speed", "nan"], ["--late"]])
    func `Arguments that make no play are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try DeparturesBoard.parse(arguments) }
    }

    @Test func `The board at a minute equals one computed without the engine`() async throws {
        let folder = try Folder()
        let path = folder("board.yaprak")
        _ = try await play(path, until: Minute("2013-01-02 12:00")!)
        let reader = try ReplayReader(FilePath(path))
        var fold = try PlainBoard(Timetable(fixture("departures-2013-01")))
        for time in ["2013-01-01 05:00", "2013-01-01 17:00", "2013-01-02 08:31"] {
            let minute = Minute(time)!
            try fold.advance(to: minute)
            let plain = fold.flights.map { Board.Line(key: $0.key, flight: $0.value) }
            for airport in ["JFK", "LGA", "EWR"] {
                let (board, _) = try Board.travel(to: minute, from: airport, in: reader)
                #expect(board == Board(from: airport, at: minute, of: plain))
                #expect(!board.lines.isEmpty)
            }
        }
        let (before, commit) = try Board.travel(to: Minute(count: 0), from: "JFK", in: reader)
        #expect(before.lines.isEmpty)
        #expect(commit == 0)
    }

    @Test func `Minutes read and print as times of New York`() {
        #expect(Minute("2013-01-15 17:00")?.count == 21_180)
        #expect(Minute(count: 21_180).date == "Tue 15 Jan 2013")
        #expect(Minute("44870").map(\.description) == "2013-02-01 03:50")
        for text in ["", "2013-01-32", "2013-02-03", "2012-01-01", "2013-01-01 24:00", "2013-1", "-5"] {
            #expect(Minute(text) == nil, "\(text)")
        }
    }

    @Test func `A board shows delays, cancellations and the time`() throws {
        let minute = Minute("2013-01-15 17:00")!
        var flight = Flight(
            carrier: "B6", number: 359, origin: "JFK", destination: "BUR", scheduled: minute + 10, distance: 2465,
            status: .scheduled)
        var lines = [Board.Line(key: "a", flight: flight)]
        flight.status = .delayed
        flight.delay = 41
        lines.append(Board.Line(key: "b", flight: flight))
        flight.status = .cancelled
        lines.append(Board.Line(key: "c", flight: flight))
        let console = Console(out: TextSink(), err: TextSink())
        try Board(from: "JFK", at: minute, of: lines).show(on: console)
        #expect(
            console.out.text == """
                Departures  JFK                       Tue 15 Jan 2013  17:00
                TIME   FLIGHT    TO    STATUS                          MILES
                17:10  B6 359    BUR   on time                         2,465
                17:10  B6 359    BUR   delayed 41 min, expected 17:51  2,465
                17:10  B6 359    BUR   cancelled                       2,465

                """)
    }

    // The sum stopped the program.
    @Test func `A board shows a flight from the files of a database whatever its delay`() throws {
        let minute = Minute("2013-01-15 17:00")!
        let flight = Flight(
            carrier: "B6", number: 359, origin: "JFK", destination: "BUR", scheduled: minute + 10, distance: 2465,
            status: .delayed, delay: .max)
        let board = Board(from: "JFK", at: minute, of: [Board.Line(key: "a", flight: flight)])
        let console = Console(out: TextSink(), err: TextSink())
        try board.show(on: console)
        #expect(console.out.text.contains("delayed \(Int.max) min"))
    }

    @Test func `A progress bar shows share, rate and the time that is left`() {
        let bar = ProgressBar(Console(out: TextSink(), err: TextSink()), "loading", unit: "records")
        #expect(bar.line(done: 0, of: 1000, counted: 0, after: 0).contains("0 %  0 records/s  0:00 left"))
        let half = bar.line(done: 500, of: 1000, counted: 12_000, after: 10)
        #expect(half.contains("50 %  1,200 records/s  0:10 left"))
        #expect(half.columns <= 80)
    }
}

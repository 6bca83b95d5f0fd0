import ArgumentParser
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import DeparturesBoard

/// The board's views: while the month is played, lists that are kept by their changes equal them, and they equal what is
/// computed without the engine.
@Suite(.bounded) struct BoardViewTests {
    /// A week, in a soak the whole month; a failure prints the seed, and the same seed has the same minutes.
    @Test func `The month is as it is without the engine, also at fifty random minutes`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let database = try await open()
        let shown = Log()
        let lateShown = Log()
        let follower = ListFollower(
            database, BoardViews.sections(of: BoardViews.departures), isChecked: true,
            show: { _, _ in shown.add("") })
        let lateFollower = ListFollower(
            database, BoardViews.sections(of: BoardViews.late), isChecked: true,
            show: { _, _ in lateShown.add("") })
        var stepper = try Stepper(BoardViews.departures, database.snapshot)
        var lateStepper = try Stepper(BoardViews.late, database.snapshot)
        let end = Soak.isOn ? Minute(count: 44_870) : Minute("2013-01-07 23:59")!
        var check = try BoardCheck(
            minutes: 50, seed: seed, from: database.snapshot, to: end, Timetable(fixture("departures-2013-01")))
        do {
            var commits = 0
            for until in [Minute(Soak.isOn ? "2013-01-15 12:00" : "2013-01-04 12:00")!, end] {
                let playback = Playback(database: database, until: until, checkpointDays: 0)
                let result = try await playback.run(Timetable(fixture("departures-2013-01"))) { minute, _ in
                    try check.follow(database.snapshot, of: minute)
                    try stepper.step(to: database.snapshot)
                    try lateStepper.step(to: database.snapshot)
                }
                commits += result.commits
                // At noon both lists have rows. A follower on a busy machine may have seen nothing yet: it is waited for,
                // so that each has updates to be held against.
                for _ in 0..<60_000 where shown.lines.count < 2 || lateShown.lines.count < 2 {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            try check.finish()
            #expect(Soak.isOn ? commits == 31_108 : commits > 6000)
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
        #expect(check.checked == 50, "seed \(seed)")
        // Every flight came to the list, and moves are delays of flights that other flights then leave before.
        #expect(stepper.changes > (Soak.isOn ? 50_000 : 10_000) && stepper.moves > (Soak.isOn ? 2000 : 200))
        try await database.close()
        #expect(try await follower.finish().updates > 0)
        #expect(try await lateFollower.finish().updates > 0)
    }

    @Test func `Views are adopted when the database is opened again`() async throws {
        let folder = try Folder()
        let path = FilePath(folder("board.yaprak"))
        func open() async throws -> (Database, BoardViews.Origins) {
            let database = try await Database.open(at: path, collections: .flights, .clock)
            return (database, try await BoardViews.register(in: database))
        }
        var (database, origins) = try await open()
        #expect(origins.departures == .populated && origins.late == .populated)
        let noon = Minute("2013-01-01 12:00")!
        _ = try await Playback(database: database, until: noon)
            .run(Timetable(fixture("departures-2013-01")))
        try await database.checkpoint()
        _ = try await Playback(database: database, until: noon + 60).run(Timetable(fixture("departures-2013-01")))
        let shown = try list(of: BoardViews.departures, database.snapshot)
        let late = try list(of: BoardViews.late, database.snapshot)
        try await database.close()
        (database, origins) = try await open()
        #expect(origins.departures == .adopted)
        #expect(try list(of: BoardViews.departures, database.snapshot) == shown)
        #expect(try list(of: BoardViews.late, database.snapshot) == late)
        #expect(shown.sections.map(\.rows.count) == [20, 20, 20])
        try await database.close()
    }

    @Test func `A checked play says what it checked, and leaves its views behind`() async throws {
        let folder = try Folder()
        let path = FilePath(folder("board.yaprak"))
        let arguments = [
            "--check", "--seed", "7", "--until", "2013-01-01 09:00", "--data", fixture("departures-2013-01"),
        ]
        let program = try DeparturesBoard.parse(arguments)
        var database = try await Database.open(at: path, collections: .flights, .clock)
        let origins = try await BoardViews.register(in: database)
        let performance = try await program.perform(database, on: Console(out: TextSink(), err: TextSink()))
        #expect(performance.isComplete)
        let lines = performance.lines(origins).map(\.text)
        #expect(lines[1].hasPrefix("departures populated, late populated; "))
        #expect(lines.contains("equals one without the engine (50 minutes checked, seed 7)"))
        database = try await Database.open(at: path, collections: .flights, .clock)
        #expect(try await BoardViews.register(in: database).departures == .adopted)
        try await database.close()
    }

    @Test func `A change that does not fit is noticed`() async throws {
        let database = try await open()
        let minute = Minute("2013-01-01 05:00")!
        let before = database.snapshot
        _ = try await Playback(database: database, until: minute).run(Timetable(fixture("departures-2013-01")))
        let mappings = BoardViews.sections(of: BoardViews.departures)
        let changes = try mappings.changes(from: before, to: database.snapshot)
        var shown = try list(of: BoardViews.departures, before)
        try shown.apply(changes, records: database.snapshot[.flights])
        #expect(try shown.sections == list(of: BoardViews.departures, database.snapshot).sections)
        let back = try mappings.changes(from: database.snapshot, to: before)
        var empty = try list(of: BoardViews.departures, before)
        #expect(throws: OutOfStep.self) { try empty.apply(back, records: before[.flights]) }
        try await database.close()
    }

    @Test func `The live board has a column for each airport, and as many as fit`() async throws {
        let database = try await open()
        let minute = Minute("2013-01-01 05:00")!
        _ = try await Playback(database: database, until: minute).run(Timetable(fixture("departures-2013-01")))
        let shown = try list(of: BoardViews.departures, database.snapshot)
        let console = Console(out: TextSink(), err: TextSink())
        let screen = try Screen(console)
        defer { screen.leave() }
        let board = LiveBoard(console: console, screen: screen)
        for (width, columns) in [(200, 79), (80, 79), (79, 79), (78, 52), (30, 25), (10, 25)] {
            let size = Screen.Size(columns: width, rows: 24)
            let lines = board.lines(shown, ["EWR": 33], minute, database.commitNumber, size)
            #expect(lines.count == 24)
            #expect(lines[1].columns == columns, "\(width)")
            #expect(lines[2...21].allSatisfy { $0.columns == columns }, "\(width)")
            #expect(lines[0].hasPrefix(" Departures"))
            #expect(lines[0].hasSuffix("Tue 1 Jan 2013  05:00"))
            #expect(lines[1].hasPrefix(" EWR"))
        }
        let low = board.lines(shown, [:], minute, database.commitNumber, Screen.Size(columns: 80, rows: 10))
        #expect(low.count == 10 && low[9].hasSuffix("q ends"))
        try await database.close()
    }

    private func open() async throws -> Database {
        let database = Database.inMemory()
        _ = try await BoardViews.register(in: database)
        return database
    }
}

/// A list, read whole.
private func list<View: OrderedView>(of view: View, _ snapshot: Snapshot) throws -> ShownList
where View.Element == Record<Flight, NoMetadata> {
    var mappings = BoardViews.sections(of: view)
    try mappings.update(to: snapshot)
    return ShownList(of: mappings, in: snapshot)
}

/// Goes from commit to commit, none skipped, by the changes between two snapshots.
private struct Stepper<View: OrderedView> where View.Element == Record<Flight, NoMetadata> {
    private var mappings: ViewMappings<View>
    private var shown: ShownList
    private var last: Snapshot
    private(set) var changes = 0
    private(set) var moves = 0

    init(_ view: View, _ snapshot: Snapshot) throws {
        mappings = BoardViews.sections(of: view)
        try mappings.update(to: snapshot)
        shown = ShownList(of: mappings, in: snapshot)
        last = snapshot
    }

    mutating func step(to snapshot: Snapshot) throws {
        let changes = try mappings.advance(from: last, to: snapshot)
        last = snapshot
        guard changes.hasChanges else { return }
        try shown.apply(changes, records: snapshot[.flights])
        self.changes += changes.rowChanges.count
        for case .move in changes.rowChanges.map(\.kind) { moves += 1 }
        let whole = ShownList(of: mappings, in: snapshot)
        try OutOfStep.check(shown.sections, equal: whole.sections, "kept by changes up to \(snapshot.commitNumber)")
    }
}

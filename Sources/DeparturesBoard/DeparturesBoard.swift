import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

/// The example that is also the demo: a month of New York's departures, played into a database on disk.
@main
struct DeparturesBoard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "DeparturesBoard",
        abstract: "Plays January 2013's departures from New York into a database.",
        discussion: """
            One commit for each minute in which something happens: 31,108 of them, from 85,497 events. Kill it at any \
            moment, also with kill -9, and run it again: it goes on with the minute after the last one in the database. \
            At the end it shows the board of JFK at a minute of your choice, by travelling there through the log.

            Exit codes: 0 all is well; 1 the stream missed a commit; 4 verification found damage; 130 interrupted.
            """)

    @Option(help: ArgumentHelp("The database's directory; made if absent.", valueName: "directory"))
    var path = "departures.yaprak"

    @Option(help: ArgumentHelp("The events: NDJSON, plain or in LZ4 frames.", valueName: "file"))
    var data = "Fixtures/departures-2013-01.ndjson.lz4"

    @Option(help: "When a commit counts as written: always (synced), interval (synced 10 times a second), none.")
    var durability = DurabilityName.always

    @Option(help: "How far back the log goes: all, or checkpoints (the newest two and what follows).")
    var retention = RetentionName.all

    @Option(help: ArgumentHelp("Minutes with events to play per second; as fast as can be if absent.", valueName: "n"))
    var speed: Double?

    @Option(help: ArgumentHelp("Stop after this minute.", valueName: "time"))
    var until: Minute?

    @Option(help: ArgumentHelp("Show the board as of this time: \"2013-01-15 17:00\" or minutes.", valueName: "time"))
    var at: Minute?

    @Option(name: .customLong("from"), help: ArgumentHelp("The airport: JFK, LGA or EWR.", valueName: "airport"))
    var airport = "JFK"

    func validate() throws {
        if let speed, !(speed > 0) { throw ValidationError("--speed has to be more than 0") }
    }

    mutating func run() async throws {
        let console = Console.standard()
        do {
            try await play(on: console)
            try console.flush()
        } catch let error as Errno where error == .brokenPipe {
            throw ExitCode.success
        } catch let error where !(error is ExitCode) {
            try? console.out.flush()
            try? console.err.write("DeparturesBoard: \(error)\n")
            try? console.err.flush()
            throw ExitCode((error as? DatabaseError)?.code == .alreadyOpen ? 6 : 4)
        }
    }

    private func play(on console: Console) async throws {
        var options = DatabaseOptions()
        options.durability = durability.durability
        options.retention = retention.retention
        let timetable = try Timetable(data)
        let database = try await Database.open(at: FilePath(path), options: options, collections: .flights, .clock)
        if let clock = Playback.clock(of: database.snapshot) {
            try console.err.write("going on after \(clock.minute), commit \(database.commitNumber)\n")
            try console.err.flush()
        }
        let follower = ChangeFollower(database)
        let result = try await runPlayback(database, timetable, console)
        let snapshot = database.snapshot
        try await database.close()
        let seen = try await follower.finish()
        if result.isCancelled {
            try console.err.write("interrupted after commit \(snapshot.commitNumber). Run it again to go on.\n")
            try console.flush()
            throw ExitCode(130)
        }
        try show(snapshot, seen, result, on: console)
    }

    private func runPlayback(
        _ database: Database, _ timetable: Timetable, _ console: Console
    ) async throws -> Playback.Result {
        Interruption.listen()
        var playback = Playback(database: database, until: until, speed: speed)
        playback.isCancelled = { Interruption.isRequested }
        // The month has 44,871 minutes; nobody counts events ahead.
        let end = min(until?.count ?? 44_870, 44_870)
        var bar = ProgressBar(console, "playing", unit: "commits")
        defer { bar.finish() }
        return try await playback.run(timetable) { minute, result in
            bar.update(done: minute.count, of: end, counted: result.commits)
        }
    }

    private func show(
        _ snapshot: Snapshot, _ seen: ChangeFollower.Seen, _ result: Playback.Result, on console: Console
    ) throws {
        let reader = try ReplayReader(FilePath(path))
        let now = Playback.clock(of: snapshot)?.minute ?? Minute(count: 0)
        let (board, commit) = try Board.travel(to: at ?? min(now, Minute(count: 21_180)), from: airport, in: reader)
        try board.show(on: console)
        try console.out.write(console.paint("as of commit \(commit)", .faint) + "\n\n")
        let summary = try Summary(of: snapshot, reader, result)
        try summary.show(on: console)
        let isComplete = seen.gaps == 0 && seen.last == snapshot.commitNumber && seen.commits == result.commits
        let stream = "\(seen.commits.grouped) commits followed, \(isComplete ? "none missed" : "SOME MISSED")"
        try console.out.write(console.paint("stream".padded(to: 13), .faint) + stream + "\n")
        try console.flush()
        guard summary.verification.severity == .clean else { throw ExitCode(summary.verification.severity.exitCode) }
        guard isComplete else { throw ExitCode(1) }
    }
}

/// The durability policies by name.
enum DurabilityName: String, ExpressibleByArgument, CaseIterable {
    case always, interval, none

    var durability: Durability {
        switch self {
        case .always: .always
        case .interval: .interval(.milliseconds(100))
        case .none: .none
        }
    }
}

/// The retention policies by name.
enum RetentionName: String, ExpressibleByArgument, CaseIterable {
    case all, checkpoints

    var retention: Retention { self == .all ? .all : .checkpoints(2) }
}

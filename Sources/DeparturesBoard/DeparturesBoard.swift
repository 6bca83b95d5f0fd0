import ArgumentParser
import Foundation
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

/// The example and demo: a month of New York's departures, played into a database on disk.
@main
struct DeparturesBoard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "DeparturesBoard",
        abstract: "Plays January 2013's departures from New York into a database.",
        discussion: """
            One commit for each minute in which something happens: 31,108 of them, from 85,497 events. Kill it at any \
            moment, also with kill -9, and run it again: it continues with the minute after the last one in the database. \
            At the end it shows the board of JFK at a minute of your choice, by travelling there through the log. With \
            --live it shows the next departures of all airports while they change, until q or Ctrl-C.

            Exit codes: 0 all is well; 1 the stream missed a commit, or a list was not as it should be; 3 there is no file of \
            events, or the log no longer goes back to the minute of --at; 4 damage was found; 5 the directory is taken; 6 it \
            is in use or can't be read or written; 7 a newer version wrote it; 64 wrong arguments or events; 130 interrupted.
            """)

    @Option(help: ArgumentHelp("The database's directory; made if absent.", valueName: "directory"))
    var path = "departures.yaprak"

    @Option(help: ArgumentHelp("The events: NDJSON, plain or in LZ4 frames.", valueName: "file"))
    var data = "Fixtures/departures-2013-01.ndjson.lz4"

    @Option(help: "When a commit counts as written: always (synced), interval (synced 10 times a second), none.")
    var durability = DurabilityName.always

    @Option(help: "How far back the log goes: all, or checkpoints (the newest two and what follows).")
    var retention = RetentionName.all

    @Option(
        help: ArgumentHelp(
            "Simulated minutes per second; as fast as can be if absent, 20 with --live.", valueName: "minutes"))
    var speed: Double?

    @Flag(help: "Show the next departures while they change; on a terminal only.")
    var live = false

    @Flag(help: "With --live: only flights that leave 15 minutes late or more.")
    var late = false

    @Flag(help: "Compare lists with views, and the board at 50 random minutes with one computed without the database.")
    var check = false

    @Option(help: ArgumentHelp("Chooses the minutes of --check.", valueName: "number"))
    var seed: UInt64 = 2013

    @Option(help: ArgumentHelp("Stop after this minute.", valueName: "time"))
    var until: Minute?

    @Option(
        help: ArgumentHelp(
            "Show the board as of this time: \"2013-01-15 17:00\" or minutes. If absent, of a time that the log has.",
            valueName: "time"))
    var at: Minute?

    @Option(name: .customLong("from"), help: ArgumentHelp("The airport: JFK, LGA or EWR.", valueName: "airport"))
    var airport = "JFK"

    @Flag(help: "Make the database of the tutorial \"Find a bug with bisect\", with the bug, and nothing else.")
    var tutorial = false

    func validate() throws {
        // Within what a duration can be.
        if let speed, !(speed >= 0.001) { throw ValidationError("--speed has to be 0.001 or more") }
        guard BoardViews.airports.contains(airport) else { throw ValidationError("--from has to be JFK, LGA or EWR") }
        if late, !live { throw ValidationError("--late goes with --live") }
    }

    mutating func run() async throws {
        let console = Console.standard()
        guard !live || console.isAddressable else { throw ValidationError("--live needs a terminal") }
        do {
            try await play(on: console)
            try console.flush()
        } catch let error as Errno where error == .brokenPipe {
            throw ExitCode.success
        } catch let error where !(error is ExitCode) {
            try? console.out.flush()
            try? console.err.write("DeparturesBoard: \(error)\n")
            try? console.err.flush()
            throw ExitCode(Self.exitCode(for: error))
        }
    }

    private static func exitCode(for error: any Error) -> Int32 {
        switch error {
        case is OutOfStep: 1
        case let error as UnreadableTimetable: error.cause == .noSuchFileOrDirectory ? 3 : 6
        case is InputError, is DecodingError: 64
        case let error as DatabaseError:
            switch error.code {
            case .notFound, .commitOutOfReach: 3
            case .corruptLog, .corruptCheckpoint, .stateDiffers: 4
            case .alreadyExists: 5
            case .newerFormat: 7
            default: 6
            }
        default: 6
        }
    }

    private func play(on console: Console) async throws {
        // Before the database: a wrong name leaves nothing behind.
        let timetable = try Timetable(data)
        if tutorial {
            try await Tutorial.make(at: FilePath(path), timetable)
            return
        }
        var options = DatabaseOptions()
        options.durability = durability.durability
        options.retention = retention.retention
        let database = try await Database.open(at: FilePath(path), options: options, collections: .flights, .clock)
        do {
            try await play(in: database, on: console)
        } catch {
            // Ends the followers, too. A second call does nothing.
            try? await database.close()
            throw error
        }
    }

    private func play(in database: Database, on console: Console) async throws {
        let origins = try await BoardViews.register(in: database)
        if let clock = Playback.clock(of: database.snapshot) {
            try console.err.write(
                "continuing after \(clock.minute), commit \(database.commitNumber); views: \(origins)\n")
            try console.err.flush()
        }
        Interruption.listen()
        let performance = try await perform(database, on: console)
        if performance.result.isCancelled {
            try console.err.write(
                "interrupted after commit \(performance.snapshot.commitNumber). Run it again to continue.\n")
            try console.flush()
            throw ExitCode(130)
        }
        try show(performance, origins, on: console)
    }

    private func show(_ performance: Performance, _ origins: BoardViews.Origins, on console: Console) throws {
        let snapshot = performance.snapshot
        let reader = try ReplayReader(FilePath(path))
        let now = Playback.clock(of: snapshot)?.minute ?? Minute(count: 0)
        let minutes = at.map { [$0] } ?? Board.usualMinutes(upTo: now)
        let (board, commit) = try Board.travel(toFirstOf: minutes, from: airport, in: reader)
        try board.show(on: console)
        try console.out.write(console.paint("as of commit \(commit)", .faint) + "\n\n")
        let summary = try Summary(of: snapshot, reader, performance.result)
        try summary.show(on: console)
        for (label, text) in performance.lines(origins) {
            try console.out.write(console.paint(label.padded(to: 13), .faint) + text + "\n")
        }
        try console.flush()
        guard summary.verification.severity == .clean else { throw ExitCode(summary.verification.severity.exitCode) }
        guard performance.isComplete else { throw ExitCode(1) }
    }
}

/// The durability policies by name.
enum DurabilityName: String, ExpressibleByArgument, CaseIterable {
    case always, interval, none

    var durability: Durability {
        switch self {
        case .always: .always
        case .interval: .interval(.milliseconds(100))
        case .none: .relaxed
        }
    }
}

/// The retention policies by name.
enum RetentionName: String, ExpressibleByArgument, CaseIterable {
    case all, checkpoints

    var retention: Retention { self == .all ? .all : .checkpoints(2) }
}

import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Plays commits at their original pace, or step by step.",
        usage: "yaprak replay <database> [<options>]",
        discussion: """
            Prints each commit when its time has come, counted from the first: 1x is the original pace, 60x an hour in a \
            minute, max is without waiting. On a terminal a line below shows the progress. --step shows one commit at \
            a time, with the values before and after, and moves by keys: → ← one commit, ↓ ↑ through its lines, PgDn PgUp \
            ten commits, Home End to the first or last, : and a position to any, space plays, q quits.

              yaprak replay departures.yaprak --speed 600x --from '2013-01-05 12:00'
              yaprak replay departures.yaprak --speed max --until 100 --patch
              yaprak replay departures.yaprak --step --from @~20
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(help: ArgumentHelp("0.5x, 1x, 60x, …, max.", valueName: "speed"))
    var speed = ReplaySpeed(argument: "1x")!

    @OptionGroup var bounds: BoundOptions

    @Option(help: ArgumentHelp("Wait no longer than this between two commits.", valueName: "seconds"))
    var maxPause: Double?

    @Flag(help: "Show one commit at a time and move by keys; on a terminal only.")
    var step = false

    @Flag(name: .shortAndLong, help: "Each record field by field, before and after.")
    var patch = false

    @OptionGroup var filtering: FilterOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let maxPause, !(maxPause >= 0 && maxPause <= 1e9) { throw ValidationError("--max-pause takes seconds") }
        if step, patch || output.format != nil || maxPause != nil {
            throw ValidationError("--step goes without --patch, --format and --max-pause")
        }
        if step, !filtering.filter.passesAll { throw ValidationError("--step goes without --collection and --key") }
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        guard let numbers = try numbers(in: reader) else {
            if !step, output.format(on: console) == .json { try console.out.write("[]\n") }
            return
        }
        if step {
            var stepper = try ReplayStepper(reader, numbers, speed: speed, on: console)
            return try stepper.run()
        }
        let bounds = try bounds.bounds(in: reader)
        var isEmpty = true, asked = AskedCollection(filtering.collection)
        Interruption.listen()
        let format = output.format(on: console)
        // A person gets a line, a program the whole commit.
        let isJSON = format == .json || format == .ndjson
        var printer = CommitPrinter(
            format: format, isOneLine: !patch && !isJSON, showsPatch: patch, tags: reader.tagsByNumber(),
            console: console)
        var pace = ReplayPace(speed: speed, pauseMax: maxPause, last: numbers.upperBound, console: console)
        let filter = filtering.filter
        let walk = CommitWalk(reader: reader, first: numbers.lowerBound, last: numbers.upperBound, hasValues: patch)
        do {
            try await walk.run { commit, step in
                asked.look(in: commit, step)
                guard bounds.contains(commit), var shown = filter.apply(to: commit) else { return true }
                isEmpty = false
                shown.changes = step.map { ShownChange.of($0, filter) }
                try pace.wait(for: commit)
                try printer.write(shown)
                if speed.factor != nil {
                    try printer.settle()
                    try console.flush()
                }
                return true
            }
        } catch is Interrupted {
            pace.finish()
            try printer.finish()
            throw ExitCode(130)
        }
        pace.finish()
        try printer.finish()
        if isEmpty { try asked.require(in: reader, at: numbers.upperBound) }
    }

    /// The commits to play; nil if there are none.
    private func numbers(in reader: ReplayReader) throws -> ClosedRange<CommitNumber>? {
        let bounds = try bounds.bounds(in: reader)
        let newest = try bounds.last ?? reader.newestCommitNumber()
        guard let oldest = try reader.oldestCommitNumber() else { return nil }
        let first = bounds.first > 0 ? bounds.first : oldest
        if bounds.first > 0, first > newest {
            throw Failure(
                "usage", "--from (commit \(first)) comes after --until (commit \(newest))", exitCode: 64)
        }
        guard first <= newest else { return nil }
        try reader.requireLog(from: first)
        return first...newest
    }
}

import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Plays commits at the pace at which they happened, or step by step.",
        usage: "yaprak replay <database> [<options>]",
        discussion: """
            Prints each commit when its time has come, counted from the first: at 1x as it was, at 60x an hour in a \
            minute, at max without waiting. On a terminal a line below says where the play is. --step shows one commit at \
            a time, with the values before and after, and goes on and back by keys: → ← one, PgDn PgUp ten, Home End to \
            the ends, q to quit.

              yaprak replay departures.yaprak --speed 600x --from '@{2013-01-05 12:00}'
              yaprak replay departures.yaprak --speed max --until 100 --patch
              yaprak replay departures.yaprak --step --from @~20
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Option(help: ArgumentHelp("0.5x, 1x, 60x, …, max.", valueName: "speed"))
    var speed = ReplaySpeed(argument: "1x")!

    @Option(
        help: ArgumentHelp("Begin with this commit; the oldest by default.", valueName: "position"),
        transform: LogPosition.argument)
    var from: LogPosition?

    @Option(
        help: ArgumentHelp("End with this commit; the newest by default.", valueName: "position"),
        transform: LogPosition.argument)
    var until: LogPosition?

    @Option(help: ArgumentHelp("Wait no longer than this between two commits.", valueName: "seconds"))
    var maxPause: Double?

    @Flag(help: "Go by keys, one commit at a time; on a terminal only.")
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
        if step, !filtering.filter.passesAll { throw ValidationError("--step shows all of each commit") }
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        guard let numbers = try numbers(in: reader) else { return }
        guard !step else { return try ReplayStepper(reader, numbers, on: console).run() }
        Interruption.listen()
        let format = output.format(on: console)
        // People get a line, programs the whole commit.
        let isJSON = format == .json || format == .ndjson
        var printer = CommitPrinter(
            format: format, isOneLine: !patch && !isJSON, showsPatch: patch, tags: reader.tagsByNumber(),
            console: console)
        var pace = ReplayPace(speed: speed, pauseMax: maxPause, last: numbers.upperBound, console: console)
        let filter = filtering.filter
        let walk = CommitWalk(reader: reader, first: numbers.lowerBound, last: numbers.upperBound, hasValues: patch)
        do {
            try await walk.run { commit, step in
                guard var shown = filter.apply(to: commit) else { return true }
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
    }

    /// The commits to play; nil if there are none.
    private func numbers(in reader: ReplayReader) throws -> ClosedRange<CommitNumber>? {
        let newest = try until.map { try reader.commitNumber(at: $0) } ?? reader.newestCommitNumber()
        let oldest = try reader.oldestCommitNumber()
        let first = try from.map { max(1, try reader.commitNumber(at: $0)) } ?? oldest ?? 1
        if from != nil || until != nil, first > newest {
            throw ValidationError("--from (commit \(first)) comes after --until (commit \(newest))")
        }
        guard first <= newest else { return nil }
        try reader.requireLog(from: first)
        return first...newest
    }
}

/// Lets a moment pass. This thread is the verb's own: nobody else waits for it.
private func nap(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
}

/// Waits for the time of each commit, and says below the data where the play is.
struct ReplayPace {
    private let speed: ReplaySpeed
    private let pauseMax: Duration?
    private let last: CommitNumber
    private let console: Console
    /// When the last commit was due, and when it was made.
    private var due = ContinuousClock.now
    private var made: Int64?
    private var isDrawn = false

    init(speed: ReplaySpeed, pauseMax: Double?, last: CommitNumber, console: Console) {
        self.speed = speed
        self.pauseMax = pauseMax.map { .seconds($0) }
        self.last = last
        self.console = console
    }

    /// Returns when the time of a commit has come.
    /// - Throws: `Interrupted` if somebody presses Ctrl-C meanwhile.
    mutating func wait(for commit: ReplayCommit) throws {
        let time = commit.nanosecondsSince1970
        let pause = made.map { speed.pause(from: $0, to: time) } ?? .zero
        made = time
        due += min(pause, pauseMax ?? pause)
        while case let left = due - .now, left > .zero {
            if Invocation.isInterrupted() { throw Interrupted() }
            draw(commit, left)
            // In pieces, at each of which somebody looks whether to go on.
            nap(min(left, .milliseconds(100)))
        }
        finish()
    }

    /// Takes the line away.
    mutating func finish() {
        guard isDrawn else { return }
        isDrawn = false
        try? console.err.write("\r\u{1b}[K")
        try? console.err.flush()
    }

    private mutating func draw(_ commit: ReplayCommit, _ left: Duration) {
        guard console.isWatched else { return }
        isDrawn = true
        let seconds = Int(left.components.seconds) + 1
        let rest = String(seconds % 60)
        let text =
            "▶ \(speed)  commit \(commit.commitNumber) of \(last) in \(seconds / 60):\(rest.count < 2 ? "0" : "")\(rest)"
        try? console.err.write("\r\u{1b}[K" + text.cut(to: max(20, console.width - 1)))
        try? console.err.flush()
    }
}

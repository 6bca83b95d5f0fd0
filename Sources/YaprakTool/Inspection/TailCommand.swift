import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Prints every commit after a cursor, for programs.",
        usage: "yaprak tail <database> [--after <cursor>] [<options>]",
        discussion: """
            One JSON object for each commit, the oldest first, each with a cursor. A consumer that keeps the cursor of the \
            last commit it processed, and continues from there, misses no commit and gets none twice. A cursor belongs to \
            its database and its history: one of another database, a fork or an older copy is refused (exit code 5), not \
            misread. Exit code 3 means that the log no longer reaches back to it, or does not reach it.

            --after takes a position, too: `--after @` waits for new commits. --from begins with a commit instead. \
            --follow ends with Ctrl-C, or when nobody reads its output any more.

              yaprak tail world.yaprak --follow
              yaprak tail world.yaprak --after "$(cat cursor)" | while read -r line; do …
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(help: ArgumentHelp("Begin after this commit; with the oldest by default.", valueName: "cursor or position"))
    var after: String?

    @Option(
        name: [.customLong("from"), .customLong("since")],
        help: ArgumentHelp("Begin with this commit, or with what was made at this time.", valueName: "position or time")
    )
    var from: String?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many commits.", valueName: "count"))
    var limit: Int?

    @Flag(name: .shortAndLong, help: "Print new commits as they are written, until Ctrl-C.")
    var follow = false

    @Flag(name: .shortAndLong, help: "Each record before and after.")
    var patch = false

    @OptionGroup var filtering: FilterOptions

    @Option(help: "ndjson or json; ndjson by default.")
    var format: OutputFormat?

    /// Where to begin.
    private enum Start {
        case after(LogCursor)
        case afterPosition(LogPosition)
        case from(LogBound)
    }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
        if let format, format != .ndjson, format != .json {
            throw ValidationError("tail prints ndjson or json. For tables use `yaprak log --follow`")
        }
        _ = try start()
    }

    private func start() throws -> Start? {
        if let from {
            if after != nil { throw ValidationError("give one of --after and --from") }
            // A cursor is the end of what was read, whatever it is given to.
            if let cursor = try LogCursor.argument(from) { return .after(cursor) }
            return .from(try LogBound.argument(from))
        }
        guard let after else { return nil }
        if let cursor = try LogCursor.argument(after) { return .after(cursor) }
        return .afterPosition(try LogPosition.argument(after))
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        if follow { Interruption.listen() }
        let first = try first(in: reader)
        var rows = RowWriter(format ?? .ndjson, [], console)
        var left = limit ?? .max, isEmpty = true
        guard left > 0 else { return try rows.finish() }
        let filter = filtering.filter
        var bounds: LogBounds?
        if case .from(let bound)? = try start() {
            bounds = try LogBounds(from: bound, until: nil, in: reader, now: Invocation.clock())
        }
        var asked = AskedCollection(filtering.collection)
        let walk = CommitWalk(reader: reader, first: first, hasValues: patch, follows: follow)
        do {
            try await walk.run { commit, step in
                asked.look(in: commit, step)
                guard bounds?.contains(commit) ?? true, var shown = filter.apply(to: commit) else { return true }
                shown.changes = step.map { ShownChange.of($0, filter) }
                var json = try CommitPrinter.members(of: shown)
                json.insert(.init("cursor", .text("\(try reader.cursor(at: commit))")), at: 0)
                try rows.write([], json: .map(json))
                left -= 1
                isEmpty = false
                return left > 0
            } pause: {
                try console.flush()
            }
        } catch is Interrupted {
            try rows.finish()
            throw ExitCode(130)
        }
        try rows.finish()
        if isEmpty { try asked.require(in: reader, at: nil) }
    }

    private func first(in reader: ReplayReader) throws -> CommitNumber {
        switch try start() {
        case .after(let cursor):
            _ = try reader.commits(after: cursor)
            return cursor.commitNumber.next()
        case .afterPosition(let position):
            let after = try reader.commitNumber(at: position)
            if after < (try reader.newestCommitNumber()) { try reader.requireLog(from: after.next()) }
            return after.next()
        case .from(.position(let position))?:
            let bounds = try LogBounds(from: .position(position), until: nil, in: reader, now: Invocation.clock())
            return max(1, bounds.first)
        case nil, .from(.time)?:
            // In this order: a commit that is written between the two calls is then in the log, and not skipped.
            let newest = try reader.newestCommitNumber()
            return try reader.oldestCommitNumber() ?? newest.next()
        }
    }
}

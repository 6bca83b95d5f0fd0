import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Prints every commit after a cursor, for programs.",
        usage: "yaprak tail <database> [--from <cursor>] [<options>]",
        discussion: """
            One JSON object for each commit, the oldest first, each with a cursor. A consumer that keeps the cursor of the \
            last commit it processed, and continues from there, misses no commit and gets none twice. A cursor belongs to \
            its database and its history: one of another database, a fork or an older copy is refused (exit code 5), not \
            misread. Exit code 3 means that the log no longer reaches back to it, or does not reach it.

            --from takes a position, too: `--from @` waits for new commits.

              yaprak tail world.yaprak --follow
              yaprak tail world.yaprak --from "$(cat cursor)" | while read -r line; do …
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Option(help: ArgumentHelp("After which commit; from the oldest by default.", valueName: "cursor or position"))
    var from: String?

    @Option(name: .customShort("n"), help: ArgumentHelp("At most this many commits.", valueName: "count"))
    var limit: Int?

    @Flag(name: .shortAndLong, help: "Print new commits as they are written, until Ctrl-C.")
    var follow = false

    @Flag(name: .shortAndLong, help: "Each record before and after.")
    var patch = false

    @OptionGroup var filtering: FilterOptions
    @OptionGroup var output: OutputOptions

    /// Where to begin.
    private enum Start {
        case cursor(LogCursor)
        case position(LogPosition)
    }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
        if let format = output.format, format != .ndjson, format != .json {
            throw ValidationError("tail prints ndjson or json")
        }
        _ = try start()
    }

    private func start() throws -> Start? {
        guard let from else { return nil }
        if let cursor = try? LogCursor(text: from) { return .cursor(cursor) }
        return .position(try LogPosition.argument(from))
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        if follow { Interruption.listen() }
        let first = try first(in: reader)
        var rows = RowWriter(output.format ?? .ndjson, [], console)
        var left = limit ?? .max
        guard left > 0 else { return try rows.finish() }
        let filter = filtering.filter
        let walk = CommitWalk(reader: reader, first: first, hasValues: patch, follows: follow)
        do {
            try await walk.run { commit, step in
                guard var shown = filter.apply(to: commit) else { return true }
                shown.changes = step.map { ShownChange.of($0, filter) }
                var json = try CommitPrinter.members(of: shown)
                json.insert(.init("cursor", .text("\(try reader.cursor(at: commit))")), at: 0)
                try rows.write([], json: .map(json))
                left -= 1
                return left > 0
            } pause: {
                try console.flush()
            }
        } catch is Interrupted {
            try rows.finish()
            throw ExitCode(130)
        }
        try rows.finish()
    }

    private func first(in reader: ReplayReader) throws -> CommitNumber {
        switch try start() {
        case .cursor(let cursor):
            _ = try reader.commits(after: cursor)
            return cursor.commitNumber.next()
        case .position(let position):
            let after = try reader.commitNumber(at: position)
            if after < (try reader.newestCommitNumber()) { try reader.requireLog(from: after.next()) }
            return after.next()
        case nil:
            // In this order: a commit that is written between the two calls is then in the log, and not skipped.
            let newest = try reader.newestCommitNumber()
            return try reader.oldestCommitNumber() ?? newest.next()
        }
    }
}

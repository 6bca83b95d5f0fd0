import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Lists commits, the newest first.",
        usage: "yaprak log <database> [<range>] [<options>]",
        discussion: """
            Each commit with its time, its origin, what the program attached to it, and the records it changed: + \
            inserted, ~ changed, - removed, ! touched. --follow prints commits as they are written, the oldest first, \
            until Ctrl-C: from now on, or after the first position of the range. --where chooses changes by an expression: \
            before and after are the objects, a field without them is that of the record after (before, if it was removed), and \
            `a became b` is true if a is b since the commit.

              yaprak log world.yaprak -n 3 --patch
              yaprak log world.yaprak @~20..@ --reverse --oneline
              yaprak log world.yaprak --collection flights --key UA1545-01-EWR-IAH --since yesterday
              yaprak log world.yaprak --where '.status became "delayed" and .delay > 60'
              yaprak log world.yaprak --follow --oneline
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(
        help: "Which commits: a..b (after a, up to b), a.., ..b or b; all by default.",
        completion: .position, transform: LogRange.argument)
    var range: LogRange?

    @Flag(help: "One line for each commit.")
    var oneline = false

    @Flag(help: "Only how many records were inserted, changed and removed, in each collection.")
    var stat = false

    @Flag(name: .shortAndLong, help: "Each record field by field, before and after.")
    var patch = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many commits.", valueName: "count"))
    var limit: Int?

    @OptionGroup var filtering: FilterOptions

    @Option(
        name: [.customLong("origin"), .customLong("author")],
        help: ArgumentHelp("Only commits of this origin.", valueName: "origin"))
    var origin: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only changes for which this expression is true; it may use before, after and became.",
            valueName: "expression"))
    var condition: String?

    @OptionGroup var bounds: BoundOptions

    @Flag(help: "The oldest first.")
    var reverse = false

    @Flag(name: .shortAndLong, help: "Print new commits as they are written, until Ctrl-C.")
    var follow = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
        if oneline, stat || patch { throw ValidationError("--oneline goes without --stat and --patch") }
        if follow, reverse { throw ValidationError("--follow is in the order of the commits already") }
        if follow, range?.through != nil || bounds.until != nil {
            throw ValidationError("--follow does not end: leave out --until, and write a range as a..")
        }
    }

    func run() async throws {
        let condition = try condition.map { text in try ReplayExpression(text, about: .change) }
        let reader = try ReplayReader.open(database)
        if follow { Interruption.listen() }
        let console = follow ? Invocation.console : try paging.console()
        var printer = CommitPrinter(
            format: output.format(on: console), isOneLine: oneline, showsStat: stat, showsPatch: patch,
            tags: reader.tagsByNumber(), console: console)
        guard let walk = try walk(in: reader) else { return try printer.finish() }
        var left = limit ?? .max, count = 0
        let filter = filtering.filter, bounds = try bounds.bounds(in: reader)
        let isInterrupted = Invocation.isInterrupted
        var asked = AskedCollection(filtering.collection)
        do {
            guard left > 0 else { return try printer.finish() }
            try await walk.run { commit, step in
                asked.look(in: commit, step)
                guard (origin ?? commit.origin) == commit.origin, bounds.contains(commit),
                    var shown = filter.apply(to: commit)
                else { return true }
                if let step {
                    let changes = try ShownChange.of(step, filter).filter {
                        try $0.satisfies(condition, step, unless: isInterrupted)
                    }
                    if !filter.passesAll || condition != nil, changes.isEmpty { return true }
                    if condition != nil { shown.keep(changes) }
                    if patch { shown.changes = changes }
                }
                try printer.write(shown)
                count += 1
                left -= 1
                return left > 0
            } pause: {
                try printer.settle()
                try console.flush()
            }
        } catch is Interrupted {
            try printer.finish()
            throw ExitCode(130)
        }
        try printer.finish()
        guard count == 0 else { return }
        try asked.require(in: reader, at: walk.last)
        guard let condition, !condition.collectionNames.isEmpty else { return }
        let state: Snapshot
        do { state = try reader.state(at: walk.last) } catch let interruption as CancellationError {
            throw interruption
        } catch {
            // A note is no reason to fail: what leads to the state may be damaged where nothing else was read.
            return
        }
        try condition.noteAbsentCollections(in: state)
    }

    /// The commits to look at; nil if there are none.
    private func walk(in reader: ReplayReader) throws -> CommitWalk? {
        if follow {
            let first = max(try firstFollowed(in: reader), try self.bounds.bounds(in: reader).first)
            return CommitWalk(reader: reader, first: first, hasValues: patch || condition != nil, follows: true)
        }
        // First: where there is no log at all, a position is as gone as before the beginning of one.
        let bounds = try self.bounds.bounds(in: reader)
        guard let all = try reader.numbers(in: range ?? LogRange()), let numbers = bounds.clamp(all) else { return nil }
        try reader.requireLog(from: numbers.lowerBound)
        return CommitWalk(
            reader: reader, first: numbers.lowerBound, last: numbers.upperBound, isBackwards: !reverse,
            hasValues: patch || condition != nil)
    }

    /// The commit that following begins with, as far as the range says so: with the next, if nothing says where.
    private func firstFollowed(in reader: ReplayReader) throws -> CommitNumber {
        // In this order: a commit that is written between the two calls is then in the log, and not skipped.
        let newest = try reader.newestCommitNumber()
        let oldest = max(1, try reader.oldestCommitNumber() ?? newest.next())
        guard let position = range?.after else { return range != nil || bounds.from != nil ? oldest : newest.next() }
        let first = try reader.commitNumber(at: position).next()
        if first <= newest { try reader.requireLog(from: first) }
        return first
    }
}

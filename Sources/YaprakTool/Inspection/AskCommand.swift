import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Prints the value of an expression: now, over time, or by group.",
        usage:
            "yaprak ask <database> <expression> [--every <interval>] [--by <expression>] [<options>]",
        discussion: """
            The expression is about the whole database. --at asks it as of a commit. --every asks it again and again: each \
            1h (s, m, h, d, w) of the log's time, or each 100 commits, between --from and --until; --plot draws it. --by asks it \
            for each value that a record's field has, of the records with that value alone. Exit code 1 means that the answer is \
            false, 3 that there is no such collection.

              yaprak ask world.yaprak 'average(flights, .delay)'
              yaprak ask world.yaprak 'count(flights, .status == "delayed")' --every 1h --plot
              yaprak ask world.yaprak 'max(flights, .delay)' --by .carrier --at @~100
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The expression to evaluate.")
    var expression: String

    @Option(
        help: ArgumentHelp("As of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition?

    @Option(
        help: ArgumentHelp(
            "Repeat for each interval: a time (30m, 1h, 7d) or a number of commits (100).", valueName: "interval"),
        transform: AskInterval.argument)
    var every: AskInterval?

    @Option(help: ArgumentHelp("Group records by the value of this expression.", valueName: "expression"))
    var by: String?

    @Flag(help: "Draw numbers as bars beside them.")
    var plot = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many rows.", valueName: "count"))
    var limit: Int?

    @OptionGroup var bounds: BoundOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
        if every != nil, at != nil { throw ValidationError("--every has --from and --until instead of --at") }
        if every != nil, by != nil { throw ValidationError("give one of --every and --by") }
        if every == nil, bounds.from != nil || bounds.until != nil {
            throw ValidationError("--from and --until go with --every")
        }
        if limit != nil, every == nil, by == nil { throw ValidationError("-n goes with --every or --by") }
        if plot, every == nil, by == nil { throw ValidationError("--plot goes with --every or --by") }
    }

    func run() async throws {
        let expression = try ReplayExpression(expression, about: .snapshot)
        let group = try by.map { text in try ReplayExpression(text, about: .record) }
        let reader = try ReplayReader.open(database)
        if let every { return try askAgain(expression, every, reader) }
        let snapshot = try reader.state(at: reader.commitNumber(at: at ?? .newest))
        let names = expression.collectionNames.union(group?.collectionNames ?? [])
        for name in names.sorted() { try snapshot.require(name) }
        if let group {
            let groups = expression.values(in: snapshot, by: group, unless: Invocation.isInterrupted)
            guard let groups else { throw Interrupted() }
            return try printGroups(groups)
        }
        guard let value = expression.value(in: snapshot, unless: Invocation.isInterrupted) else { throw Interrupted() }
        let console = try paging.console()
        try Invocation.show {
            try PropertyWriter.write(value, commit: snapshot.commitNumber, output.format(on: console), console)
        }
        if value == .bool(false) { throw ExitCode(1) }
    }

    // MARK: By group

    private func printGroups(_ groups: [(group: CBORValue, value: CBORValue)]) throws {
        let console = try paging.console(), format = output.format(on: console)
        let groups = groups.prefix(limit ?? .max)
        let isNumber = groups.allSatisfy { $0.value.isNull || $0.value.asNumber != nil }
        var columns = [Column(name: "group", isKept: true), Column(name: "value", isNumber: isNumber, isKept: true)]
        let scale = plot ? BarScale(groups.map { $0.value.asNumber }) : nil
        if plot, format == .table { columns.append(Column(name: "")) }
        var rows = RowWriter(format, columns, console)
        for (group, value) in groups {
            let bar: [CBORValue] = columns.count > 2 ? [.text(scale?.bar(value.asNumber, of: 40) ?? "")] : []
            try rows.write([group, value] + bar)
        }
        try rows.finish()
    }

    // MARK: Over time

    private func askAgain(_ expression: ReplayExpression, _ every: AskInterval, _ reader: ReplayReader) throws {
        // First: where there is no log at all, a position is as gone as before the beginning of one.
        let bounds = try self.bounds.bounds(in: reader)
        guard let all = try reader.commitNumbers(in: LogRange()), let numbers = bounds.clamp(all) else {
            let console = try paging.console()
            if output.format(on: console) == .json { try console.out.write("[]\n") }
            return
        }
        let schedule = try AskSchedule(every, numbers, bounds, reader)
        try refuseAbsent(expression.collectionNames, schedule, reader)
        let cursor = try schedule.moments.first.map { try reader.warmCursor(at: $0.commit) }
        let console = try paging.console(), format = output.format(on: console)
        var answers: [CBORValue] = []
        var columns = Column.time + [Column(name: "commit", isNumber: true)]
        // Bars need the greatest value before the first is drawn.
        if plot, format == .table {
            for moment in schedule.moments.prefix(limit ?? .max) {
                answers.append(try answer(expression, cursor, moment.commit, after: answers.last))
            }
        }
        let scale = answers.isEmpty ? nil : BarScale(answers.map { $0.asNumber })
        columns.append(Column(name: "value", isNumber: scale != nil, isKept: true))
        if scale != nil { columns.append(Column(name: "")) }
        var rows = RowWriter(format, columns, console)
        var last: (commit: CommitNumber, value: CBORValue)?
        do {
            for (index, moment) in schedule.moments.prefix(limit ?? .max).enumerated() {
                if Invocation.isInterrupted() { throw Interrupted() }
                let value: CBORValue
                if scale != nil {
                    value = answers[index]
                } else if let last, last.commit == moment.commit {
                    value = last.value
                } else {
                    value = try answer(expression, cursor, moment.commit, after: nil)
                }
                last = (moment.commit, value)
                let bar: [CBORValue] = scale.map { [.text($0.bar(value.asNumber, of: 40))] } ?? []
                try rows.write(
                    [.text(moment.time.isoTime), .integer(moment.time), .number(moment.commit), value] + bar)
            }
        } catch let error where error is Interrupted || error is CancellationError {
            try rows.finish()
            throw error
        }
        try rows.finish()
    }

    /// Refuses the name of a collection that has no records at any of the moments: a slip. It may have come and gone in between.
    private func refuseAbsent(_ names: Set<String>, _ schedule: AskSchedule, _ reader: ReplayReader) throws {
        var absent = names.subtracting(schedule.collectionNames)
        guard !absent.isEmpty, let first = schedule.moments.first, let last = schedule.moments.last else { return }
        let state = try reader.state(at: last.commit)
        absent = absent.filter { state.count(inCollectionNamed: $0) == 0 }
        guard !absent.isEmpty else { return }
        let start = try reader.state(at: first.commit)
        guard let name = absent.sorted().first(where: { start.count(inCollectionNamed: $0) == 0 }) else { return }
        throw Failure.noCollection(name, in: state)
    }

    private func answer(
        _ expression: ReplayExpression, _ cursor: HistoryCursor?, _ commit: CommitNumber, after last: CBORValue?
    ) throws -> CBORValue {
        guard let cursor else { return .null }
        if Invocation.isInterrupted() { throw Interrupted() }
        if let last, cursor.commitNumber == commit { return last }
        try cursor.seek(to: commit, unless: Invocation.isInterrupted)
        let value = expression.value(in: cursor.snapshot, unless: Invocation.isInterrupted)
        guard let value else { throw Interrupted() }
        return value
    }
}

extension PropertyWriter {
    /// One value: alone for a person, with its commit for a program.
    static func write(
        _ value: CBORValue, commit: CommitNumber, _ format: OutputFormat, _ console: Console
    ) throws {
        guard format != .table else { return try console.out.write(value.diagnostic(style: .pretty) + "\n") }
        var rows = RowWriter(
            format == .json ? .ndjson : format, [Column(name: "commit", isNumber: true), Column(name: "value")], console
        )
        try rows.write([.number(commit), value])
        try rows.finish()
    }
}

extension CBORValue {
    /// The number, as far as a picture needs it; `nil` for what is none.
    var asNumber: Double? {
        switch self {
        case .unsigned(let value): Double(value)
        case .negative(let value): -1 - Double(value)
        case .float(let value): value.isFinite ? value : nil
        default: nil
        }
    }
}

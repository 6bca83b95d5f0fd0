import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// What a bisection asks of a commit.
protocol BisectQuestion {
    /// What a commit is. `isFirst` says that it is the end which is said to be bad.
    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict
}

/// The way from probe to probe: each starts where another ended, or at the nearest checkpoint.
final class BisectWay {
    private let reader: ReplayReader
    private var journey: ReplayJourney?

    init(_ reader: ReplayReader) { self.reader = reader }

    /// The database as of a commit.
    func snapshot(at commit: CommitNumber) throws -> Snapshot {
        if let journey {
            try journey.go(to: commit)
            return journey.snapshot
        }
        let journey = try reader.journey(at: commit)
        self.journey = journey
        return journey.snapshot
    }
}

/// An expression: true is bad.
struct ExpressionQuestion: BisectQuestion {
    let way: BisectWay
    let expression: ReplayExpression

    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict {
        expression.holds(in: try way.snapshot(at: commit)) ? .bad : .good
    }
}

/// A command: its exit code says.
struct CommandQuestion: BisectQuestion {
    let command: String
    let reader: ReplayReader
    private let folder: PrivateFolder

    /// Databases are made in `scratch`, or beside the one that is searched: there they share its files.
    init(command: String, reader: ReplayReader, scratch: String?) throws {
        self.command = command
        self.reader = reader
        if let scratch {
            folder = try PrivateFolder("yaprak-bisect", in: FilePath(scratch))
        } else {
            let parent = reader.path.lexicallyNormalized().removingLastComponent()
            let beside = try? PrivateFolder(".yaprak-bisect", in: parent.isEmpty ? "." : parent)
            folder = try beside ?? PrivateFolder("yaprak-bisect")
        }
    }

    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict {
        let name = "commit-\(commit).yaprak"
        let path = folder.path.appending(name)
        _ = try reader.fork(at: commit, to: path)
        defer { folder.remove(name) }
        // What was said so far stands before what the command says.
        try Invocation.console.flush()
        let ending = try ChildProcess.run(
            command, environment: ["YAPRAK_COMMIT": commit.description, "YAPRAK_DATABASE": path.string])
        if Invocation.isInterrupted() { throw CancellationError() }
        switch ending {
        case .exited(0): return .good
        case .exited(125): return .skip
        // The shell says so of what it can't find or can't run. That is no verdict on any commit.
        case .exited(126) where isFirst, .exited(127) where isFirst:
            throw Failure("commandFailed", "the shell can't run \(command.debugDescription)", exitCode: 64)
        case .exited(1...127): return .bad
        case .exited(let code):
            throw Failure(
                "commandFailed", "the command ended with \(code) at commit \(commit); 0 to 127 are answers",
                exitCode: 64)
        case .killed(let signal):
            throw Failure("commandFailed", "signal \(signal) ended the command at commit \(commit)", exitCode: 64)
        }
    }
}

/// Prints the probes, and the commit that was found.
struct BisectPrinter {
    private let format: OutputFormat
    private let reader: ReplayReader
    private let console: Console
    private var rows: RowWriter

    init(_ format: OutputFormat, _ reader: ReplayReader, _ console: Console) {
        self.format = format
        self.reader = reader
        self.console = console
        rows = RowWriter(
            format,
            [
                Column(name: "probe", isNumber: true), Column(name: "commit", isNumber: true), Column(name: "time"),
                Column(name: "verdict"), Column(name: "left", isNumber: true),
            ], console)
    }

    /// Prints a probe: what the commit is, and how many may still be the first bad one.
    mutating func write(
        _ commit: CommitNumber, _ verdict: ReplayBisection.Verdict, _ search: ReplayBisection
    ) throws {
        let left: CBORValue =
            if case .notBad? = search.outcome { 0 } else { .unsigned(search.bad.rawValue - search.good.rawValue) }
        try rows.write(
            [
                .count(search.probeCount), .number(commit), try self.commit(commit).map { .text($0.timeText) } ?? .null,
                .text(verdict.rawValue),
                left,
            ])
        // Probes may take long; who waits sees each.
        if format == .ndjson { try console.flush() }
    }

    /// Ends the list.
    mutating func finish() throws { try rows.finish() }

    /// Ends the list and shows the commit, as far as the log has it.
    mutating func finish(found number: CommitNumber, isOldest: Bool) throws {
        let commit = try commit(number).map { ShownCommit(commit: $0, collections: $0.collections) }
        switch format {
        case .table:
            try rows.finish()
            try console.out.write("\ncommit \(number) is the first bad one\(isOldest ? " in reach" : "")\n\n")
            if commit != nil { try CommitPrinter.show(number, in: reader, .table, console) }
        case .json, .ndjson:
            var pairs: [CBORValue.Pair] = [.init("firstBad", .number(number))]
            if isOldest { pairs.append(.init("isOldestInReach", true)) }
            if let commit { pairs.append(.init("commit", .map(try CommitPrinter.members(of: commit)))) }
            try rows.write([], json: .map(pairs))
            try rows.finish()
        case .csv, .markdown:
            try rows.write(
                [.null, .number(number), commit.map { .text($0.commit.timeText) } ?? .null, "first bad", .null])
            try rows.finish()
        }
    }

    /// The commit, if the log still has it.
    private func commit(_ number: CommitNumber) throws -> ReplayCommit? {
        guard let oldest = try reader.oldestCommitNumber(), number >= oldest, number > 0 else { return nil }
        var commits = reader.commits(from: number, through: number).makeAsyncIterator()
        return try commits.next()
    }
}

extension ReplayCommit {
    fileprivate var timeText: String { nanosecondsSince1970.isoTime }
}

extension CommitPrinter {
    /// Prints one commit as `yaprak show` does, as far as the files tell what was before it.
    static func show(
        _ number: CommitNumber, in reader: ReplayReader, _ format: OutputFormat, _ console: Console
    ) throws {
        let before = CommitNumber(number.rawValue - min(1, number.rawValue))
        let step = try reader.oldestReachableCommitNumber() <= before ? reader.journey(at: before).next() : nil
        var commits = reader.commits(from: number, through: number).makeAsyncIterator()
        guard let commit = try step?.commit ?? commits.next() else { return }
        let filter = ChangeFilter(collection: nil, key: nil)
        var shown = filter.apply(to: commit) ?? ShownCommit(commit: commit, collections: [])
        shown.changes = step.map { ShownChange.of($0, filter) }
        var printer = CommitPrinter(
            format: format, isOneLine: false, showsPatch: step != nil, tags: reader.tagsByNumber(), console: console
        )
        try printer.write(shown)
        try printer.finish()
    }
}

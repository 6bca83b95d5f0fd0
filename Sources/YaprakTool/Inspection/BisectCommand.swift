import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct BisectCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect", abstract: "Finds the first bad commit by binary search.",
        usage: """
            yaprak bisect <database> --where <expression> [<options>]
            yaprak bisect <database> --key-exists <collection> <key> [<options>]
            yaprak bisect <database> --run <command> [<options>]
            """,
        discussion: """
            Finds the first commit for which a condition holds. --where takes an expression about the whole database; \
            true means bad. --key-exists means that a record exists. --run runs a shell command: 0 is good, 125 means \
            skip, any other code up to 127 is bad; a higher code or a signal ends the search, and so does 126 or 127 at the \
            first probe: the shell can't run the command. The command gets the commit's number in YAPRAK_COMMIT and a \
            database as of that commit, which it may write to, in YAPRAK_DATABASE. Its output goes to standard error.

            --bad is checked first; it is the newest commit by default. --good is not checked; without it the search goes \
            back to the empty database, or to the oldest reachable commit. Among n commits it takes at most log2(n) + 1 \
            probes, rounded up, if none is skipped. Commits whose state can't be read are skipped: those that a repair could \
            not read, and those behind them up to the next checkpoint.

              yaprak bisect world.yaprak --where 'any(flights, .delay < 0)'
              yaprak bisect world.yaprak --good 100 --bad @~3 --run './check "$YAPRAK_DATABASE"'

            Exit codes: 0 found; 1 the bad end is good, the expression is true for the empty database, or only skipped commits \
            are left; 3 there is no such commit, or no such collection; 64 wrong arguments, or a command that gives no \
            verdict; 130 interrupted.
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp("A commit that is good. 0 is the empty database.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var good: LogPosition?

    @Option(
        help: ArgumentHelp("A commit that is bad; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var bad: LogPosition?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("An expression that is true for bad commits.", valueName: "expression"))
    var condition: String?

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("A record that bad commits have.", valueName: "collection> <key"),
        completion: .collection)
    var keyExists: [String] = []

    @Option(
        name: .customLong("run"), help: ArgumentHelp("A command that checks a commit.", valueName: "command"))
    var command: String?

    @Option(
        help: ArgumentHelp(
            "Where --run puts its databases; beside the one searched by default, or else in the folder for temporary "
                + "files.", valueName: "directory"),
        completion: .directory)
    var scratch: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let questions = [condition != nil, !keyExists.isEmpty, command != nil].count { $0 }
        guard questions == 1 else { throw ValidationError("give one of --where, --key-exists and --run") }
        guard keyExists.isEmpty || keyExists.count == 2 else {
            throw ValidationError(
                "--key-exists takes a collection and a key. One that begins with a dash is written "
                    + "--where 'exists(collection[\"-key\"])'")
        }
        if scratch != nil, command == nil { throw ValidationError("--scratch goes with --run") }
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        let question = try question(of: reader)
        let ends = try ends(in: reader)
        var search = ReplayBisection(good: ends.good, bad: ends.bad)
        var printer = BisectPrinter(output.format(on: console), reader, console)
        do { try ask(question, about: ends, &search, &printer, reader) } catch {
            // What ends the search early, Ctrl-C or an error, leaves the list as whole as the end of the search does.
            try printer.finish()
            throw error
        }
        try finish(search, ends.floor, question, reader, &printer)
    }

    /// Asks about one commit after the other, until the search is over.
    private func ask(
        _ question: any BisectQuestion, about ends: Ends, _ search: inout ReplayBisection,
        _ printer: inout BisectPrinter, _ reader: ReplayReader
    ) throws {
        while let commit = search.next {
            if Invocation.isInterrupted() { throw CancellationError() }
            let verdict: ReplayBisection.Verdict
            do {
                verdict = try question.verdict(on: commit, isFirst: search.probeCount == 0)
                search.note(verdict)
            } catch let error as DatabaseError where search.probeCount > 0 {
                guard let lost = try reader.unreachableCommits(around: commit, after: error) else { throw error }
                verdict = .skip
                search.note(skipping: lost)
                try Invocation.console.err.write(
                    "yaprak: \(lost.commitsText("is", "are")) skipped: \(error.message.plain)\n")
            }
            try printer.write(commit, verdict, search)
            if search.probeCount == 1, verdict == .bad { try refuseAbsent(of: question, ends, reader) }
        }
    }

    // MARK: The question

    private func question(of reader: ReplayReader) throws -> any BisectQuestion {
        if let condition {
            let question = ExpressionQuestion(
                snapshots: ProbeSnapshots(reader), expression: try ReplayExpression(condition, about: .snapshot))
            try refuseIfTrueOfNothing(question.expression)
            return question
        }
        if let command {
            Interruption.listen()
            return try CommandQuestion(command: command, reader: reader, scratch: scratch)
        }
        return ExpressionQuestion(
            snapshots: ProbeSnapshots(reader), expression: .exists(keyExists[1], inCollectionNamed: keyExists[0]))
    }

    /// What is true of the empty database can't have begun with a commit, unless the user says where it was not true.
    private func refuseIfTrueOfNothing(_ expression: ReplayExpression) throws {
        guard good == nil, expression.holds(in: Database.inMemory().snapshot) else { return }
        throw Failure(
            "alwaysBad",
            "the expression is already true for the empty database. Name with --good a commit for which it is false.",
            exitCode: 1)
    }

    /// Refuses the name of a collection that no commit between the ends has: a slip, which would be empty at each of them.
    private func refuseAbsent(of question: any BisectQuestion, _ ends: Ends, _ reader: ReplayReader) throws {
        guard let question = question as? ExpressionQuestion else { return }
        let bad = try question.snapshots.snapshot(at: ends.bad)
        var absent = question.expression.collectionNames.filter { bad.count(inCollectionNamed: $0) == 0 }
        guard !absent.isEmpty else { return }
        let start = ends.floor ?? ends.good
        // What the good end has was emptied since, maybe by a removal of everything, which names no collection.
        if start > 0 {
            let good: Snapshot
            do { good = try question.snapshots.snapshot(at: start) } catch is DatabaseError { return }
            absent = absent.filter { good.count(inCollectionNamed: $0) == 0 }
        }
        // What neither end has may have come and gone in between: only the log knows.
        var commits = reader.commits(from: start.next(), through: ends.bad).makeAsyncIterator()
        var last = start
        while !absent.isEmpty {
            if Invocation.isInterrupted() { throw CancellationError() }
            let next: ReplayCommit?
            // Where the log can't be read, or has a hole, nobody knows.
            do { next = try commits.next() } catch { return }
            guard let commit = next else { break }
            guard commit.commitNumber == last.next() else { return }
            last = commit.commitNumber
            absent.subtract(commit.collections.map(\.name))
            // A long log takes its time. Who sees the slip here need not wait.
            if last.rawValue - start.rawValue == Self.commitsUnmentioned {
                for name in absent.sorted() { try bad.mentionAbsence(of: name) }
                try Invocation.console.err.flush()
            }
        }
        guard last == ends.bad, let name = absent.min() else { return }
        throw Failure.noCollection(name, in: bad)
    }

    /// How many commits are searched for a collection before its absence is mentioned.
    static let commitsUnmentioned: UInt64 = 1000

    /// Two commits, and the oldest that the files lead to, if the search goes down to it.
    private typealias Ends = (good: CommitNumber, bad: CommitNumber, floor: CommitNumber?)

    /// Where the search begins and ends.
    private func ends(in reader: ReplayReader) throws -> Ends {
        let last = try reader.commitNumber(at: bad ?? .newest)
        let floor = try reader.oldestReachableCommitNumber()
        let start = try good.map { try reader.commitNumber(at: $0) }
        guard last > (start ?? .zero), last >= floor else {
            let reason =
                if let start { "the good commit, \(start), has to come before the bad one, \(last)" } else if last == 0
                {
                    "there is no commit to check"
                } else { "the oldest reachable commit is \(floor), and the bad one given is \(last)" }
            throw Failure(
                start == nil ? "commitOutOfReach" : "usage", reason, exitCode: start == nil ? 3 : 64,
                hint: start == nil && last > 0 ? "Give a --bad from \(floor) on." : nil)
        }
        // Commits before the floor can't be checked; the floor itself can, so it is a candidate.
        let lowest = CommitNumber(floor.rawValue - min(1, floor.rawValue))
        let first = max(start ?? .zero, lowest)
        return (first, last, floor > 0 && (start ?? .zero) < floor ? floor : nil)
    }

    // MARK: The end

    private func finish(
        _ search: ReplayBisection, _ floor: CommitNumber?, _ question: any BisectQuestion, _ reader: ReplayReader,
        _ printer: inout BisectPrinter
    ) throws {
        switch search.outcome {
        case .found(let commit)?:
            let isFloor = commit == floor
            try printer.finish(found: commit, isOldest: isFloor)
            if isFloor {
                try Invocation.console.err.write(
                    "yaprak: commit \(commit) is the oldest reachable one; the condition may have held earlier\n")
            }
        case .notBad(let commit)?:
            try printer.finish()
            // A name that is nowhere is a slip, and would be good forever.
            if let asked = question as? ExpressionQuestion {
                for name in asked.expression.collectionNames.sorted() { try reader.requireCollection(name, at: commit) }
            }
            throw Failure("notBad", "commit \(commit) is good: there is nothing to find", exitCode: 1)
        case .undecided(let range)?:
            try printer.finish()
            throw Failure(
                "undecided",
                "only skipped commits are left: the first bad one is among \(range.lowerBound) to \(range.upperBound)",
                place: .init(commits: range), exitCode: 1)
        case nil: break
        }
    }
}

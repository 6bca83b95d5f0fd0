import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct CheckpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint", abstract: "Writes a checkpoint of the newest commit.",
        discussion: """
            The next launch replays nothing before it. Nothing is removed. The database must not be in use: a program that \
            has it open writes its checkpoints itself. What is kept of views is not carried over: they are computed anew \
            when they are registered.

              yaprak checkpoint shop.yaprak
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let outcome = try ReplayMaintenance(FilePath(database)).checkpoint()
        let done = outcome.writesCheckpoint ? "written" : "there already"
        try PropertyWriter.write(
            [("checkpoint", "of commit \(outcome.commitNumber), \(done)")] + outcome.viewLines,
            json: [
                "commit": .number(outcome.commitNumber), "written": .bool(outcome.writesCheckpoint),
                "viewsWithoutState": .array(outcome.viewsWithoutState.map { .text($0) }),
            ], output.format(on: console), console)
    }
}

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Writes a checkpoint and removes history.",
        usage: "yaprak compact <database> [--keep <rule>] [--purge-history] [--yes] [--into <directory>]",
        discussion: """
            --keep says how much history stays: commits=1000, age=30d (s, m, h, d), or checkpoints=3; at least two checkpoints \
            stay, with the commits between them. --purge-history leaves the newest state only, so that nothing of what was \
            deleted is in any file. What would be removed is printed, and removed with --yes. With --into the result is a new \
            directory, and nothing is removed here.

              yaprak compact shop.yaprak --keep age=30d --yes
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Option(help: ArgumentHelp("How much history to keep: commits=N, age=TIME or checkpoints=N.", valueName: "rule"))
    var keep: KeepRule?

    @Flag(help: "Remove the whole history.")
    var purgeHistory = false

    @Flag(help: "Remove it.")
    var yes = false

    @Option(help: ArgumentHelp("Make a compact copy here instead.", valueName: "directory"))
    var into: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if purgeHistory, keep != nil { throw ValidationError("--purge-history keeps nothing: leave out --keep") }
    }

    func run() async throws {
        let console = Invocation.console
        if let into { _ = try ReplayReader.open(database).fork(to: FilePath(into)) }
        let maintenance = ReplayMaintenance(FilePath(into ?? database))
        let isDryRun = !yes && into == nil
        let outcome =
            purgeHistory
            ? try maintenance.purgeHistory(isDryRun: isDryRun)
            : try maintenance.compact(keeping: keep?.retention ?? .checkpoints(2), isDryRun: isDryRun)
        try PropertyWriter.write(
            lines(outcome, isDryRun), json: json(outcome, isDryRun), output.format(on: console), console)
        if isDryRun, !outcome.removedFiles.isEmpty {
            throw Failure(
                "confirmationNeeded", "nothing was removed. Add --yes to remove it, or --into to make a compact copy.",
                exitCode: 1)
        }
    }

    private func lines(_ outcome: ReplayMaintenance.Outcome, _ isDryRun: Bool) -> [(name: String, text: String)] {
        var lines = [
            ("newest commit", outcome.commitNumber.description),
            (
                "checkpoint",
                !outcome.writesCheckpoint ? "there already" : isDryRun ? "would be written" : "written"
            ),
        ]
        if !isDryRun || outcome.writesCheckpoint { lines += outcome.viewLines }
        lines.append(
            (
                isDryRun ? "would remove" : "removed",
                outcome.removedFiles.isEmpty
                    ? "nothing" : "\(outcome.removedByteCount.bytesText) in \(outcome.removedFiles.count) files"
            ))
        for file in outcome.removedFiles.prefix(20) { lines.append(("", file)) }
        if outcome.removedFiles.count > 20 { lines.append(("", "and \(outcome.removedFiles.count - 20) more")) }
        lines.append(("reaches back to", "commit \(outcome.oldestReachable)"))
        return lines
    }

    private func json(_ outcome: ReplayMaintenance.Outcome, _ isDryRun: Bool) -> CBORValue {
        [
            "commit": .number(outcome.commitNumber), "dryRun": .bool(isDryRun),
            "writesCheckpoint": .bool(outcome.writesCheckpoint),
            "viewsWithoutState": .array(outcome.viewsWithoutState.map { .text($0) }),
            "removedFiles": .array(outcome.removedFiles.map { .text($0) }),
            "removedBytes": .unsigned(outcome.removedByteCount), "oldestReachable": .number(outcome.oldestReachable),
        ]
    }
}

extension ReplayMaintenance.Outcome {
    fileprivate var viewLines: [(String, String)] {
        viewsWithoutState.isEmpty ? [] : [("computed anew", viewsWithoutState.map(\.plain).joined(separator: ", "))]
    }
}

/// How much history is to be kept.
struct KeepRule: ExpressibleByArgument, Sendable {
    let retention: Retention

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "commits":
            guard let count = Int(parts[1]), count > 0 else { return nil }
            retention = .commits(count)
        case "checkpoints":
            guard let count = Int(parts[1]), count > 1 else { return nil }
            retention = .checkpoints(count)
        case "age":
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
            guard let unit = parts[1].last.flatMap({ units[$0] }), let count = Int64(parts[1].dropLast()), count > 0
            else { return nil }
            let (seconds, isOver) = count.multipliedReportingOverflow(by: unit)
            guard !isOver else { return nil }
            retention = .age(.seconds(seconds))
        default: return nil
        }
    }
}

import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Writes a checkpoint and removes history.",
        usage: "yaprak compact <database> [--keep <rule>] [--purge-history] [--yes] [<options>]",
        discussion: """
            --keep says how much history to keep: commits=1000, age=30d (s, m, h, d, w), or checkpoints=3; at least two \
            checkpoints stay, with the commits between them. --purge-history leaves the newest state only, so that no deleted \
            value of a record is in any file. What would be removed is printed, and removed with --yes. With --into the result \
            is a new directory, and nothing is removed from this one.

              yaprak compact shop.yaprak --keep age=30d --yes
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp("How much history to keep: commits=N, age=TIME or checkpoints=N.", valueName: "rule"),
        transform: KeepRule.argument)
    var keep: KeepRule?

    @Flag(help: "Remove the whole history.")
    var purgeHistory = false

    @Flag(help: "Remove what is listed.")
    var yes = false

    @Flag(help: "List what would be removed, and remove nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Make a compact copy in this directory instead.", valueName: "directory"),
        completion: .directory)
    var into: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if dryRun, yes || into != nil { throw ValidationError("--dry-run goes without --yes and --into") }
        if purgeHistory, keep != nil { throw ValidationError("--purge-history keeps nothing: leave out --keep") }
    }

    func run() async throws {
        let console = Invocation.console
        let isDryRun = !yes && into == nil
        let outcome = try outcome(isDryRun: isDryRun)
        try Invocation.show {
            try PropertyWriter.write(
                lines(outcome, isDryRun), json: json(outcome, isDryRun), output.format(on: console), console)
        }
        if isDryRun, !dryRun, !outcome.removedFiles.isEmpty {
            throw Failure(
                "confirmationNeeded", "nothing was removed. Add --yes to remove it, or --into to make a compact copy.",
                exitCode: 1)
        }
    }

    private func outcome(isDryRun: Bool) throws -> ReplayMaintenance.Outcome {
        guard let into else { return try compact(database, isDryRun: isDryRun) }
        let reader = try ReplayReader.open(database)
        // What is begun is taken away again, and not left under its temporary name.
        Interruption.listen()
        // Not from a fork: if this is killed, the history is not to be there under the name of what has none.
        if purgeHistory { return try reader.making { try $0.writeState(to: FilePath(into)) } }
        try reader.making { try $0.fork(to: FilePath(into)) }
        do {
            return try compact(into, isDryRun: isDryRun)
        } catch {
            guard let failure = Failure(error) else { throw error }
            // Where something could not be removed, the rest may be.
            let left =
                error is CancellationError
                ? "has the whole history, and was not compacted" : "may have the whole history"
            throw Failure(
                failure.code, "\(into) \(left): \(failure.message)",
                place: failure.place, exitCode: failure.exitCode,
                hint: (failure.hint.map { $0 + " " } ?? "") + "`yaprak compact` does it.")
        }
    }

    private func compact(_ database: String, isDryRun: Bool) throws -> ReplayMaintenance.Outcome {
        let maintenance = ReplayMaintenance(FilePath(database))
        return try Invocation.unstoppable {
            purgeHistory
                ? try maintenance.purgeHistory(isDryRun: isDryRun)
                : try maintenance.compact(keeping: keep?.retention ?? .checkpoints(2), isDryRun: isDryRun)
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
        let files = outcome.removedFiles.count.counted("file")
        lines.append(
            (
                isDryRun ? "would remove" : "removed",
                outcome.removedFiles.isEmpty ? "nothing" : "\(outcome.removedByteCount.bytesText) in \(files)"
            ))
        for file in outcome.removedFiles.prefix(20) { lines.append(("", file)) }
        if outcome.removedFiles.count > 20 { lines.append(("", "and \(outcome.removedFiles.count - 20) more")) }
        lines.append(("reaches back to", "commit \(outcome.oldestReachableCommitNumber)"))
        return lines
    }

    private func json(_ outcome: ReplayMaintenance.Outcome, _ isDryRun: Bool) -> CBORValue {
        [
            "commit": .number(outcome.commitNumber), "dryRun": .bool(isDryRun),
            "writesCheckpoint": .bool(outcome.writesCheckpoint),
            "viewsWithoutState": .array(outcome.viewsWithoutState.map { .text($0) }),
            "removedFiles": .array(outcome.removedFiles.map { .text($0) }),
            "removedBytes": .unsigned(outcome.removedByteCount),
            "oldestReachable": .number(outcome.oldestReachableCommitNumber),
        ]
    }
}

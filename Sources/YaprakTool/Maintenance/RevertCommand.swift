import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct RevertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert", abstract: "Reverts commits as one new commit.",
        discussion: """
            Each record that the commits changed becomes what it was before them. a..b are the commits after a, up to b. \
            Nothing is lost: the reverted commits stay in the history, and the new commit can be reverted itself.

            Records that were changed since are conflicts. They are listed and nothing is written, unless --force gives them \
            their old values. --dry-run shows what would be written. No program may have the database open.

              yaprak revert world.yaprak 17 --dry-run
              yaprak revert world.yaprak @~3..@

            Exit codes: 0 reverted, or nothing to do; 3 the files don't reach back that far; 5 conflicts; 6 the database is \
            in use.
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "A commit, or commits a..b.", transform: RevertedCommits.init)
    var commits: RevertedCommits

    @Flag(help: "Revert also records that were changed since.")
    var force = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let format = output.format(on: console)
        let reader = try ReplayReader.open(database)
        let numbers = try commits.numbers(in: reader)
        if dryRun {
            let revert = try reader.revert(of: numbers, in: reader.snapshot())
            try RevertPrinter(format: format, console: console, force: force).write(revert)
            return try finish(revert, console)
        }
        var options = DatabaseOptions()
        // No pruning, and no checkpoints: without the program's views they would lack them.
        options.retention = .all
        options.checkpoints = .manual
        options.clock = Invocation.clock
        let opened = try await Database.open(at: FilePath(database), options: options)
        let before = opened.commitNumber
        let outcome: Result<ReplayRevert, any Error>
        do {
            outcome = .success(
                try await opened.revert(numbers, overwritesConflicts: force, origin: "yaprak revert"))
        } catch {
            outcome = .failure(error)
        }
        let newest = opened.commitNumber
        try await opened.close()
        switch outcome {
        case .success(let revert):
            if newest > before {
                try CommitPrinter.show(newest, in: reader, format, console)
            } else {
                try console.err.write("yaprak: nothing to do: every record is what it was before\n")
            }
            try warn(revert, console)
        case .failure(let conflict as ReplayRevertConflict):
            try RevertPrinter(format: format, console: console, force: false).write(conflict.revert)
            try finish(conflict.revert, console)
        case .failure(let error): throw error
        }
    }

    private func finish(_ revert: ReplayRevert, _ console: Console) throws {
        try warn(revert, console)
        guard !force, !revert.conflicts.isEmpty else { return }
        throw Failure(
            "conflict",
            "\(ReplayRevertConflict(revert: revert)); nothing was written. --force takes the old values.",
            place: .init(commits: revert.commits), exitCode: 5)
    }

    private func warn(_ revert: ReplayRevert, _ console: Console) throws {
        guard !revert.extensionNames.isEmpty else { return }
        let names = revert.extensionNames.map(\.debugDescription).joined(separator: ", ")
        try console.err.write(
            "yaprak: operations of the primary extensions \(names) are not reverted: only their program can do that\n")
    }
}

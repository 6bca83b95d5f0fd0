import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct UndoCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Reverts your newest commit.",
        usage: "yaprak undo <database> [--origin <origin>] [<options>]",
        discussion: """
            Your commits are those of this tool, such as those of `yaprak load`, or, with --origin, those of that origin. \
            What was undone or reverted before is skipped, so that the next undo goes one further back. A commit of which only \
            a part was reverted is not skipped: what is left of it is undone. Conflicts are those of `yaprak revert`: \
            nothing is written if a record was changed since, unless --force is given.

              yaprak undo world.yaprak --dry-run
              yaprak undo world.yaprak --origin board

            Exit codes: 0 undone; 3 there is nothing to undo; 5 conflicts; 6 the database is in use.
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(help: "Undo the newest commit of this origin; by default, of this tool.")
    var origin: String?

    @Flag(help: "Also revert records that were changed since.")
    var force = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    /// How the origins of this tool begin.
    private static let own = "yaprak "

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        guard let commit = try newest(in: reader) else {
            throw Failure(
                "notFound",
                "there is no commit \(origin.map { "of \"\($0.plain)\"" } ?? "of this tool") left to undo",
                exitCode: 3,
                hint: origin == nil
                    ? "--origin undoes one of another program." : "`yaprak log --oneline` shows the origins.")
        }
        try console.err.write(
            "yaprak: undoing commit \(commit.commitNumber) of \(commit.isoTime), \"\(commit.origin.plain)\"\n")
        try await Reverting(
            database: database, force: force, isDryRun: dryRun, origin: "yaprak undo",
            format: output.format(on: console),
            console: console
        ).run(commit.commitNumber...commit.commitNumber, reader)
    }

    /// The newest commit of the origin that no later commit took back.
    private func newest(in reader: ReplayReader) throws -> ReplayCommit? {
        guard let oldest = try reader.oldestCommitNumber() else { return nil }
        var undone: Set<UInt64> = []
        var commits = try reader.commitsBackwards(from: oldest).makeAsyncIterator()
        while let commit = try commits.next() {
            if Invocation.isInterrupted() { throw Interrupted() }
            if undone.contains(commit.commitNumber.rawValue) { continue }
            if let reverted = Reverting.commits(revertedBy: commit) {
                // What takes something back is no work of its own, unless it was taken back itself.
                undone.formUnion(reverted)
                continue
            }
            let isWanted = origin.map { $0 == commit.origin } ?? commit.origin.hasPrefix(Self.own)
            if isWanted { return commit }
        }
        return nil
    }
}

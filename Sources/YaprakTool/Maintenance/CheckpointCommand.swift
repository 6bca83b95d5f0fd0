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
            has it open writes its checkpoints itself. The stored state of views other than manual ones is \
            left out: they are recomputed when they are registered.

              yaprak checkpoint shop.yaprak
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let outcome = try Invocation.unstoppable { try ReplayMaintenance(FilePath(database)).checkpoint() }
        let done = outcome.writesCheckpoint ? "written" : "there already"
        try PropertyWriter.write(
            [("checkpoint", "of commit \(outcome.commitNumber), \(done)")] + outcome.viewLines,
            json: [
                "commit": .number(outcome.commitNumber), "written": .bool(outcome.writesCheckpoint),
                "viewsWithoutState": .array(outcome.viewsWithoutState.map { .text($0) }),
            ], output.format(on: console), console)
    }
}

extension ReplayMaintenance.Outcome {
    /// A line with the views that have to be recomputed, if there are any.
    var viewLines: [(String, String)] {
        viewsWithoutState.isEmpty ? [] : [("recomputed", viewsWithoutState.map(\.plain).joined(separator: ", "))]
    }
}

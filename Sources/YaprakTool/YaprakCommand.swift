import ArgumentParser
import ToolSupport
import Yaprak

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The replay tool: reads a database directory without the program that wrote it.
@main
struct YaprakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "yaprak",
        abstract: "Inspects a Yaprak database: its records, its commits, its integrity.",
        discussion: """
            Works on the files alone, without the program that wrote them, even while it is writing. Only subcommands that \
            say so write.

            Data goes to standard output: as aligned text on a terminal, as NDJSON into a pipe, or as --format says. \
            Everything else goes to standard error. Control characters in stored data are escaped.

              yaprak world.yaprak
              yaprak load cities.ndjson world.yaprak --collection cities --key id
              yaprak log world.yaprak --oneline -n 5
              yaprak get world.yaprak cities 2643743
              yaprak verify world.yaprak

            Exit codes: 0 success; 1 the answer is no: a difference, nothing found, something lost, --yes is missing; \
            2 a torn tail that was never acknowledged, nothing else; 3 not found; 4 corrupt; 5 conflict; 6 locked, \
            unreadable, not writable, or at a limit; 7 written by a newer version; 8 only data that can be rebuilt are \
            damaged; 64 wrong arguments or input; 130 interrupted; 141 the output was closed before the answer.
            """,
        version: "0.1.0",
        // One a line, so that two changes seldom meet.
        subcommands: [
            AskCommand.self,
            BisectCommand.self,
            BlameCommand.self,
            CheckpointCommand.self,
            CompactCommand.self,
            CompletionsCommand.self,
            DiffCommand.self,
            DumpCommand.self,
            ExportCommand.self,
            ExportTestCommand.self,
            ForkCommand.self,
            GetCommand.self,
            GrepCommand.self,
            ImportCommand.self,
            InspectCommand.self,
            LoadCommand.self,
            LogCommand.self,
            LsCommand.self,
            RepairCommand.self,
            ReplayCommand.self,
            RevertCommand.self,
            SearchCommand.self,
            ShellCommand.self,
            ShowCommand.self,
            StatsCommand.self,
            TagCommand.self,
            TailCommand.self,
            UndoCommand.self,
            VerifyCommand.self,
            ViewCommand.self,
        ])

    static func main() async {
        let code = await Invocation.run(Array(CommandLine.arguments.dropFirst()), on: .standard())
        leave(code)
    }
}

// Inside of the command, `exit` is a method of ArgumentParser's.
private func leave(_ code: Int32) -> Never { exit(code) }

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

/// The replay tool: looks into a database directory without the program that wrote it.
@main
struct YaprakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "yaprak",
        abstract: "Looks into a Yaprak database: its records, its commits, its health.",
        discussion: """
            Works on the files alone, without the program that wrote them, also while it is writing. Only verbs that say so write.

            Data goes to standard output: as aligned text on a terminal, as NDJSON into a pipe, or as --format says. \
            Everything else goes to standard error. Control characters in stored data are escaped.

              yaprak load cities.ndjson world.yaprak --collection cities --key id
              yaprak log world.yaprak --oneline -n 5
              yaprak get world.yaprak cities 2643743
              yaprak verify world.yaprak

            Exit codes: 0 all is well; 1 differs, or the answer is no; 2 a torn tail that was never promised, nothing \
            else; 3 not found; 4 corrupt; 5 conflict; 6 locked or unreadable; 7 written by a newer version; 8 only what \
            can be rebuilt is damaged; 64 wrong arguments or input; 130 interrupted.
            """,
        version: "0.1.0",
        // One a line, so that two changes seldom meet.
        subcommands: [
            BisectCommand.self,
            CheckpointCommand.self,
            CompactCommand.self,
            CompletionsCommand.self,
            DiffCommand.self,
            DumpCommand.self,
            ExportCommand.self,
            ExportTestCommand.self,
            ForkCommand.self,
            GetCommand.self,
            LoadCommand.self,
            LogCommand.self,
            LsCommand.self,
            RepairCommand.self,
            ReplayCommand.self,
            RevertCommand.self,
            ShowCommand.self,
            StatsCommand.self,
            TagCommand.self,
            TailCommand.self,
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

/// One run of the tool: arguments in, words and an exit code out. Tests run it against strings.
enum Invocation {
    /// What a run sees of the world around it.
    struct Surroundings: Sendable {
        /// Where verbs write.
        var console = Console.standard()
        /// What time it is, in nanoseconds since 1970.
        var clock: @Sendable () -> Int64 = DatabaseOptions().clock
        /// Whether somebody wants the verb to end where it is whole.
        var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }
        /// Where keys come from; nil where nobody can press any. Each call gives the next, or nil at the end.
        var keys: @Sendable () -> (() -> Keyboard.Key?)? = {
            guard let keyboard = Keyboard() else { return nil }
            return { keyboard.next() }
        }
    }

    // One value for all of it: a task local whose value is a closure crashes in optimised code (Swift 6.3.1, in
    // swift_task_localValuePush).
    @TaskLocal private static var surroundings = Surroundings()

    static var console: Console { surroundings.console }
    static var clock: @Sendable () -> Int64 { surroundings.clock }
    static var isInterrupted: @Sendable () -> Bool { surroundings.isInterrupted }
    static var keys: @Sendable () -> (() -> Keyboard.Key?)? { surroundings.keys }

    /// Parses, runs, reports.
    static func run(_ arguments: [String], on console: Console) async -> Int32 {
        await run(arguments, in: Surroundings(console: console))
    }

    /// Parses, runs, reports.
    static func run(_ arguments: [String], in surroundings: Surroundings) async -> Int32 {
        await $surroundings.withValue(surroundings) {
            let code = await attempt(arguments)
            try? console.flush()
            return code
        }
    }

    private static func attempt(_ arguments: [String]) async -> Int32 {
        do {
            var command = try YaprakCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            Pager.finish()
            try console.flush()
            return 0
        } catch {
            Pager.finish()
            return report(error, asJSON: OutputFormat.wantsJSON(arguments))
        }
    }

    private static func report(_ error: any Error, asJSON: Bool) -> Int32 {
        if let failure = Failure(error) {
            try? console.out.flush()
            try? console.err.write(asJSON ? failure.json + "\n" : "yaprak: \(failure.sentence)\n")
            return failure.exitCode
        }
        if Failure.isClosedPipe(error) { return 0 }
        if let code = error as? ExitCode { return code.rawValue }
        // Help and complaints of the parser.
        let code = YaprakCommand.exitCode(for: error).rawValue
        let text = YaprakCommand.fullMessage(for: error)
        if code != 0, asJSON {
            let message = YaprakCommand.message(for: error)
            try? console.err.write(Failure("usage", message, exitCode: code).json + "\n")
        } else if !text.isEmpty {
            try? (code == 0 ? console.out : console.err).write(text + "\n")
        }
        return code
    }
}

import ArgumentParser
import ToolSupport

extension Invocation {
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

import ArgumentParser
import SystemPackage
import ToolSupport
import YaprakReplay

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
        // Whether the exit code is to be an answer that is not there yet.
        var owesAnswer = false
        do {
            // A database alone is a shell for it.
            let arguments = isDatabaseAlone(arguments) ? ["shell"] + arguments : arguments
            try refuseUnknownSubcommand(arguments)
            var command = try YaprakCommand.parseAsRoot(ArgumentRewriting.rewrite(arguments))
            owesAnswer = command is any AnsweringCommand
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            owesAnswer = false
            try Pager.finish()
            try console.flush()
            return 0
        } catch {
            var error = error
            // An answer that nobody was shown is none. What went wrong before that is said first.
            do { try Pager.finish() } catch let failure { if Failure(error) == nil { error = failure } }
            // Who no longer reads a list has seen enough; of an answer 0 would say that all is well.
            if owesAnswer, Failure.isClosedPipe(error) { return closedPipeCode }
            return report(error, asJSON: OutputFormat.wantsJSON(arguments))
        }
    }

    private static func isDatabaseAlone(_ arguments: [String]) -> Bool {
        guard arguments.count == 1, journey == nil, !arguments[0].hasPrefix("-") else { return false }
        let isSubcommand = YaprakCommand.configuration.subcommands.contains {
            $0.configuration.commandName == arguments[0]
        }
        return !isSubcommand && arguments[0] != "help" && (try? ReplayReader(FilePath(arguments[0]))) != nil
    }

    /// Names the subcommand that may have been meant.
    private static func refuseUnknownSubcommand(_ arguments: [String]) throws {
        var words = arguments[...], known = YaprakCommand.configuration.subcommands, path = "yaprak"
        if words.first == "help" { words = words.dropFirst() }
        while let word = words.first, !word.hasPrefix("-"), !known.isEmpty {
            let names = known.map { $0.configuration.commandName ?? "" }
            guard let index = names.firstIndex(of: word) else {
                throw Failure(
                    "usage", "there is no subcommand \(word.debugDescription)", exitCode: 64,
                    hint: Suggestion.sentence(for: word, among: names) ?? "`\(path) --help` lists them.")
            }
            path += " " + word
            known = known[index].configuration.subcommands
            words = words.dropFirst()
        }
    }

    /// Says what went wrong. Returns the exit code.
    static func report(_ error: any Error, asJSON: Bool) -> Int32 {
        if let failure = Failure(error) {
            try? console.out.flush()
            try? console.err.write(asJSON ? failure.json + "\n" : "yaprak: \(failure.sentence)\n")
            return failure.exitCode
        }
        if Failure.isClosedPipe(error) { return 0 }
        if let code = error as? ExitCode {
            // An answer that says what the exit code says, and can't be written, is none.
            do { try console.flush() } catch {
                if !Failure.isClosedPipe(error) { return report(error, asJSON: asJSON) }
            }
            return code.rawValue
        }
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

import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Reads subcommands for one database, line by line.",
        usage: "yaprak <database>",
        discussion: """
            Each line is a subcommand with its arguments, without the database: `log -3`, `ls flights --where '.delay < \
            0'`. What \
            one has read of the history is there for the next, so that only the first of a large database takes its time. \
            Ctrl-C ends a subcommand, Ctrl-D, exit or quit the shell. Lines may also come from a pipe; # begins a comment. The \
            exit code is that of the last subcommand. Built with the trait LineEditing, the shell has keys to edit a line, a \
            history, and Tab to complete a word.

              yaprak world.yaprak
              echo 'ask "count(flights)"' | yaprak world.yaprak
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    func run() async throws {
        let console = Invocation.console
        // Between the words of a line a dash begins an option.
        let path = database.hasPrefix("-") ? "./" + database : database
        var journey = try Journey(path)
        // Before the first prompt: what is no database is refused here.
        let newest = try journey.reader.newestCommitNumber()
        let input = Invocation.lines { line in
            // What is at the path now: the line that names it says that it is another.
            guard let there = journey.isAtItsPath ? journey : try? Journey(path) else { return nil }
            return ShellCompletion(database: path, journey: there).completion(of: line)
        }
        if input.isInteractive {
            try console.err.write(
                "\(database.plain), newest commit \(newest). `help` lists the subcommands, `exit` ends.\n")
            try console.err.flush()
        }
        var code: Int32 = 0
        let name = journey.reader.path.lastComponent?.stem ?? database
        while true {
            // What interrupted the last subcommand is over, and Ctrl-C at the prompt ends nothing but the line.
            Interruption.forget()
            Interruption.listenPatiently()
            guard let line = input.next("\(name.plain)> ") else { break }
            Interruption.forget()
            Interruption.listen()
            let words: [String]
            do {
                words = try ShellWords.split(line)
            } catch {
                try console.err.write("yaprak: \(error)\n")
                try console.err.flush()
                code = 64
                continue
            }
            guard let first = words.first else { continue }
            if words.count == 1, ["exit", "quit"].contains(first) { break }
            let arguments = ShellWords.arguments(words, for: path)
            // What does not name the database does not need it.
            if arguments.count > words.count, !journey.isAtItsPath {
                do {
                    journey = try Journey(path)
                } catch {
                    code = Invocation.report(error, asJSON: OutputFormat.wantsJSON(words))
                    try console.err.flush()
                    continue
                }
                try console.err.write(
                    "yaprak: another directory is at \(database.plain) now; it is read from here on\n")
                try console.err.flush()
            }
            code = await Invocation.run(arguments, in: surroundings(journey))
        }
        Interruption.forget()
        if code != 0 { throw ExitCode(code) }
    }

    private func surroundings(_ journey: Journey) -> Invocation.Surroundings {
        var surroundings = Invocation.surroundings
        surroundings.journey = journey
        // The terminal may have another size since the last line.
        surroundings.console = surroundings.console.withCurrentWidth()
        return surroundings
    }
}

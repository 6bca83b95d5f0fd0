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
            exit code is that of the last subcommand.

              yaprak world.yaprak
              echo 'ask "count(flights)"' | yaprak world.yaprak
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    func run() async throws {
        let console = Invocation.console
        let journey = try Journey(database)
        // Before the first prompt: what is no database is refused here.
        let newest = try journey.reader.newestCommitNumber()
        let input = Invocation.lines()
        if input.isInteractive {
            try console.err.write(
                "\(database.plain), newest commit \(newest). `help` lists the subcommands, `exit` ends.\n")
            try console.err.flush()
        }
        Interruption.listen()
        var code: Int32 = 0
        let name = journey.reader.path.lastComponent?.stem ?? database
        while let line = input.next("\(name.plain)> ") {
            Interruption.forget()
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
            code = await Invocation.run(ShellWords.arguments(words, for: database), in: surroundings(journey))
        }
        Interruption.forget()
        if code != 0 { throw ExitCode(code) }
    }

    private func surroundings(_ journey: Journey) -> Invocation.Surroundings {
        var surroundings = Invocation.surroundings
        surroundings.journey = journey
        return surroundings
    }
}

/// Words of a line, as a shell splits it.
enum ShellWords {
    struct Unclosed: Error, CustomStringConvertible {
        let description: String
    }

    /// Quotes keep words together, a backslash keeps a character as it is, # begins a comment.
    /// - Throws: ``Unclosed``.
    static func split(_ line: String) throws -> [String] {
        var words: [String] = [], word: String?, quote: Character?, isEscaped = false
        for character in line {
            if isEscaped {
                // Within double quotes a backslash keeps only what has a meaning there.
                if quote == "\"", character != "\"", character != "\\" { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else if character == "#", word == nil {
                break
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw Unclosed(description: "the quote \(quote) is not closed") }
        if isEscaped { throw Unclosed(description: "the line ends with a backslash") }
        return words + (word.map { [$0] } ?? [])
    }

    /// The arguments of the tool: the subcommand's words, the database, and the rest.
    static func arguments(_ words: [String], for database: String) -> [String] {
        guard let first = words.first, first != "help", first != "completions", !first.hasPrefix("-"),
            !words.contains("--help")
        else { return words }
        // `import` names the database by an option.
        if first == "import" { return words.contains("--into") ? words : words + ["--into", database] }
        // `load` has its file first; `view` has a subcommand of its own.
        let count = first == "load" || first == "view" ? min(2, words.count) : 1
        return Array(words.prefix(count)) + [database] + words.dropFirst(count)
    }
}

/// Words of a line, as a shell splits it.
enum ShellWords {
    struct Unclosed: Error, CustomStringConvertible {
        let description: String
    }

    struct TooLong: Error, CustomStringConvertible {
        let description = "the line has more than \(LineInput.lineBytesMax >> 20) MiB. Use a file, or several lines."
    }

    /// The words of the beginning of a line. The last one may go on.
    struct Scan {
        /// The words that are complete: something stands behind them.
        fileprivate(set) var words: [String] = []
        /// The word that the text ends with, and where it begins; `nil` between words.
        fileprivate(set) var last: String?
        fileprivate(set) var start: String.Index
        /// The quote that is open.
        fileprivate(set) var quote: Character?
        /// Whether the text ends with a backslash that belongs to what follows.
        fileprivate(set) var isEscaped = false
        fileprivate(set) var isComment = false

        /// Begins a word at a place, unless one goes on.
        fileprivate mutating func begin(at index: String.Index) {
            if last == nil { (last, start) = ("", index) }
        }

        /// Adds to the word that was begun. In place: a copy each time would make the time a square of the length.
        fileprivate mutating func append(_ character: Character) { last?.append(character) }
    }

    /// Quotes keep words together, a backslash keeps a character as it is, # begins a comment. O(length).
    static func scan(_ line: String) -> Scan {
        var scan = Scan(start: line.endIndex)
        for index in line.indices {
            let character = line[index]
            if scan.isEscaped {
                // Within double quotes a backslash keeps only what has a meaning there.
                if scan.quote == "\"", character != "\"", character != "\\" { scan.append("\\") }
                scan.append(character)
                scan.isEscaped = false
            } else if character == "\\", scan.quote != "'" {
                scan.begin(at: index)
                scan.isEscaped = true
            } else if let open = scan.quote {
                if character == open { scan.quote = nil } else { scan.append(character) }
            } else if character == "'" || character == "\"" {
                scan.quote = character
                scan.begin(at: index)
            } else if character.isWhitespace {
                if let whole = scan.last { scan.words.append(whole) }
                (scan.last, scan.start) = (nil, line.endIndex)
            } else if character == "#", scan.last == nil {
                scan.isComment = true
                break
            } else {
                scan.begin(at: index)
                scan.append(character)
            }
        }
        return scan
    }

    /// The words of a line.
    /// - Throws: ``Unclosed``, ``TooLong``. - Complexity: O(length).
    static func split(_ line: String) throws -> [String] {
        if line.utf8.count > LineInput.lineBytesMax { throw TooLong() }
        let scan = scan(line)
        if let quote = scan.quote { throw Unclosed(description: "the quote \(quote) is not closed") }
        if scan.isEscaped { throw Unclosed(description: "the line ends with a backslash") }
        return scan.words + (scan.last.map { [$0] } ?? [])
    }

    /// How a word is kept together.
    enum Quoting {
        case backslashes, double, single
    }

    /// A word as ``split(_:)`` reads it.
    /// - Parameter isOpen: whether the word may go on: a quote is then not closed.
    static func quoted(_ word: String, _ quoting: Quoting, isOpen: Bool = false) -> String {
        switch quoting {
        case .single where !word.contains("'"): return "'" + word + (isOpen ? "" : "'")
        case .single, .double:
            let text = word.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\"" + String(text) + (isOpen ? "" : "\"")
        case .backslashes:
            var text = ""
            for (number, character) in word.enumerated() {
                let isSpecial =
                    character.isWhitespace || ["'", "\"", "\\"].contains(character) || (character == "#" && number == 0)
                text += (isSpecial ? "\\" : "") + String(character)
            }
            return text
        }
    }

    /// The arguments of the tool: the subcommand's words, the database, and the rest.
    static func arguments(_ words: [String], for database: String) -> [String] {
        guard let first = words.first, first != "help", first != "completions", !first.hasPrefix("-"),
            !words.prefix(while: { $0 != "--" }).contains("--help"), let place = place(ofDatabaseIn: words, of: first)
        else { return words }
        return words[..<place] + [database] + words[place...]
    }

    /// Where the database stands; `nil` where none is to be added.
    private static func place(ofDatabaseIn words: [String], of subcommand: String) -> Int? {
        switch subcommand {
        // It names the database by an option, and only reads without it: the option alone means the database of the shell.
        case "import":
            guard let option = words.firstIndex(of: "--into") else { return nil }
            let isNamed = option + 1 < words.count && !words[option + 1].hasPrefix("-")
            return isNamed ? nil : option + 1
        // It has its file first, and options may be before that.
        case "load":
            let command = CommandTree.yaprak.subcommands.first { $0.name == subcommand }
            return command?.firstPositional(in: words[1...]).map { $0 + 1 }
        // It has a subcommand of its own.
        case "view": return words.count > 1 ? 2 : nil
        default: return 1
        }
    }
}

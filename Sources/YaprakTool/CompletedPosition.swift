/// Where in a command the cursor is.
struct CompletedPosition {
    enum Expected {
        /// A subcommand, one of these.
        case subcommand([String])
        /// An argument that stands by its place, or an option.
        case word
        /// The value of an option.
        case value
        /// Nowhere that is known.
        case nothing
    }

    private(set) var expected = Expected.nothing
    /// The argument that stands here, if no option does.
    private(set) var argument: CommandTree.Parameter?
    /// The names of the subcommands so far.
    private(set) var path: [String] = []
    /// Whether `--` came before: no option follows.
    private(set) var isTerminated = false
    private var command = CommandTree.yaprak
    private let words: [String]
    private var used: Set<String> = []

    /// The place behind complete words.
    init(_ words: [String]) {
        self.words = words
        var rest = words[...]
        let isHelp = rest.first == "help"
        if isHelp { rest = rest.dropFirst() }
        while !command.subcommands.isEmpty, let name = rest.first {
            guard let next = command.subcommands.first(where: { $0.name == name }) else { return }
            command = next
            path.append(name)
            rest = rest.dropFirst()
        }
        guard command.subcommands.isEmpty else {
            let names = command.subcommands.map(\.name).filter { $0 != "shell" && $0 != "help" }
            expected = .subcommand((names + (words.isEmpty ? ["exit", "help", "quit"] : [])).sorted())
            return
        }
        if !isHelp { read(rest) }
    }

    private mutating func read(_ words: ArraySlice<String>) {
        var count = 0, option: CommandTree.Parameter?
        for word in words {
            if option != nil {
                option = nil
            } else if isTerminated || !word.hasPrefix("-") || word == "-" {
                count += 1
            } else if word == "--" {
                isTerminated = true
            } else {
                option = named(word)
                used.formUnion(option?.names ?? [word])
                if option?.kind != .option { option = nil }
            }
        }
        expected = option == nil ? .word : .value
        // The shell itself names the database.
        let places = command.positionals.filter { $0.valueName != "database" }
        argument = option ?? (count < places.count ? places[count] : places.last { $0.isRepeating })
    }

    private func named(_ name: String) -> CommandTree.Parameter? {
        command.arguments.first { $0.kind != .positional && $0.names.contains(name) }
    }

    /// The options and flags that can stand here, by their long names.
    var options: [String] {
        command.arguments.filter { argument in
            argument.kind != .positional && argument.isShown
                && (argument.isRepeating || used.isDisjoint(with: argument.names))
        }.flatMap { $0.names.filter { $0.hasPrefix("--") && $0 != "--version" } }.sorted()
    }

    /// The option that a word gives a value to with `=`.
    func option(assignedIn word: CompletedWord) -> CommandTree.Parameter? {
        guard !isTerminated, let name = word.assignedName, let option = named(name), option.kind == .option else {
            return nil
        }
        return option
    }

    /// What the parser calls an argument when its function is to complete it.
    func parserName(of argument: CommandTree.Parameter) -> String? {
        if argument.kind != .positional { return argument.names.first { $0.hasPrefix("--") } ?? argument.names.first }
        return command.positionals.firstIndex { $0.valueName == argument.valueName }.map { "positional@\($0)" }
    }

    /// The words with the database, as the tool gets them.
    func arguments(for database: String) -> [String] {
        // `load` has its file first; it completes no other place by a function.
        path + [database] + words.dropFirst(path.count)
    }
}

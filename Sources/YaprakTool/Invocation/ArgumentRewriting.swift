/// Forms that people write and the parser does not know.
enum ArgumentRewriting {
    /// The subcommands that take `-n`, by their words.
    private static let counting: Set<String> = [
        "log", "ls", "tail", "search", "export", "grep", "ask", "view show", "view diff",
    ]

    /// `-3` becomes `-n3`, as in `git log -3`, for subcommands that take a count.
    static func rewrite(_ arguments: [String]) -> [String] {
        guard let first = arguments.first,
            counting.contains(first) || counting.contains(arguments.prefix(2).joined(separator: " "))
        else { return arguments }
        var rewritten: [String] = [], isOver = false
        for argument in arguments {
            if argument == "--" { isOver = true }
            let digits = argument.dropFirst()
            let isCount =
                !isOver && argument.hasPrefix("-") && !digits.isEmpty
                && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            rewritten.append(isCount && rewritten.last != "-n" ? "-n\(digits)" : argument)
        }
        return rewritten
    }
}

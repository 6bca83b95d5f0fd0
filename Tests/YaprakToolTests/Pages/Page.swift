import Foundation
import Testing

/// A page of the catalog with commands and what they print, in blocks like this one:
///
///     ```console
///     $ yaprak get shop.yaprak books emma --at 1
///     yaprak: there is no record "emma" in "books" at commit 1 (notFound)
///     [3]
///     ```
///
/// Below a command is what it prints: to standard output, then to standard error, then its exit code if that is not 0.
/// `…` stands for any text, a line of it alone for any lines.
struct Page: Sendable, CustomTestStringConvertible {
    let url: URL

    /// The name of the file, without what all have.
    var testDescription: String { url.deletingPathExtension().lastPathComponent }

    /// A command of a page.
    struct Command: Equatable {
        /// The number of its line in the file, from 0.
        var line: Int
        var words: [String]
        var expected: [String]
    }

    /// The pages in a folder of the catalog.
    static func all(in folder: String) -> [Page] {
        let url = package.appendingPathComponent("Sources/Yaprak/Yaprak.docc/\(folder)")
        let files = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "md" }.map { Page(url: $0) }.sorted { $0.url.path < $1.url.path }
    }

    func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// The commands in a page's text.
    static func commands(in text: String) -> [Command] {
        var commands: [Command] = []
        var isBlock = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isBlock = !isBlock && line == "```console"
            } else if isBlock, line.hasPrefix("$ ") {
                commands.append(Command(line: number, words: words(line.dropFirst(2)), expected: []))
            } else if isBlock, !commands.isEmpty {
                commands[commands.count - 1].expected.append(String(line))
            }
        }
        return commands
    }

    /// The text with other lines below its commands.
    static func text(_ text: String, with outputs: [[String]]) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (command, output) in zip(commands(in: text), outputs).reversed() {
            lines.replaceSubrange(command.line + 1..<command.line + 1 + command.expected.count, with: output)
        }
        return lines.joined(separator: "\n")
    }

    /// Words as a shell sees them: quotes keep words together, a backslash keeps a character as it is.
    static func words(_ line: some StringProtocol) -> [String] {
        var words: [String] = [], word: String?, quote: Character?, isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// Whether what was printed is what was expected.
    static func matches(_ lines: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return lines.isEmpty }
        if first == "…" {
            return (lines.startIndex...lines.endIndex).contains { matches(lines[$0...], expected.dropFirst()) }
        }
        guard let line = lines.first, matches(line, first) else { return false }
        return matches(lines.dropFirst(), expected.dropFirst())
    }

    private static func matches(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == pattern }
        var rest = line[...]
        for (index, part) in parts.enumerated() {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let found = rest.firstRange(of: part) else { return false }
                rest = rest[found.upperBound...]
            }
        }
        return true
    }
}

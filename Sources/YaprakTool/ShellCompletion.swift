import ArgumentParser
import Foundation
import ToolSupport

/// What Tab completes in the shell: subcommands, their options, what the database has, paths.
///
/// Nothing here fails: what can't be read is not offered, and neither is what has control characters in it.
struct ShellCompletion {
    let database: String
    let journey: Journey

    /// At most so many offers at a time.
    static let offersMax = 200

    /// The completion of the text before the cursor.
    func completion(of text: String) -> LineCompletion? {
        let scan = ShellWords.scan(text)
        guard !scan.isComment, !scan.isEscaped else { return nil }
        let position = CompletedPosition(scan.words)
        // `--output=name`: what is completed is behind the sign.
        var word = CompletedWord(written: String(text[scan.start...]), meant: scan.last ?? "")
        var argument = position.argument
        if case .word = position.expected, let option = position.option(assignedIn: word) {
            argument = option
            word = word.behindAssignment
        }
        return word.completion(among: offers(for: word, argument, position))
    }

    private func offers(
        for word: CompletedWord, _ argument: CommandTree.Parameter?, _ position: CompletedPosition
    ) -> [CompletedWord.Offer] {
        switch position.expected {
        case .subcommand(let names): return names.map { .init($0) }
        case .word where argument?.kind != .option && word.meant.hasPrefix("-") && !position.isTerminated:
            return position.options.map { .init($0) }
        case .word, .value:
            switch argument?.value {
            case .list(let values): return values.map { .init($0) }
            case .file: return Self.paths(word.meant, onlyDirectories: false)
            case .directory: return Self.paths(word.meant, onlyDirectories: true)
            case .computed: return answers(to: word.meant, argument, position).map { .init($0) }
            case .anything, nil: return []
            }
        case .nothing: return []
        }
    }

    /// Asks the function that completes an argument, as the script of a shell asks it, but in this process: what was read of
    /// the database is there.
    private func answers(to meant: String, _ argument: CommandTree.Parameter?, _ position: CompletedPosition)
        -> [String]
    {
        guard let argument, let name = position.parserName(of: argument) else { return [] }
        let words = ["yaprak"] + position.arguments(for: database) + [meant]
        var surroundings = Invocation.surroundings
        surroundings.journey = journey
        let answer = Invocation.$surroundings.withValue(surroundings) {
            do {
                _ = try YaprakCommand.parseAsRoot(
                    ["---completion"] + position.path + ["--", name, "\(words.count - 1)", "\(meant.count)"] + words)
                return ""
            } catch {
                return YaprakCommand.exitCode(for: error) == .success ? YaprakCommand.fullMessage(for: error) : ""
            }
        }
        return answer.split(separator: "\n").map(String.init)
    }

    /// What is in the directory that a path names, if its name begins as the path ends.
    private static func paths(_ meant: String, onlyDirectories: Bool) -> [CompletedWord.Offer] {
        let end = meant.lastIndex(of: "/").map { meant.index(after: $0) } ?? meant.startIndex
        let parent = meant[..<end], beginning = meant[end...]
        let files = FileManager.default
        guard let names = try? files.contentsOfDirectory(atPath: parent.isEmpty ? "." : String(parent)) else {
            return []
        }
        return names.filter { $0.hasPrefix(beginning) && ($0.hasPrefix(".") == beginning.hasPrefix(".")) }.sorted()
            .compactMap { name in
                var isDirectory: ObjCBool = false
                // A name that is no UTF-8 comes back changed, and leads nowhere.
                guard files.fileExists(atPath: parent + name, isDirectory: &isDirectory) else { return nil }
                if isDirectory.boolValue { return .init(parent + name + "/", shown: name + "/", isWhole: false) }
                return onlyDirectories ? nil : .init(parent + name, shown: name)
            }
    }
}

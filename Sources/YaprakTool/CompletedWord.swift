import ToolSupport

/// The word before the cursor, and what can stand in its place.
struct CompletedWord {
    /// As it is written, with quotes.
    let written: String
    /// What it says.
    let meant: String

    struct Offer {
        let text: String
        /// What a person is shown to choose from.
        let shown: String
        /// Whether nothing follows in the same word.
        let isWhole: Bool

        init(_ text: String, shown: String? = nil, isWhole: Bool = true) {
            self.text = text
            self.shown = shown ?? text
            self.isWhole = isWhole
        }
    }

    /// The name before `=`, of a word that begins as `--name=`.
    var assignedName: String? {
        guard meant.hasPrefix("--"), let sign = written.firstIndex(of: "="), meant.hasPrefix(written[...sign]) else {
            return nil
        }
        return String(written[..<sign])
    }

    /// The word behind `=`.
    var behindAssignment: CompletedWord {
        let count = (assignedName?.count ?? -1) + 1
        return CompletedWord(written: String(written.dropFirst(count)), meant: String(meant.dropFirst(count)))
    }

    private var quoting: ShellWords.Quoting {
        switch written.first {
        case "\"": .double
        case "'": .single
        default: .backslashes
        }
    }

    /// What becomes of the word: the only offer, or what all offers begin with, or the choice between them.
    func completion(among offers: [Offer]) -> LineCompletion? {
        let fitting = offers.filter { $0.text.hasPrefix(meant) && !$0.text.controlsTerminal && reads($0.text) }
        guard let first = fitting.first else { return nil }
        let removed = written.unicodeScalars.count
        if fitting.count == 1 {
            let text = ShellWords.quoted(first.text, quoting, isOpen: !first.isWhole)
            return LineCompletion(removedCount: removed, inserted: text + (first.isWhole ? " " : ""))
        }
        let common = fitting.dropFirst().reduce(first.text) { $0.commonPrefix(with: $1.text) }
        if common.count > meant.count, common.hasPrefix(meant), reads(common, isOpen: true) {
            return LineCompletion(
                removedCount: removed, inserted: ShellWords.quoted(common, quoting, isOpen: true))
        }
        return LineCompletion(choices: fitting.prefix(ShellCompletion.offersMax).map(\.shown))
    }

    /// Whether the shell reads a text back as it is, once it is quoted. A character that combines with the one before may not.
    private func reads(_ text: String, isOpen: Bool = false) -> Bool {
        let scan = ShellWords.scan("x " + ShellWords.quoted(text, quoting, isOpen: isOpen))
        return scan.words == ["x"] && scan.last == text && !scan.isEscaped
    }
}

extension String {
    /// What both begin with, in whole characters.
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}

import YaprakCBOR

// Stored data for a terminal: nothing in it may control the terminal.
extension String {
    /// The text with every control character, line separator and mark that turns the direction of text escaped.
    ///
    /// Text without any of these, and without quotes and backslashes, comes back as it is.
    package var plain: String { String(CBORValue.text(self).json().unicodeScalars.dropFirst().dropLast()) }

    /// The same, where the text has quotes and backslashes of its own: they stay as they are.
    package var printable: String {
        var result = "", part = UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar == "\"" || scalar == "\\" else {
                part.append(scalar)
                continue
            }
            result += String(part).plain
            result.unicodeScalars.append(scalar)
            part = UnicodeScalarView()
        }
        return result + String(part).plain
    }

    /// Whether something in it could control a terminal, or turn the direction of text: no shell is offered such a word.
    package var controlsTerminal: Bool { printable != self }

    /// The text with each of these characters as another text, also where a combining mark follows it.
    package func escaping(_ texts: [Unicode.Scalar: String]) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = texts[scalar] {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// How many columns of a terminal the text takes: two for East Asian wide characters and emoji.
    package var columns: Int {
        var columns = 0
        for character in self {
            let first = character.unicodeScalars.first!
            if first.value < 0x300 {
                columns += 1
            } else if first.properties.generalCategory == .nonspacingMark {
                continue
            } else {
                columns += Self.isWide(first) || character.unicodeScalars.contains("\u{fe0f}") ? 2 : 1
            }
        }
        return columns
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff,
            0x20000...0x3fffd:
            true
        // Emoji that need no mark to be one, in many blocks.
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// The text, cut to `columnsMax` columns; a cut shows as `…`.
    package func cut(to columnsMax: Int) -> String {
        guard columns > columnsMax else { return self }
        var result = "", left = columnsMax - 1
        for character in self {
            left -= String(character).columns
            if left < 0 { break }
            result.append(character)
        }
        return result + "…"
    }

    /// The text with spaces before or after it, to `columnsMin` columns.
    package func padded(to columnsMin: Int, leading: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, columnsMin - columns))
        return leading ? spaces + self : self + spaces
    }
}

/// String literals of Swift source: what text the compiler makes of them.
enum SwiftLiteral {
    /// The text of a literal; `nil` if it has interpolations, or is no literal.
    static func text(of source: String) -> String? {
        // For the compiler both ends of a line are a line feed.
        var source = String(String.UnicodeScalarView(source.unicodeScalars.filter { $0 != "\r" }))[...]
        let marks = String(source.prefix { $0 == "#" })
        source.removeFirst(marks.count)
        let quotes = source.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        let closing = quotes + marks
        guard source.hasPrefix(quotes), source.hasSuffix(closing), source.count >= quotes.count + closing.count else {
            return nil
        }
        source = source.dropFirst(quotes.count).dropLast(closing.count)
        let text = quotes.count == 1 ? String(source) : withoutIndentation(source)
        return text.flatMap { unescaped($0[...], "\\" + marks) }
    }

    /// The lines of a multi-line literal, without the white space that its last line has.
    private static func withoutIndentation(_ source: Substring) -> String? {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, let indentation = lines.last, (lines[0] + indentation).allSatisfy(\.isWhitespace) else {
            return nil
        }
        var result: [Substring] = []
        for line in lines.dropFirst().dropLast() {
            if line.hasPrefix(indentation) {
                result.append(line.dropFirst(indentation.count))
            } else if line.allSatisfy(\.isWhitespace) {
                result.append("")
            } else {
                return nil
            }
        }
        return result.joined(separator: "\n")
    }

    private static func unescaped(_ source: Substring, _ escape: String) -> String? {
        var (rest, result) = (source, "")
        while let place = rest.firstRange(of: escape) {
            result += rest[..<place.lowerBound]
            rest = rest[place.upperBound...]
            switch rest.popFirst() {
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "0": result += "\0"
            case let sign? where "\\\"'".contains(sign): result.append(sign)
            case "\n": break
            case let sign? where sign.isWhitespace:
                guard let end = rest.firstIndex(of: "\n"), rest[..<end].allSatisfy(\.isWhitespace) else { return nil }
                rest = rest[rest.index(after: end)...]
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let scalar = UInt32(rest[..<end], radix: 16).flatMap({ Unicode.Scalar($0) })
                else { return nil }
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
        return result + rest
    }
}

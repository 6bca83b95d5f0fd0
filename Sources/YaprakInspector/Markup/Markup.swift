#if Inspector
    /// HTML. What is put into it is text and is escaped, unless it is HTML already.
    ///
    ///     let cell: Markup = "<td title=\"\(key)\">\(value)</td>"
    ///
    /// So no stored text becomes a tag, an attribute or a script, and nobody has to remember to escape. Control characters,
    /// and those that turn the direction of writing, are shown as their code points instead of being obeyed.
    struct Markup: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        /// The HTML.
        private(set) var text: String

        init(stringLiteral value: String) { text = value }
        init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
        init() { text = "" }

        /// Pieces of HTML, one after the other.
        init(joining parts: some Sequence<Markup>) {
            text = ""
            for part in parts { text += part.text }
        }

        static func += (left: inout Markup, right: Markup) { left.text += right.text }
        static func + (left: Markup, right: Markup) -> Markup {
            var sum = left
            sum += right
            return sum
        }

        var isEmpty: Bool { text.isEmpty }

        struct Interpolation: StringInterpolationProtocol {
            fileprivate var text = ""

            init(literalCapacity: Int, interpolationCount: Int) {
                text.reserveCapacity(literalCapacity + interpolationCount * 16)
            }

            mutating func appendLiteral(_ literal: String) { text += literal }
            mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
            mutating func appendInterpolation(_ markup: Markup?) { text += markup?.text ?? "" }
            mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }
            mutating func appendInterpolation(_ value: String) { Markup.escape(value, into: &text) }
            mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                Markup.escape(value.description, into: &text)
            }
        }

        fileprivate static func escape(_ value: String, into out: inout String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": out += "&amp;"
                case "<": out += "&lt;"
                case ">": out += "&gt;"
                case "\"": out += "&quot;"
                case "'": out += "&#39;"
                case "\n": out += "\n"
                case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{202a}"..."\u{202e}",
                    "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}", "\u{61c}", "\u{feff}":
                    out += "\\u{" + String(scalar.value, radix: 16) + "}"
                default: out.unicodeScalars.append(scalar)
                }
            }
        }
    }
#endif

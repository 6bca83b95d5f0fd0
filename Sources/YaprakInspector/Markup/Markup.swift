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
            /// What a form sends: the characters as they are, not what stands for them on a page.
            mutating func appendInterpolation(field value: String) { Markup.escape(value, isField: true, into: &text) }
            mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                Markup.escape(value.description, into: &text)
            }
        }

        /// Whether a page shows a code point in the place of a character: it can't be seen, or it turns the direction of writing.
        static func isShownAsCode(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{202a}"..."\u{202e}",
                "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}", "\u{61c}", "\u{feff}":
                true
            default: false
            }
        }

        /// - Parameter isField: whether it is the value of a field. Such a value comes back, and must be the same then: what
        ///   would be shown as its code point is a reference to it, which no page obeys.
        fileprivate static func escape(_ value: String, isField: Bool = false, into out: inout String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": out += "&amp;"
                case "<": out += "&lt;"
                case ">": out += "&gt;"
                case "\"": out += "&quot;"
                case "'": out += "&#39;"
                case "\n" where !isField: out += "\n"
                // References to these mean other characters (HTML, 13.2.5.84), so they stand as they are.
                case "\u{80}"..."\u{9f}" where isField: out.unicodeScalars.append(scalar)
                case _ where isShownAsCode(scalar):
                    let digits = String(scalar.value, radix: 16)
                    out += isField ? "&#x\(digits);" : "\\u{\(digits)}"
                default: out.unicodeScalars.append(scalar)
                }
            }
        }
    }
#endif

import YaprakCBOR

/// A word or a sign of an expression.
enum ExpressionToken: Sendable, Hashable {
    case number(CBORValue)
    case text(String)
    case name(String)
    /// `$key` and its like.
    case part(ExpressionElement.Part)
    /// A dot and the name that stands right behind it.
    case field(String)
    case sign(String)
    case end

    /// How a message calls it.
    var words: String {
        switch self {
        case .number: "a number"
        case .text: "a text"
        case .name(let name), .sign(let name): "\"\(name)\""
        case .field(let name): "\".\(name)\""
        case .part(let part): "\"\(part.rawValue)\""
        case .end: "the end"
        }
    }
}

/// Splits an expression into tokens.
struct ExpressionLexer {
    private let source: String
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ source: String) {
        self.source = source
        scalars = Array(source.unicodeScalars)
    }

    /// Where the next token is looked for, in scalars.
    var offset: Int { position }

    /// The error at a scalar of the text.
    func error(_ message: String, at offset: Int) -> ReplayExpressionError {
        // People count characters; what stands before the place is at most a few thousand scalars.
        let before = String(String.UnicodeScalarView(scalars[..<min(offset, scalars.count)]))
        return ReplayExpressionError(message: message, source: source, offset: before.count)
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func skipSpace() {
        while let scalar = next, scalar.properties.isWhitespace { position += 1 }
    }

    /// The token at the place, spaces before it skipped.
    mutating func token() throws(ReplayExpressionError) -> ExpressionToken {
        skipSpace()
        guard let scalar = next else { return .end }
        switch scalar {
        case "0"..."9": return .number(try number())
        case "\"", "'": return .text(try text(endingWith: scalar))
        case "$": return .part(try part())
        case ".":
            position += 1
            if let after = next, isNameStart(after) { return .field(name()) }
            if let after = next, ("0"..."9").contains(after) {
                throw error("a number needs a digit before its point: 0.5", at: position - 1)
            }
            return .sign(".")
        case "(", ")", "[", "]", ",", "+", "-", "*", "/", "%":
            position += 1
            return .sign(String(scalar))
        case "=", "!", "<", ">": return .sign(try comparison(scalar))
        case "&": throw error("write \"and\": a and b", at: position)
        case "|": throw error("write \"or\": a or b", at: position)
        default:
            guard isNameStart(scalar) else {
                throw error("\(String(scalar).debugDescription) has no meaning here", at: position)
            }
            return .name(name())
        }
    }

    private mutating func comparison(_ first: Unicode.Scalar) throws(ReplayExpressionError) -> String {
        position += 1
        if next == "=" {
            position += 1
            return String(first) + "="
        }
        if first == "=" { throw error("to compare write ==", at: position - 1) }
        if first == "!" { throw error("write \"not\", or != to compare", at: position - 1) }
        return String(first)
    }

    // MARK: Names

    private func isNameStart(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDStart }

    private mutating func name() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = next, scalar == "_" || scalar.properties.isXIDContinue {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    /// Whether a text reads as one name.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    private mutating func part() throws(ReplayExpressionError) -> ExpressionElement.Part {
        let start = position
        position += 1
        guard let part = ExpressionElement.Part(rawValue: "$" + name()) else {
            throw error("there are $key, $metadata and $version", at: start)
        }
        return part
    }

    // MARK: Numbers and texts

    private mutating func number() throws(ReplayExpressionError) -> CBORValue {
        let start = position
        var isInteger = true
        digits()
        if next == ".", position + 1 < scalars.count, ("0"..."9").contains(scalars[position + 1]) {
            isInteger = false
            position += 1
            digits()
        }
        if next == "e" || next == "E" {
            isInteger = false
            position += 1
            if next == "+" || next == "-" { position += 1 }
            guard let digit = next, ("0"..."9").contains(digit) else {
                throw error("a number has no digits in its exponent", at: start)
            }
            digits()
        }
        let text = String(String.UnicodeScalarView(scalars[start..<position]))
        if isInteger, let value = UInt64(text) { return .unsigned(value) }
        guard let value = Double(text), value.isFinite else { throw error("this number is too large", at: start) }
        return .float(value)
    }

    private mutating func digits() {
        while let scalar = next, ("0"..."9").contains(scalar) { position += 1 }
    }

    private mutating func text(endingWith quote: Unicode.Scalar) throws(ReplayExpressionError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = next {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error("this text does not end", at: start)
    }

    private mutating func escape() throws(ReplayExpressionError) -> Unicode.Scalar {
        let start = position - 1
        guard let scalar = next else { throw error("this text does not end", at: start) }
        position += 1
        switch scalar {
        case "\"", "'", "\\", "/": return scalar
        case "b": return "\u{8}"
        case "f": return "\u{c}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let unit = try hexadecimal(start)
            if let scalar = Unicode.Scalar(unit) { return scalar }
            if (0xd800..<0xdc00).contains(unit), next == "\\", position + 1 < scalars.count,
                scalars[position + 1] == "u"
            {
                position += 2
                let low = try hexadecimal(start)
                if (0xdc00..<0xe000).contains(low),
                    let scalar = Unicode.Scalar(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
                {
                    return scalar
                }
            }
            throw error("this is half of a surrogate pair", at: start)
        default: throw error("there are the escapes \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t and \\u0000", at: start)
        }
    }

    private mutating func hexadecimal(_ start: Int) throws(ReplayExpressionError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = next, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw error("\\u takes four hexadecimal digits", at: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

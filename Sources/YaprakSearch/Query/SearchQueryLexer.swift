/// A sign or word of a query, and where it begins.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        case word(String)
        case quoted(String)
        case and, or, not, near
        case star
        /// `~`, with the number behind it.
        case tilde(Int?)
        case colon, comma, open, close, openBrace, closeBrace
        case end
    }

    var kind: Kind
    var start: String.Index
}

/// Takes a query apart, by scalars: a mark behind a quote is none of its. Words may have any sign in them but the few that
/// have a meaning.
struct SearchQueryLexer {
    let source: String
    private var scalars: String.UnicodeScalarView { source.unicodeScalars }
    private(set) var at: String.Index

    init(_ source: String) {
        self.source = source
        at = source.startIndex
    }

    func error(_ message: String, at index: String.Index) -> SearchQueryError {
        SearchQueryError(message: message, source: source, offset: source[..<index].count)
    }

    /// The next token.
    mutating func next() throws(SearchQueryError) -> QueryToken {
        while at < source.endIndex, scalars[at].properties.isWhitespace { at = scalars.index(after: at) }
        let start = at
        guard at < source.endIndex else { return QueryToken(kind: .end, start: start) }
        let sign = scalars[at]
        if sign == "\"" { return QueryToken(kind: .quoted(try quoted()), start: start) }
        if let kind = Self.signs[sign] {
            at = scalars.index(after: at)
            return QueryToken(kind: kind, start: start)
        }
        if sign == "~" {
            at = scalars.index(after: at)
            return QueryToken(kind: .tilde(number()), start: start)
        }
        while at < source.endIndex, !scalars[at].properties.isWhitespace, !Self.endsWord(scalars[at]) {
            at = scalars.index(after: at)
        }
        return QueryToken(kind: kind(ofWord: source[start..<at]), start: start)
    }

    private static let signs: [Unicode.Scalar: QueryToken.Kind] = [
        "*": .star, ":": .colon, ",": .comma, "(": .open, ")": .close, "{": .openBrace, "}": .closeBrace,
    ]

    private static func endsWord(_ sign: Unicode.Scalar) -> Bool { sign == "\"" || sign == "~" || signs[sign] != nil }

    private func kind(ofWord word: Substring) -> QueryToken.Kind {
        switch word {
        case "AND": .and
        case "OR": .or
        case "NOT": .not
        case "NEAR" where at < source.endIndex && scalars[at] == "(": .near
        default: .word(String(word))
        }
    }

    /// A text in quotes; a quote in it is written twice.
    private mutating func quoted() throws(SearchQueryError) -> String {
        let start = at
        var text = String.UnicodeScalarView()
        at = scalars.index(after: at)
        while at < source.endIndex {
            let sign = scalars[at]
            at = scalars.index(after: at)
            guard sign == "\"" else {
                text.append(sign)
                continue
            }
            guard at < source.endIndex, scalars[at] == "\"" else { return String(text) }
            text.append(sign)
            at = scalars.index(after: at)
        }
        throw error("a closing quote is missing for this one", at: start)
    }

    /// Digits right here; `nil` if there are none, and the greatest number if they are more.
    private mutating func number() -> Int? {
        let digits = scalars[at...].prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        at = digits.endIndex
        return Int(String(digits)) ?? .max
    }
}

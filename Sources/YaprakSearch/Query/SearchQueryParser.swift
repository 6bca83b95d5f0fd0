/// Makes a tree of a query.
///
///     any      all { OR all }
///     all      group { AND group }
///     not      items { NOT items }            (binds tighter than AND, as in SQLite's FTS5)
///     items    item { item }                  (all of them)
///     item     [ column : ] ( word[*|~n] | "phrase"[*|~n] | NEAR(phrases[, n]) | ( any ) )
struct SearchQueryParser {
    private var lexer: SearchQueryLexer
    private var token: QueryToken
    private var depth = 0
    private let columns: [String]?
    private var fuzzyCount = 0
    private let fuzzyCountMax: Int

    init(
        _ text: String, columns: [String]?, fuzzyCountMax: Int = SearchQuery.fuzzyCountMax
    ) throws(SearchQueryError) {
        var lexer = SearchQueryLexer(text)
        guard text.utf8.count <= SearchQuery.byteCountMax else {
            throw lexer.error("a query has at most \(SearchQuery.byteCountMax) bytes", at: text.startIndex)
        }
        token = try lexer.next()
        self.lexer = lexer
        self.columns = columns
        self.fuzzyCountMax = fuzzyCountMax
    }

    mutating func parse() throws(SearchQueryError) -> QueryNode {
        if token.kind == .end { return .all([]) }
        let node = try any()
        switch token.kind {
        case .end: return node
        case .close: throw error("there is no opening parenthesis for this one")
        default: throw error("a word or a phrase was expected")
        }
    }

    private func error(_ message: String) -> SearchQueryError { lexer.error(message, at: token.start) }

    private mutating func advance() throws(SearchQueryError) { token = try lexer.next() }

    private mutating func any() throws(SearchQueryError) -> QueryNode {
        var nodes = [try all()]
        while token.kind == .or {
            try advance()
            nodes.append(try all())
        }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    private mutating func all() throws(SearchQueryError) -> QueryNode {
        var nodes = [try exclusion()]
        while token.kind == .and {
            try advance()
            nodes.append(try exclusion())
        }
        return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    private mutating func exclusion() throws(SearchQueryError) -> QueryNode {
        if token.kind == .not { throw error("NOT stands between two parts: what is wanted, and what is not") }
        let wanted = try items()
        var unwanted: [QueryNode] = []
        while token.kind == .not {
            try advance()
            unwanted.append(try items())
        }
        return unwanted.isEmpty ? wanted : wanted.excluding(unwanted)
    }

    private mutating func items() throws(SearchQueryError) -> QueryNode {
        var nodes = [try item()]
        while true {
            switch token.kind {
            case .word, .quoted, .near, .open, .openBrace: nodes.append(try item())
            default: return nodes.count == 1 ? nodes[0] : .all(nodes)
            }
        }
    }

    private mutating func item() throws(SearchQueryError) -> QueryNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SearchQuery.depthMax else {
            throw error("a query is nested at most \(SearchQuery.depthMax) levels deep")
        }
        switch token.kind {
        case .open:
            let start = token.start
            try advance()
            let node = try any()
            guard token.kind == .close else {
                throw token.kind == .end
                    ? lexer.error("a closing parenthesis is missing for this one", at: start)
                    : error("a word or a phrase was expected")
            }
            try advance()
            return node
        case .near: return try near()
        case .openBrace: return try severalColumns()
        case .word(let word):
            let start = token.start
            try advance()
            if token.kind == .colon { return try within([word], at: [start]) }
            return try phrase(word)
        case .quoted(let text):
            let start = token.start
            try advance()
            if token.kind == .colon { return try within([text], at: [start]) }
            return try phrase(text)
        case .end: throw error("a word or a phrase was expected, and the query ends")
        default: throw error("a word or a phrase was expected")
        }
    }

    /// A text with what may stand behind it.
    private mutating func phrase(_ text: String) throws(SearchQueryError) -> QueryNode {
        guard case .tilde(let distance) = token.kind else {
            return .phrase(QueryPhrase(text: text, isPrefix: try star()))
        }
        guard (1...SearchQuery.distanceMax).contains(distance ?? 1) else {
            throw error("words differ by 1 to \(SearchQuery.distanceMax) letters")
        }
        fuzzyCount += 1
        guard fuzzyCount <= fuzzyCountMax else {
            throw error("a query has at most \(fuzzyCountMax) words with a tilde: search for this one as it is written")
        }
        try advance()
        return .fuzzy(text, distance ?? 1)
    }

    private mutating func star() throws(SearchQueryError) -> Bool {
        guard token.kind == .star else { return false }
        try advance()
        return true
    }

    // MARK: Columns

    private mutating func severalColumns() throws(SearchQueryError) -> QueryNode {
        let start = token.start
        try advance()
        var names: [String] = []
        var places: [String.Index] = []
        while token.kind != .closeBrace {
            switch token.kind {
            case .word(let name), .quoted(let name):
                names.append(name)
                places.append(token.start)
            case .end: throw lexer.error("a closing brace is missing for this one", at: start)
            default: throw error("the name of a column was expected")
            }
            try advance()
        }
        if names.isEmpty { throw lexer.error("the name of a column was expected", at: token.start) }
        try advance()
        guard token.kind == .colon else { throw error("a colon was expected, and what to look for in the columns") }
        return try within(names, at: places)
    }

    /// What follows a colon.
    private mutating func within(
        _ names: [String], at places: [String.Index]
    ) throws(SearchQueryError) -> QueryNode {
        for (name, place) in zip(names, places) where !(columns?.contains(name) ?? true) {
            throw lexer.error(
                "there is no column \(name.debugDescription). Choose of \((columns ?? []).joined(separator: ", "))",
                at: place)
        }
        try advance()
        return .columns(names, try item())
    }

    // MARK: NEAR

    private mutating func near() throws(SearchQueryError) -> QueryNode {
        let start = token.start
        try advance()  // to the parenthesis, which the lexer has seen
        try advance()
        var phrases: [QueryPhrase] = []
        while true {
            switch token.kind {
            case .word(let text), .quoted(let text):
                try advance()
                phrases.append(QueryPhrase(text: text, isPrefix: try star()))
                continue
            case .comma, .close: break
            case .end: throw lexer.error("a closing parenthesis is missing for NEAR", at: start)
            default: throw error("NEAR has words and phrases")
            }
            break
        }
        if phrases.isEmpty { throw error("NEAR needs words or phrases") }
        var distance = Self.nearDistance
        if token.kind == .comma {
            try advance()
            guard case .word(let text) = token.kind, let number = Int(text), number >= 0 else {
                throw error("a number of words was expected")
            }
            distance = number
            try advance()
        }
        guard token.kind == .close else {
            throw token.kind == .end
                ? lexer.error("a closing parenthesis is missing for NEAR", at: start)
                : error("a closing parenthesis was expected")
        }
        try advance()
        return .near(phrases, distance)
    }

    /// Where NEAR says no number.
    static let nearDistance = 10
}

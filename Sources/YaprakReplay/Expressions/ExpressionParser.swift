import YaprakCBOR

/// Makes the tree of an expression.
///
///     expression = term { operator term }        operators by rank: or, and, not, comparison, + -, * / %, -
///     path       = value { "." name | "[" expression "]" }
///     value      = number | text | "true" | "false" | "null" | "." | "$key" | collection | call | "(" expression ")"
struct ExpressionParser {
    private var lexer: ExpressionLexer
    private var token = ExpressionToken.end
    /// Where the token starts, in scalars.
    private var start = 0
    private var level = 0
    /// Whether a dot means something here.
    private var hasElement: Bool

    /// Whether `before` and `after` mean something.
    private let hasChange: Bool
    /// Whether this is within what a function asks of each element, which no commit changes by itself.
    private var isInElements = false

    private static let keywords: Set<String> = ["and", "or", "not", "true", "false", "null", "became"]

    /// Whether a collection of this name can be named without quotes.
    static func isPlainName(_ name: String) -> Bool { ExpressionLexer.isName(name) && !keywords.contains(name) }

    init(_ text: String, _ subject: ReplayExpression.Subject) throws(ReplayExpressionError) {
        lexer = ExpressionLexer(text.utf8.count > ReplayExpression.byteCountMax ? "" : text)
        hasElement = subject != .snapshot
        hasChange = subject == .change
        if text.utf8.count > ReplayExpression.byteCountMax {
            throw ReplayExpressionError(
                message:
                    "an expression has at most \(ReplayExpression.byteCountMax) bytes, and this one has \(text.utf8.count)",
                source: "", offset: 0)
        }
        try advance()
    }

    /// The tree of the whole text.
    mutating func parse() throws(ReplayExpressionError) -> ExpressionNode {
        let part = try expression(.or)
        guard case .end = token else {
            throw wrong("\(token.words) follows what is complete already; join them with \"and\" or \"or\"")
        }
        return try value(part).node
    }

    /// A part of the tree, with what messages and the limit of depth need.
    private struct Part {
        var node: ExpressionNode
        var depth = 1
        var start: Int
        /// Whether a dot would have meant something there.
        var isAboutElement = false
    }

    private mutating func advance() throws(ReplayExpressionError) {
        lexer.skipSpace()
        start = lexer.offset
        token = try lexer.token()
    }

    private func wrong(_ message: String) -> ReplayExpressionError { lexer.error(message, at: start) }

    private mutating func take(_ sign: String) throws(ReplayExpressionError) -> Bool {
        guard token == .sign(sign) else { return false }
        try advance()
        return true
    }

    private mutating func takeWord(_ word: String) throws(ReplayExpressionError) -> Bool {
        guard token == .name(word) else { return false }
        try advance()
        return true
    }

    private mutating func expect(_ sign: String, _ what: String) throws(ReplayExpressionError) {
        guard try take(sign) else { throw wrong("\"\(sign)\" \(what) is missing before \(token.words)") }
    }

    private func joined(_ parts: [Part], _ node: ExpressionNode) throws(ReplayExpressionError) -> Part {
        let depth = 1 + (parts.map(\.depth).max() ?? 0)
        guard depth <= ReplayExpression.depthMax else { throw tooDeep() }
        return Part(node: node, depth: depth, start: parts.first?.start ?? start)
    }

    private func tooDeep() -> ReplayExpressionError {
        wrong("an expression is nested at most \(ReplayExpression.depthMax) levels deep")
    }

    /// Refuses a collection where a value is needed.
    private func value(_ part: Part) throws(ReplayExpressionError) -> Part {
        if case .collection(let name) = part.node {
            let shown = ExpressionNode.collection(name).text(in: .or)
            let uses = "count(\(shown)), any(\(shown), …) or, for a record, \(shown)[\"key\"]"
            // Where there is a record, a bare word is mostly meant for a field of it.
            throw lexer.error(
                part.isAboutElement
                    ? "for the field write .\(name); a name without a dot is a collection: \(uses)"
                    : "\(shown) is a collection; write \(uses)", at: part.start)
        }
        return part
    }

    // MARK: Operators

    private mutating func expression(_ rank: ExpressionRank) throws(ReplayExpressionError) -> Part {
        switch rank {
        case .or: return try list(rank, "or") { .or($0) }
        case .and: return try list(rank, "and") { .and($0) }
        case .not:
            let place = start
            guard token == .name("not") else { return try expression(rank.next) }
            try advance()
            return try nested { (parser: inout Self) throws(ReplayExpressionError) in
                let operand = try parser.value(parser.expression(.not))
                var part = try parser.joined([operand], .not(operand.node))
                part.start = place
                return part
            }
        case .comparison: return try comparison()
        case .sum, .product: return try chain(rank)
        case .negated:
            let place = start
            guard try take("-") else { return try path() }
            return try nested { (parser: inout Self) throws(ReplayExpressionError) in
                let operand = try parser.value(parser.expression(.negated))
                var part = try parser.joined([operand], .negated(operand.node))
                part.start = place
                return part
            }
        case .path: return try path()
        }
    }

    private mutating func list(
        _ rank: ExpressionRank, _ word: String, _ make: ([ExpressionNode]) -> ExpressionNode
    ) throws(ReplayExpressionError) -> Part {
        let first = try expression(rank.next)
        guard token == .name(word) else { return first }
        var parts = [try value(first)]
        while try takeWord(word) { parts.append(try value(expression(rank.next))) }
        return try joined(parts, make(parts.map(\.node)))
    }

    private mutating func comparison() throws(ReplayExpressionError) -> Part {
        let left = try expression(.sum)
        if token == .name("became") {
            guard hasChange else {
                throw wrong(
                    "\"became\" is about what a commit changed; it is for `yaprak log --where` and "
                        + "`yaprak revert --where`")
            }
            if isInElements {
                throw wrong(
                    "\"became\" is about the record that a commit changed, not about one of its elements; write it outside "
                        + "of the function")
            }
            _ = try value(left)
            try advance()
            let right = try value(expression(.sum))
            return try joined([left, right], .became(left.node, right.node))
        }
        guard case .sign(let sign) = token, let operation = ExpressionNode.Comparison(rawValue: sign) else {
            return left
        }
        _ = try value(left)
        try advance()
        let right = try value(expression(.sum))
        if case .sign(let sign) = token, ExpressionNode.Comparison(rawValue: sign) != nil {
            throw wrong("compare two at a time: a < b and b < c")
        }
        return try joined([left, right], .comparison(operation, left.node, right.node))
    }

    private mutating func chain(_ rank: ExpressionRank) throws(ReplayExpressionError) -> Part {
        var left = try expression(rank.next)
        while case .sign(let sign) = token, let operation = ExpressionNode.Arithmetic(rawValue: sign),
            operation.rank == rank
        {
            _ = try value(left)
            try advance()
            let right = try value(expression(rank.next))
            left = try joined([left, right], .arithmetic(operation, left.node, right.node))
        }
        return left
    }

    /// Parses what is one level further down in the text.
    private mutating func nested(
        _ body: (inout Self) throws(ReplayExpressionError) -> Part
    ) throws(ReplayExpressionError) -> Part {
        guard level < ReplayExpression.depthMax else { throw tooDeep() }
        level += 1
        let part = try body(&self)
        level -= 1
        return part
    }

    // MARK: Values

    private mutating func path() throws(ReplayExpressionError) -> Part {
        let base = try primary()
        var steps: [ExpressionNode.Step] = []
        var parts = [base]
        while true {
            if case .field(let name) = token {
                if steps.isEmpty, case .collection(let first) = base.node {
                    throw wrong(
                        base.isAboutElement
                            ? "fields of the record start with a dot: .\(first).\(name)"
                            : "a collection has no fields; its records have: any(\(first), .\(name) > 0)")
                }
                try advance()
                steps.append(.field(name))
            } else if token == .sign("[") {
                try advance()
                let index = try nested { (parser: inout Self) throws(ReplayExpressionError) in
                    try parser.value(parser.expression(.or))
                }
                try expect("]", "behind the index")
                steps.append(.index(index.node))
                parts.append(index)
            } else {
                break
            }
        }
        guard !steps.isEmpty else { return base }
        if case .path(let inner, let earlier) = base.node {
            return try joined(parts, .path(inner, earlier + steps))
        }
        return try joined(parts, .path(base.node, steps))
    }

    private mutating func primary() throws(ReplayExpressionError) -> Part {
        let place = start
        if case .number(let value) = token { return try literal(value) }
        if case .text(let text) = token { return try literal(.text(text)) }
        if case .part(let part) = token {
            try checkElement(part.rawValue)
            try advance()
            return Part(node: .element(part), start: place)
        }
        if case .field(let name) = token {
            try checkElement(".\(name)")
            try advance()
            return Part(node: .path(.element(.object), [.field(name)]), depth: 2, start: place)
        }
        if token == .sign(".") {
            try checkElement(".")
            try advance()
            return Part(node: .element(.object), start: place)
        }
        if try take("(") {
            var part = try nested { (parser: inout Self) throws(ReplayExpressionError) in
                try parser.expression(.or)
            }
            try expect(")", "behind the expression")
            part.start = place
            return part
        }
        if case .name(let name) = token { return try word(name) }
        throw wrong("a value is missing before \(token.words)")
    }

    private mutating func literal(_ value: CBORValue) throws(ReplayExpressionError) -> Part {
        let part = Part(node: .literal(value), start: start)
        try advance()
        return part
    }

    private func checkElement(_ what: String) throws(ReplayExpressionError) {
        if hasElement { return }
        throw wrong("\"\(what)\" is a part of a record, and there is none here; write any(collection, \(what) …)")
    }

    private mutating func word(_ name: String) throws(ReplayExpressionError) -> Part {
        let place = start
        switch name {
        case "true": return try literal(.bool(true))
        case "false": return try literal(.bool(false))
        case "null": return try literal(.null)
        case "and", "or", "not", "became": throw wrong("a value is missing before \"\(name)\"")
        default: break
        }
        try advance()
        if hasChange, token != .sign("("), let side = ExpressionNode.Side(rawValue: name) {
            return Part(node: .side(side), start: place)
        }
        guard token == .sign("(") else {
            return Part(node: .collection(name), start: place, isAboutElement: hasElement)
        }
        if name == "collection" { return try quotedCollection(place) }
        guard let function = ExpressionFunction(rawValue: name) else {
            let known = (ExpressionFunction.allCases.map(\.rawValue) + ["collection"]).sorted()
            throw lexer.error(
                "there is no function \"\(name)\"; there are \(known.joined(separator: ", "))", at: place)
        }
        return try call(function, place)
    }

    private mutating func quotedCollection(_ place: Int) throws(ReplayExpressionError) -> Part {
        try advance()
        guard case .text(let name) = token else { throw wrong("collection takes the name in quotes") }
        try advance()
        try expect(")", "behind the name")
        return Part(node: .collection(name), start: place)
    }

    private mutating func call(_ function: ExpressionFunction, _ place: Int) throws(ReplayExpressionError) -> Part {
        try advance()
        var arguments: [Part] = []
        let outer = hasElement, outerElements = isInElements
        if token != .sign(")") {
            repeat {
                if function.looksAtElements, !arguments.isEmpty { (hasElement, isInElements) = (true, true) }
                let argument = try nested { (parser: inout Self) throws(ReplayExpressionError) in
                    try parser.expression(.or)
                }
                let mayBeCollection = function.looksAtElements && arguments.isEmpty
                arguments.append(mayBeCollection ? argument : try value(argument))
            } while try take(",")
        }
        (hasElement, isInElements) = (outer, outerElements)
        try expect(")", "behind the arguments of \(function.rawValue)")
        guard function.argumentCounts.contains(arguments.count) else {
            throw lexer.error(
                "\(function.rawValue) has \(arguments.count) arguments here; write \(function.usage)", at: place)
        }
        var part = try joined(arguments, .call(function, arguments.map(\.node)))
        part.start = place
        return part
    }
}

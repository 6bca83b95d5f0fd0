extension SearchQuery: CustomStringConvertible {
    /// The query in the query language: parsed, it is an equal query, or one that matches the same.
    public var description: String { node.text(inside: .any) }
}

extension QueryNode {
    /// How tightly the surroundings bind.
    enum Surroundings: Int { case any, all, exclusion, item }

    fileprivate func text(inside surroundings: Surroundings) -> String {
        switch self {
        case .phrase(let phrase): return phrase.notation
        case .fuzzy(let word, let distance):
            return "\(QueryPhrase(text: word).notation)~\(distance)"
        case .near(let phrases, _) where phrases.isEmpty: return surroundings == .any ? "" : "\"\""
        case .near(let phrases, let distance):
            return "NEAR(\(phrases.map(\.notation).joined(separator: " ")), \(distance))"
        case .columns(let names, let node) where names.isEmpty:
            // Nothing is in no column. The language says that of any query and its exclusion; what has no term stays as if it
            // were not there, so the words are those of the query. Without what is around them, because a query of that kind
            // in another one would be written four times, and the next eight times.
            var words: [QueryNode] = []
            node.gatherWords(into: &words)
            let text = QueryNode.any(words).text(inside: .item)
            return "(\(text) NOT \(text))"
        case .columns(let names, let node):
            let columns = names.count == 1 ? names[0].quoted : "{\(names.map(\.quoted).joined(separator: " "))}"
            return "\(columns): \(node.text(inside: .item))"
        case .all(let nodes):
            if nodes.isEmpty { return surroundings == .any ? "" : "\"\"" }
            return joined(nodes, by: " AND ", .all, inside: surroundings)
        case .any(let nodes):
            if nodes.isEmpty { return surroundings == .any ? "" : "\"\"" }
            return joined(nodes, by: " OR ", .any, inside: surroundings)
        case .without(let wanted, let unwanted):
            let text = "\(wanted.text(inside: .item)) NOT \(unwanted.text(inside: .item))"
            return surroundings.rawValue > Surroundings.all.rawValue ? "(\(text))" : text
        }
    }

    /// Adds the parts that have words, but for those that are excluded: a query has a term if any of them has.
    private func gatherWords(into words: inout [QueryNode]) {
        switch self {
        case .phrase, .fuzzy, .near: words.append(self)
        case .all(let nodes), .any(let nodes): for node in nodes { node.gatherWords(into: &words) }
        case .without(let wanted, _): wanted.gatherWords(into: &words)
        case .columns(_, let node): node.gatherWords(into: &words)
        }
    }

    private func joined(
        _ nodes: [QueryNode], by word: String, _ own: Surroundings, inside surroundings: Surroundings
    ) -> String {
        if nodes.count == 1 { return nodes[0].text(inside: surroundings) }
        let parts = nodes.map { $0.text(inside: own == .any ? .all : .exclusion) }.joined(separator: word)
        return surroundings.rawValue > own.rawValue ? "(\(parts))" : parts
    }
}

extension QueryPhrase {
    fileprivate var notation: String { (Self.isBare(text) ? text : text.quoted) + (isPrefix ? "*" : "") }

    /// Whether a word needs no quotes.
    fileprivate static func isBare(_ text: String) -> Bool {
        var lexer = SearchQueryLexer(text)
        guard let first = try? lexer.next(), case .word(let word) = first.kind else { return false }
        return word.utf8.elementsEqual(text.utf8)
    }
}

extension String {
    fileprivate var quoted: String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in unicodeScalars {
            if scalar == "\"" { text.append(scalar) }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }
}

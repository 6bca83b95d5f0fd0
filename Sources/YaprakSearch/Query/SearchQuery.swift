/// What to search for: words, phrases, beginnings of words, and how they belong together.
///
///     let query = try SearchQuery(parsing: "dune OR (title: messi* NOT \"prince of arrakis\")")
///     let same = SearchQuery.any(of: [
///         .word("dune"),
///         .prefix("messi").within("title").excluding(.phrase("prince of arrakis")),
///     ])
///     let typed = SearchQuery.typing("dun me")          // whatever is in a search field
///
/// A value without an index: its words are split and folded by the tokenizer of the index that is asked. A word that
/// the tokenizer splits is a phrase of its parts; one that has no term (`"!"`) is as if it were not there. A query
/// without any term matches nothing. The page "Full-text search" has the grammar.
public struct SearchQuery: Sendable, Hashable {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    /// The most bytes that a query may have as a string.
    public static let byteCountMax = 16 << 10
    /// The most levels that a query may be nested as a string: parentheses and columns. A chain of `AND`, `OR` or `NOT` is one.
    ///
    /// A query made by calls has no limit of its own, and every level takes stack when it is asked. For parts that a loop
    /// gathers, make one list of them, and one ``all(of:)`` or ``any(of:)``.
    public static let depthMax = 64
    /// The most words of a query as a string that may be misspelt (`word~`): each is compared with all terms of an index.
    ///
    /// A query made by calls has no limit of its own.
    public static let fuzzyCountMax = 64
    /// The greatest distance of ``fuzzy(_:distance:)``.
    public static let distanceMax = 3

    /// Parses the query language.
    ///
    ///     try SearchQuery(parsing: "\"old spice\" AND NEAR(whale ship, 5) NOT fish*")
    ///
    /// Any text gives a query or an error. For what people type, without operators, see ``typing(_:)``.
    /// - Parameters:
    ///   - text: a query.
    ///   - columns: the names that may stand before a colon; any if `nil`. ``FullTextIndex/query(_:)`` gives those of
    ///     the index. A column that an index does not have matches nothing in it.
    /// - Throws: ``SearchQueryError`` with the place.
    /// - Complexity: O(bytes).
    public init(parsing text: String, columns: [String]? = nil) throws(SearchQueryError) {
        var parser = try SearchQueryParser(text, columns: columns)
        node = try parser.parse()
    }

    /// Parses a query that was logged: limits of what may be asked that came later are none of what was.
    init(logged text: String) throws(SearchQueryError) {
        var parser = try SearchQueryParser(text, columns: nil, fuzzyCountMax: .max)
        node = try parser.parse()
    }

    /// What somebody is typing: every word is taken for the beginning of one, and all have to be found.
    ///
    ///     SearchQuery.typing("dun me")            // finds "Dune Messiah"
    ///
    /// Any text will do, however long; no sign has a meaning. Words are looked up as long as some record has all of those before,
    /// and what a search needs at once depends on the records, not on how many words there are. O(bytes).
    public static func typing(_ text: String) -> SearchQuery {
        SearchQuery(.all(words(of: text).map { .phrase(QueryPhrase(text: $0, isPrefix: true)) }))
    }

    /// All words of a text, in any sequence. Any text will do, however long; no sign has a meaning. O(bytes).
    public static func words(_ text: String) -> SearchQuery {
        SearchQuery(.all(words(of: text).map { .phrase(QueryPhrase(text: $0)) }))
    }

    private static func words(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { String($0) }
    }

    /// A word.
    public static func word(_ word: String) -> SearchQuery { SearchQuery(.phrase(QueryPhrase(text: word))) }

    /// Words that follow one another.
    public static func phrase(_ words: String) -> SearchQuery { SearchQuery(.phrase(QueryPhrase(text: words))) }

    /// A word by how it begins; of several words, the last.
    public static func prefix(_ words: String) -> SearchQuery {
        SearchQuery(.phrase(QueryPhrase(text: words, isPrefix: true)))
    }

    /// A word, or one that differs from it by at most so many letters that are missing, added, others, or swapped with
    /// their neighbour.
    ///
    /// - Precondition: `distance` is 1 to ``distanceMax``.
    public static func fuzzy(_ word: String, distance: Int = 1) -> SearchQuery {
        precondition((1...distanceMax).contains(distance), "words differ by 1 to \(distanceMax) letters")
        return SearchQuery(.fuzzy(word, distance))
    }

    /// Words or phrases that stand close together, in any sequence: between the end of each and the beginning of the last
    /// are at most `distance` other words.
    public static func near(_ phrases: String..., within distance: Int = 10) -> SearchQuery {
        precondition(distance >= 0, "a distance is a number of words, not less than 0")
        return SearchQuery(.near(phrases.map { QueryPhrase(text: $0) }, distance))
    }

    /// What all of several queries match.
    public static func all(of queries: [SearchQuery]) -> SearchQuery { SearchQuery(.all(queries.map(\.node))) }

    /// What any of several queries matches.
    public static func any(of queries: [SearchQuery]) -> SearchQuery { SearchQuery(.any(queries.map(\.node))) }

    /// What this query matches and another does not. Of several exclusions, one after the other, none may match: the same as
    /// excluding ``any(of:)`` them.
    public func excluding(_ other: SearchQuery) -> SearchQuery { SearchQuery(node.excluding([other.node])) }

    /// The same, in some columns only.
    public func within(_ columns: String...) -> SearchQuery { SearchQuery(.columns(columns, node)) }

    /// The names of the columns that it has.
    package var columnNames: Set<String> {
        var names: Set<String> = []
        node.gatherColumnNames(into: &names)
        return names
    }
}

/// The tree of a query.
indirect enum QueryNode: Sendable, Hashable {
    case phrase(QueryPhrase)
    case fuzzy(String, Int)
    case near([QueryPhrase], Int)
    case all([QueryNode])
    case any([QueryNode])
    case without(QueryNode, QueryNode)
    case columns([String], QueryNode)

    /// This without any of others. A chain is one level, however long: one list of what is excluded.
    func excluding(_ others: [QueryNode]) -> QueryNode {
        var (wanted, unwanted) = (self, others.flatMap(\.alternatives))
        if case .without(let node, let former) = self { (wanted, unwanted) = (node, former.alternatives + unwanted) }
        return .without(wanted, unwanted.count == 1 ? unwanted[0] : .any(unwanted))
    }

    private var alternatives: [QueryNode] {
        if case .any(let nodes) = self { return nodes }
        return [self]
    }

    /// Adds the names of the columns that it has.
    fileprivate func gatherColumnNames(into names: inout Set<String>) {
        switch self {
        case .phrase, .fuzzy, .near: break
        case .all(let nodes), .any(let nodes): for node in nodes { node.gatherColumnNames(into: &names) }
        case .without(let wanted, let unwanted):
            wanted.gatherColumnNames(into: &names)
            unwanted.gatherColumnNames(into: &names)
        case .columns(let columns, let node):
            names.formUnion(columns)
            node.gatherColumnNames(into: &names)
        }
    }
}

/// Words in sequence.
struct QueryPhrase: Sendable, Hashable {
    var text: String
    /// Whether the last word is a beginning.
    var isPrefix = false
}

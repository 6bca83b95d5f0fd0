/// A query whose words are terms of one tokenizer, and whose columns are numbers.
struct CompiledQuery {
    /// How leaves belong together.
    enum Node {
        case nothing
        /// A leaf, by its number.
        case leaf(Int)
        case all([Node])
        case any([Node])
        indirect case without(Node, Node)
    }

    /// Terms in sequence.
    struct Phrase {
        struct Unit {
            var term: [UInt8]
            var isPrefix: Bool
            /// How many positions behind the first.
            var offset: Int
        }

        var units: [Unit]
        /// How many positions it takes in a text: up to where the next word would stand.
        var length: Int
        /// How many positions its terms take, which is what is shown.
        var span: Int { (units.last?.offset ?? -1) + 1 }
    }

    /// What is looked up in an index as one.
    struct Leaf {
        enum Kind {
            case phrase(Phrase)
            case near([Phrase], distance: Int)
            case fuzzy([UInt8], distance: Int)
        }

        var kind: Kind
        /// A bit for each column in which it may stand.
        var columns: UInt64
        /// Whether it adds to the rank: not what is excluded.
        var isWanted: Bool
    }

    private(set) var root = Node.nothing
    private(set) var leaves: [Leaf] = []

    /// Columns of an index at most: one bit each.
    static let columnsMax = 64
    static let allColumns = UInt64.max

    init(_ query: SearchQuery, columnNames: [String], _ splitter: TextSplitter) {
        let source = Source(columnNames: columnNames, splitter: splitter)
        root = compile(query.node, Self.allColumns, isWanted: true, source) ?? .nothing
    }

    /// What queries are compiled for.
    private struct Source {
        let columnNames: [String]
        let splitter: TextSplitter
    }

    /// The compiled form; `nil` if it has no terms.
    private mutating func compile(
        _ node: QueryNode, _ columns: UInt64, isWanted: Bool, _ source: Source
    ) -> Node? {
        switch node {
        case .phrase(let phrase):
            return self.phrase(phrase, source.splitter).map { leaf(.phrase($0), columns, isWanted) }
        case .fuzzy(let word, let distance):
            guard let phrase = phrase(QueryPhrase(text: word), source.splitter) else { return nil }
            let kind =
                phrase.units.count == 1
                ? Leaf.Kind.fuzzy(phrase.units[0].term, distance: distance) : .phrase(phrase)
            return leaf(kind, columns, isWanted)
        case .near(let phrases, let distance):
            let phrases = phrases.compactMap { phrase($0, source.splitter) }
            if phrases.count < 2 { return phrases.first.map { leaf(.phrase($0), columns, isWanted) } }
            return leaf(.near(phrases, distance: distance), columns, isWanted)
        case .all(let nodes):
            let parts = compile(nodes, columns, isWanted: isWanted, source)
            return parts.count < 2 ? parts.first : .all(parts)
        case .any(let nodes):
            let parts = compile(nodes, columns, isWanted: isWanted, source)
            return parts.count < 2 ? parts.first : .any(parts)
        case .without(let wanted, let unwanted):
            guard let wanted = compile(wanted, columns, isWanted: isWanted, source) else { return nil }
            guard let unwanted = compile(unwanted, columns, isWanted: false, source) else { return wanted }
            return .without(wanted, unwanted)
        case .columns(let names, let node):
            var mask: UInt64 = 0
            for name in names {
                if let number = source.columnNames.firstIndex(of: name) { mask |= 1 << UInt64(number) }
            }
            return compile(node, columns & mask, isWanted: isWanted, source)
        }
    }

    private mutating func compile(
        _ nodes: [QueryNode], _ columns: UInt64, isWanted: Bool, _ source: Source
    ) -> [Node] {
        var parts: [Node] = []
        parts.reserveCapacity(nodes.count)
        // Once: each time would be a copy of all that there are.
        if leaves.isEmpty { leaves.reserveCapacity(nodes.count) }
        for node in nodes {
            if let part = compile(node, columns, isWanted: isWanted, source) { parts.append(part) }
        }
        return parts
    }

    private mutating func leaf(_ kind: Leaf.Kind, _ columns: UInt64, _ isWanted: Bool) -> Node {
        if columns == 0 { return .nothing }
        leaves.append(Leaf(kind: kind, columns: columns, isWanted: isWanted))
        return .leaf(leaves.count - 1)
    }

    private func phrase(_ phrase: QueryPhrase, _ splitter: TextSplitter) -> Phrase? {
        var units: [Phrase.Unit] = []
        // The last position of a run of Chinese has a term in a text and none in a query.
        let end = splitter.split(phrase.text, for: .query) { token in
            units.append(
                Phrase.Unit(term: Array(token.term), isPrefix: token.isPrefix, offset: token.position))
        }
        guard let first = units.first?.offset else { return nil }
        for index in units.indices { units[index].offset -= first }
        if phrase.isPrefix { units[units.count - 1].isPrefix = true }
        return Phrase(units: units, length: end - first)
    }
}

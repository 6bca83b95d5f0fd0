/// A query whose words are terms of one tokenizer, and whose columns are numbers.
struct CompiledQuery {
    /// How leaves belong together.
    enum Node {
        case nothing
        /// A leaf, by its number, and how often it is asked for: the rank counts each.
        case leaf(Int, times: Int)
        case all([Node])
        case any([Node])
        indirect case without(Node, Node)
    }

    /// Terms in sequence.
    struct Phrase: Hashable {
        struct Unit: Hashable {
            var term: [UInt8]
            var isPrefix: Bool
            /// Whether it is one sign of a script without spaces, whose terms are pairs: the first of a pair is meant.
            var isFirstOfPair = false
            /// How many positions behind the first.
            var offset: Int
        }

        var units: [Unit]
        /// How many positions it takes in a text: up to where the next word would stand.
        var length: Int
        /// How many positions its terms take, which is what is shown.
        var span: Int { (units.last?.offset ?? -1) + 1 }

        /// Each different unit once, as it stands first, with the offsets of all that are the same, ascending.
        var distinctUnits: [(unit: Unit, offsets: [Int])] {
            var distinct: [(unit: Unit, offsets: [Int])] = []
            var numbers: [Unit: Int] = [:]
            for unit in units {
                var key = unit
                key.offset = 0
                if let number = numbers[key] {
                    distinct[number].offsets.append(unit.offset)
                } else {
                    numbers[key] = distinct.count
                    distinct.append((unit, [unit.offset]))
                }
            }
            return distinct
        }
    }

    /// What is looked up in an index as one. There is one of each, however often a query says it.
    struct Leaf {
        enum Kind: Hashable {
            case phrase(Phrase)
            case near([Phrase], distance: Int)
            case fuzzy([UInt8], distance: Int)
        }

        var kind: Kind
        /// The phrases it asks for; none of a fuzzy word.
        var phrases: [Phrase] {
            switch kind {
            case .phrase(let phrase): [phrase]
            case .near(let phrases, _): phrases
            case .fuzzy: []
            }
        }
        /// A bit for each column in which it may stand.
        var columns: UInt64
        /// Whether it adds to the rank: not what is excluded.
        var isWanted: Bool
        /// Whether it is in several places of the query.
        var isShared = false
    }

    let root: Node
    let leaves: [Leaf]
    /// How many parts all of its ORs have together.
    let alternativeCount: Int

    /// Columns of an index at most: one bit each.
    static let columnsMax = 64
    static let allColumns = UInt64.max

    init(_ query: SearchQuery, columnNames: [String], _ splitter: TextSplitter) {
        var compiler = QueryCompiler(columnNames: columnNames, splitter: splitter)
        root = compiler.compile(query.node, Self.allColumns, isWanted: true) ?? .nothing
        leaves = compiler.leaves
        alternativeCount = compiler.alternativeCount
    }
}

/// Compiles a query.
private struct QueryCompiler {
    typealias Node = CompiledQuery.Node
    typealias Phrase = CompiledQuery.Phrase
    typealias Leaf = CompiledQuery.Leaf

    let columnNames: [String]
    let splitter: TextSplitter
    private(set) var leaves: [Leaf] = []
    private(set) var alternativeCount = 0
    /// Which leaf is which, once there are too many to look through.
    private var numbers: [LeafKey: Int] = [:]
    private static let searchedMax = 8

    private struct LeafKey: Hashable {
        let kind: Leaf.Kind
        let columns: UInt64
    }

    init(columnNames: [String], splitter: TextSplitter) {
        self.columnNames = columnNames
        self.splitter = splitter
    }

    /// The compiled form; `nil` if it has no terms.
    fileprivate mutating func compile(
        _ node: QueryNode, _ columns: UInt64, isWanted: Bool
    ) -> Node? {
        switch node {
        case .phrase(let phrase):
            return self.phrase(phrase).map { leaf(.phrase($0), columns, isWanted) }
        case .fuzzy(let word, let distance):
            guard let phrase = phrase(QueryPhrase(text: word)) else { return nil }
            let kind =
                phrase.units.count == 1
                ? Leaf.Kind.fuzzy(phrase.units[0].term, distance: distance) : .phrase(phrase)
            return leaf(kind, columns, isWanted)
        case .near(let phrases, let distance):
            // What is near something is near it once more.
            var seen: Set<Phrase> = []
            let phrases = phrases.compactMap { phrase($0) }.filter { seen.insert($0).inserted }
            if phrases.count < 2 { return phrases.first.map { leaf(.phrase($0), columns, isWanted) } }
            return leaf(.near(phrases, distance: distance), columns, isWanted)
        case .all(let nodes):
            let parts = compile(nodes, columns, isWanted: isWanted)
            return parts.count < 2 ? parts.first : .all(parts)
        case .any(let nodes):
            let parts = compile(nodes, columns, isWanted: isWanted)
            if parts.count < 2 { return parts.first }
            alternativeCount += parts.count
            return .any(parts)
        case .without(let wanted, let unwanted):
            guard let wanted = compile(wanted, columns, isWanted: isWanted) else { return nil }
            guard let unwanted = compile(unwanted, columns, isWanted: false) else { return wanted }
            return .without(wanted, unwanted)
        case .columns(let names, let node):
            var mask: UInt64 = 0
            for name in names {
                if let number = columnNames.firstIndex(of: name) { mask |= 1 << UInt64(number) }
            }
            return compile(node, columns & mask, isWanted: isWanted)
        }
    }

    private mutating func compile(
        _ nodes: [QueryNode], _ columns: UInt64, isWanted: Bool
    ) -> [Node] {
        var parts: [Node] = []
        parts.reserveCapacity(nodes.count)
        // Once: each time would be a copy of all that there are.
        if leaves.isEmpty { leaves.reserveCapacity(nodes.count) }
        // Where a leaf is among the parts, once there are too many to look through.
        var places: [Int: Int] = [:]
        for node in nodes {
            guard let part = compile(node, columns, isWanted: isWanted) else { continue }
            if case .leaf(let number, let times) = part {
                // A leaf that is new is the last.
                if number < leaves.count - 1 || leaves[number].isShared {
                    let place = parts.count <= Self.searchedMax ? Self.place(of: number, in: parts) : places[number]
                    if let place, case .leaf(_, let others) = parts[place] {
                        parts[place] = .leaf(number, times: others + times)
                        continue
                    }
                }
                if nodes.count > Self.searchedMax { places[number] = parts.count }
            }
            parts.append(part)
        }
        return parts
    }

    private mutating func leaf(_ kind: Leaf.Kind, _ columns: UInt64, _ isWanted: Bool) -> Node {
        if columns == 0 { return .nothing }
        if let number = number(of: kind, columns) {
            leaves[number].isShared = true
            if isWanted { leaves[number].isWanted = true }
            return .leaf(number, times: 1)
        }
        leaves.append(Leaf(kind: kind, columns: columns, isWanted: isWanted))
        if leaves.count > Self.searchedMax { numbers[LeafKey(kind: kind, columns: columns)] = leaves.count - 1 }
        return .leaf(leaves.count - 1, times: 1)
    }

    /// The leaf that is the same.
    private func number(of kind: Leaf.Kind, _ columns: UInt64) -> Int? {
        for number in 0..<min(leaves.count, Self.searchedMax)
        where leaves[number].columns == columns && leaves[number].kind == kind {
            return number
        }
        return leaves.count > Self.searchedMax ? numbers[LeafKey(kind: kind, columns: columns)] : nil
    }

    private static func place(of number: Int, in parts: [Node]) -> Int? {
        parts.firstIndex { if case .leaf(number, _) = $0 { true } else { false } }
    }

    private func phrase(_ phrase: QueryPhrase) -> Phrase? {
        var units: [Phrase.Unit] = []
        // The last position of a run of Chinese has a term in a text and none in a query.
        let end = splitter.split(phrase.text, for: .query) { token in
            units.append(
                Phrase.Unit(
                    term: Array(token.term), isPrefix: token.isPrefix, isFirstOfPair: token.isPrefix,
                    offset: token.position))
        }
        guard let first = units.first?.offset else { return nil }
        for index in units.indices { units[index].offset -= first }
        if phrase.isPrefix { units[units.count - 1].isPrefix = true }
        return Phrase(units: units, length: end - first)
    }
}

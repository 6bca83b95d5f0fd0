import YaprakCore
import YaprakExtensions
import YaprakLocks
import YaprakTrees

/// What of a query's plan is the same in every snapshot: what its condition says, and what each index makes of it.
///
/// Made with the query. Which entries the bytes lead to is the snapshot's business.
final class QueryOutline: @unchecked Sendable {
    // Terms are closures over the values of predicates, which are Sendable; the rest is behind the lock.
    let tests: [RecordTest]
    let sorts: [SortRule]
    /// What must hold, all of it; `nil` if no record matches.
    let clauses: [Clause]?
    /// Of each of these one alternative must hold.
    let alternatives: [(parts: [QueryShape], part: Aspects)]
    /// Where the keys lie of records that match, ascending and apart; `nil` if the condition does not say.
    let keys: KeyRanges?
    /// The tests with those of keys first, where they say where keys lie: few records pass them that were not looked up there.
    private let keysFirst: [RecordTest]
    /// What indexes make of it, by their identity.
    private let known = Mutex<[(index: ViewIdentity, outline: IndexOutline?)]>([])

    /// So many indexes are remembered.
    private static let knownMax = 32

    /// A term, and the part of the condition that it is.
    struct Clause {
        let term: QueryTerm
        let part: Aspects
        /// The number of the test; `nil` within an alternative.
        let test: Int?
    }

    init(_ tests: [RecordTest], _ sorts: [SortRule]) {
        self.tests = tests
        self.sorts = sorts
        var clauses: [Clause] = []
        clauses.reserveCapacity(tests.count)
        var alternatives: [(parts: [QueryShape], part: Aspects)] = []
        func add(_ shape: QueryShape, _ part: Aspects, _ test: Int?) -> Bool {
            switch shape {
            case .term(let term): clauses.append(Clause(term: term, part: part, test: test))
            case .all(let parts): return parts.allSatisfy { add($0, part, nil) }
            case .any(let parts) where part == .key:
                // No index has the keys as a column: the collection itself is one of them.
                if let term = KeyRanges.term(ofAlternatives: parts) {
                    clauses.append(Clause(term: term, part: part, test: nil))
                }
            case .any(let parts): alternatives.append((parts, part))
            case .never: return false
            case .unknown: break
            }
            return true
        }
        let mayHold = tests.indices.allSatisfy { add(tests[$0].shape, tests[$0].part, $0) }
        self.clauses = mayHold ? clauses : nil
        self.alternatives = alternatives
        // Most conditions say nothing of the keys.
        let ofKeys = clauses.contains { $0.part == .key } ? IndexOutline.spans(.key, clauses) : nil
        keys = ofKeys.map { KeyRanges(spans: $0.spans, areExact: $0.proven.count == tests.count) }
        keysFirst =
            ofKeys == nil || tests.count == 1
            ? tests : tests.filter { $0.part == .key } + tests.filter { $0.part != .key }
    }

    /// All tests, for records that no index leads to.
    var conditions: RecordConditions { RecordConditions(tests) }

    /// The same for records that lie anywhere, though the condition says where their keys do.
    var conditionsForAll: RecordConditions { RecordConditions(keysFirst) }

    /// What an index makes of the clauses; `nil` for nothing.
    func outline(of configuration: IndexConfiguration) -> IndexOutline? {
        let found = known.withLock { known in known.first { $0.index == configuration.identity } }
        if let found { return found.outline }
        let made = IndexOutline(configuration, clauses ?? [], sorts)
        known.withLock { known in
            if known.count == Self.knownMax { known.removeFirst() }
            // One array for the indexes of most collections.
            if known.isEmpty { known.reserveCapacity(4) }
            known.append((configuration.identity, made))
        }
        return made
    }
}

/// What an index makes of a condition, as bytes.
final class IndexOutline: @unchecked Sendable {
    // Immutable.
    /// What its first columns are equal to.
    let prefixes: [[UInt8]]
    /// What the next column is in; `nil` if nothing is said of it.
    let last: [IndexSpan]?
    /// The tests that hold for every entry.
    let proven: TestNumbers
    /// Whether a record may have several entries among them.
    let mayRepeat: Bool
    /// How the entries stand in the order of the query.
    let order: IndexPlan.Order?

    /// Of so many combinations of values an index is asked for each.
    private static let prefixesMax = 64

    /// `nil` if the clauses say nothing of the first column, or nothing of a column of elements: a record without any has no
    /// entry.
    init?(_ configuration: IndexConfiguration, _ clauses: [QueryOutline.Clause], _ sorts: [SortRule]) {
        var prefixes: [[UInt8]] = []
        var last: [IndexSpan]?
        var proven = TestNumbers()
        var fixed = 0
        var hasFreeElements = configuration.isMultiple
        var mayLackEntries = configuration.isMultiple
        for column in configuration.columns {
            guard let (spans, holding) = Self.spans(column, clauses) else { break }
            proven.formUnion(holding)
            if column.isMultiple { mayLackEntries = false }
            if column.isMultiple, spans.count <= 1, spans.allSatisfy({ $0.point != nil }) { hasFreeElements = false }
            if spans.allSatisfy({ $0.point != nil }), max(1, prefixes.count) * spans.count <= Self.prefixesMax {
                prefixes =
                    fixed == 0
                    ? spans.map(\.lower) : prefixes.flatMap { prefix in spans.map { prefix + $0.lower } }
                fixed += 1
                continue
            }
            last = spans
            break
        }
        guard fixed > 0 || last != nil, !mayLackEntries else { return nil }
        if fixed == 0 { prefixes = [[]] }
        self.prefixes = prefixes
        self.last = last
        self.proven = proven
        mayRepeat = hasFreeElements
        let isOneRange = prefixes.count == 1 && (last?.count ?? 1) <= 1 && !hasFreeElements
        order = isOneRange ? configuration.order(of: sorts, behind: fixed) : nil
    }

    /// What the clauses leave of a column, and the tests that are proven by it; `nil` if none is about it.
    static func spans(
        _ column: ColumnRule, _ clauses: [QueryOutline.Clause]
    ) -> (spans: [IndexSpan], proven: TestNumbers)? {
        var left: [IndexSpan]?
        var proven = TestNumbers()
        for clause in clauses where clause.part == column.reads && clause.term.isOfElements == column.isMultiple {
            guard column.isOf(clause.term.property.path, clause.term.property.stored),
                let spans = clause.term.spans(column)
            else { continue }
            // Two elements that a record has need not be one.
            if column.isMultiple, left != nil { continue }
            if let own = left { left = intersection(own, spans) } else { left = spans }
            if clause.term.isExact, let test = clause.test { proven.insert(test) }
        }
        return left.map { ($0, proven) }
    }

    /// What two lists of spans have in common; both ascend and are apart, and so does that. O(*a* + *b*).
    private static func intersection(_ a: [IndexSpan], _ b: [IndexSpan]) -> [IndexSpan] {
        var common: [IndexSpan] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let span = a[i].intersection(b[j])
            if !span.isEmpty { common.append(span) }
            // The one that ends first has nothing in common with what follows in the other list.
            if a[i].upper.lexicographicallyPrecedes(b[j].upper) { i += 1 } else { j += 1 }
        }
        return common
    }

    /// The entries in one snapshot; `nil` where looking for them would take as long as reading all.
    func plan(in source: IndexSource) -> IndexPlan? {
        let searches = prefixes.count * (last?.count ?? 1)
        if searches > 16, searches > source.root.tree.count { return nil }
        var ranges: [Range<Int>] = []
        func add(_ span: IndexSpan, behind prefix: [UInt8]) {
            let range = source.positions(span, behind: prefix)
            if !range.isEmpty { ranges.append(range) }
        }
        for prefix in prefixes {
            guard let last else {
                add(IndexSpan([], [0xFF]), behind: prefix)
                continue
            }
            for span in last { add(span, behind: prefix) }
        }
        return IndexPlan(
            parts: [.init(source: source, ranges: ranges, mayRepeat: mayRepeat)], proven: proven, order: order)
    }
}

extension IndexConfiguration {
    /// Whether entries with their first columns fixed stand in the order of a query.
    func order(of sorts: [SortRule], behind fixed: Int) -> IndexPlan.Order? {
        func isOf(_ column: ColumnRule, _ sort: SortRule) -> Bool {
            guard let path = sort.path, !column.isMultiple, column.reads == sort.part else { return false }
            return column.isOf(path, sort.stored)
        }
        var position = fixed
        var isBackward: Bool?
        for sort in sorts {
            guard sort.path != nil, let type = sort.type else { return nil }
            if columns[..<fixed].contains(where: { isOf($0, sort) }) { continue }
            guard position < columns.count, isOf(columns[position], sort), columns[position].type == type else {
                return nil
            }
            let turns = columns[position].isDescending != sort.isDescending
            guard isBackward == nil || isBackward == turns else { return nil }
            isBackward = turns
            position += 1
        }
        // Without a column to sort by only keys are left, which decide behind the last column alone.
        guard position > fixed || position == columns.count else { return nil }
        let backward = isBackward ?? false
        return IndexPlan.Order(
            isBackward: backward, fixed: fixed, columns: position,
            isComplete: !backward && position == columns.count)
    }
}

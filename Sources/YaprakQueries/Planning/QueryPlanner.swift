import YaprakCore
import YaprakExtensions
import YaprakTrees

/// Chooses indexes for a condition. Counts are exact: they are differences of positions.
struct QueryPlanner {
    let indexes: [IndexSource]
    private let tests: [RecordTest]
    private let sorts: [SortRule]
    /// Of so many combinations of values an index is asked for each.
    private static let prefixesMax = 64

    init(_ snapshot: Snapshot, collection: String, _ tests: [RecordTest], _ sorts: [SortRule]) {
        indexes = snapshot.indexes(ofCollection: collection)
        self.tests = tests
        self.sorts = sorts
    }

    /// A term, and the part of the condition that it is.
    private struct Clause {
        let term: QueryTerm
        let part: Aspects
        /// The number of the test; `nil` within an alternative.
        let test: Int?
    }

    /// What a condition says: clauses that must all hold, and alternatives. `nil` if it holds for no record.
    private func clauses() -> (clauses: [Clause], alternatives: [(parts: [QueryShape], part: Aspects)])? {
        var clauses: [Clause] = []
        var alternatives: [(parts: [QueryShape], part: Aspects)] = []
        func add(_ shape: QueryShape, _ part: Aspects, _ test: Int?) -> Bool {
            switch shape {
            case .term(let term): clauses.append(Clause(term: term, part: part, test: test))
            case .all(let parts): return parts.allSatisfy { add($0, part, nil) }
            case .any(let parts): alternatives.append((parts, part))
            case .never: return false
            case .unknown: break
            }
            return true
        }
        for (number, test) in tests.enumerated() {
            guard add(test.shape, test.part, number) else { return nil }
        }
        return (clauses, alternatives)
    }

    /// What one index knows of the condition; `nil` for nothing.
    func plan(for source: IndexSource) -> IndexPlan? { clauses().flatMap { plan(source, $0.clauses) } }

    /// Plans whose entries are the matches, one for one.
    var exactPlans: [IndexPlan] {
        guard let (clauses, _) = clauses() else { return [IndexPlan(parts: [])] }
        return indexes.lazy.compactMap { plan($0, clauses) }
            .filter { $0.proven.count == tests.count && !$0.mayRepeat }
    }

    /// The best plan; `nil` if no index knows anything.
    ///
    /// - Parameter limit: how many rows are wanted.
    func plan(limit: Int) -> IndexPlan? {
        guard let (clauses, alternatives) = clauses() else { return IndexPlan(parts: []) }
        var plans = indexes.compactMap { plan($0, clauses) }
        plans += alternatives.compactMap { plan(alternatives: $0.parts, $0.part) }
        guard let fewest = plans.map(\.count).min() else { return ordered(clauses, limit, fewest: nil) }
        let best = plans.min { cost($0, limit, fewest) < cost($1, limit, fewest) }
        if let ordered = ordered(clauses, limit, fewest: fewest), let found = best,
            cost(ordered, limit, fewest) < cost(found, limit, fewest)
        {
            return ordered
        }
        return best
    }

    /// What a plan costs, with sorting: one in order ends where there are rows enough.
    private func cost(_ plan: IndexPlan, _ limit: Int, _ fewest: Int) -> Double {
        let cost = Double(plan.cost)
        guard plan.order != nil else {
            let count = Double(plan.count)
            return cost + (count > 1 ? count * Double(plan.count.bitWidth - plan.count.leadingZeroBitCount) / 8 : 0)
        }
        if plan.proven.count == tests.count { return min(cost, Double(limit) + 4) }
        // As if the matches were as many as the best index has entries, evenly spread.
        return min(cost, Double(limit) * max(1, cost / Double(max(1, fewest))))
    }

    /// An index that has the order of the query, and knows nothing of its condition.
    private func ordered(_ clauses: [Clause], _ limit: Int, fewest: Int?) -> IndexPlan? {
        guard limit < Int.max, !sorts.isEmpty else { return nil }
        for source in indexes where !source.configuration.isMultiple {
            guard let order = order(of: source, behind: 0) else { continue }
            // A scan must look at all records, and sort those that match.
            return IndexPlan(
                parts: [.init(source: source, ranges: [0..<source.root.tree.count], mayRepeat: false)], order: order)
        }
        return nil
    }

    // MARK: One index

    private func plan(_ source: IndexSource, _ clauses: [Clause]) -> IndexPlan? {
        let columns = source.configuration.columns
        var prefixes: [[UInt8]] = [[]]
        var last: [IndexSpan]?
        var proven: Set<Int> = []
        var fixed = 0
        var hasFreeElements = source.configuration.isMultiple
        for column in columns {
            guard let (spans, holding) = spans(column, clauses) else { break }
            proven.formUnion(holding)
            if column.isMultiple, spans.count <= 1, spans.allSatisfy({ $0.point != nil }) { hasFreeElements = false }
            if spans.allSatisfy({ $0.point != nil }), prefixes.count * spans.count <= Self.prefixesMax {
                prefixes = prefixes.flatMap { prefix in spans.map { prefix + $0.lower } }
                fixed += 1
                continue
            }
            last = spans
            break
        }
        guard fixed > 0 || last != nil else { return nil }
        var ranges: [Range<Int>] = []
        for prefix in prefixes {
            guard let last else {
                ranges.append(source.positions(IndexSpan([], [0xFF]), behind: prefix))
                continue
            }
            for span in last { ranges.append(source.positions(span, behind: prefix)) }
        }
        ranges.removeAll(where: \.isEmpty)
        let order =
            prefixes.count == 1 && (last?.count ?? 1) <= 1 && !hasFreeElements ? order(of: source, behind: fixed) : nil
        return IndexPlan(
            parts: [.init(source: source, ranges: ranges, mayRepeat: hasFreeElements)], proven: proven, order: order)
    }

    /// What the clauses leave of a column, and the tests that are proven by it; `nil` if none is about it.
    private func spans(_ column: ColumnRule, _ clauses: [Clause]) -> (spans: [IndexSpan], proven: [Int])? {
        guard let path = column.path else { return nil }
        var left: [IndexSpan]?
        var proven: [Int] = []
        for clause in clauses where clause.part == column.reads && clause.term.isOfElements == column.isMultiple {
            guard clause.term.path === path || clause.term.path == path, let spans = clause.term.spans(column) else {
                continue
            }
            // Two elements that a record has need not be one.
            if column.isMultiple, left != nil { continue }
            left =
                left.map { left in
                    left.flatMap { a in spans.map { a.intersection($0) } }.filter { !$0.isEmpty }
                } ?? spans
            if clause.term.isExact, let test = clause.test { proven.append(test) }
        }
        return left.map { ($0, proven) }
    }

    /// Whether the entries of an index with its first columns fixed stand in the order of the query.
    private func order(of source: IndexSource, behind fixed: Int) -> IndexPlan.Order? {
        let columns = source.configuration.columns
        var position = fixed
        var isBackward: Bool?
        for sort in sorts {
            guard let path = sort.path, sort.type != nil else { return nil }
            if columns[..<fixed].contains(where: {
                $0.path.map { $0 == path } ?? false && $0.reads == sort.part && !$0.isMultiple
            }) {
                continue
            }
            guard position < columns.count, !columns[position].isMultiple, columns[position].reads == sort.part,
                columns[position].path.map({ $0 == path }) ?? false, columns[position].type == sort.type
            else { return nil }
            let turns = columns[position].isDescending != sort.isDescending
            guard isBackward == nil || isBackward == turns else { return nil }
            isBackward = turns
            position += 1
        }
        // Without a column to sort by only keys are left, which decide behind the last column alone.
        guard position > fixed || position == columns.count else { return nil }
        let backward = isBackward ?? false
        return IndexPlan.Order(
            isBackward: backward, columns: position, isComplete: !backward && position == columns.count)
    }

    // MARK: Alternatives

    private func plan(alternatives: [QueryShape], _ part: Aspects) -> IndexPlan? {
        var sum = IndexPlan(parts: [])
        for shape in alternatives {
            var clauses: [Clause] = []
            var isNever = false
            func add(_ shape: QueryShape) {
                switch shape {
                case .term(let term): clauses.append(Clause(term: term, part: part, test: nil))
                case .all(let parts): parts.forEach(add)
                case .never: isNever = true
                case .any, .unknown: break
                }
            }
            add(shape)
            if isNever { continue }
            var plans = indexes.compactMap { plan($0, clauses) }
            if case .any(let parts) = shape, let inner = plan(alternatives: parts, part) { plans.append(inner) }
            guard let best = plans.min(by: { $0.cost < $1.cost }) else { return nil }
            sum.parts += best.parts
        }
        return sum
    }
}

extension Snapshot {
    /// The indexes of a collection in this snapshot; none inside of a transaction that they have not followed yet.
    func indexes(ofCollection name: String) -> [IndexSource] {
        guard !state.isAheadOfExtensions else { return [] }
        return state.extensions.compactMap { entry in
            guard let root = entry.root as? IndexRoot, root.configuration.collection.name == name else { return nil }
            return IndexSource(self, root)
        }
    }
}

import YaprakCore
import YaprakExtensions
import YaprakTrees

/// Chooses indexes for a condition. Counts are exact: they are differences of positions.
struct QueryPlanner {
    let indexes: [IndexSource]
    private let outline: QueryOutline

    init(_ snapshot: Snapshot, collection: String, _ outline: QueryOutline) {
        indexes = snapshot.indexes(ofCollection: collection)
        self.outline = outline
    }

    /// Whether one index knows nothing of the condition.
    func isOfNoUse(_ source: IndexSource) -> Bool { outline.outline(of: source.configuration) == nil }

    /// What one index knows of the condition; `nil` for nothing.
    func plan(for source: IndexSource) -> IndexPlan? {
        outline.outline(of: source.configuration).flatMap { $0.plan(in: source) }
    }

    /// How many records match, if an index has their entries and no others.
    var exactCount: Int? {
        guard outline.clauses != nil else { return 0 }
        return indexes.lazy.compactMap { plan(for: $0) }
            .first { $0.proven.count == outline.tests.count && !$0.mayRepeat }?.count
    }

    /// The best plan; `nil` if no index knows anything.
    ///
    /// - Parameter limit: how many rows are wanted.
    func plan(limit: Int) -> IndexPlan? {
        guard outline.clauses != nil else { return IndexPlan(parts: []) }
        var plans = indexes.compactMap { plan(for: $0) }
        if plans.count == 1, plans[0].order != nil, outline.alternatives.isEmpty { return plans[0] }
        for alternatives in outline.alternatives {
            if let plan = plan(alternatives: alternatives.parts, alternatives.part) { plans.append(plan) }
        }
        guard let fewest = plans.map(\.count).min() else { return ordered(limit) }
        let best = plans.min { cost($0, limit, fewest) < cost($1, limit, fewest) }
        if let ordered = ordered(limit), let found = best, cost(ordered, limit, fewest) < cost(found, limit, fewest) {
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
        if plan.proven.count == outline.tests.count { return min(cost, Double(limit) + 4) }
        // As if the matches were as many as the best index has entries, evenly spread.
        return min(cost, Double(limit) * max(1, cost / Double(max(1, fewest))))
    }

    /// An index that has the order of the query, and knows nothing of its condition: instead of looking at all records, and
    /// sorting those that match.
    private func ordered(_ limit: Int) -> IndexPlan? {
        guard limit < Int.max, !outline.sorts.isEmpty else { return nil }
        for source in indexes where !source.configuration.isMultiple {
            guard let order = source.configuration.order(of: outline.sorts, behind: 0) else { continue }
            return IndexPlan(
                parts: [.init(source: source, ranges: [0..<source.root.tree.count], mayRepeat: false)], order: order)
        }
        return nil
    }

    /// Indexes for each of some alternatives; `nil` if one has none.
    private func plan(alternatives: [QueryShape], _ part: Aspects) -> IndexPlan? {
        var sum = IndexPlan(parts: [])
        for shape in alternatives {
            var clauses: [QueryOutline.Clause] = []
            var isNever = false
            func add(_ shape: QueryShape) {
                switch shape {
                case .term(let term): clauses.append(.init(term: term, part: part, test: nil))
                case .all(let parts): parts.forEach(add)
                case .never: isNever = true
                case .any, .unknown: break
                }
            }
            add(shape)
            if isNever { continue }
            var plans = indexes.compactMap { source in
                IndexOutline(source.configuration, clauses, []).flatMap { $0.plan(in: source) }
            }
            if case .any(let parts) = shape, let inner = plan(alternatives: parts, part) { plans.append(inner) }
            guard let best = plans.min(by: { $0.cost < $1.cost }) else { return nil }
            sum.parts += best.parts
        }
        return sum
    }
}

extension IndexSource {
    /// Whether all of its entries stand in the order of a query that has one.
    func hasOrder(of sorts: [SortRule]) -> Bool {
        !sorts.isEmpty && !configuration.isMultiple && configuration.order(of: sorts, behind: 0) != nil
    }
}

extension Snapshot {
    /// The indexes of a collection in this snapshot; none inside of a transaction that they have not followed yet.
    func indexes(ofCollection name: String) -> [IndexSource] {
        guard !state.isAheadOfExtensions else { return [] }
        return state.extensions.compactMap { entry in
            // One that has missed changes for good is of no use either: registering the index again makes another.
            guard !entry.isBehind, let root = entry.root as? IndexRoot, root.configuration.collection.name == name
            else { return nil }
            return IndexSource(self, root)
        }
    }
}

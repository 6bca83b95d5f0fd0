import YaprakCore
import YaprakExtensions
import YaprakModel
import YaprakTrees

/// How a query was run.
///
///     print(snapshot.explain(bestsellers))
///     // index books.genreRank: 61 entries read, 0 tested, 20 rows, sorted
///     // not books.isbn: the condition says nothing that its first column could be searched for
public struct QueryExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The indexes that were read, each once; empty if records were tested.
    public let indexes: [String]
    /// Whether only records with certain keys were tested, because the condition says which.
    public let readsKeyRange: Bool
    /// The number of entries that were read, of indexes, or of the collection.
    public let readEntryCount: Int
    /// The number of records that parts of the condition were tested on: those that no index has proven.
    public let testedRecordCount: Int
    /// The number of rows.
    public let rowCount: Int
    /// Whether the rows came in order, so that nothing had to be sorted, and reading ended with the last row.
    public let isInOrder: Bool
    /// The number of parts of the condition that Foundation evaluates, which takes longer than those that were compiled.
    public let evaluatedPartCount: Int
    /// Indexes that were not read, and why.
    public let others: [Other]

    /// An index that was not read.
    public struct Other: Sendable, Hashable {
        /// Its name.
        public let index: String
        /// Why it was not read.
        public let reason: String
    }

    init(_ execution: QueryExecution) {
        var names: [String] = []
        for part in execution.plan?.parts ?? [] where !names.contains(part.source.configuration.name) {
            names.append(part.source.configuration.name)
        }
        indexes = names
        readsKeyRange = execution.stretches != nil
        readEntryCount = execution.entriesRead
        testedRecordCount = execution.recordsTested
        rowCount = execution.rows.count
        isInOrder = execution.isInOrder
        evaluatedPartCount = execution.tests.count(where: \.isEvaluated)
        others = execution.others.filter { !names.contains($0.index) }
    }

    /// A line for what was done, and one for each index that was not read.
    public var description: String {
        let access =
            indexes.isEmpty ? (readsKeyRange ? "keys" : "scan") : "index \(indexes.joined(separator: ", "))"
        let entries = "\(readEntryCount) \(readEntryCount.word("entry", "entries")) read"
        let counts = "\(entries), \(testedRecordCount) tested, \(rowCount) \(rowCount.word("row"))"
        let parts = "\(evaluatedPartCount) \(evaluatedPartCount.word("part")) evaluated by Foundation"
        let evaluated = evaluatedPartCount == 0 ? "" : ", \(parts)"
        let lines = others.map { "not \($0.index): \($0.reason)" }
        return (["\(access): \(counts)\(isInOrder ? "" : ", sorted")\(evaluated)"] + lines).joined(separator: "\n")
    }
}

extension QueryExecution {
    /// How many rows there are, if the collection, an index or a stretch of the collection has them all and nothing else.
    var countOfIndex: Int? {
        let records = snapshot.tree(of: collection)
        if outline.tests.isEmpty { return records.count }
        if let keys = outline.keys, keys.areExact {
            let stretches = withExtendedLifetime(snapshot) { keys.positions(in: records) }
            if let stretches { return stretches.reduce(0) { $0 + $1.count } }
        }
        return QueryPlanner(snapshot, collection: collection.name, outline).exactCount
    }

    /// Each index, and why it is not read.
    var others: [QueryExplanation.Other] {
        let planner = QueryPlanner(snapshot, collection: collection.name, outline)
        let size = stretches?.reduce(0) { $0 + $1.count } ?? snapshot.tree(of: collection).count
        return planner.indexes.map { source in
            let name = source.configuration.name
            if limit == 0 { return .init(index: name, reason: "no row is wanted") }
            if outline.clauses == nil { return .init(index: name, reason: "the condition holds for no record") }
            if planner.isOfNoUse(source) {
                if limit < .max, source.hasOrder(of: outline.sorts) {
                    return .init(
                        index: name, reason: "it has the order alone, and reading it was not expected to cost less")
                }
                let elements = source.configuration.isMultiple ? ", or not which elements a record has" : ""
                return .init(
                    index: name,
                    reason: "the condition says nothing that its first column could be searched for\(elements)")
            }
            guard let plan = planner.plan(for: source) else {
                return .init(index: name, reason: "more values to search for than it has entries")
            }
            return .init(index: name, reason: reason(against: plan, size))
        }
    }

    /// What decided that another plan than this one was read, or `size` records of the collection.
    private func reason(against other: IndexPlan, _ size: Int) -> String {
        let count = other.count
        let isLookedUp = other.readingCost > count
        let toRead = "\(count) \(count.word("entry", "entries")) to read"
        let lookedUp = count == 1 ? "1 entry, whose record" : "\(count) entries, each of whose records"
        let entries = isLookedUp ? "\(lookedUp) is looked up" : toRead
        guard let plan else { return "\(entries), of \(size) \(size.word("record"))" }
        if count > entriesRead { return "\(toRead), more than of the one that was read" }
        var reason = entries
        if other.order == nil, plan.order != nil { reason += ", and to sort" }
        if other.rangeCount > plan.rangeCount { reason += ", in \(other.rangeCount) \(other.rangeCount.word("range"))" }
        if plan.order != nil, limit < .max {
            let names = plan.parts.map(\.source.configuration.name).joined(separator: ", ")
            reason += "; \(names) was expected to end earlier"
        }
        return reason == entries && !isLookedUp ? "\(reason), no fewer than of the one that was read" : reason
    }
}

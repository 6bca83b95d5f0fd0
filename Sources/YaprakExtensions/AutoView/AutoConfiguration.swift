import YaprakCore

/// How an automatic view groups and sorts the records of its collections.
final class AutoConfiguration: ViewConfiguration, @unchecked Sendable {
    /// One for each collection.
    let groupings: [GroupingRule]
    let sortings: [SortingRules]

    init(
        versionTag: String, of collections: [CollectionTypes], groupings: [GroupingRule], sortings: [SortingRules],
        order: PlacementOrder
    ) {
        self.groupings = groupings
        self.sortings = sortings
        super.init(versionTag: versionTag, of: collections, order: order)
    }

    override package var rowsHaveOnePlace: Bool { !groupings.contains { $0.isMultiple } }

    /// The placements a record should have, by asking both closures.
    func placements(of record: RecordBox, _ collection: Int) -> [Placement] {
        switch groupings[collection].names(record) {
        case .none: []
        case .one(let name): [sortings[collection].place(record, collection, name, Touches())]
        case .several(let names): placements(of: record, collection, in: names)
        }
    }

    /// Placements in several groups; the sort key is taken once.
    func placements(of record: RecordBox, _ collection: Int, in names: [String]) -> [Placement] {
        guard let first = names.first else { return [] }
        let model = sortings[collection].place(record, collection, first, Touches())
        return [model] + names.dropFirst().map { model.copy(record: record, group: $0, touches: Touches()) }
    }
}

/// A ``SortingRule`` without its order, which all collections of a view share.
struct SortingRules: Sendable {
    let reads: Aspects
    let place: PlacementMaker

    init(_ rule: SortingRule<some Any>) {
        reads = rule.reads
        place = rule.place
    }
}

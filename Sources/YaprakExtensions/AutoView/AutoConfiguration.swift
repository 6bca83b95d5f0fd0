import YaprakCore

/// How an automatic view groups and sorts the records of its collections.
final class AutoConfiguration: ViewConfiguration, @unchecked Sendable {
    /// One for each collection.
    let groupings: [GroupingRule]
    let sortings: [SortingRules]
    let tags: Tags

    /// Which code groups each collection, and which sorts: exchanged one by one, so each has its own tag.
    struct Tags: Equatable {
        /// The tag of the code that was registered.
        let registered: String
        /// One for each collection.
        var groupings: [String]
        var sorting: String

        /// The tag of the whole after a part got `latest`: that of the registered code only if all of it is.
        fileprivate func whole(latest: String) -> String {
            latest != registered ? latest : all.first { $0 != registered } ?? registered
        }

        fileprivate var all: [String] { groupings + [sorting] }
    }

    init(
        versionTag: String, of collections: [CollectionTypes], groupings: [GroupingRule], sortings: [SortingRules],
        order: PlacementOrder
    ) {
        self.groupings = groupings
        self.sortings = sortings
        tags = Tags(
            registered: versionTag, groupings: collections.map { _ in versionTag }, sorting: versionTag)
        super.init(versionTag: versionTag, of: collections, order: order)
    }

    private init(
        _ old: AutoConfiguration, tagged tag: String, _ tags: Tags, _ groupings: [GroupingRule],
        _ sortings: [SortingRules], _ order: PlacementOrder
    ) {
        self.groupings = groupings
        self.sortings = sortings
        self.tags = tags
        super.init(versionTag: tags.whole(latest: tag), of: old.collections, order: order)
    }

    /// The same configuration with another grouping of one collection.
    func grouped(_ collection: Int, by rule: GroupingRule, tagged tag: String) -> AutoConfiguration {
        var (tags, groupings) = (tags, groupings)
        tags.groupings[collection] = tag
        groupings[collection] = rule
        return AutoConfiguration(self, tagged: tag, tags, groupings, sortings, order)
    }

    /// The same configuration with another sorting.
    func sorted(by sortings: [SortingRules], _ order: PlacementOrder, tagged tag: String) -> AutoConfiguration {
        var tags = tags
        tags.sorting = tag
        return AutoConfiguration(self, tagged: tag, tags, groupings, sortings, order)
    }

    /// Whether code of this tag sorts already, in this order. The order is no code: it may change while the tag stays.
    func isSorted(_ order: ViewOrder, tagged tag: String) -> Bool {
        tags.sorting == tag && self.order.isDescending == (order == .descending)
    }

    /// Of the groupings, then of the sorting.
    override var partTags: [String]? { tags.all.allSatisfy { $0 == tags.sorting } ? nil : tags.all }

    override package var rowsHaveOnePlace: Bool { !groupings.contains { $0.isMultiple } }

    /// The placements a record should have, by running both closures.
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
    let take: @Sendable (_ record: RecordBox, _ column: SortColumn) -> Void
    let place: PlacementMaker

    init(_ rule: SortingRule<some Any>) {
        reads = rule.reads
        take = rule.take
        place = rule.place
    }
}

public import YaprakCore

extension AutoView where Element == MixedRecord {
    /// A view over several collections of different types, each with its own grouping and sorting. All of them are
    /// sorted by values of one type, or by keys; where closures compare keys, the first one orders all rows.
    ///
    ///     let bond = AutoView(
    ///         "bond", of: .movies, .actors,
    ///         groupedBy: .byObject { $0.agent }, .byObject { $0.playedAgent },
    ///         sortedBy: .byObject { $0.year }, .byObject { $0.firstYear })
    ///     for row in snapshot[bond]["007"] {
    ///         if let movie = row.as(.movies) { print(movie.object.title) }
    ///     }
    ///
    /// Equals stand in the order of the collections here, then of their keys.
    /// - Precondition: no sorting compares objects, metadata or rows, which differ in type from collection to collection.
    public init<First, FirstMetadata, Second, SecondMetadata, Value>(
        _ name: String, versionTag: String = "",
        of first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        groupedBy firstGrouping: Grouping<First, FirstMetadata>,
        _ secondGrouping: Grouping<Second, SecondMetadata>,
        sortedBy firstSorting: Sorting<First, FirstMetadata, Value>,
        _ secondSorting: Sorting<Second, SecondMetadata, Value>,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, [CollectionTypes(first), CollectionTypes(second)],
            [firstGrouping.rule, secondGrouping.rule],
            [firstSorting.rule, secondSorting.rule], order, persistence)
    }

    /// A view over three collections of different types; see the one over two.
    public init<First, FirstMetadata, Second, SecondMetadata, Third, ThirdMetadata, Value>(
        _ name: String, versionTag: String = "",
        of first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        _ third: RecordCollection<Third, ThirdMetadata>,
        groupedBy firstGrouping: Grouping<First, FirstMetadata>,
        _ secondGrouping: Grouping<Second, SecondMetadata>,
        _ thirdGrouping: Grouping<Third, ThirdMetadata>,
        sortedBy firstSorting: Sorting<First, FirstMetadata, Value>,
        _ secondSorting: Sorting<Second, SecondMetadata, Value>,
        _ thirdSorting: Sorting<Third, ThirdMetadata, Value>,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, [CollectionTypes(first), CollectionTypes(second), CollectionTypes(third)],
            [firstGrouping.rule, secondGrouping.rule, thirdGrouping.rule],
            [firstSorting.rule, secondSorting.rule, thirdSorting.rule], order, persistence)
    }

    /// A view over four collections of different types; see the one over two.
    public init<First, FirstMetadata, Second, SecondMetadata, Third, ThirdMetadata, Fourth, FourthMetadata, Value>(
        _ name: String, versionTag: String = "",
        of first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        _ third: RecordCollection<Third, ThirdMetadata>,
        _ fourth: RecordCollection<Fourth, FourthMetadata>,
        groupedBy firstGrouping: Grouping<First, FirstMetadata>,
        _ secondGrouping: Grouping<Second, SecondMetadata>,
        _ thirdGrouping: Grouping<Third, ThirdMetadata>,
        _ fourthGrouping: Grouping<Fourth, FourthMetadata>,
        sortedBy firstSorting: Sorting<First, FirstMetadata, Value>,
        _ secondSorting: Sorting<Second, SecondMetadata, Value>,
        _ thirdSorting: Sorting<Third, ThirdMetadata, Value>,
        _ fourthSorting: Sorting<Fourth, FourthMetadata, Value>,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag,
            [CollectionTypes(first), CollectionTypes(second), CollectionTypes(third), CollectionTypes(fourth)],
            [firstGrouping.rule, secondGrouping.rule, thirdGrouping.rule, fourthGrouping.rule],
            [firstSorting.rule, secondSorting.rule, thirdSorting.rule, fourthSorting.rule], order, persistence)
    }

    private init(
        _ name: String, _ versionTag: String, _ collections: [CollectionTypes], _ groupings: [GroupingRule],
        _ sortings: [SortingRule<some Any>], _ order: ViewOrder, _ persistence: ViewPersistence
    ) {
        precondition(
            Set(collections.map(\.name)).count == collections.count, "a view looks at each collection once")
        self.init(
            name, persistence: persistence,
            AutoConfiguration(
                versionTag: versionTag, of: collections, groupings: groupings,
                sortings: SortingRules.ofSeveralCollections(sortings),
                order: sortings[0].makeOrder(order == .descending)))
    }
}

extension SortingRules {
    /// The rules of a view over several collections.
    ///
    /// - Precondition: rows are sorted by values, or by keys. A closure that compares objects or metadata knows those of one
    ///   collection, and would be handed those of others.
    static func ofSeveralCollections<Value>(_ rules: [SortingRule<Value>]) -> [SortingRules] {
        guard Value.self == Comparison.self else { return rules.map { SortingRules($0) } }
        precondition(
            rules.allSatisfy { $0.reads == .key },
            "a closure that compares objects, metadata or rows has the types of one collection: sort by values")
        // One order for all rows, whatever their collection.
        return rules.map { _ in SortingRules(rules[0]) }
    }
}

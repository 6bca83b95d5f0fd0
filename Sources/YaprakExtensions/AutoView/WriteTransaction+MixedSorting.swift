public import YaprakCore

// Another sorting of a view over several collections: one for each, by values of one type.
extension WriteTransaction {
    /// Sorts a view over two collections by other values from now on.
    ///
    ///     try transaction.setSorting(
    ///         of: bond, .movies, .actors, sortedBy: .byObject { $0.title }, .byObject { $0.name }, versionTag: "by name")
    ///
    /// As for a view over one collection: every sort value is computed once, no grouping runs, and with the tag and the order
    /// that the sorting has already, nothing happens.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Precondition: the collections are those of the view, in its order; no sorting compares objects, metadata or rows.
    /// - Complexity: O(*n* log *n*) for the rows of the view.
    public mutating func setSorting<First, FirstMetadata, Second, SecondMetadata, Value>(
        of view: AutoView<MixedRecord>,
        _ first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        sortedBy firstSorting: Sorting<First, FirstMetadata, Value>,
        _ secondSorting: Sorting<Second, SecondMetadata, Value>,
        order: ViewOrder = .ascending, versionTag: String
    ) throws {
        try setSorting(
            of: view, [CollectionTypes(first), CollectionTypes(second)], [firstSorting.rule, secondSorting.rule], order,
            versionTag)
    }

    /// Sorts a view over three collections by something else; see the one over two.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    public mutating func setSorting<First, FirstMetadata, Second, SecondMetadata, Third, ThirdMetadata, Value>(
        of view: AutoView<MixedRecord>,
        _ first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        _ third: RecordCollection<Third, ThirdMetadata>,
        sortedBy firstSorting: Sorting<First, FirstMetadata, Value>,
        _ secondSorting: Sorting<Second, SecondMetadata, Value>,
        _ thirdSorting: Sorting<Third, ThirdMetadata, Value>,
        order: ViewOrder = .ascending, versionTag: String
    ) throws {
        try setSorting(
            of: view, [CollectionTypes(first), CollectionTypes(second), CollectionTypes(third)],
            [firstSorting.rule, secondSorting.rule, thirdSorting.rule], order, versionTag)
    }

    private mutating func setSorting<Value>(
        of view: AutoView<MixedRecord>, _ collections: [CollectionTypes], _ rules: [SortingRule<Value>],
        _ order: ViewOrder,
        _ versionTag: String
    ) throws {
        // Of the view that is registered, which another handle of that name may know otherwise.
        let configuration = try configuration(of: view)
        precondition(
            collections.map(\.name) == configuration.collectionNames,
            "view \"\(view.name)\" looks at \(configuration.collectionNames), in that order")
        let sortings = SortingRules.ofSeveralCollections(rules)
        if configuration.isSorted(order, tagged: versionTag) { return }
        try modify(view) { root, context in
            // Stops the program where a collection has other types than the sorting.
            for collection in collections { _ = context.before.tree(of: collection) }
            let old = root.configuration as! AutoConfiguration
            let new = old.sorted(
                by: sortings, rules[0].makeOrder(order == .descending), tagged: versionTag)
            let editor = ViewEditor(root, draft: context.draft)
            editor.reorder(new) { sortings[$0.collection].place($0.record, $0.collection, $0.group, $0.touches) }
            return editor.finish(&root)
        }
    }
}

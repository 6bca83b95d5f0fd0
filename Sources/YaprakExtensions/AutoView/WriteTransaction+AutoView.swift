public import YaprakCore
import YaprakTrees

// Changing grouping and sorting at run time.
extension WriteTransaction {
    /// Groups a view by another closure from now on.
    ///
    ///     try transaction.setGrouping(of: salesRank, groupedBy: .byObject { $0.publisher }, versionTag: "by publisher")
    ///
    /// The closure runs for every record once; only rows whose group differs move. Sort values are computed only for
    /// rows that are new in the view. Views derived from this one follow in the same commit. With the tag that the grouping has
    /// already, nothing happens; a sorting may be set with the same tag, in the same write.
    ///
    /// The view's tag is the one that was set last. It is the tag of registration only while all of its code is the code that
    /// was registered.
    ///
    /// The next launch registers what the program passes there: keep the choice in a record if it should last. What is stored of
    /// the view (``ViewPersistence``) is restored only if grouping and sorting have the tag that is registered there, both.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(number of records).
    public mutating func setGrouping<Object, Metadata>(
        of view: AutoView<Record<Object, Metadata>>, groupedBy grouping: Grouping<Object, Metadata>, versionTag: String
    ) throws {
        try setGrouping(of: view, 0, grouping.rule, versionTag)
    }

    /// Groups the rows of one collection of a view over several collections by another closure from now on.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Precondition: the view is one of `collection`.
    public mutating func setGrouping<Object, Metadata>(
        of view: AutoView<MixedRecord>, in collection: RecordCollection<Object, Metadata>,
        groupedBy grouping: Grouping<Object, Metadata>, versionTag: String
    ) throws {
        // Where it stands in the view that is registered, which another handle of that name may know otherwise.
        guard let number = try configuration(of: view).collectionNames.firstIndex(of: collection.name) else {
            preconditionFailure("view \"\(view.name)\" does not look at \"\(collection.name)\"")
        }
        try setGrouping(of: view, number, grouping.rule, versionTag, check: CollectionTypes(collection))
    }

    private mutating func setGrouping<Element>(
        of view: AutoView<Element>, _ collection: Int, _ rule: GroupingRule, _ versionTag: String,
        check types: CollectionTypes? = nil
    ) throws {
        if try configuration(of: view).tags.groupings[collection] == versionTag { return }
        try modify(view) { root, context in
            // Stops the program where the collection has other types than the grouping.
            if let types { _ = context.before.tree(of: types) }
            let old = root.configuration as! AutoConfiguration
            let new = old.grouped(collection, by: rule, tagged: versionTag)
            let editor = ViewEditor(root, draft: context.draft)
            editor.configure(new)
            context.before.tree(of: old.collections[collection]).forEach { row in
                new.regroup(unsafeDowncast(row, to: RecordBox.self), collection, in: editor)
            }
            return editor.finish(&root)
        }
    }

    /// Sorts a view by other values from now on.
    ///
    ///     try transaction.setSorting(of: salesRank, sortedBy: .byObject { $0.title }, versionTag: "by title")
    ///
    /// Every sort value is computed once; no grouping runs. Views derived from this one follow in the same commit, and
    /// a list that compares its two snapshots gets as few moves as lead from one order to the other. With the tag and the order
    /// that the sorting has already, nothing happens; with that tag and the other order, the rows turn round.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(*n* log *n*) for the rows of the view.
    public mutating func setSorting<Object, Metadata, Value>(
        of view: AutoView<Record<Object, Metadata>>, sortedBy sorting: Sorting<Object, Metadata, Value>,
        order: ViewOrder = .ascending, versionTag: String
    ) throws {
        if try configuration(of: view).isSorted(order, tagged: versionTag) { return }
        try modify(view) { root, context in
            let old = root.configuration as! AutoConfiguration
            let new = old.sorted(
                by: [SortingRules(sorting.rule)], sorting.rule.makeOrder(order == .descending), tagged: versionTag)
            let editor = ViewEditor(root, draft: context.draft)
            editor.reorder(new) { sorting.rule.place($0.record, $0.collection, $0.group, $0.touches) }
            return editor.finish(&root)
        }
    }

    /// How the view that is registered groups and sorts.
    mutating func configuration<Element>(of view: AutoView<Element>) throws -> AutoConfiguration {
        try reader(of: view).state.root.configuration as! AutoConfiguration
    }
}

extension AutoConfiguration {
    /// Moves the row of a record to the groups it belongs to now, if they differ.
    fileprivate func regroup(_ record: RecordBox, _ collection: Int, in editor: ViewEditor) {
        let row = RowID(collection: collection, key: record.key)
        let before = editor.place(of: row)
        let names = groupings[collection].names(record).all
        guard names != (before?.all.map(\.group) ?? []) else { return }
        guard let first = names.first else { return editor.takeOut(row, before!, kinds: []) }
        let model = before?.placement ?? sortings[collection].place(record, collection, first, Touches())
        let placements = names.map { name in
            before?.placement(inGroup: name)
                ?? (model.group == name ? model : model.copy(record: record, group: name, touches: model.touches))
        }
        editor.put(row, from: before, to: placements, kinds: [])
    }
}

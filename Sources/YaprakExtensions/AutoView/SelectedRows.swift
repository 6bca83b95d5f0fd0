package import YaprakCore
package import YaprakTrees

/// Records of one collection that something selects, in the groups and the order of an ``AutoView``: for views of other modules.
///
/// What is selected has a tag. It is the root's version tag.
package struct SelectedRows<Element: ViewRow>: Sendable {
    /// Says whether a record that changed is selected.
    package typealias Rule = @Sendable (RecordBox) -> Bool

    private let all: AutoConfiguration

    /// Groups and sorts as a view of one collection does, which need not be registered.
    package init(_ view: AutoView<Element>) {
        precondition(view.configuration.collections.count == 1, "records of one collection are selected")
        all = view.configuration
    }

    /// The records under some keys, but for those that are not bound to a type.
    private func records(_ keys: [String], in snapshot: Snapshot) -> [RecordBox] {
        keys.compactMap { key in
            let box = snapshot.box(forKey: key, in: all.collections[0])
            return box is RawRecord ? nil : box
        }
    }

    private func selecting(_ rule: @escaping Rule, _ tag: String) -> AutoConfiguration {
        let grouping = all.groupings[0]
        let narrowed = GroupingRule(reads: .row, isMultiple: grouping.isMultiple) {
            rule($0) ? grouping.names($0) : .none
        }
        return AutoConfiguration(
            versionTag: tag, of: all.collections, groupings: [narrowed], sortings: all.sortings, order: all.order)
    }

    /// The rows of the records under some keys.
    ///
    /// - Parameters:
    ///   - keys: those selected in `snapshot`, ascending.
    ///   - rule: decides in the same way about records that change.
    /// - Complexity: O(*k* log *n*) for *k* keys.
    package func root(
        of keys: [String], in snapshot: Snapshot, tag: String, later rule: @escaping Rule, draft: TreeDraft
    ) -> ViewRoot {
        let rows = UnsortedRows(all.order)
        for record in records(keys, in: snapshot) { all.add(record, 0, to: rows) }
        return selecting(rule, tag).root(of: rows, draft: draft)
    }

    /// Selects other records. Rows that stay are not touched.
    ///
    /// - Parameters:
    ///   - keys: those selected in `snapshot`.
    ///   - rule: decides in the same way about records that change.
    /// - Complexity: O(*k* log *n*) for *k* keys and rows.
    package func select(
        _ keys: [String], in snapshot: Snapshot, from root: inout ViewRoot, tag: String, later rule: @escaping Rule,
        draft: TreeDraft
    ) -> ViewChanges? {
        let editor = ViewEditor(root, draft: draft)
        editor.configure(selecting(rule, tag))
        let selected = Set(keys)
        var gone: [PlaceRow] = []
        root.places[0].forEach { row in
            let place = unsafeDowncast(row, to: PlaceRow.self)
            if !selected.contains(place.placement.key) { gone.append(place) }
        }
        for place in gone { editor.takeOut(place.placement.row, place, kinds: []) }
        for record in records(keys, in: snapshot) {
            let row = RowID(collection: 0, key: record.key)
            guard editor.place(of: row) == nil else { continue }
            let placements = all.placements(of: record, 0)
            if !placements.isEmpty { editor.put(row, from: nil, to: placements, kinds: []) }
        }
        return editor.finish(&root)
    }

    /// Follows changes of records.
    package func follow(_ changes: NetChanges, _ root: inout ViewRoot, draft: TreeDraft) -> ViewChanges? {
        AutoConfiguration.follow(changes, &root, draft: draft)
    }

    /// What the grouping reads, in words.
    package var groupingReads: String { all.groupings[0].reads.words(withGroup: false) }
}

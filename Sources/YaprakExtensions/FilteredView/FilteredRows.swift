import YaprakCore
package import YaprakTrees

/// Rows of a view that pass a rule, in a view of their own: what ``FilteredView`` does, for views of other modules too.
package enum FilteredRows {
    /// Says whether a row of the parent is kept.
    package typealias Rule = @Sendable (_ placement: Placement, _ collectionName: String) -> Bool

    /// The rows of a parent that pass a rule, in the parent's sequence.
    ///
    /// - Parameters:
    ///   - now: decides about the rows there are.
    ///   - later: decides in the same way about rows that change.
    package static func root(
        of parent: ViewRoot, tag: String, now: @escaping Rule, later: @escaping Rule, draft: TreeDraft
    ) -> ViewRoot {
        let rule = FilterConfiguration(versionTag: tag, FilterRule(now), over: parent.configuration)
        var root = ViewRoot(filtering: parent, rule, draft: draft)
        root.configuration = FilterConfiguration(versionTag: tag, FilterRule(later), over: parent.configuration)
        return root
    }

    /// Applies another rule to all rows of the parent. O(number of rows of the parent).
    package static func refilter(
        _ root: inout ViewRoot, over parent: ViewRoot, tag: String, now: @escaping Rule, later: @escaping Rule,
        draft: TreeDraft
    ) -> ViewChanges? {
        let rule = FilterConfiguration(versionTag: tag, FilterRule(now), over: root.configuration)
        let editor = ViewEditor(root, draft: draft)
        editor.configure(rule)
        for places in parent.places {
            places.forEach { rule.admit(unsafeDowncast($0, to: PlaceRow.self), in: editor) }
        }
        editor.configure(FilterConfiguration(versionTag: tag, FilterRule(later), over: root.configuration))
        return editor.finish(&root)
    }

    /// Follows what a parent did.
    package static func follow(_ changes: [ViewChanges], _ root: inout ViewRoot, draft: TreeDraft) -> ViewChanges? {
        guard !changes.isEmpty else { return nil }
        let editor = ViewEditor(root, draft: draft)
        var departed = root.departed
        for change in changes {
            if let parent = change.regrouping {
                let old = editor.root.configuration as! FilterConfiguration
                editor.configure(FilterConfiguration(versionTag: old.versionTag, old.rule, over: parent))
            }
            for collection in change.clearedCollections { editor.clear(collection) }
            if change.reordering == nil {
                for row in change.rows {
                    (editor.root.configuration as! FilterConfiguration).follow(row, in: editor, &departed)
                }
            } else {
                reorder(change, in: editor)
            }
        }
        let done = editor.finish(&root)
        if !departed.isEmpty || !root.departed.isEmpty { root.departed = departed }
        return done
    }

    /// Adopts another order of the parent, in which all of its rows have other boxes.
    private static func reorder(_ change: ViewChanges, in editor: ViewEditor) {
        guard let parent = change.reordering else { return }
        let old = editor.root.configuration as! FilterConfiguration
        var places: [RowID: PlaceRow] = [:]
        places.reserveCapacity(change.rows.count)
        for row in change.rows { places[row.row] = row.after }
        editor.reorder(FilterConfiguration(versionTag: old.versionTag, old.rule, over: parent)) { own in
            guard let model = places[own.row]?.placement(inGroup: own.group) else {
                preconditionFailure("a filtered view has a row that its parent does not have")
            }
            return model.copy(record: own.record, group: own.group, touches: own.touches)
        }
    }
}

extension FilterRule {
    /// A rule that looks at the whole record.
    fileprivate init(_ rule: @escaping FilteredRows.Rule) {
        self.init(reads: .row, readsGroup: false) { rule($0.placement, $0.collection.text) }
    }
}

public import YaprakCore
import YaprakTrees

extension WriteTransaction {
    /// Filters a view by another closure from now on.
    ///
    ///     try transaction.setFiltering(of: search, where: .byObject { $0.title.contains(text) }, versionTag: text)
    ///
    /// The closure runs for every row of the parent once; only rows for which the answer differs come and go.
    /// Views derived from this one follow in the same commit. If the view has this tag already, nothing happens. The parent is
    /// that of the view that was registered, also if this is another of its name.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(number of rows of the parent).
    public mutating func setFiltering<Parent>(
        of view: FilteredView<Parent>, where filter: ViewFilter<Parent.Element>, versionTag: String
    ) throws {
        if try reader(of: view).versionTag == versionTag { return }
        try modify(view) { root, context in
            // That of the view that is registered, which another handle of that name may know otherwise.
            let code = context.before.extensionCodes.first { $0.name == view.name } as! FilteredView<Parent>
            let parent = try context.before.reader(of: code.parent).state.root
            let configuration = FilterConfiguration(versionTag: versionTag, filter.rule, over: root.configuration)
            let editor = ViewEditor(root, draft: context.draft)
            editor.configure(configuration)
            for places in parent.places {
                places.forEach { configuration.admit(unsafeDowncast($0, to: PlaceRow.self), in: editor) }
            }
            return editor.finish(&root)
        }
    }
}

extension FilterConfiguration {
    /// Adds or removes a row of the parent, if its answer differs from what the view has.
    func admit(_ place: PlaceRow, in editor: ViewEditor) {
        let row = place.placement.row
        let own = editor.place(of: row)
        var isAnother = false
        var placements: [Placement] = []
        for placement in place.all {
            let known = own?.placement(inGroup: placement.group)
            let isIncluded = accepts(placement)
            if isIncluded { placements.append(known ?? placement.copy()) }
            if isIncluded != (known != nil) { isAnother = true }
        }
        guard isAnother else { return }
        if placements.isEmpty {
            editor.takeOut(row, own!, kinds: [])
        } else {
            editor.put(row, from: own, to: placements, kinds: [])
        }
    }
}

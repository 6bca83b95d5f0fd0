public import YaprakCore
import YaprakTrees

// Marking a row of one view as changed without a write, so that lists redraw it.
extension WriteTransaction {
    /// Marks the object of a row as changed, in one view alone.
    ///
    ///     try transaction.touchObject("abc", in: salesRank)         // its cover was downloaded
    ///
    /// Lists of this view get an update of the row. No record changes, no closure runs, other views don't change; nor do
    /// views derived from this one. Nothing happens if the view does not have the record.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    public mutating func touchObject(_ key: String, in view: some OrderedView) throws {
        try touch(key, in: view, .objectTouched)
    }

    /// Marks the metadata of a row as changed, in one view alone; see ``touchObject(_:in:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    public mutating func touchMetadata(_ key: String, in view: some OrderedView) throws {
        try touch(key, in: view, .metadataTouched)
    }

    /// Marks a row as changed, object and metadata, in one view alone; see ``touchObject(_:in:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    public mutating func touchRow(_ key: String, in view: some OrderedView) throws {
        try touch(key, in: view, [.objectTouched, .metadataTouched])
    }

    private mutating func touch(_ key: String, in view: some OrderedView, _ kinds: ChangeKinds) throws {
        let key = key.normalizedKey
        guard try reader(of: view).contains(key: key) else { return }
        try modify(view) { root, context in
            let editor = ViewEditor(root, draft: context.draft)
            for collection in root.places.indices {
                let row = RowID(collection: collection, key: key)
                if let before = editor.place(of: row) { editor.touch(row, before, kinds: kinds) }
            }
            return editor.finish(&root)
        }
    }
}

public import YaprakCore
import YaprakTrees

/// A view that groups and sorts the records of one or several collections by closures, and keeps them so.
///
///     let salesRank = AutoView("salesRank", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.salesRank)
///     try await database.register(salesRank)
///     for row in database.snapshot[salesRank]["sci-fi"].prefix(20) { print(row.object.title) }
///
/// A write that sets, touches or removes a record moves its row in the same commit. A closure runs only if a part of the
/// record changed that it gets (``Grouping``, ``Sorting``), and its answer is kept: no closure runs when a row is
/// read, looked up or removed. Rows are ordered by their sort value, then collection, then key: always, so that a
/// rebuild, a replay and a fork have the same order.
///
/// Raise the version tag whenever the code changes its answers. Grouping and sorting of a registered view can be exchanged
/// in a write, too: ``WriteTransaction/setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
///
/// - Complexity: a changed record costs O(log *n*) and one call of each closure that is concerned; reading a row O(log *n*).
public struct AutoView<Element: ViewRow>: OrderedView {
    /// The name under which it is registered.
    public let name: String
    /// Says which code grouped and sorted; see ``DatabaseExtension/versionTag``.
    public let versionTag: String
    /// The names of the collections its rows come from.
    public var collectionNames: [String]? { configuration.collectionNames }
    /// What of the view is stored in files. Nothing by default: a view that is recomputed at launch runs its closures while
    /// writers go on, and takes about two seconds for a million rows; a stored one is decoded while they go on.
    public let persistence: ViewPersistence
    let configuration: AutoConfiguration

    init(_ name: String, persistence: ViewPersistence, _ configuration: AutoConfiguration) {
        self.name = name
        self.persistence = persistence
        self.configuration = configuration
        versionTag = configuration.versionTag
    }

    /// The root over an empty database.
    public func makeRoot() -> ViewRoot { ViewRoot(configuration: configuration) }

    /// Moves the rows of changed records.
    public func update(_ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext) -> ViewChanges? {
        AutoConfiguration.follow(changes, &root, draft: context.draft)
    }
}

extension AutoView: InPlaceExtension {
    package func follow(
        _ root: inout ViewRoot, _ changes: NetChanges, in context: ExtensionContext
    ) -> (any Sendable)? {
        AutoConfiguration.follow(changes, &root, draft: context.draft)
    }
}

extension AutoConfiguration {
    /// Moves the rows of changed records.
    static func follow(_ changes: NetChanges, _ root: inout ViewRoot, draft: TreeDraft) -> ViewChanges? {
        guard let configuration = root.configuration as? AutoConfiguration else { return nil }
        let editor = ViewEditor(root, draft: draft)
        for (collection, types) in configuration.collections.enumerated() {
            guard let boxes = changes.boxes(in: types) else { continue }
            if boxes.isCleared { editor.clear(collection) }
            boxes.entries.forEach { configuration.follow($0, of: collection, in: editor) }
        }
        return editor.finish(&root)
    }

    /// Moves the row of one changed record. Runs no closure whose answer can't have changed.
    func follow(_ entry: ChangeEntry, of collection: Int, in editor: ViewEditor) {
        let row = RowID(collection: collection, key: entry.key)
        let before = entry.before == nil ? nil : editor.place(of: row)
        guard let record = entry.after, !(record is RawRecord) else {
            if let before { editor.takeOut(row, before, kinds: entry.kinds) }
            return
        }
        let isNew = entry.before == nil || entry.before is RawRecord
        let names: GroupNames
        if isNew || groupings[collection].reads.concerns(entry.kinds) {
            names = groupings[collection].names(record)
        } else if let before {
            names = GroupNames(before.all.map(\.group))
        } else {
            return
        }
        if case .none = names {
            if let before { editor.takeOut(row, before, kinds: entry.kinds) }
            return
        }
        // The sort value is still valid, unless a part of the record changed that it was computed from.
        let kept = isNew || sortings[collection].reads.concerns(entry.kinds) ? nil : before?.placement
        func place(in name: String, like model: Placement?) -> Placement {
            let touches = (before?.touches(inGroup: name) ?? Touches()).after(entry.kinds, in: editor.draft)
            return model?.copy(record: record, group: name, touches: touches)
                ?? sortings[collection].place(record, collection, name, touches)
        }
        switch names {
        case .none: break
        case .one(let name): editor.put(row, from: before, to: place(in: name, like: kept), kinds: entry.kinds)
        case .several(let names):
            let first = place(in: names[0], like: kept)
            editor.put(
                row, from: before, to: [first] + names.dropFirst().map { place(in: $0, like: first) },
                kinds: entry.kinds)
        }
    }
}

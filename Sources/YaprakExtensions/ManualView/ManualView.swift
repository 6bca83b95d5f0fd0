public import YaprakCore
import YaprakTrees

/// A view whose rows are placed explicitly: a playlist, favourites, the order in which a user dragged things.
///
///     let playlists = ManualView("playlists", of: .songs)
///     try await database.write { transaction in
///         try transaction.append("imagine", to: "evening", in: playlists)
///         try transaction.insert("yesterday", at: 0, of: "evening", in: playlists)
///     }
///
/// Positions don't follow from records, so they are primary state: every step is logged with its commit, survives a crash
/// like a record, and is kept while the view is not registered. A row is in a view once; a record that is removed takes its
/// row with it in the same commit. (A record that is removed and set again within one closure has only changed, and its row
/// stays. If the view is read in between, or a reaction sets the record again, the row is gone.)
///
/// While the view is not registered, nothing follows the records. When it is registered again, rows whose record is not there are
/// left out, and a row whose record was removed and set again meanwhile is where it was. A reader of the log without the
/// program's code can't tell, and may show the view without that row as of commits after the removal.
///
/// A record that is set aside, because it does not decode (`UndecodablePolicy.setAside`), keeps its place, and its row is not
/// shown. The row is back when the record decodes in a later launch, or when a record is written under the key. It goes with the
/// record, by ``WriteTransaction/remove(_:from:)`` and by ``WriteTransaction/removeAll(of:from:)``.
///
/// - Complexity: a step is O(log *n*); O(log² *n*) amortized where rows are put between the same two again and again. Where
///   records are set aside, also O(their rows in the same group).
public struct ManualView<Element: ViewRow>: OrderedView {
    /// The name under which it is registered.
    public let name: String
    /// The names of the collections its rows come from.
    public var collectionNames: [String]? { configuration.collectionNames }
    let configuration: ViewConfiguration

    /// A view of records of one collection.
    public init<Object, Metadata>(_ name: String, of collection: RecordCollection<Object, Metadata>)
    where Element == Record<Object, Metadata> {
        self.name = name
        configuration = ViewConfiguration(of: [CollectionTypes(collection)], order: PlacementOrder())
    }

    /// A view of records of several collections, of whatever types.
    public init<First, FirstMetadata, Second, SecondMetadata, each Object, each Metadata>(
        _ name: String, of first: RecordCollection<First, FirstMetadata>,
        _ second: RecordCollection<Second, SecondMetadata>,
        _ others: repeat RecordCollection<each Object, each Metadata>
    ) where Element == MixedRecord {
        var collections = [CollectionTypes(first), CollectionTypes(second)]
        repeat collections.append(CollectionTypes(each others))
        precondition(Set(collections.map(\.name)).count == collections.count, "a view looks at each collection once")
        self.name = name
        configuration = ViewConfiguration(of: collections, order: PlacementOrder())
    }

    /// The root over an empty database.
    public func makeRoot() -> ViewRoot { ViewRoot(configuration: configuration) }

    func row(_ member: ManualStep.Member) -> RowID? {
        configuration.collectionNames.firstIndex(of: member.collection)
            .map { RowID(collection: $0, key: member.key.normalizedKey) }
    }
}

// MARK: - Records that change

extension ManualView: PrimaryExtension {
    /// What is logged.
    public typealias Operation = ManualStep

    /// Shows changed records where they stand.
    public func update(_ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext) -> ViewChanges? {
        let editor = ViewEditor(root, draft: context.draft)
        for (collection, types) in configuration.collections.enumerated() {
            for entry in changes.boxes(in: types)?.entries ?? [] {
                let row = RowID(collection: collection, key: entry.key)
                guard let record = entry.after, !(record is RawRecord), let before = editor.place(of: row) else {
                    continue
                }
                let old = before.placement
                let new = old.copy(
                    record: record, group: old.group, touches: old.touches.after(entry.kinds, in: editor.draft))
                editor.put(row, from: before, to: new, kinds: entry.kinds)
            }
        }
        guard context.hasAsides else { return editor.finish(&root) }
        var hidden = root.hidden
        followAsides(changes, in: context.after, editor, &hidden)
        let done = editor.finish(&root)
        if !hidden.isEmpty || !root.hidden.isEmpty { root.hidden = hidden }
        return done
    }

    /// The removal of rows whose records are gone.
    public func operations(
        following changes: NetChanges, root: ViewRoot, in context: ExtensionContext
    ) -> [ManualStep] {
        var gone: [ManualStep.Member] = []
        if !root.hidden.isEmpty { gone = hiddenGone(root, in: context) }
        for (collection, types) in configuration.collections.enumerated() {
            guard !root.places[collection].isEmpty, let boxes = changes.boxes(in: types) else { continue }
            if boxes.isCleared {
                let stay = Set(boxes.entries.lazy.filter { $0.after != nil }.map(\.key))
                root.places[collection].forEach { row in
                    if !stay.contains(row.keyString) { gone.append(.init(collection: types.name, key: row.keyString)) }
                }
            } else {
                for entry in boxes.entries where entry.after == nil {
                    if root.place(of: RowID(collection: collection, key: entry.key)) != nil {
                        gone.append(.init(collection: types.name, key: entry.key))
                    }
                }
            }
        }
        return gone.isEmpty ? [] : [ManualStep(.remove(gone))]
    }

    /// The hidden rows whose records were removed.
    private func hiddenGone(_ root: ViewRoot, in context: ExtensionContext) -> [ManualStep.Member] {
        let hidden = root.hidden
        return configuration.collections.enumerated().flatMap { collection, types in
            context.after.asidesGone(since: context.before, from: types)
                .filter { hidden.contains(RowID(collection: collection, key: $0)) }
                .map { ManualStep.Member(collection: types.name, key: $0) }
        }
    }

    /// Not called: steps need a draft.
    public func apply(_ operation: ManualStep, to root: inout ViewRoot) throws -> ViewChanges? {
        throw ViewRoot.RequiresPopulation()
    }
}

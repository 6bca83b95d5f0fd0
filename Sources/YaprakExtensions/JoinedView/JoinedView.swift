public import YaprakCore
package import YaprakTrees

/// A view whose groups and order depend on a record and on the one it refers to: books by the name of their author.
///
///     let author = Relationship("author", from: .books, \.authorID, to: .authors)
///     let byAuthor = JoinedView(
///         "by author", of: author,
///         groupedBy: { book, author in author?.object.name ?? "unknown" },
///         sortedBy: { book, author in book.object.title })
///     try await database.register(author)
///     try await database.register(byAuthor)
///
/// The rows are the sources of the relationship. When a target changes, the rows of the records that refer to it are
/// evaluated again, in the same commit, and no others; they count as touched, so a list that shows something of the target
/// gets an update for each. A record that refers to several has the first one that is there (``RelationshipReader/target(of:)``).
/// As long as no type is bound to the collection of the targets, none is there.
///
/// It depends on its relationship, which is registered first, and goes when that one is unregistered. If another of the same name
/// and types is registered in its place, that one says what refers to what. The view is computed when it is registered, in a
/// writer's turn.
///
/// - Complexity: a changed source costs O(log *n*) and one call of each closure; a changed target the same for each of its
///   sources.
public struct JoinedView<
    Source: Codable & Sendable, SourceMetadata: Codable & Sendable, Target: Codable & Sendable,
    TargetMetadata: Codable & Sendable
>: OrderedView {
    /// What a row is read as.
    public typealias Element = Record<Source, SourceMetadata>

    /// The name under which it is registered.
    public let name: String
    /// Says which code groups and sorts; see ``DatabaseExtension/versionTag``.
    public let versionTag: String
    /// The relationship.
    public var dependencies: [String] { [relationship.name] }
    /// The collections at both ends of the relationship.
    public var collectionNames: [String]? { relationship.collectionNames }
    private let relationship: Relationship<Source, SourceMetadata, Target, TargetMetadata>
    private typealias Edges = RelationshipReader<Source, SourceMetadata, Target, TargetMetadata>
    private let group: @Sendable (Element, Record<Target, TargetMetadata>?) -> String?
    private let place: @Sendable (RecordBox, Record<Target, TargetMetadata>?, String, Touches) -> Placement
    private let configuration: ViewConfiguration

    /// A view of the sources of a relationship.
    ///
    /// - Parameters:
    ///   - name: unique among the extensions of a database.
    ///   - versionTag: says which code groups and sorts.
    ///   - relationship: leads from the records that are shown to those that the closures get, too.
    ///   - group: the group of a record; `nil` leaves it out. The second record is the one it refers to, `nil` if that is
    /// missing.
    ///   - value: what rows of a group are sorted by.
    ///   - order: whether small or large values come first.
    public init<Value: Comparable & Sendable>(
        _ name: String, versionTag: String = "",
        of relationship: Relationship<Source, SourceMetadata, Target, TargetMetadata>,
        groupedBy group:
            @escaping @Sendable (
                _ source: Record<Source, SourceMetadata>, _ target: Record<Target, TargetMetadata>?
            ) -> String?,
        sortedBy value:
            @escaping @Sendable (
                _ source: Record<Source, SourceMetadata>, _ target: Record<Target, TargetMetadata>?
            ) -> Value,
        order: ViewOrder = .ascending
    ) {
        self.name = name
        self.versionTag = versionTag
        self.relationship = relationship
        self.group = group
        let kind = SortValueKind<Value>()
        place = { box, target, group, touches in
            let key = kind.prepare(value(Record(box: box), target))
            return KeyedPlacement(
                box, collection: 0, group: group, touches: touches, sortKey: key, hint: kind.hint?(key) ?? 0)
        }
        configuration = ViewConfiguration(
            versionTag: versionTag, of: [relationship.sourceTypes],
            order: KeyedOrder(kind, isDescending: order == .descending))
    }

    /// The root over an empty database.
    public func makeRoot() -> ViewRoot { ViewRoot(configuration: configuration) }

    /// Moves the rows of changed sources, and of the sources of changed targets.
    /// - Throws: `extensionNotRegistered` never in a registered view: its relationship is registered as long as it is.
    public func update(
        _ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext
    ) throws -> ViewChanges? {
        let editor = ViewEditor(root, draft: context.draft)
        let after = context.after
        let edges = try after.reader(of: relationship)
        let touched = sourcesOfTargets(in: changes, edges, context.before)
        var left = Set(touched)
        if let sources = changes.boxes(in: relationship.sourceTypes) {
            if sources.isCleared { editor.clear(0) }
            for entry in sources.entries {
                var entry = entry
                if left.remove(entry.key) != nil, entry.before != nil, entry.after != nil {
                    entry.kinds.formUnion(.objectTouched)
                }
                follow(entry, after, edges, editor)
            }
        }
        for source in touched where left.remove(source) != nil {
            guard let box = after.box(forKey: source, in: relationship.sourceTypes) else { continue }
            follow(ChangeEntry(before: box, after: box, kinds: .objectTouched), after, edges, editor)
        }
        return editor.finish(&root)
    }

    /// The keys of the records that refer to changed targets; more than once if to several.
    private func sourcesOfTargets(
        in changes: NetChanges, _ edges: Edges, _ before: Snapshot
    ) -> [String] {
        guard let targets = changes.boxes(in: relationship.targetTypes) else { return [] }
        var keys = targets.entries.map(\.key)
        if targets.isCleared {
            // Those that went are not named: they are among the keys that no record has now.
            keys += edges.missingTargets.filter { before.box(forKey: $0, in: relationship.targetTypes) != nil }
        }
        return keys.flatMap { edges.sourceKeys(of: $0) }
    }

    /// Puts the row of one record where it belongs now.
    private func follow(_ entry: ChangeEntry, _ state: Snapshot, _ edges: Edges, _ editor: ViewEditor) {
        let row = RowID(collection: 0, key: entry.key)
        let before = entry.before == nil ? nil : editor.place(of: row)
        guard let record = entry.after, !(record is RawRecord),
            let placement = placement(of: record, in: state, edges, { before?.touches(inGroup: $0) })
        else {
            if let before { editor.takeOut(row, before, kinds: entry.kinds) }
            return
        }
        let touched = placement.copy(
            record: record, group: placement.group, touches: placement.touches.after(entry.kinds, in: editor.draft))
        editor.put(row, from: before, to: touched, kinds: entry.kinds)
    }

    /// Where a record belongs; `nil` if it is in no group.
    private func placement(
        of box: RecordBox, in state: Snapshot, _ edges: Edges, _ touches: (String) -> Touches? = { _ in nil }
    ) -> Placement? {
        let record = Record<Source, SourceMetadata>(box: box)
        // By the relationship that is registered: the one at hand may have another property, and the view follows the edges.
        // Of a collection without a type there is none: it comes when one is bound.
        let target = edges.targetKeys(of: box).lazy
            .compactMap { state.box(forKey: $0, in: relationship.targetTypes) }.first
            .map { Record<Target, TargetMetadata>(box: $0) }
        guard let name = group(record, target)?.normalizedKey else { return nil }
        return place(box, target, name, touches(name) ?? Touches())
    }
}

extension JoinedView: TreeBackedExtension {
    /// The sources, in the order of their keys. Targets are looked up when all are there.
    package struct Seed: Sendable {
        fileprivate var sources: [RecordBox] = []
    }

    package func makeSeed() -> Seed { Seed() }

    package func gather(_ changes: NetChanges, into seed: inout Seed) {
        for entry in changes.boxes(in: relationship.sourceTypes)?.entries ?? [] {
            if let box = entry.after, !(box is RawRecord) { seed.sources.append(box) }
        }
    }

    package func build(_ seed: Seed, in context: ExtensionContext) throws -> ViewRoot {
        let rows = ViewSeed(collections: 1)
        // To a list that showed a view of this name before, a target may have changed since.
        let touches = Touches().after(.objectTouched, in: context.draft)
        let edges = try context.before.reader(of: relationship)
        for box in seed.sources {
            if let placement = placement(of: box, in: context.before, edges, { _ in touches }) { rows.add(placement) }
        }
        return ViewRoot(rows, configuration, draft: context.draft)
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        throw ViewRoot.RequiresPopulation()
    }

    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { root.configuration.versionTag }
}

extension JoinedView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        .notGrouped(by: .init(viewName: name, reads: "record and the one it refers to"))
    }
}

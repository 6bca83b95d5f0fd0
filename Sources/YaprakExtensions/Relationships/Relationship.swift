public import YaprakCore
package import YaprakTrees

/// A relationship that the records themselves declare: a property of the source has the key of the target. A foreign key.
///
///     let author = Relationship("author", from: .books, \.authorID, to: .authors, onDelete: .cascade)
///     try await database.register(author)
///
///     let snapshot = database.snapshot
///     snapshot[author].target(of: "dune")?.object.name
///     for book in snapshot[author].sources(of: "herbert") { print(book.object.title) }
///
/// The relationship follows every commit: a snapshot, a fork and a past state of the same process have their own edges. It
/// stores nothing of its own in files, and is computed from the records when it is registered.
///
/// **Rules.** When a write removes a record at one end, the rule of that end is followed in the same commit, after the closure
/// and in the order of registration with other reactions (see ``Reaction``): ``DeleteRule`` says what becomes of the records
/// that refer to it, ``SourceDeleteRule`` what becomes of those it refers to. Removed is what was there before the
/// transaction and is not there when its closure has returned: to remove a record and insert it again is a change, and no
/// rule is followed.
///
/// **Missing targets.** A key may refer to no record. The relationship counts and lists such keys
/// (``RelationshipReader/missingTargets``); with `allowsMissing: false` a write that leaves one behind throws
/// `danglingReference`. Neither that nor the rules apply to ``Database/restore(_:origin:)`` and to what a tool writes.
///
/// - Complexity: a write that changes the references of a record costs O(log *n*) for each, and one call of the key's getter
///   for each record that changes; other writes cost nothing. Registering is O(*n* log *n*).
public struct Relationship<
    Source: Codable & Sendable, SourceMetadata: Codable & Sendable, Target: Codable & Sendable,
    TargetMetadata: Codable & Sendable
>: Sendable {
    /// The name under which it is registered.
    public let name: String
    /// Whether a record may refer to one that is not there.
    public let allowsMissing: Bool
    let from: RecordCollection<Source, SourceMetadata>
    let to: RecordCollection<Target, TargetMetadata>
    let sourceTypes: CollectionTypes
    let targetTypes: CollectionTypes
    let references: @Sendable (Source) -> [String]
    let removing: @Sendable (Source, (String) -> Bool) -> Source?
    let onDelete: TargetRemoval<Source, SourceMetadata>
    let onSourceDelete: SourceRemoval<Target, TargetMetadata>

    /// A relationship by a property of the source.
    ///
    /// - Parameters:
    ///   - name: unique among the extensions of a database.
    ///   - source: the collection whose records refer.
    ///   - key: the property that has the key, or keys, of records in `target`: the same each time it is asked of a value.
    ///   - target: the collection that is referred to; may be the same.
    ///   - onDelete: what becomes of the sources when a target is removed.
    ///   - onSourceDelete: what becomes of the targets when a source is removed.
    ///   - allowsMissing: whether a key may refer to no record.
    public init<Key: ReferenceKey>(
        _ name: String, from source: RecordCollection<Source, SourceMetadata>,
        _ key: any WritableKeyPath<Source, Key> & Sendable, to target: RecordCollection<Target, TargetMetadata>,
        onDelete: DeleteRule<Source, SourceMetadata, Key> = .none,
        onSourceDelete: SourceDeleteRule<Target, TargetMetadata> = .none, allowsMissing: Bool = true
    ) {
        self.name = name
        self.allowsMissing = allowsMissing
        from = source
        to = target
        sourceTypes = CollectionTypes(source)
        targetTypes = CollectionTypes(target)
        references = { $0[keyPath: key].referencedKeys }
        removing = { object, isGone in
            guard let rest = object[keyPath: key].removing({ isGone($0.normalizedKey) }) else { return nil }
            var object = object
            object[keyPath: key] = rest
            return object
        }
        self.onDelete = onDelete.action
        self.onSourceDelete = onSourceDelete.action
    }

    /// The keys that a record refers to, each once, in their normal form.
    func targetKeys(of object: Source) -> [String] {
        let keys = references(object)
        switch keys.count {
        case 0: return []
        case 1: return [keys[0].normalizedKey]
        default:
            var seen: Set<String> = []
            return keys.lazy.map(\.normalizedKey).filter { seen.insert($0).inserted }
        }
    }

    /// The same of a box of the source collection; none of bytes that have no type.
    func targetKeys(of box: RecordBox?) -> [String] {
        guard let box, !(box is RawRecord) else { return [] }
        return targetKeys(of: Record<Source, SourceMetadata>(box: box).object)
    }
}

extension Relationship: DatabaseExtension {
    /// The collections at both ends.
    public var collectionNames: [String]? { from.name == to.name ? [from.name] : [from.name, to.name] }

    /// No edges.
    public func makeRoot() -> EdgeTrees { EdgeTrees() }

    /// Exchanges the edges of changed sources. Throws nothing.
    public func update(_ root: inout EdgeTrees, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        var editor = EdgeEditor(root, context.draft)
        if let sources = changes.boxes(in: sourceTypes) {
            if sources.isCleared { editor.clear() }
            for entry in sources.entries {
                let old = targetKeys(of: entry.before)
                let new = targetKeys(of: entry.after)
                if old == new { continue }
                for key in old.without(new) { editor.remove(entry.key, key) }
                for key in new.without(old) { editor.add(entry.key, key) }
            }
        }
        if let targets = changes.boxes(in: targetTypes) {
            if targets.isCleared { editor.touchAllTargets() }
            for entry in targets.entries where entry.before == nil || entry.after == nil || entry.before is RawRecord {
                editor.touch(target: entry.key)
            }
        }
        editor.settle(context.after, sources: nil, targets: targetTypes)
        root = editor.trees
        return nil
    }

    /// What one reads through. O(1).
    public func reader(
        of root: EdgeTrees, in snapshot: Snapshot
    ) -> RelationshipReader<Source, SourceMetadata, Target, TargetMetadata> {
        RelationshipReader(snapshot: snapshot, trees: root, from: sourceTypes, to: targetTypes) { key in
            targetKeys(of: snapshot.box(forKey: key, in: sourceTypes))
        } targetsOfRecord: {
            targetKeys(of: $0)
        }
    }
}

extension [String] {
    /// The keys that are not among `others`, in their order.
    fileprivate func without(_ others: [String]) -> [String] {
        // So few are looked through.
        if count < 8 || others.count < 8 { return filter { !others.contains($0) } }
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}

extension Relationship: TreeBackedExtension {
    package func makeSeed() -> EdgeSeed { EdgeSeed() }

    package func gather(_ changes: NetChanges, into seed: inout EdgeSeed) {
        for entry in changes.boxes(in: sourceTypes)?.entries ?? [] {
            for key in targetKeys(of: entry.after) { seed.add(entry.key, key) }
        }
    }

    package func build(_ seed: EdgeSeed, in context: ExtensionContext) -> EdgeTrees {
        seed.build(context.draft, context.before, targets: targetTypes)
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> EdgeTrees {
        throw ViewRoot.RequiresPopulation()
    }

    package func trees(of root: EdgeTrees) -> [TreeRoot] { root.all }
    package func versionTag(of root: EdgeTrees) -> String { versionTag }
}

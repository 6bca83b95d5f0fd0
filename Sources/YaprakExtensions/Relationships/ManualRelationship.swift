import YaprakCBOR
public import YaprakCore
import YaprakModel
package import YaprakTrees

/// A relationship whose edges are set explicitly: friends, links, which songs go well together.
///
///     let friends = ManualRelationship("friends", from: .people, to: .people)
///     try await database.write { transaction in
///         try transaction.connect("ada", to: "grace", in: friends)
///     }
///     database.snapshot[friends].targets(of: "ada")
///
/// Edges don't follow from records, so they are primary state: each change of one is logged with its commit, survives a
/// crash like a record, and is kept while the relationship is not registered. Two records have one edge in each direction,
/// or none. An edge goes with either of its records, in the same commit. What a restore or a tool removes, or a
/// write while the relationship is not registered, leaves edges behind: the reader lists them
/// (``RelationshipReader/missingTargets``, ``RelationshipReader/missingSources``), no rule counts them, they belong to the next
/// record of their key, and ``WriteTransaction/disconnect(_:from:in:)`` removes them. A record that is set aside
/// (`UndecodablePolicy.setAside`) keeps its edges; it is listed, too, since it can't be read, but rules count it.
///
/// Edges are pairs of keys, and the files name the collections that they lead from and to. As long as there are edges,
/// registering a relationship of the same name between other collections, or the other way round, throws `extensionFailed`.
/// Edges that an earlier version stored without these names are taken as they are; the next checkpoint names them.
///
/// **Rules** are those of ``Relationship``. Removing an edge explicitly is followed by ``SourceDeleteRule/cascadeWhenLast``, too.
///
/// - Complexity: connecting and disconnecting are O(log *n*).
public struct ManualRelationship<
    Source: Codable & Sendable, SourceMetadata: Codable & Sendable, Target: Codable & Sendable,
    TargetMetadata: Codable & Sendable
>: Sendable {
    /// The name under which it is registered.
    public let name: String
    let from: RecordCollection<Source, SourceMetadata>
    let to: RecordCollection<Target, TargetMetadata>
    let sourceTypes: CollectionTypes
    let targetTypes: CollectionTypes
    let onDelete: TargetRemoval<Source, SourceMetadata>
    let onSourceDelete: SourceRemoval<Target, TargetMetadata>

    /// A relationship without edges.
    ///
    /// - Parameters:
    ///   - name: unique among the extensions of a database.
    ///   - source: the collection at the beginning of its edges.
    ///   - target: the collection at their end; may be the same.
    ///   - onDelete: what becomes of the sources when a target is removed.
    ///   - onSourceDelete: what becomes of the targets when a source is removed.
    public init(
        _ name: String, from source: RecordCollection<Source, SourceMetadata>,
        to target: RecordCollection<Target, TargetMetadata>,
        onDelete: DeleteRule<Source, SourceMetadata, String> = .none,
        onSourceDelete: SourceDeleteRule<Target, TargetMetadata> = .none
    ) {
        self.name = name
        from = source
        to = target
        sourceTypes = CollectionTypes(source)
        targetTypes = CollectionTypes(target)
        self.onDelete = onDelete.action
        self.onSourceDelete = onSourceDelete.action
    }
}

/// A change of edges that were set explicitly, as the log has it.
public struct EdgeStep: Codable, Sendable, Hashable {
    enum Kind: String, Codable { case add, remove, removeSource, removeTarget }
    let kind: Kind
    /// The source, or the only key.
    let key: String
    var target: String?
    /// What the keys are keys of (``EdgeEnds``): in the step that adds an edge where there was none. Earlier versions, which
    /// don't know it, skip it.
    var ends: String?

    init(_ kind: Kind, _ key: String, _ target: String? = nil, ends: String? = nil) {
        self.kind = kind
        self.key = key
        self.target = target
        self.ends = ends
    }
}

extension ManualRelationship: PrimaryExtension {
    /// What is logged.
    public typealias Operation = EdgeStep

    /// The names of the collections at both ends: what stored edges are edges of.
    public var versionTag: String { EdgeEnds.text(from: from.name, to: to.name) }

    /// The collections at both ends.
    public var collectionNames: [String]? { from.name == to.name ? [from.name] : [from.name, to.name] }

    /// No edges.
    public func makeRoot() -> EdgeTrees { EdgeTrees() }

    /// Keeps account of edges without a record. Throws nothing.
    public func update(_ root: inout EdgeTrees, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        if root.byTarget.isEmpty { return nil }
        var editor = EdgeEditor(root, context.draft)
        if let boxes = changes.boxes(in: targetTypes) {
            if boxes.isCleared { editor.touchAllTargets() }
            for entry in boxes.entries where entry.before == nil || entry.after == nil || entry.before is RawRecord {
                editor.touch(target: entry.key)
            }
        }
        if let boxes = changes.boxes(in: sourceTypes) {
            if boxes.isCleared { editor.touchAllSources() }
            for entry in boxes.entries where entry.before == nil || entry.after == nil || entry.before is RawRecord {
                editor.touch(source: entry.key)
            }
        }
        editor.settle(context.after, sources: sourceTypes, targets: targetTypes)
        root = editor.trees
        return nil
    }

    /// Not called: steps need a draft.
    public func apply(_ operation: EdgeStep, to root: inout EdgeTrees) throws -> Never? {
        throw ViewRoot.RequiresPopulation()
    }

    /// The bytes of all edges for a checkpoint. O(number of edges).
    public func encode(_ root: EdgeTrees) throws -> [UInt8]? {
        var edges: [String] = []
        edges.reserveCapacity(2 * root.bySource.count)
        root.bySource.forEach { row in
            let (source, target) = EdgeKey.parts(row)
            edges.append(source)
            edges.append(target)
        }
        return try CBOREncoder().encode(edges)
    }

    /// What one reads through. O(1).
    public func reader(
        of root: EdgeTrees, in snapshot: Snapshot
    ) -> RelationshipReader<Source, SourceMetadata, Target, TargetMetadata> {
        RelationshipReader(snapshot: snapshot, trees: root, from: sourceTypes, to: targetTypes) { key in
            withExtendedLifetime(snapshot) { EdgeTrees.others(of: key, in: root.bySource) }
        }
    }
}

extension ManualRelationship: TreeBackedPrimaryExtension {
    /// Nothing is gathered from records.
    package struct Seed: Sendable {}
    private struct OddEdges: Error {}

    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) {}
    package func build(_ seed: Seed, in context: ExtensionContext) -> EdgeTrees { EdgeTrees() }
    package func trees(of root: EdgeTrees) -> [TreeRoot] { root.all }
    package func versionTag(of root: EdgeTrees) -> String { versionTag }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> EdgeTrees {
        try replay(bytes, tagged: versionTag, [], in: context).root
    }

    /// - Throws: `extensionFailed` if the step is of edges between other collections.
    package func apply(
        _ operation: EdgeStep, to root: inout EdgeTrees, in context: ExtensionContext
    ) throws -> Never? {
        if let ends = operation.ends { try check(ends) }
        var editor = EdgeEditor(root, context.draft)
        editor.apply(operation)
        editor.settle(context.before, sources: sourceTypes, targets: targetTypes)
        root = editor.trees
        return nil
    }

    /// - Throws: `extensionFailed` if edges are left which are edges between other collections.
    package func replay(
        _ bytes: [UInt8]?, tagged tag: String, _ steps: [EdgeStep], in context: ExtensionContext
    ) throws -> (root: EdgeTrees, operations: [EdgeStep]) {
        var editor = EdgeEditor(EdgeTrees(), context.draft)
        let edges = try bytes.map { try CBORDecoder().decode([String].self, from: $0) } ?? []
        guard edges.count.isMultiple(of: 2) else { throw OddEdges() }
        for index in stride(from: 0, to: edges.count, by: 2) {
            editor.add(edges[index].normalizedKey, edges[index + 1].normalizedKey, bothWays: true)
        }
        // Where there are no edges, the next ones may be between any collections.
        var ends = edges.isEmpty ? "" : tag
        for step in steps {
            editor.apply(step)
            if let named = step.ends { ends = named } else if editor.trees.byTarget.isEmpty { ends = "" }
        }
        if !editor.trees.byTarget.isEmpty {
            do {
                try check(ends)
            } catch {
                for var tree in editor.trees.all { context.draft.clear(&tree) }
                throw error
            }
        }
        editor.settle(context.before, sources: sourceTypes, targets: targetTypes)
        return (editor.trees, [])
    }

    /// Refuses edges that are stored as edges between other collections. What earlier versions stored says nothing, and is
    /// taken.
    private func check(_ ends: String) throws {
        let own = versionTag
        if ends.isEmpty || ends == own { return }
        throw DatabaseError(
            .extensionFailed,
            """
            the edges that are stored for relationship "\(name)" are \(ends), not \(own). They are kept: register it as \
            it was, or take another name.
            """)
    }
}

extension EdgeEditor {
    /// Applies a step. What does not fit, because it came from a file, does nothing.
    mutating func apply(_ step: EdgeStep) {
        let key = step.key.normalizedKey
        switch step.kind {
        case .add: if let target = step.target { add(key, target.normalizedKey, bothWays: true) }
        case .remove: if let target = step.target { remove(key, target.normalizedKey, bothWays: true) }
        case .removeSource:
            for target in EdgeTrees.others(of: key, in: trees.bySource) { remove(key, target, bothWays: true) }
        case .removeTarget:
            for source in EdgeTrees.others(of: key, in: trees.byTarget) { remove(source, key, bothWays: true) }
        }
    }
}

// MARK: - Rules

extension ManualRelationship: RuledRelationship {
    var targetRemoval: RemovalRule { onDelete.rule }
    var sourceRemoval: RemovalRule { onSourceDelete.rule }
    var allowsMissing: Bool { true }
    /// Edges go with their records, whatever the rules.
    var hasRules: Bool { true }
    var keepsEdges: Bool { true }

    func edges(in snapshot: Snapshot) -> EdgeTrees? { (try? snapshot.reader(of: self))?.trees }

    func targetKeys(of box: RecordBox?, key: String, in snapshot: Snapshot) -> [String] {
        (try? snapshot.reader(of: self))?.targetKeys(of: key) ?? []
    }

    func targetKeys(of source: String, in transaction: inout WriteTransaction) throws -> [String]? {
        guard transaction.containsUntyped(source, inCollectionNamed: from.name) else { return nil }
        return try transaction.reader(of: self).targetKeys(of: source)
    }

    func hasEdge(from source: String, to target: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard transaction.containsUntyped(source, inCollectionNamed: from.name) else { return false }
        return try transaction.reader(of: self).hasEdge(source, target)
    }

    func nullify(
        _ source: String, without target: String, and isGone: (String) -> Bool, in transaction: inout WriteTransaction
    ) throws -> Bool {
        try transaction.perform(EdgeStep(.remove, source, target), on: self)
        return false
    }

    func notifySource(_ source: String, _ target: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard case .notify(let body) = onDelete else { return false }
        return try transaction.ask(body, about: source, removed: target, in: from)
    }

    func notifyTarget(_ target: String, _ source: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard case .notify(let body) = onSourceDelete else { return false }
        return try transaction.ask(body, about: target, removed: source, in: to)
    }

    func forget(source: String, in transaction: inout WriteTransaction) throws {
        if try transaction.reader(of: self).targetKeys(of: source).isEmpty { return }
        try transaction.perform(EdgeStep(.removeSource, source), on: self)
    }

    func forget(target: String, in transaction: inout WriteTransaction) throws {
        if try transaction.reader(of: self).sourceCount(of: target) == 0 { return }
        try transaction.perform(EdgeStep(.removeTarget, target), on: self)
    }
}

extension ManualRelationship: ReactingExtension {
    package static var reactionName: String { RelationshipRules.name }
    package func reaction(joining present: (any Reaction)?) -> any Reaction {
        RelationshipRules(joining: self, to: present)
    }
    package func reaction(leaving present: any Reaction) -> (any Reaction)? {
        RelationshipRules(of: present, without: name)
    }
}

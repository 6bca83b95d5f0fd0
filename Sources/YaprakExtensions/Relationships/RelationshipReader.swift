public import YaprakCore
import YaprakTrees

/// A relationship as one snapshot has it: who refers to whom.
///
///     let authors = database.snapshot[author]
///     authors.targets(of: "dune").map(\.object.name)
///     authors.sourceCount(of: "herbert")
///
/// A value that keeps its snapshot; O(1) to take and to copy. Keys are given and returned in their normal form, in ascending
/// order.
public struct RelationshipReader<
    Source: Codable & Sendable, SourceMetadata: Codable & Sendable, Target: Codable & Sendable,
    TargetMetadata: Codable & Sendable
>: Sendable {
    let snapshot: Snapshot
    let trees: EdgeTrees
    let from: CollectionTypes
    let to: CollectionTypes
    /// The keys that the record under a key refers to.
    let findTargets: @Sendable (String) -> [String]
    /// The same of a record at hand, by the code that is registered; `nil` where edges are set explicitly.
    var targetsOfRecord: (@Sendable (RecordBox) -> [String])?

    // MARK: From target to sources

    /// The keys of the records that refer to `key`. O(log *n* + *k*).
    public func sourceKeys(of key: String) -> [String] {
        withExtendedLifetime(snapshot) { EdgeTrees.others(of: key.normalizedKey, in: trees.byTarget) }
    }

    /// Whether the record under `source` refers to `target`. O(log *n*).
    public func hasEdge(from source: String, to target: String) -> Bool {
        hasEdge(source.normalizedKey, target.normalizedKey)
    }

    /// How many records refer to `key`. O(log *n*).
    public func sourceCount(of key: String) -> Int {
        withExtendedLifetime(snapshot) { EdgeKey.range(of: key.normalizedKey, in: trees.byTarget).count }
    }

    /// The records that refer to `key`, in the order of their keys. The keys are found at once, O(log *n* + *k*); each record
    /// is looked up when it is reached, O(log *n*). None if their collection came from disk and has no type.
    public func sources(of key: String) -> some Sequence<Record<Source, SourceMetadata>> & Sendable {
        RelatedRecords<Source, SourceMetadata>(sourceKeys(of: key), in: from, of: snapshot)
    }

    // MARK: From source to targets

    /// The keys that the record under `key` refers to, whether or not there are such records: in the order of the property, or
    /// ascending for edges set explicitly. O(log *n* + *k*).
    public func targetKeys(of key: String) -> [String] { findTargets(key.normalizedKey) }

    /// The same of a record of the sources, which need not be that of the snapshot.
    func targetKeys(of record: RecordBox) -> [String] { targetsOfRecord?(record) ?? findTargets(record.key) }

    /// The first record that the record under `key` refers to; `nil` if there is none, or if the collection of the targets
    /// came from disk and has no type. O(log *n*).
    public func target(of key: String) -> Record<Target, TargetMetadata>? {
        var records = RelatedRecords<Target, TargetMetadata>(targetKeys(of: key), in: to, of: snapshot)
        return records.next()
    }

    /// The records that the record under `key` refers to; none if their collection came from disk and has no type. O(log *n*)
    /// for each.
    public func targets(of key: String) -> some Sequence<Record<Target, TargetMetadata>> & Sendable {
        RelatedRecords<Target, TargetMetadata>(targetKeys(of: key), in: to, of: snapshot)
    }

    /// Whether there is an edge between two keys, which are in their normal form. O(log *n*).
    func hasEdge(_ source: String, _ target: String) -> Bool {
        withExtendedLifetime(snapshot) { trees.byTarget.lookup(EdgeKey.make(target, source)) != nil }
    }

    // MARK: All

    /// The number of edges. O(1).
    public var count: Int { trees.byTarget.count }

    /// The keys that are referred to and that no record has, ascending. O(their number).
    public var missingTargets: [String] { keys(trees.missingTargets) }
    /// Their number. O(1).
    public var missingTargetCount: Int { trees.missingTargets.count }
    /// The keys at the beginning of edges that were set explicitly, and that no record has, ascending; see
    /// ``ManualRelationship``.
    /// O(their number).
    public var missingSources: [String] { keys(trees.missingSources) }

    private func keys(_ tree: TreeRoot) -> [String] {
        var keys: [String] = []
        withExtendedLifetime(snapshot) { tree.forEach { keys.append($0.keyString) } }
        return keys
    }
}

/// Records by keys, looked up one by one; those that are not there are left out.
struct RelatedRecords<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sequence, IteratorProtocol, Sendable {
    private var keys: ArraySlice<String>
    /// Keeps the tree.
    private let snapshot: Snapshot
    private let tree: TreeRoot

    /// The records of a collection under `keys`, which are in their normal form. Stops the program if it has other types.
    init(_ keys: [String], in collection: CollectionTypes, of snapshot: Snapshot) {
        self.keys = keys[...]
        self.snapshot = snapshot
        tree = snapshot.tree(of: collection)
    }

    mutating func next() -> Record<Object, Metadata>? {
        while let key = keys.popFirst() {
            let box = withExtendedLifetime(snapshot) {
                tree.lookup(key).map { unsafeDowncast($0, to: RecordBox.self) }
            }
            if let box { return Record(box: box) }
        }
        return nil
    }
}

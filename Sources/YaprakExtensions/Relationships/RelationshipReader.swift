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
    let from: RecordCollection<Source, SourceMetadata>
    let to: RecordCollection<Target, TargetMetadata>
    let findTargets: @Sendable (String) -> [String]

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
    /// is looked up when it is reached, O(log *n*).
    public func sources(of key: String) -> some Sequence<Record<Source, SourceMetadata>> & Sendable {
        RelatedRecords(keys: sourceKeys(of: key), records: snapshot[from])
    }

    // MARK: From source to targets

    /// The keys that the record under `key` refers to, whether or not there are such records: in the order of the property, or
    /// ascending for edges set explicitly. O(log *n* + *k*).
    public func targetKeys(of key: String) -> [String] { findTargets(key.normalizedKey) }

    /// The first record that the record under `key` refers to; `nil` if there is none. O(log *n*).
    public func target(of key: String) -> Record<Target, TargetMetadata>? {
        for key in targetKeys(of: key) {
            if let record = snapshot[to].row(for: key) { return record }
        }
        return nil
    }

    /// The records that the record under `key` refers to. O(log *n*) for each.
    public func targets(of key: String) -> some Sequence<Record<Target, TargetMetadata>> & Sendable {
        RelatedRecords(keys: targetKeys(of: key), records: snapshot[to])
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
    private let records: Records<Object, Metadata>

    init(keys: [String], records: Records<Object, Metadata>) {
        self.keys = keys[...]
        self.records = records
    }

    mutating func next() -> Record<Object, Metadata>? {
        while let key = keys.popFirst() {
            if let record = records.row(for: key) { return record }
        }
        return nil
    }
}

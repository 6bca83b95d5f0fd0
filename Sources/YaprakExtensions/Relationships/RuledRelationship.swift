package import YaprakCore
import YaprakTrees

/// A relationship without its types, as the rules see it.
protocol RuledRelationship: Sendable {
    var name: String { get }
    var sourceTypes: CollectionTypes { get }
    var targetTypes: CollectionTypes { get }
    /// What becomes of sources when a target is removed, and the other way round.
    var targetRemoval: RemovalRule { get }
    var sourceRemoval: RemovalRule { get }
    var allowsMissing: Bool { get }
    /// Whether anything is to be done when a record goes.
    var hasRules: Bool { get }

    /// The edges in a snapshot; `nil` if the relationship is not registered in it.
    func edges(in snapshot: Snapshot) -> EdgeTrees?
    /// What a record that was removed or changed referred to, or refers to.
    func targetKeys(of box: RecordBox?, key: String, in snapshot: Snapshot) -> [String]
    /// What a source refers to at this point of the transaction; `nil` if there is no such record.
    func targetKeys(of source: String, in transaction: inout WriteTransaction) throws -> [String]?
    func hasTarget(_ key: String, in transaction: inout WriteTransaction) -> Bool
    /// Whether there is a source that refers to a key at this point of the transaction.
    func hasEdge(from source: String, to target: String, in transaction: inout WriteTransaction) throws -> Bool

    /// Takes a removed key out of a source; others that are gone, too, where that costs one change of the record. Returns
    /// whether it took those.
    func nullify(
        _ source: String, without target: String, and isGone: (String) -> Bool, in transaction: inout WriteTransaction
    ) throws -> Bool
    /// Asks the program about a source whose target was removed. Returns whether it wrote.
    func notifySource(_ source: String, _ target: String, in transaction: inout WriteTransaction) throws -> Bool
    /// Asks the program about a target whose source was removed. Returns whether it wrote.
    func notifyTarget(_ target: String, _ source: String, in transaction: inout WriteTransaction) throws -> Bool
    /// Whether edges are kept apart from the records.
    var keepsEdges: Bool { get }
    /// Removes what the relationship itself keeps of a removed record.
    func forget(source: String, in transaction: inout WriteTransaction) throws
    func forget(target: String, in transaction: inout WriteTransaction) throws
}

extension RuledRelationship {
    var hasRules: Bool { targetRemoval != .none || sourceRemoval != .none }
    var keepsEdges: Bool { false }

    /// The keys at an end of edges that one snapshot has no record for, and another one did not miss. O(differences · log *n*).
    func newlyMissing(_ missing: KeyPath<EdgeTrees, TreeRoot>, from old: Snapshot, to new: Snapshot) -> [String] {
        var keys: [String] = []
        withExtendedLifetime((old, new)) {
            let (before, after) = (edges(in: old)?[keyPath: missing], edges(in: new)?[keyPath: missing])
            _ = TreeRoot.difference(from: before ?? TreeRoot(), to: after ?? TreeRoot()) { step in
                if case .inserted(let row) = step { keys.append(row.keyString) }
            }
        }
        return keys
    }

    func sourceKeys(of target: String, in snapshot: Snapshot) -> [String] {
        guard let edges = edges(in: snapshot) else { return [] }
        return withExtendedLifetime(snapshot) { EdgeTrees.others(of: target, in: edges.byTarget) }
    }

    /// The first record that refers to a key. O(log *n*), and O(edges that come from no record: explicit ones may, and those of a
    /// property that has changed its answer for a record that is gone).
    func firstSource(of target: String, in snapshot: Snapshot) -> String? {
        guard let edges = edges(in: snapshot) else { return nil }
        return withExtendedLifetime(snapshot) {
            for position in EdgeKey.range(of: target, in: edges.byTarget) {
                let source = EdgeKey.second(edges.byTarget.row(at: position))
                if snapshot.containsUntyped(source, inCollectionNamed: sourceTypes.name) { return source }
            }
            return nil
        }
    }

    /// Whether there is a record under a key that is referred to, also if its collection has no type yet, or if it is set aside.
    func hasTarget(_ key: String, in transaction: inout WriteTransaction) -> Bool {
        transaction.containsUntyped(key, inCollectionNamed: targetTypes.name)
    }

    /// Whether there is a record under a key that refers to others; as above.
    func hasSource(_ key: String, in transaction: inout WriteTransaction) -> Bool {
        transaction.containsUntyped(key, inCollectionNamed: sourceTypes.name)
    }

    /// The edges of one snapshot that another one has not. O(differences · log *n*).
    func lostEdges(from old: Snapshot, to new: Snapshot) -> [LostEdge] {
        guard let oldEdges = edges(in: old), let newEdges = edges(in: new) else { return [] }
        var lost: [LostEdge] = []
        withExtendedLifetime((old, new)) {
            _ = TreeRoot.difference(from: oldEdges.byTarget, to: newEdges.byTarget) { step in
                guard case .removed(let row) = step else { return }
                let (target, source) = EdgeKey.parts(row)
                lost.append(LostEdge(source: source, target: target))
            }
        }
        return lost
    }
}

/// The keys at both ends of an edge that is gone.
struct LostEdge: Hashable {
    let source: String
    let target: String
}

extension WriteTransaction {
    /// Calls the program's closure with a record whose other end was removed, and writes what it returns. Returns whether
    /// it wrote.
    mutating func ask<Object, Metadata>(
        _ body: (Record<Object, Metadata>, String) throws -> Object?, about key: String, removed: String,
        in collection: RecordCollection<Object, Metadata>
    ) throws -> Bool {
        // Records without a type can't be given to anybody.
        guard hasTypes(inCollectionNamed: collection.name), let record = self[collection].row(for: key),
            let changed = try body(record, removed)
        else { return false }
        self[collection][key] = changed
        return true
    }
}

extension Relationship: RuledRelationship {
    var targetRemoval: RemovalRule { onDelete.rule }
    var sourceRemoval: RemovalRule { onSourceDelete.rule }

    func edges(in snapshot: Snapshot) -> EdgeTrees? { (try? snapshot.reader(of: self))?.trees }

    func targetKeys(of box: RecordBox?, key: String, in snapshot: Snapshot) -> [String] { targetKeys(of: box) }

    func targetKeys(of source: String, in transaction: inout WriteTransaction) -> [String]? {
        // A record without a type refers to nothing yet.
        guard transaction.hasTypes(inCollectionNamed: from.name) else { return nil }
        return transaction[from][source].map { targetKeys(of: $0) }
    }

    func hasEdge(from source: String, to target: String, in transaction: inout WriteTransaction) -> Bool {
        targetKeys(of: source, in: &transaction)?.contains(target) ?? false
    }

    func nullify(
        _ source: String, without target: String, and isGone: (String) -> Bool, in transaction: inout WriteTransaction
    ) -> Bool {
        if let object = transaction[from][source], let rest = removing(object, { $0 == target || isGone($0) }) {
            transaction[from][source] = rest
        }
        return true
    }

    func notifySource(_ source: String, _ target: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard case .notify(let body) = onDelete else { return false }
        return try transaction.ask(body, about: source, removed: target, in: from)
    }

    func notifyTarget(_ target: String, _ source: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard case .notify(let body) = onSourceDelete else { return false }
        return try transaction.ask(body, about: target, removed: source, in: to)
    }

    // The records say it themselves.
    func forget(source: String, in transaction: inout WriteTransaction) {}
    func forget(target: String, in transaction: inout WriteTransaction) {}
}

extension Relationship: ReactingExtension {
    package static var reactionName: String { RelationshipRules.name }
    package func reaction(joining present: (any Reaction)?) -> any Reaction {
        RelationshipRules(joining: self, to: present)
    }
    package func reaction(leaving present: any Reaction) -> (any Reaction)? {
        RelationshipRules(of: present, without: name)
    }
}

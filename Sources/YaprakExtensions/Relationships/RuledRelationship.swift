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

    /// Takes a removed key out of a source.
    func nullify(_ source: String, without target: String, in transaction: inout WriteTransaction) throws
    /// Asks the program about a source whose target was removed. Returns whether it wrote.
    func notifySource(_ source: String, _ target: String, in transaction: inout WriteTransaction) throws -> Bool
    /// Asks the program about a target whose source was removed. Returns whether it wrote.
    func notifyTarget(_ target: String, _ source: String, in transaction: inout WriteTransaction) throws -> Bool
    /// Removes what the relationship itself keeps of a removed record.
    func forget(source: String, in transaction: inout WriteTransaction) throws
    func forget(target: String, in transaction: inout WriteTransaction) throws
}

extension RuledRelationship {
    var hasRules: Bool { targetRemoval != .none || sourceRemoval != .none }

    func sourceKeys(of target: String, in snapshot: Snapshot) -> [String] {
        guard let edges = edges(in: snapshot) else { return [] }
        return withExtendedLifetime(snapshot) { EdgeTrees.others(of: target, in: edges.byTarget) }
    }

    func sourceCount(of target: String, in snapshot: Snapshot) -> Int {
        guard let edges = edges(in: snapshot) else { return 0 }
        return withExtendedLifetime(snapshot) { EdgeKey.range(of: target, in: edges.byTarget).count }
    }
}

extension TargetRemoval {
    /// Calls the program's closure with a source, and writes what it returns.
    func notify(
        _ source: String, _ target: String, _ collection: RecordCollection<Source, SourceMetadata>,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        guard case .notify(let body) = self, let record = transaction[collection].row(for: source),
            let changed = try body(record, target)
        else { return false }
        transaction[collection][source] = changed
        return true
    }
}

extension SourceRemoval {
    /// Calls the program's closure with a target, and writes what it returns.
    func notify(
        _ target: String, _ source: String, _ collection: RecordCollection<Target, TargetMetadata>,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        guard case .notify(let body) = self, let record = transaction[collection].row(for: target),
            let changed = try body(record, source)
        else { return false }
        transaction[collection][target] = changed
        return true
    }
}

extension Relationship: RuledRelationship {
    var targetRemoval: RemovalRule { onDelete.rule }
    var sourceRemoval: RemovalRule { onSourceDelete.rule }

    func edges(in snapshot: Snapshot) -> EdgeTrees? { (try? snapshot.reader(of: self))?.trees }

    func targetKeys(of box: RecordBox?, key: String, in snapshot: Snapshot) -> [String] { targetKeys(of: box) }

    func targetKeys(of source: String, in transaction: inout WriteTransaction) -> [String]? {
        transaction[from][source].map { targetKeys(of: $0) }
    }

    func hasTarget(_ key: String, in transaction: inout WriteTransaction) -> Bool { transaction[to].contains(key: key) }

    func nullify(_ source: String, without target: String, in transaction: inout WriteTransaction) {
        guard let object = transaction[from][source], let rest = removing(object, target) else { return }
        transaction[from][source] = rest
    }

    func notifySource(_ source: String, _ target: String, in transaction: inout WriteTransaction) throws -> Bool {
        try onDelete.notify(source, target, from, &transaction)
    }

    func notifyTarget(_ target: String, _ source: String, in transaction: inout WriteTransaction) throws -> Bool {
        try onSourceDelete.notify(target, source, to, &transaction)
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

import YaprakCore
import YaprakModel
import YaprakTrees

/// The reaction that follows the rules of all relationships of a database.
struct RelationshipRules: JudgingReaction {
    /// No program can take this name.
    static let name = "\u{0}relationships"

    var name: String { Self.name }
    let collectionNames: [String]?
    let extensionNames: [String]
    /// In the order of registration.
    private let relationships: [any RuledRelationship]

    private init(_ relationships: [any RuledRelationship]) {
        self.relationships = relationships
        let concerned = relationships.filter { $0.hasRules || !$0.allowsMissing }
        // Whose records come and go in one transaction leaves no change of records behind.
        extensionNames = concerned.lazy.filter { $0.sourceRemoval == .cascadeWhenLast || $0.keepsEdges }.map(\.name)
        collectionNames = concerned.flatMap { [$0.sourceTypes.name, $0.targetTypes.name] }
    }

    /// The rules of one more relationship.
    init(joining relationship: any RuledRelationship, to present: (any Reaction)?) {
        self.init(((present as? RelationshipRules)?.relationships ?? []) + [relationship])
    }

    /// The rules of all but one; `nil` if that was the last.
    init?(of present: any Reaction, without name: String) {
        let rest = (present as? RelationshipRules)?.relationships.filter { $0.name != name } ?? []
        if rest.isEmpty { return nil }
        self.init(rest)
    }

    func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
        try react(to: changes, since: before, after: nil, in: &transaction)
    }

    func react(
        to changes: NetChanges, since before: Snapshot, after run: ReactionRun?, in transaction: inout WriteTransaction
    ) throws {
        guard relationships.contains(where: \.hasRules) else { return }
        var cascade = Cascade(relationships, from: before, after: run, to: try transaction.snapshot())
        cascade.begin(changes)
        try cascade.run(&transaction)
    }

    func judge(_ changes: NetChanges, from before: Snapshot, to after: Snapshot) throws {
        for relationship in relationships where !relationship.allowsMissing {
            if let (source, target) = Self.firstMissing(relationship, changes, before, after) {
                throw DatabaseError(
                    .danglingReference,
                    """
                    "\(relationship.sourceTypes.name)" \(source.debugDescription) refers to \
                    "\(relationship.targetTypes.name)" \(target.debugDescription), which is not there; the relationship \
                    "\(relationship.name)" allows no missing record. Nothing of the write was kept. Write both in one transaction.
                    """,
                    place: .init(collectionName: relationship.sourceTypes.name, key: source))
            }
        }
    }

    /// The first edge that the transaction left without a target. O(changes · log *n*), however many are missing.
    private static func firstMissing(
        _ relationship: any RuledRelationship, _ changes: NetChanges, _ before: Snapshot, _ after: Snapshot
    ) -> (source: String, target: String)? {
        guard let edges = relationship.edges(in: after), !edges.missingTargets.isEmpty else { return nil }
        // A record that was touched, or got other metadata, refers to what it referred to.
        for entry in changes.boxes(in: relationship.sourceTypes)?.entries ?? []
        where entry.after != nil && (entry.before == nil || entry.kinds.contains(.objectChanged)) {
            for target in relationship.targetKeys(of: entry.after, key: entry.key, in: after)
            where !after.containsUntyped(target, inCollectionNamed: relationship.targetTypes.name) {
                return (entry.key, target)
            }
        }
        // Those that were removed in this transaction; what was missing before is not its fault. One that was set aside was
        // among the missing, and there all the same.
        for target in after.asidesGone(since: before, from: relationship.targetTypes) {
            if let source = relationship.sourceKeys(of: target, in: after).first { return (source, target) }
        }
        var found: (String, String)?
        withExtendedLifetime((before, after)) {
            let missing = relationship.edges(in: before)?.missingTargets ?? TreeRoot()
            TreeRoot.difference(from: missing, to: edges.missingTargets) { step in
                guard found == nil, case .inserted(let row) = step else { return }
                let target = row.keyString
                guard before.box(forKey: target, in: relationship.targetTypes) != nil,
                    let source = relationship.sourceKeys(of: target, in: after).first
                else { return }
                found = (source, target)
            }
        }
        return found
    }
}

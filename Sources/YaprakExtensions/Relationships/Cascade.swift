import YaprakCore
import YaprakModel
import YaprakTrees

/// One run of the rules: what was removed, what follows from it, and what follows from that, until nothing does.
///
/// A list of removals that grows while it is worked off, so neither depth nor cycles matter. The order is part of the promise:
///
/// 1. removals of the transaction: collections and records in the order in which they were first changed;
/// 2. for each removal the relationships in the order of registration: first the rule for sources of the removed record, in the
///    order of their keys, then that for its targets; removals that follow go to the end of the list;
/// 3. when the list is done, records whose last source went: first those whose edges the transaction removed, in the order
/// of their
///    keys, then in the order in which it happened; then 2 again;
/// 4. at the end `restrict`.
struct Cascade {
    /// A record that is gone.
    private struct Removal {
        let collection: String
        let key: String
        /// What it referred to, by relationship.
        var targets: [Int: [String]] = [:]
        /// The removal that this one follows from, and by which relationship.
        var cause: (removal: Int, relationship: Int)?
    }

    private let relationships: [any RuledRelationship]
    /// Edges as they were when it was taken; what a source refers to now is asked of the transaction.
    private var snapshot: Snapshot
    private var isOutdated = false
    private var removals: [Removal] = []
    private var next = 0
    /// Targets that lost a source, in order.
    private var orphans: [(relationship: Int, key: String, cause: Int)] = []

    init(_ relationships: [any RuledRelationship], _ snapshot: Snapshot) {
        self.relationships = relationships
        self.snapshot = snapshot
    }

    // MARK: What the transaction did

    mutating func begin(_ changes: NetChanges, _ before: Snapshot) {
        var types: [String: CollectionTypes] = [:]
        for relationship in relationships {
            types[relationship.sourceTypes.name] = relationship.sourceTypes
            types[relationship.targetTypes.name] = relationship.targetTypes
        }
        for name in changes.collectionNames {
            guard let types = types[name], let boxes = changes.boxes(in: types) else { continue }
            if boxes.isCleared {
                let present = snapshot.tree(of: types)
                withExtendedLifetime((before, snapshot)) {
                    before.tree(of: types).forEach { row in
                        if present.lookup(row.key) == nil {
                            begin(unsafeDowncast(row, to: RecordBox.self), row.key, name)
                        }
                    }
                }
            }
            for entry in boxes.entries {
                if entry.after == nil { begin(entry.before, entry.key, name) }
            }
        }
        noteLostEdges(before)
    }

    private mutating func begin(_ box: RecordBox?, _ key: String, _ collection: String) {
        var removal = Removal(collection: collection, key: key)
        for (index, relationship) in relationships.enumerated()
        where relationship.sourceTypes.name == collection && relationship.sourceRemoval != .none {
            removal.targets[index] = relationship.targetKeys(of: box, key: key, in: snapshot)
        }
        removals.append(removal)
    }

    /// Records that lost a source, removed or not, may have lost their last.
    private mutating func noteLostEdges(_ before: Snapshot) {
        for (index, relationship) in relationships.enumerated() where relationship.sourceRemoval == .cascadeWhenLast {
            guard let old = relationship.edges(in: before), let new = relationship.edges(in: snapshot) else { continue }
            withExtendedLifetime((before, snapshot)) {
                _ = TreeRoot.difference(from: old.byTarget, to: new.byTarget) { step in
                    if case .removed(let row) = step { orphans.append((index, EdgeKey.parts(row.key).first, -1)) }
                }
            }
        }
    }

    // MARK: What follows

    mutating func run(_ transaction: inout WriteTransaction) throws {
        if removals.isEmpty && orphans.isEmpty { return }
        repeat {
            while next < removals.count {
                try follow(next, &transaction)
                next += 1
            }
            try removeOrphans(&transaction)
        } while next < removals.count
        try checkRestrictions(&transaction)
        for removal in removals {
            for relationship in relationships where relationship.targetTypes.name == removal.collection {
                if !relationship.hasTarget(removal.key, in: &transaction) {
                    try relationship.forget(target: removal.key, in: &transaction)
                }
            }
        }
    }

    private mutating func refresh(_ transaction: inout WriteTransaction) throws {
        snapshot = try transaction.snapshot()
        isOutdated = false
    }

    private mutating func follow(_ index: Int, _ transaction: inout WriteTransaction) throws {
        let removal = removals[index]
        for (number, relationship) in relationships.enumerated() {
            if relationship.targetTypes.name == removal.collection {
                try followToSources(of: removal.key, index, number, relationship, &transaction)
            }
            if relationship.sourceTypes.name == removal.collection {
                try followToTargets(of: removal, index, number, relationship, &transaction)
                try relationship.forget(source: removal.key, in: &transaction)
            }
        }
    }

    private mutating func followToSources(
        of key: String, _ cause: Int, _ number: Int, _ relationship: any RuledRelationship,
        _ transaction: inout WriteTransaction
    ) throws {
        let rule = relationship.targetRemoval
        if rule == .none || rule == .restrict { return }
        if isOutdated { try refresh(&transaction) }
        for source in relationship.sourceKeys(of: key, in: snapshot) {
            // Another rule may have removed or changed it since.
            guard let targets = try relationship.targetKeys(of: source, in: &transaction), targets.contains(key) else {
                continue
            }
            switch rule {
            case .cascade:
                try remove(source, relationship.sourceTypes.name, (cause, number), &transaction)
            case .nullify:
                try relationship.nullify(source, without: key, in: &transaction)
            case .notify:
                if try relationship.notifySource(source, key, in: &transaction) {
                    isOutdated = true
                    let kept = try relationship.targetKeys(of: source, in: &transaction) ?? []
                    if relationship.sourceRemoval == .cascadeWhenLast {
                        for lost in targets where !kept.contains(lost) { orphans.append((number, lost, cause)) }
                    }
                }
            case .none, .restrict, .cascadeWhenLast: break
            }
        }
    }

    private mutating func followToTargets(
        of removal: Removal, _ cause: Int, _ number: Int, _ relationship: any RuledRelationship,
        _ transaction: inout WriteTransaction
    ) throws {
        for target in removal.targets[number] ?? [] {
            switch relationship.sourceRemoval {
            case .cascade:
                if relationship.hasTarget(target, in: &transaction) {
                    try remove(target, relationship.targetTypes.name, (cause, number), &transaction)
                }
            case .cascadeWhenLast:
                orphans.append((number, target, cause))
            case .notify:
                if try relationship.notifyTarget(target, removal.key, in: &transaction) { isOutdated = true }
            case .none, .restrict, .nullify: break
            }
        }
    }

    private mutating func remove(
        _ key: String, _ collection: String, _ cause: (removal: Int, relationship: Int)?,
        _ transaction: inout WriteTransaction
    ) throws {
        var removal = Removal(collection: collection, key: key, cause: cause)
        for (index, relationship) in relationships.enumerated()
        where relationship.sourceTypes.name == collection && relationship.sourceRemoval != .none {
            removal.targets[index] = try relationship.targetKeys(of: key, in: &transaction) ?? []
        }
        if transaction.removeUntyped(key, inCollectionNamed: collection) { removals.append(removal) }
    }

    /// Removes the records whose last source is gone.
    private mutating func removeOrphans(_ transaction: inout WriteTransaction) throws {
        if orphans.isEmpty { return }
        try refresh(&transaction)
        let candidates = orphans
        orphans = []
        for (number, key, cause) in candidates {
            let relationship = relationships[number]
            guard relationship.hasTarget(key, in: &transaction),
                relationship.sourceCount(of: key, in: snapshot) == 0
            else { continue }
            try remove(
                key, relationship.targetTypes.name, cause < 0 ? nil : (cause, number), &transaction)
        }
    }

    // MARK: Restrictions

    private mutating func checkRestrictions(_ transaction: inout WriteTransaction) throws {
        guard relationships.contains(where: { $0.targetRemoval == .restrict || $0.sourceRemoval == .restrict }) else {
            return
        }
        try refresh(&transaction)
        for (index, removal) in removals.enumerated() {
            for (number, relationship) in relationships.enumerated() {
                if relationship.targetRemoval == .restrict, relationship.targetTypes.name == removal.collection,
                    !relationship.hasTarget(removal.key, in: &transaction),
                    let source = relationship.sourceKeys(of: removal.key, in: snapshot).first
                {
                    throw restricted(index, relationship, by: source, of: relationship.sourceTypes.name)
                }
                if relationship.sourceRemoval == .restrict, relationship.sourceTypes.name == removal.collection,
                    let target = removal.targets[number]?.first(where: { relationship.hasTarget($0, in: &transaction) })
                {
                    throw restricted(index, relationship, by: target, of: relationship.targetTypes.name)
                }
            }
        }
    }

    private static let chainMax = 16

    private func restricted(
        _ index: Int, _ relationship: any RuledRelationship, by key: String, of collection: String
    ) -> DatabaseError {
        // From the restricted removal back to what the transaction itself removed.
        var chain: [String] = []
        var at = index
        var isCut = false
        while true {
            let removal = removals[at]
            guard let cause = removal.cause else {
                chain.append("\(Self.text(removal)), which the transaction removed")
                break
            }
            if chain.count < Self.chainMax {
                chain.append("\(Self.text(removal)), by \"\(relationships[cause.relationship].name)\"")
            } else {
                isCut = true
            }
            at = cause.removal
        }
        if isCut { chain.insert("…", at: chain.count - 1) }
        return DatabaseError(
            .removalRestricted,
            """
            "\(collection)" \(key.debugDescription) restricts the removal of \(chain.joined(separator: " after ")) \
            (relationship "\(relationship.name)"). Nothing of the write was kept. Remove it first, or in the same transaction.
            """,
            place: .init(collection: removals[index].collection, key: removals[index].key))
    }

    private static func text(_ removal: Removal) -> String {
        "\"\(removal.collection)\" \(removal.key.debugDescription)"
    }
}

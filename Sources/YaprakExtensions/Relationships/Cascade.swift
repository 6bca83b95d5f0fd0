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
/// 3. when the list is done, records that lost a source since the last time, whatever took it away, and have none left: by
///    relationship in the order of registration, then in the order of their keys; then 2 again;
/// 4. at the end `restrict`.
struct Cascade {
    /// A record that is gone.
    private struct Removal {
        let collection: String
        let key: String
        /// What it referred to, by relationship.
        var targets: [Int: [String]] = [:]
        /// What this one follows from: a rule, and the removal that it followed, if it was one.
        var cause: Cause?
    }

    private typealias Cause = (relationship: Int, removal: Int?)

    private let relationships: [any RuledRelationship]
    /// Edges as they were when it was taken; what a source refers to now is asked of the transaction.
    private var snapshot: Snapshot
    private var isOutdated = false
    private var removals: [Removal] = []
    private var next = 0
    /// The removals by what they removed: collection, then key.
    private var numbers: [String: [String: Int]] = [:]
    /// How many removals there were when a source had all their keys taken out, by relationship: a record that refers to a
    /// thousand of them is changed once.
    private var nullified: [[String: Int]]
    private let before: Snapshot
    /// Where edges were last compared.
    private var compared: Snapshot
    /// The edges of each relationship that are gone since, and were not looked at yet.
    private var lostEdges: [[LostEdge]]
    /// The ends of explicit edges that lost their record without a removal, by relationship: it came and went again.
    private var lostEnds: [(sources: [String], targets: [String])]

    /// - Parameters:
    ///   - before: the database before the changes that rules are to follow.
    ///   - run: the last run of the rules, if that was in the midst of those changes. It has looked at the edges that were gone
    ///     when it began, and at those that went in it.
    init(
        _ relationships: [any RuledRelationship], from before: Snapshot, after run: ReactionRun?, to snapshot: Snapshot
    ) {
        self.relationships = relationships
        self.snapshot = snapshot
        self.before = before
        compared = before
        nullified = Array(repeating: [:], count: relationships.count)
        lostEdges = Array(repeating: [], count: relationships.count)
        lostEnds = relationships.map { relationship in
            guard relationship.keepsEdges else { return ([], []) }
            return (
                relationship.newlyMissing(\.missingSources, from: before, to: snapshot),
                relationship.newlyMissing(\.missingTargets, from: before, to: snapshot)
            )
        }
        compareEdges()
        if let run { leaveOutEdges(lookedAtIn: run) }
    }

    /// Leaves out lost edges that the rules have judged. One that came and went before they began is not among those, nor one
    /// that went behind the run, whenever it came.
    private mutating func leaveOutEdges(lookedAtIn run: ReactionRun) {
        for (index, relationship) in relationships.enumerated() where relationship.sourceRemoval == .cascadeWhenLast {
            let known = Set(
                relationship.lostEdges(from: run.before, to: run.began)
                    + relationship.lostEdges(from: run.began, to: run.ended))
            lostEdges[index].removeAll { known.contains($0) }
            lostEdges[index] += relationship.lostEdges(from: run.ended, to: snapshot)
        }
    }

    /// Whether records go when their last source does.
    private var countsSources: Bool { relationships.contains { $0.sourceRemoval == .cascadeWhenLast } }

    /// Gathers the edges that are gone from `snapshot`. O(differences · log *n*).
    private mutating func compareEdges() {
        for (index, relationship) in relationships.enumerated() where relationship.sourceRemoval == .cascadeWhenLast {
            lostEdges[index] += relationship.lostEdges(from: compared, to: snapshot)
        }
        compared = snapshot
    }

    private mutating func append(_ removal: Removal) {
        numbers[removal.collection, default: [:]][removal.key] = removals.count
        removals.append(removal)
    }

    // MARK: What the transaction did

    mutating func begin(_ changes: NetChanges) {
        var types: [String: CollectionTypes] = [:]
        for relationship in relationships {
            types[relationship.sourceTypes.name] = relationship.sourceTypes
            types[relationship.targetTypes.name] = relationship.targetTypes
        }
        for name in changes.collectionNames {
            guard let types = types[name], let boxes = changes.boxes(in: types) else { continue }
            if boxes.isCleared {
                let present = snapshot.tree(of: types)
                var gone: [(key: String, record: RecordBox?)] = []
                withExtendedLifetime((before, snapshot)) {
                    before.tree(of: types).forEach { row in
                        let record = unsafeDowncast(row, to: RecordBox.self)
                        if present.lookup(record.key) == nil { gone.append((record.key, record)) }
                    }
                }
                // All together are in the order of their keys.
                let asides = snapshot.asidesGone(since: before, from: types)
                if !asides.isEmpty {
                    for key in asides { gone.append((key, nil)) }
                    gone.sort { $0.key < $1.key }
                }
                for (key, record) in gone { begin(record, key, name) }
            }
            for entry in boxes.entries {
                if entry.after == nil { begin(entry.before, entry.key, name) }
            }
        }
        keepEndsThatFollow(changes)
    }

    /// Leaves alone the edges of records that went behind these changes, because a reaction that ran earlier has removed them:
    /// that removal is given to the rules next, and they need the edges.
    private mutating func keepEndsThatFollow(_ changes: NetChanges) {
        for (index, relationship) in relationships.enumerated() {
            func followLater(_ keys: [String], _ types: CollectionTypes) -> Set<String> {
                if keys.isEmpty { return [] }
                let came = (changes.boxes(in: types)?.entries ?? []).lazy.filter { $0.after != nil }.map(\.key)
                return Set(keys.filter { before.box(forKey: $0, in: types) != nil }).union(came)
            }
            let sources = followLater(lostEnds[index].sources, relationship.sourceTypes)
            let targets = followLater(lostEnds[index].targets, relationship.targetTypes)
            if !sources.isEmpty { lostEnds[index].sources.removeAll(where: sources.contains) }
            if !targets.isEmpty { lostEnds[index].targets.removeAll(where: targets.contains) }
        }
    }

    private mutating func begin(_ box: RecordBox?, _ key: String, _ collection: String) {
        var removal = Removal(collection: collection, key: key)
        for (index, relationship) in relationships.enumerated()
        where relationship.sourceTypes.name == collection && relationship.sourceRemoval != .none {
            removal.targets[index] = relationship.targetKeys(of: box, key: key, in: snapshot)
        }
        append(removal)
    }

    // MARK: What follows

    mutating func run(_ transaction: inout WriteTransaction) throws {
        if removals.isEmpty && lostEdges.allSatisfy(\.isEmpty) { return try forgetLostEnds(&transaction) }
        repeat {
            while next < removals.count {
                try follow(next, &transaction)
                next += 1
            }
            if countsSources { try removeOrphans(&transaction) }
        } while next < removals.count
        try checkRestrictions(&transaction)
        for removal in removals {
            for relationship in relationships where relationship.targetTypes.name == removal.collection {
                if !relationship.hasTarget(removal.key, in: &transaction) {
                    try relationship.forget(target: removal.key, in: &transaction)
                }
            }
        }
        try forgetLostEnds(&transaction)
    }

    private func forgetLostEnds(_ transaction: inout WriteTransaction) throws {
        for (relationship, keys) in zip(relationships, lostEnds) {
            for key in keys.sources where !relationship.hasSource(key, in: &transaction) {
                try relationship.forget(source: key, in: &transaction)
            }
            for key in keys.targets where !relationship.hasTarget(key, in: &transaction) {
                try relationship.forget(target: key, in: &transaction)
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
                // An earlier reaction may have put the record back, and then its edges are its own.
                if relationship.keepsEdges, !relationship.hasSource(removal.key, in: &transaction) {
                    try relationship.forget(source: removal.key, in: &transaction)
                }
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
            if let known = nullified[number][source], cause < known { continue }
            // Another rule may have removed or changed it since.
            guard try relationship.hasEdge(from: source, to: key, in: &transaction) else { continue }
            switch rule {
            case .cascade:
                try remove(source, relationship.sourceTypes.name, (number, cause), &transaction)
            case .nullify:
                let gone = numbers[relationship.targetTypes.name] ?? [:]
                if try relationship.nullify(source, without: key, and: { gone[$0] != nil }, in: &transaction) {
                    nullified[number][source] = removals.count
                }
            case .notify:
                if try relationship.notifySource(source, key, in: &transaction) {
                    noteChange(of: source, in: relationship.sourceTypes.name)
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
                    try remove(target, relationship.targetTypes.name, (number, cause), &transaction)
                }
            case .notify:
                if try relationship.notifyTarget(target, removal.key, in: &transaction) {
                    noteChange(of: target, in: relationship.targetTypes.name)
                }
            case .none, .restrict, .nullify, .cascadeWhenLast: break
            }
        }
    }

    /// What the program wrote may refer to anything.
    private mutating func noteChange(of key: String, in collection: String) {
        isOutdated = true
        for (index, relationship) in relationships.enumerated() where relationship.sourceTypes.name == collection {
            nullified[index][key] = nil
        }
    }

    private mutating func remove(
        _ key: String, _ collection: String, _ cause: Cause, _ transaction: inout WriteTransaction
    ) throws {
        var removal = Removal(collection: collection, key: key, cause: cause)
        for (index, relationship) in relationships.enumerated()
        where relationship.sourceTypes.name == collection && relationship.sourceRemoval != .none {
            removal.targets[index] = try relationship.targetKeys(of: key, in: &transaction) ?? []
        }
        if transaction.removeUntyped(key, inCollectionNamed: collection) { append(removal) }
    }

    /// Removes the records whose last source is gone. All are judged by the same edges.
    private mutating func removeOrphans(_ transaction: inout WriteTransaction) throws {
        try refresh(&transaction)
        compareEdges()
        let found = lostEdges
        for index in lostEdges.indices { lostEdges[index] = [] }
        for (number, relationship) in relationships.enumerated() {
            var last: String?
            for edge in found[number].sorted(by: { ($0.target, $0.source) < ($1.target, $1.source) })
            where edge.target != last {
                last = edge.target
                guard relationship.hasTarget(edge.target, in: &transaction),
                    // Sources that can't be read may refer to it by their properties.
                    relationship.keepsEdges || !snapshot.hasUnreadableRecords(in: relationship.sourceTypes),
                    relationship.firstSource(of: edge.target, in: snapshot) == nil
                else { continue }
                let cause = numbers[relationship.sourceTypes.name]?[edge.source]
                try remove(edge.target, relationship.targetTypes.name, (number, cause), &transaction)
            }
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
                    let source = relationship.firstSource(of: removal.key, in: snapshot)
                {
                    throw restricted(index, relationship, by: source, of: relationship.sourceTypes.name)
                }
                if relationship.sourceRemoval == .restrict, relationship.sourceTypes.name == removal.collection,
                    !relationship.hasSource(removal.key, in: &transaction),
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
            let rule = removal.cause.map { ", by \"\(relationships[$0.relationship].name)\"" } ?? ""
            guard let cause = removal.cause?.removal else {
                let end = removal.cause == nil ? "which the transaction removed" : "whose last source was taken away"
                chain.append("\(Self.text(removal))\(rule), \(end)")
                break
            }
            if chain.count < Self.chainMax {
                chain.append(Self.text(removal) + rule)
            } else {
                isCut = true
            }
            at = cause
        }
        if isCut { chain.insert("…", at: chain.count - 1) }
        return DatabaseError(
            .removalRestricted,
            """
            "\(collection)" \(key.debugDescription) restricts the removal of \(chain.joined(separator: " after ")) \
            (relationship "\(relationship.name)"). Nothing of the write was kept. Remove it first, or in the same transaction.
            """,
            place: .init(collectionName: removals[index].collection, key: removals[index].key))
    }

    private static func text(_ removal: Removal) -> String {
        "\"\(removal.collection)\" \(removal.key.debugDescription)"
    }
}

/// What a snapshot knows of a reaction: its name, and which changes concern it. Its code is known further up.
package class ReactionIdentity: @unchecked Sendable {
    // Subclasses hold only immutable Sendable state; that is the whole of the @unchecked.
    package final let name: String
    final let collectionNames: Set<String>?
    /// Extensions whose steps concern it, too.
    final let extensionNames: Set<String>

    init(name: String, collectionNames: [String]?, extensionNames: [String] = []) {
        self.name = name
        self.extensionNames = Set(extensionNames)
        self.collectionNames = collectionNames.map { Set($0) }
    }
}

/// The registered reactions of a state, in their order. An object, shared by all states until the set changes.
final class ReactionTable: Sendable {
    /// No reactions.
    static let empty = ReactionTable([])

    let all: [ReactionIdentity]
    /// The collections that concern any of them; `nil` if one of them is concerned by all.
    private let collectionNames: Set<String>?
    /// The name, if it is one: nothing is hashed to compare it.
    private let onlyCollectionName: String?

    init(_ all: [ReactionIdentity]) {
        self.all = all
        var names: Set<String>? = []
        for reaction in all {
            if let own = reaction.collectionNames { names?.formUnion(own) } else { names = nil }
        }
        collectionNames = names
        onlyCollectionName = names?.count == 1 ? names?.first : nil
    }

    /// Whether changes of a collection concern any of them.
    func isConcerned(byCollectionNamed name: String) -> Bool {
        if let onlyCollectionName { return onlyCollectionName == name }
        return collectionNames?.contains(name) ?? true
    }
}

extension Snapshot {
    /// The names of the reactions that run in writes from this snapshot on, in their order; see
    /// ``Database/register(_:)-(Reaction)``.
    /// The rules of relationships are followed by a reaction that has no name.
    /// - Complexity: O(number of reactions).
    public var reactionNames: [String] { state.reactions.all.map(\.name).filter { $0.utf8.first != 0 } }

    /// Who registered the reactions of this snapshot, in their order, those of extensions among them: where one is another
    /// object, a write may end with other records, or be refused.
    package var reactionIdentities: [ReactionIdentity] { state.reactions.all }
}

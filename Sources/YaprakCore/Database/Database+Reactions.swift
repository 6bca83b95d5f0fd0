import YaprakModel

extension Database {
    /// Adds a reaction, after those that are registered; it runs in every later write that concerns it.
    ///
    ///     try await database.register(CountBooks())
    ///
    /// It does not run for records that are there already, and makes no commit. Forks of later snapshots have it, too.
    /// - Throws: `nameTaken`, `invalidName`, `readOnly`, `closed`; `CancellationError` before its turn.
    /// - Complexity: O(number of reactions), in a turn of its own.
    public func register(_ reaction: some Reaction) async throws {
        if let error = invalidName(reaction.name, of: "reaction") { throw error }
        try await exclusively { draft in
            if draft.reactions.all.contains(where: { $0.name == reaction.name }) {
                throw DatabaseError(
                    .nameTaken,
                    """
                    a reaction called "\(reaction.name)" is registered already. Unregister it first, or take another name.
                    """)
            }
            draft.reactions = ReactionTable(draft.reactions.all + [ReactionRegistration(reaction)])
        }
    }

    /// Takes a reaction out. What it wrote stays.
    /// - Returns: whether there was one of that name.
    /// - Throws: `readOnly`, `closed`; `CancellationError` before its turn.
    @discardableResult
    public func unregisterReaction(_ name: String) async throws -> Bool {
        var found = false
        try await exclusively { draft in
            // Not those of extensions, whose names begin with U+0000: they go with their extensions.
            let rest = draft.reactions.all.filter { $0.name != name || $0.name.utf8.first == 0 }
            found = rest.count < draft.reactions.all.count
            if found { draft.reactions = ReactionTable(rest) }
        }
        return found
    }
}

public import YaprakCore

// Edges that are set explicitly. Each change is logged with the commit, and undone if the transaction is.
extension WriteTransaction {
    /// Puts an edge between two records into a manual relationship.
    ///
    ///     try transaction.connect("ada", to: "grace", in: friends)
    ///
    /// Records of a collection that came from disk without a type count, too, and so do those that are set aside: an edge is of
    /// keys. The collections are those of the relationship that is registered under the name.
    ///
    /// - Returns: false, and nothing happens, if the edge is there already, or if either record is not in its collection.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(log *n*), plus what extensions have to catch up with.
    @discardableResult
    public mutating func connect<Source, SourceMetadata, Target, TargetMetadata>(
        _ source: String, to target: String,
        in relationship: ManualRelationship<Source, SourceMetadata, Target, TargetMetadata>
    ) throws -> Bool {
        let (source, target) = (source.normalizedKey, target.normalizedKey)
        // The reader has gone when the edge is made: no state before that is kept for it.
        guard let step = try newEdge(source, target, in: reader(of: relationship)) else { return false }
        try perform(step, on: relationship)
        return true
    }

    /// The step that makes an edge; `nil` if there is one, or not both records.
    /// - Parameter edges: those there are. Its collections are the registered ones, which another handle of that name may know
    ///   otherwise.
    private func newEdge<Source, SourceMetadata, Target, TargetMetadata>(
        _ source: String, _ target: String,
        in edges: RelationshipReader<Source, SourceMetadata, Target, TargetMetadata>
    ) -> EdgeStep? {
        let (from, to) = (edges.from.name, edges.to.name)
        guard containsUntyped(source, inCollectionNamed: from), containsUntyped(target, inCollectionNamed: to),
            !edges.hasEdge(source, target)
        else { return nil }
        return EdgeStep(.add, source, target, ends: edges.count == 0 ? EdgeEnds.text(from: from, to: to) : nil)
    }

    /// Takes an edge out of a manual relationship. The records stay.
    ///
    /// - Returns: false if there was none.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(log *n*), plus what extensions have to catch up with.
    @discardableResult
    public mutating func disconnect<Source, SourceMetadata, Target, TargetMetadata>(
        _ source: String, from target: String,
        in relationship: ManualRelationship<Source, SourceMetadata, Target, TargetMetadata>
    ) throws -> Bool {
        let (source, target) = (source.normalizedKey, target.normalizedKey)
        guard try reader(of: relationship).hasEdge(source, target) else { return false }
        try perform(EdgeStep(.remove, source, target), on: relationship)
        return true
    }
}

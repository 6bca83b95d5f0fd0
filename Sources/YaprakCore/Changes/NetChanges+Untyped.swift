// What extensions and tools ask without knowing a collection's types.
extension NetChanges {
    /// The names of the collections in which something changed, in the order in which they were first changed.
    public var collectionNames: [String] { batch.collections.map(\.binding.name) }

    /// Whether nothing changed at all.
    public var isEmpty: Bool { batch.isEmpty }

    /// The keys that changed in a collection and what happened to each, in the order in which they were first changed.
    /// O(number of changes in the collection).
    public func keys(inCollectionNamed name: String) -> [(key: String, kinds: ChangeKinds)] {
        batch.changes(inCollection: name)?.entries.map { ($0.key, $0.kinds) } ?? []
    }

    /// Whether everything in the collection was removed at once, before the changes of single keys. O(number of
    /// changed collections).
    public func didRemoveAll(inCollectionNamed name: String) -> Bool {
        batch.clearedAll || batch.changes(inCollection: name)?.clearedCount != nil
    }

    /// By how many records the collection has grown, or shrunk.
    ///
    /// - Complexity: O(number of changes in the collection).
    public func countDifference(inCollectionNamed name: String) -> Int {
        guard let changes = batch.changes(inCollection: name) else { return 0 }
        return changes.countDifference - (changes.clearedCount ?? 0)
    }
}

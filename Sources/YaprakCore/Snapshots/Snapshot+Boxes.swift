package import YaprakTrees

/// A collection by its name, and the types its records are expected to have: what stands between a box and a cast.
package struct CollectionTypes: Sendable {
    package let name: String
    private let check: @Sendable (CollectionBinding) -> Void

    package init<Object, Metadata>(_ collection: RecordCollection<Object, Metadata>) {
        name = collection.name
        check = { $0.check(Object.self, Metadata.self) }
    }

    /// A collection whose types nobody knows.
    package init(untyped name: String) {
        self.name = name
        check = { _ in }
    }

    /// Whether a type is bound to the collection. Stops the program if it is another one.
    func isBound(_ binding: CollectionBinding) -> Bool {
        if binding is RawBinding { return false }
        check(binding)
        return true
    }
}

// What the layers above look at without being generic over a collection's types.
extension Snapshot {
    /// The tree of a collection; an empty one if there is none, or if no type is bound to it.
    package func tree(of collection: CollectionTypes) -> TreeRoot {
        guard let slot = state.directory.slot(of: collection.name), collection.isBound(state.directory.bindings[slot])
        else { return TreeRoot() }
        return state.roots[slot]
    }

    /// Whether a collection has records, and no type is bound to it.
    package func isUntyped(_ collection: CollectionTypes) -> Bool {
        guard let slot = state.directory.slot(of: collection.name) else { return false }
        return state.directory.bindings[slot] is RawBinding && !state.roots[slot].isEmpty
    }

    /// Whether any record of a collection can't be read: it has no type, or is set aside. O(1).
    package func hasUnreadableRecords(in collection: CollectionTypes) -> Bool {
        isUntyped(collection)
            || withExtendedLifetime(state) { !(state.asideRoot(ofCollection: collection.name)?.isEmpty ?? true) }
    }

    /// Whether there is a record under `key` (in its normal form), also if its collection has no type, or if it is set aside.
    /// O(log *n*).
    package func containsUntyped(_ key: String, inCollectionNamed name: String) -> Bool {
        withExtendedLifetime(state) {
            state.root(ofCollection: name)?.lookup(key) != nil
                || state.asideRoot(ofCollection: name)?.lookup(key) != nil
        }
    }

    /// Whether the record under `key` (in its normal form) is set aside. O(log *n*); O(1) where nothing is.
    package func isAside(_ key: String, in collection: CollectionTypes) -> Bool {
        withExtendedLifetime(state) { state.asideRoot(ofCollection: collection.name)?.lookup(key) != nil }
    }

    /// The keys of records that were set aside in an earlier snapshot and have gone since, in ascending order; none of those
    /// that others were written in place of.
    ///
    /// - Complexity: O(*d* · log *n*) with *d* the nodes that the two don't share; O(1) where nothing was set aside.
    package func asidesGone(since old: Snapshot, from collection: CollectionTypes) -> [String] {
        guard let before = old.state.asideRoot(ofCollection: collection.name) else { return [] }
        var keys: [String] = []
        withExtendedLifetime((old, self)) {
            let after = state.asideRoot(ofCollection: collection.name) ?? TreeRoot()
            TreeRoot.difference(from: before, to: after) { step in
                if case .removed(let row) = step { keys.append(row.keyString) }
            }
        }
        return keys.filter { !containsUntyped($0, inCollectionNamed: collection.name) }
    }

    /// The collections that have types: to open the same files with, say.
    package var bindings: [CollectionBinding] {
        state.directory.bindings.filter { !$0.isHidden && !($0 is RawBinding) }
    }

    /// The record under `key` (in its normal form) of a collection.
    package func box(forKey key: String, in collection: CollectionTypes) -> RecordBox? {
        withExtendedLifetime(state) {
            tree(of: collection).lookup(key).map { unsafeDowncast($0, to: RecordBox.self) }
        }
    }
}

extension String {
    /// The form in which the engine keeps keys and names: NFC, native, contiguous.
    package var normalizedKey: String { RecordKey.normalized(self) }
}

package import YaprakTrees

// What the floors above look at without knowing a collection's types.
extension Snapshot {
    /// The tree of the collection called `name`; an empty one if there is none, or if no type is bound to it.
    package func tree(ofCollection name: String) -> TreeRoot {
        guard let slot = state.directory.slot(of: name), !(state.directory.bindings[slot] is RawBinding) else {
            return TreeRoot()
        }
        return state.roots[slot]
    }

    /// The record under `key` (in its normal form) of the collection called `name`.
    package func box(forKey key: String, inCollection name: String) -> RecordBox? {
        withExtendedLifetime(state) {
            tree(ofCollection: name).lookup(key).map { unsafeDowncast($0, to: RecordBox.self) }
        }
    }

    /// The root of the extension called `name`, if it is registered and its root is a `Root`.
    package func root<Root>(ofExtension name: String, as type: Root.Type = Root.self) -> Root? {
        state.entry(ofExtension: name)?.root as? Root
    }
}

extension NetChanges {
    /// What happened in the collection called `name`, boxes and all; `nil` if nothing did, or if no type is bound to it.
    package func boxes(
        inCollectionNamed name: String
    ) -> (isCleared: Bool, entries: ContiguousArray<ChangeEntry>)? {
        guard let changes = batch.changes(inCollection: name), !(changes.binding is RawBinding) else { return nil }
        return (changes.clearedCount != nil, changes.entries)
    }
}

extension String {
    /// The form in which the engine keeps keys and names: NFC, native, contiguous.
    package var normalizedKey: String { RecordKey.normalized(self) }
}

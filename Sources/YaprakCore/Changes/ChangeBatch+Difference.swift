import YaprakTrees

extension ChangeBatch {
    /// What leads from one state to another, found by comparing their trees. Works forwards and backwards, between any two
    /// states of one database or of a database and its forks.
    ///
    /// - Parameters:
    ///   - names: the collections to look at; `nil` for all.
    ///   - includesRaw: also look at collections without types. Who asks for values must not see these.
    /// - Complexity: O(*d* · log *n*) with *d* the nodes that the two don't share, those above the collections included.
    init(from old: SnapshotState, to new: SnapshotState, names: Set<String>? = nil, includesRaw: Bool = false) {
        self.init(from: old, to: new, names: names, includesRaw: includesRaw, checking: {})
    }

    /// The same; `check` is called now and then, and what it throws ends the comparison.
    init(
        from old: SnapshotState, to new: SnapshotState, names: Set<String>? = nil, includesRaw: Bool = false,
        checking check: () throws -> Void
    ) rethrows {
        self.init()
        var collections: ContiguousArray<CollectionChanges> = []
        func concerns(_ binding: CollectionBinding) -> Bool {
            !binding.isHidden && (includesRaw || !(binding is RawBinding)) && names?.contains(binding.name) ?? true
        }
        for slot in new.slots(notSharedWith: old) {
            let binding = new.directory.bindings[slot]
            guard concerns(binding) else { continue }
            let before = old.comparableRoot(of: binding)
            if let changes = try CollectionChanges(binding, from: before, to: new.roots[slot], checking: check) {
                collections.append(changes)
            }
        }
        for slot in old.slots(notSharedWith: new) {
            let binding = old.directory.bindings[slot]
            guard concerns(binding), new.directory.slot(of: binding.name) == nil else { continue }
            if let changes = try CollectionChanges(binding, from: old.roots[slot], to: TreeRoot(), checking: check) {
                collections.append(changes)
            }
        }
        self.collections = OneOrMany(collections)
    }
}

extension Snapshot {
    /// How the records of one collection differ from those in another snapshot, by comparing its trees; none without types.
    /// The entries keep their records.
    ///
    /// - Complexity: O(*d* · log *n*) with *d* the nodes of the collection that the two don't share.
    package func changes(since old: Snapshot, in collection: CollectionTypes) -> ChangeEntries {
        ChangeEntries(
            withExtendedLifetime((old, self)) {
                changedEntries(from: old.tree(of: collection), to: tree(of: collection), checking: {})
            })
    }

    /// The names, in ascending order, of the collections whose rows have other types here than in another snapshot, or have
    /// none in one of the two: their trees can't be compared.
    /// - Complexity: O(*c* · log *c*) with *c* the collections that the two don't share.
    package func collectionNames(withOtherTypesThanIn old: Snapshot) -> [String] {
        let (directory, former) = (state.directory, old.state.directory)
        if directory === former { return [] }
        var names: [String] = []
        for slot in directory.bindings.slots(notSharedWith: former.bindings) {
            let binding = directory.bindings[slot]
            guard !binding.isHidden, let place = former.slot(of: binding.name) else { continue }
            if !former.bindings[place].hasTypes(of: binding) { names.append(binding.name) }
        }
        return names.sorted()
    }
}

extension CollectionChanges {
    /// What leads from one tree of a collection to another; `nil` if nothing has to.
    fileprivate init?(
        _ binding: CollectionBinding, from before: TreeRoot, to after: TreeRoot, checking check: () throws -> Void
    ) rethrows {
        if before.isIdentical(to: after) { return nil }
        let entries = try changedEntries(from: before, to: after, checking: check)
        guard !entries.isEmpty else { return nil }
        self.init(binding: binding, clearedCount: nil, entries: entries)
    }
}

/// The records that differ between two trees of a collection, in the order of their keys.
///
/// - Parameter check: is called before the first and each 4,096th; what it throws ends the comparison.
private func changedEntries(
    from before: TreeRoot, to after: TreeRoot, checking check: () throws -> Void
) rethrows -> OneOrMany<ChangeEntry> {
    var entries: OneOrMany<ChangeEntry> = []
    _ = try TreeRoot.difference(from: before, to: after) { step in
        if entries.count & 4095 == 0 { try check() }
        switch step {
        case .removed(let row):
            entries.append(ChangeEntry(before: unsafeDowncast(row, to: RecordBox.self), after: nil, kinds: .removed))
        case .inserted(let row):
            entries.append(ChangeEntry(before: nil, after: unsafeDowncast(row, to: RecordBox.self), kinds: .inserted))
        case .replaced(let old, let new):
            let before = unsafeDowncast(old, to: RecordBox.self)
            let after = unsafeDowncast(new, to: RecordBox.self)
            entries.append(ChangeEntry(before: before, after: after, kinds: after.kinds(since: before)))
        }
    }
    return entries
}

extension RecordBox {
    /// What happened between an earlier box of the same record and this one, by their stamps.
    package func kinds(since before: RecordBox) -> ChangeKinds {
        var kinds: ChangeKinds = []
        if objectStamp != before.objectStamp { kinds.insert(.objectChanged) }
        if metadataStamp != before.metadataStamp { kinds.insert(.metadataChanged) }
        return kinds.isEmpty ? [.objectTouched, .metadataTouched] : kinds
    }
}

extension SnapshotState {
    /// The slots, in ascending order, in which a collection or its tree may be another one than in `other`.
    fileprivate func slots(notSharedWith other: SnapshotState) -> [Int] {
        let slots = roots.slots(notSharedWith: other.roots)
        if directory === other.directory { return slots }
        // All empty trees are alike: which collections were in a slot, the bindings say.
        let bound = directory.bindings.slots(notSharedWith: other.directory.bindings)
        return bound.isEmpty ? slots : Set(slots).union(bound).sorted()
    }

    /// The tree of a collection, as far as its rows have the same types; otherwise an empty one.
    fileprivate func comparableRoot(of binding: CollectionBinding) -> TreeRoot {
        guard let slot = directory.slot(of: binding.name) else { return TreeRoot() }
        let own = directory.bindings[slot]
        return own.hasTypes(of: binding) ? roots[slot] : TreeRoot()
    }
}

extension CollectionBinding {
    /// Whether rows of both have the same types, so that their trees can be compared.
    fileprivate func hasTypes(of other: CollectionBinding) -> Bool {
        objectType == other.objectType && metadataType == other.metadataType
    }
}

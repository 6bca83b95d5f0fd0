extension NetChanges {
    /// What happened in a collection, boxes and all; `nil` if nothing did, or if no type is bound to it.
    package func boxes(in collection: CollectionTypes) -> (isCleared: Bool, entries: ChangeEntries)? {
        // Field by field: all of them are not copied to look at two, by each extension in each commit.
        if let binding = batch.collections.only?.binding {
            guard binding.name == collection.name, collection.isBound(binding),
                let entries = batch.collections.only?.entries
            else { return nil }
            return (batch.collections.only?.clearedCount != nil, ChangeEntries(entries))
        }
        guard let changes = batch.changes(inCollection: collection.name), collection.isBound(changes.binding) else {
            return nil
        }
        return (changes.clearedCount != nil, ChangeEntries(changes.entries))
    }
}

extension NetChanges {
    /// What happened in a collection, if that is the only change and one of a record that was there before and is there after it;
    /// `nil` otherwise, and if no type is bound to it.
    ///
    /// Nothing of the changes is copied, and no reference counted: most commits are such a change, and each of several indexes
    /// looks at it.
    package func onlyUpdate(in collection: CollectionTypes) -> RecordUpdate? {
        guard let binding = batch.collections.only?.binding, binding.name == collection.name,
            collection.isBound(binding),
            batch.collections.only?.clearedCount == nil, let before = batch.collections.only?.entries.only?.before,
            let after = batch.collections.only?.entries.only?.after,
            let kinds = batch.collections.only?.entries.only?.kinds,
            !(before is RawRecord), !(after is RawRecord)
        else { return nil }
        return RecordUpdate(before: .passUnretained(before), after: .passUnretained(after), kinds: kinds)
    }
}

/// A record that was there before some changes and is there after them. The boxes are valid as long as the changes.
package struct RecordUpdate {
    package let before: Unmanaged<RecordBox>
    package let after: Unmanaged<RecordBox>
    package let kinds: ChangeKinds
}

extension Snapshot {
    /// What leads from another snapshot to this one, by comparing their trees; also backwards. Collections without types
    /// are among it.
    package func difference(since old: Snapshot) -> NetChanges { difference(since: old, checking: {}) }

    /// The same, of the collections with these names; of all if `nil`. `check` is called now and then, and what it throws ends
    /// the comparison.
    package func difference(
        since old: Snapshot, in names: Set<String>? = nil, checking check: () throws -> Void
    ) rethrows -> NetChanges {
        NetChanges(batch: try ChangeBatch(from: old.state, to: state, names: names, includesRaw: true, checking: check))
    }
}

extension NetChanges {
    /// The same changes, with collections in the order of their names.
    package var orderedByName: NetChanges {
        let ordered = batch.collections.enumerated().sorted {
            ($0.element.binding.name, $0.offset) < ($1.element.binding.name, $1.offset)
        }
        return NetChanges(batch: ChangeBatch(ContiguousArray(ordered.map(\.element)), clearedAll: batch.clearedAll))
    }

    /// Hands over each record that changed as it stands on disk, or would stand there. Removals of everything are not
    /// spelled out.
    package func forEachRaw(
        _ body: (_ collection: String, _ kinds: ChangeKinds, _ before: RawRecord?, _ after: RawRecord?) throws -> Void
    ) rethrows {
        for changes in batch.collections {
            for entry in changes.entries {
                try body(
                    changes.binding.name, entry.kinds, entry.before.map { changes.binding.raw($0) },
                    entry.after.map { changes.binding.raw($0) })
            }
        }
    }
}

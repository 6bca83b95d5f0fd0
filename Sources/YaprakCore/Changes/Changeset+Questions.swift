// The questions of YapDatabase's modified notification: did this change? On one changeset, and on many as one.
//
// Many answer as if they were added up first, so a record that was inserted by one commit and removed by the next has no
// change, as it would within one commit.

/// Something that can be asked what changed: one ``Changeset``, or a sequence of them taken as one.
public protocol ChangeSource {
    /// The changes to ask, added up.
    var netChanges: NetChanges { get }
}

/// Changes of one or of several commits, added up. Made by ``ChangeSource/netChanges``.
public struct NetChanges: Sendable {
    let batch: ChangeBatch
}

extension Changeset: ChangeSource {
    /// What this commit did. O(1).
    public var netChanges: NetChanges { NetChanges(batch: contents.batch) }
}

extension Array: ChangeSource where Element == Changeset {
    /// What the commits did together, oldest first. O(*n* log *k*) for *n* changes of *k* commits.
    public var netChanges: NetChanges {
        if count == 1 { return self[0].netChanges }
        return NetChanges(batch: ChangeBatch(sumOf: map(\.contents.batch)[...]).asOneCommit())
    }
}

extension NetChanges: ChangeSource {
    /// Itself.
    public var netChanges: NetChanges { self }

    /// What happened in one collection over all the commits, net. O(number of changed collections).
    ///
    /// - Precondition: the collection holds records of these types.
    public func changes<Object, Metadata>(
        in collection: RecordCollection<Object, Metadata>
    ) -> RecordChanges<Object, Metadata> {
        let changes = batch.changes(inCollection: collection.name)
        changes?.binding.check(Object.self, Metadata.self)
        return RecordChanges(changes: changes)
    }

    fileprivate func entry(_ key: String, in collection: String) -> (cleared: Bool, entry: ChangeEntry?) {
        guard let changes = batch.changes(inCollection: collection) else { return (batch.clearedAll, nil) }
        return (batch.clearedAll || changes.clearedCount != nil, changes.entry(forKey: RecordKey.normalized(key)))
    }
}

// An array adds up no more than a question asks for, and that at each question; to put many, ask for `netChanges` once.
extension ChangeSource {
    /// Whether anything changed in the collection. O(number of changed collections).
    ///
    /// Of an array of *k* changesets O(*k*), and O(*n* log *k*) for their *n* changes in the collection if several changed it;
    /// for their changes in all collections if one of them removed everything. Ask ``netChanges`` where there are many
    /// questions; so for the other questions about a collection.
    public func hasChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        let batch = sum(in: collection.name)
        return batch.clearedAll || batch.changes(inCollection: collection.name) != nil
    }

    /// Whether an object of the collection was inserted, removed, set or touched. O(number of its changes); of an array as
    /// ``hasChange(in:)``.
    public func hasObjectChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        hasChange(in: collection.name) { $0.concernsObject }
    }

    /// Whether metadata of the collection was inserted, removed, set or touched. O(number of its changes); of an array as
    /// ``hasChange(in:)``.
    public func hasMetadataChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        hasChange(in: collection.name) { $0.concernsMetadata }
    }

    /// Whether the record under `key` changed in any way. The removal of everything changes every key.
    /// - Complexity: O(log *n*); the first question about a key looks through the changes of the collection, O(*n*), and the
    ///   second sorts them, O(*n* log *n*). Of an array of *k* changesets O(*k* log *n*); if one of them removed everything in
    ///   the collection, as ``hasChange(in:)``. Ask ``netChanges`` where there are many questions; so for the other questions
    ///   about keys.
    public func hasChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = sum(of: key, in: collection.name)
        return cleared || entry != nil
    }

    /// Whether the object under `key` was inserted, removed, set or touched.
    /// - Complexity: as ``hasChange(forKey:in:)``.
    public func hasObjectChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = sum(of: key, in: collection.name)
        return cleared || entry?.kinds.concernsObject ?? false
    }

    /// Whether the metadata under `key` was inserted, removed, set or touched.
    /// - Complexity: as ``hasChange(forKey:in:)``.
    public func hasMetadataChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = sum(of: key, in: collection.name)
        return cleared || entry?.kinds.concernsMetadata ?? false
    }

    /// Whether a record under any of `keys` changed in any way.
    /// - Complexity: O(log *n*) for each key; the second question about a key sorts the changes of the collection. Of an array
    ///   they are added up before, once, as by ``hasChange(in:)``, and sorted.
    public func hasChange<O, M>(forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>) -> Bool {
        let net = NetChanges(batch: sum(in: collection.name))
        return keys.contains { net.hasChange(forKey: $0, in: collection) }
    }

    /// Whether an object under any of `keys` was inserted, removed, set or touched.
    /// - Complexity: as ``hasChange(forAnyOf:in:)``.
    public func hasObjectChange<O, M>(
        forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>
    ) -> Bool {
        let net = NetChanges(batch: sum(in: collection.name))
        return keys.contains { net.hasObjectChange(forKey: $0, in: collection) }
    }

    /// Whether metadata under any of `keys` was inserted, removed, set or touched.
    /// - Complexity: as ``hasChange(forAnyOf:in:)``.
    public func hasMetadataChange<O, M>(
        forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>
    ) -> Bool {
        let net = NetChanges(batch: sum(in: collection.name))
        return keys.contains { net.hasMetadataChange(forKey: $0, in: collection) }
    }

    /// Whether everything in the collection was removed at once. O(number of changed collections); of an array as
    /// ``hasChange(in:)``.
    public func didRemoveAll<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        let batch = sum(in: collection.name)
        return batch.clearedAll || batch.changes(inCollection: collection.name)?.clearedCount != nil
    }

    /// Whether everything in all collections was removed at once. O(1); of an array O(number of changesets), and as
    /// ``netChanges`` if one of them removed everything.
    public var didRemoveAll: Bool {
        if let several, !several.removeEverything { return false }
        return netChanges.batch.clearedAll
    }

    // MARK: Adding up

    /// Itself, where it is several changesets. By comparing types, which every question can afford.
    private var several: [Changeset]? {
        guard Self.self == [Changeset].self, let several = self as? [Changeset], several.count > 1 else { return nil }
        return several
    }

    /// A sum that has what was changed in one collection, and perhaps more.
    private func sum(in collection: String) -> ChangeBatch {
        // Whether anything was there that was removed with everything depends on all collections.
        guard let several, !several.removeEverything else { return netChanges.batch }
        return ChangeBatch(sumOf: several.map { $0.contents.batch.part(in: collection) }[...])
    }

    private func hasChange(in collection: String, where isOfInterest: (ChangeKinds) -> Bool) -> Bool {
        let batch = sum(in: collection)
        guard !batch.clearedAll, let changes = batch.changes(inCollection: collection) else { return batch.clearedAll }
        return changes.clearedCount != nil || changes.entries.contains { isOfInterest($0.kinds) }
    }

    /// What happened to one record, and whether it was removed with all others.
    private func sum(of key: String, in collection: String) -> (cleared: Bool, entry: ChangeEntry?) {
        guard let several else { return netChanges.entry(key, in: collection) }
        let key = RecordKey.normalized(key)
        var sum: ChangeEntry?
        for changeset in several {
            let batch = changeset.contents.batch
            let changes = batch.changes(inCollection: collection)
            if batch.clearedAll || changes?.clearedCount != nil {
                // Whether anything is left of that depends on all records that were changed before.
                return NetChanges(batch: self.sum(in: collection)).entry(key, in: collection)
            }
            guard let changes else { continue }
            guard let next = changes.entry(forKey: key) else { continue }
            if let earlier = sum { sum = earlier.followed(by: next) } else { sum = next }
        }
        return (false, sum)
    }
}

extension Array where Element == Changeset {
    /// Whether one of the commits removed everything in all collections at once.
    fileprivate var removeEverything: Bool { contains { $0.contents.batch.clearedAll } }
}

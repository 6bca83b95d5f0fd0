// The questions of YapDatabase's modified notification: did this change? On one changeset, and on many as one.
//
// Many are asked as one by adding them up first, so a record that was inserted by one commit and removed by the next has
// no change, as it would within one commit.

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
        return NetChanges(batch: ChangeBatch(sumOf: map(\.contents.batch)[...]))
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

// On an array each question adds up the changesets first; to put many, ask for `netChanges` once.
extension ChangeSource {
    /// Whether anything changed in the collection. O(number of changed collections).
    public func hasChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        netChanges.batch.changes(inCollection: collection.name) != nil || netChanges.batch.clearedAll
    }

    /// Whether an object of the collection was inserted, removed, set or touched. O(number of its changes).
    public func hasObjectChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        didRemoveAll(in: collection)
            || netChanges.batch.changes(inCollection: collection.name)?.entries.contains { $0.kinds.concernsObject }
                ?? false
    }

    /// Whether metadata of the collection was inserted, removed, set or touched. O(number of its changes).
    public func hasMetadataChange<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        didRemoveAll(in: collection)
            || netChanges.batch.changes(inCollection: collection.name)?.entries.contains { $0.kinds.concernsMetadata }
                ?? false
    }

    /// Whether the record under `key` changed in any way. The removal of everything changes every key.
    /// - Complexity: O(log *n*); the first question about a key sorts the changes.
    public func hasChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = netChanges.entry(key, in: collection.name)
        return cleared || entry != nil
    }

    /// Whether the object under `key` was inserted, removed, set or touched. O(log *n*).
    public func hasObjectChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = netChanges.entry(key, in: collection.name)
        return cleared || entry?.kinds.concernsObject ?? false
    }

    /// Whether the metadata under `key` was inserted, removed, set or touched. O(log *n*).
    public func hasMetadataChange<O, M>(forKey key: String, in collection: RecordCollection<O, M>) -> Bool {
        let (cleared, entry) = netChanges.entry(key, in: collection.name)
        return cleared || entry?.kinds.concernsMetadata ?? false
    }

    /// Whether a record under any of `keys` changed in any way. O(*k* log *n*).
    public func hasChange<O, M>(forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>) -> Bool {
        let net = netChanges
        return keys.contains { net.hasChange(forKey: $0, in: collection) }
    }

    /// Whether an object under any of `keys` was inserted, removed, set or touched. O(*k* log *n*).
    public func hasObjectChange<O, M>(
        forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>
    ) -> Bool {
        let net = netChanges
        return keys.contains { net.hasObjectChange(forKey: $0, in: collection) }
    }

    /// Whether metadata under any of `keys` was inserted, removed, set or touched. O(*k* log *n*).
    public func hasMetadataChange<O, M>(
        forAnyOf keys: some Sequence<String>, in collection: RecordCollection<O, M>
    ) -> Bool {
        let net = netChanges
        return keys.contains { net.hasMetadataChange(forKey: $0, in: collection) }
    }

    /// Whether everything in the collection was removed at once. O(number of changed collections).
    public func didRemoveAll<O, M>(in collection: RecordCollection<O, M>) -> Bool {
        netChanges.batch.clearedAll
            || netChanges.batch.changes(inCollection: collection.name)?.clearedCount != nil
    }

    /// Whether everything in all collections was removed at once.
    public var didRemoveAll: Bool { netChanges.batch.clearedAll }
}

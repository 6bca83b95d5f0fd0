public import YaprakTrees

/// The records of one collection inside a write: to read, to set, to touch, to remove.
///
/// Yielded by ``WriteTransaction``; can't be copied or kept. Methods for existing records report by their return value
/// whether there was one; a missing record is never an error. What can't be stored (a key over the limit, a value that
/// ``CollectionConfiguration/prepare(_:)`` refuses) makes the whole write throw when its closure has returned.
public struct MutableRecords<Object: Codable & Sendable, Metadata: Codable & Sendable>: ~Copyable {
    @usableFromInline typealias Box = TypedRecord<Object, Metadata>

    @usableFromInline let draft: Draft
    @usableFromInline let slot: Int

    @inlinable
    init(draft: Draft, slot: Int) {
        self.draft = draft
        self.slot = slot
    }

    // MARK: Reading

    /// The object under `key`, as this transaction sees it.
    ///
    /// Setting it inserts or replaces the object and keeps the metadata that is there; setting `nil` removes the record, if
    /// there is one.
    ///
    ///     transaction[.books]["abc"]?.salesRank += 1
    ///
    /// A `?.` that finds no record changes nothing. Swift sets the subscript to `nil` then, so `nil` leaves what is set aside
    /// under the key (``UndecodablePolicy/setAside``) where it is: only `remove(_:)` and ``removeAll()`` take that away.
    ///
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(key: String) -> Object? {
        get { draft.box(slot, key).map { unsafeDowncast($0, to: Box.self).object } }
        nonmutating set {
            if let newValue { setObject(newValue, for: key) } else { draft.removeRecord(slot, key) }
        }
    }

    /// The metadata under `key`; `nil` if there is no record or it has none. O(log *n*).
    @inlinable
    public func metadata(for key: String) -> Metadata? {
        draft.box(slot, key).flatMap { unsafeDowncast($0, to: Box.self).metadata }
    }

    /// The record under `key`; `nil` if there is none. O(log *n*).
    @inlinable
    public func row(for key: String) -> Record<Object, Metadata>? {
        draft.box(slot, key).map { Record(unsafeDowncast($0, to: Box.self)) }
    }

    /// Whether there is a record under `key`. O(log *n*).
    @inlinable
    public func contains(key: String) -> Bool { draft.box(slot, key) != nil }

    /// The number of records. O(1).
    public var count: Int { draft.roots[slot].count }

    /// Whether there is no record. O(1).
    public var isEmpty: Bool { count == 0 }

    /// The records as they stand now, to walk and to keep: what the transaction does next doesn't change them.
    ///
    ///     for row in transaction[.books].rows where row.object.isOld {
    ///         transaction[.books].remove(row.key)           // safe: the walk sees the state it started from
    ///     }
    ///
    /// - Complexity: O(1); later changes of the same transaction copy the nodes they reach, once.
    public var rows: Records<Object, Metadata> {
        let state = draft.freeze()
        let root = state.roots[slot]
        return Records(state: state, root: root, bounds: 0..<root.count)
    }

    // MARK: Setting

    /// Inserts or replaces a record: object and metadata both. Without metadata the record has none afterwards.
    ///
    /// To keep the metadata that is there, use the subscript or ``replaceObject(_:for:)``.
    /// - Complexity: O(log *n*).
    public func set(_ object: Object, metadata: Metadata?, for key: String) {
        let key = RecordKey.normalized(key)
        guard let (object, metadata) = prepared(object, metadata, key) else { return }
        draft.put(slot, key, [.objectChanged, .metadataChanged]) { box($0?.key ?? key, object, metadata) }
    }

    /// Inserts or replaces an object and keeps the metadata that is there. The subscript's other name.
    @inlinable
    func setObject(_ object: consuming Object, for key: String) {
        if draft.needsPreparing(slot) { return prepareAndSetObject(object, for: key) }
        let key = RecordKey.normalized(key)
        // Moved into its record: no reference in it is counted.
        var moved: Object? = consume object
        draft.put(slot, key, .objectChanged) { old in
            let stamp = draft.stamp
            let object = moved.take()!
            guard let old else {
                return Box.make(key: key, object: object, metadata: nil, objectStamp: stamp, metadataStamp: stamp)
            }
            return Box.make(
                key: old.key, object: object, metadata: unsafeDowncast(old, to: Box.self).metadata, objectStamp: stamp,
                metadataStamp: old.metadataStamp)
        }
    }

    @usableFromInline
    func prepareAndSetObject(_ object: Object, for key: String) {
        let key = RecordKey.normalized(key)
        guard let (object, metadata) = prepared(object, metadata(for: key), key) else { return }
        let mayChangeBoth = isPrepared
        draft.put(slot, key, mayChangeBoth ? [.objectChanged, .metadataChanged] : .objectChanged) { old in
            mayChangeBoth ? box(old?.key ?? key, object, metadata) : keeping(old, key, object, metadata)
        }
    }

    /// Replaces the object of a record that is there; keeps its metadata.
    /// - Returns: whether there was such a record.
    /// - Complexity: O(log *n*).
    @discardableResult
    public func replaceObject(_ object: Object, for key: String) -> Bool {
        guard contains(key: key) else { return false }
        setObject(object, for: key)
        return true
    }

    /// Replaces the metadata of a record that is there, `nil` for none; keeps its object.
    /// - Returns: whether there was such a record.
    /// - Complexity: O(log *n*).
    @discardableResult
    public func replaceMetadata(_ metadata: Metadata?, for key: String) -> Bool {
        let key = RecordKey.normalized(key)
        guard let old = draft.box(slot, key).map({ unsafeDowncast($0, to: Box.self) }) else { return false }
        guard let (object, metadata) = prepared(old.object, metadata, key) else { return true }
        let isPrepared = isPrepared
        draft.apply(slot, key) { old in
            guard let old else { return .keep }
            if isPrepared { return .put(box(old.key, object, metadata), [.objectChanged, .metadataChanged]) }
            let box = Box.make(
                key: old.key, object: object, metadata: metadata, objectStamp: old.objectStamp,
                metadataStamp: draft.tree.stamp)
            return .put(box, .metadataChanged)
        }
        return true
    }

    // MARK: Touching

    /// Says that the object changed, though it wasn't written: extensions process it again, changesets report it.
    /// - Returns: whether there is such a record. - Complexity: O(log *n*).
    @discardableResult
    public func touchObject(for key: String) -> Bool { touch(key, .objectTouched) }

    /// Says that the metadata changed, though it wasn't written.
    /// - Returns: whether there is such a record. - Complexity: O(log *n*).
    @discardableResult
    public func touchMetadata(for key: String) -> Bool { touch(key, .metadataTouched) }

    /// Says that object and metadata changed, though neither was written.
    /// - Returns: whether there is such a record. - Complexity: O(log *n*).
    @discardableResult
    public func touchRow(for key: String) -> Bool { touch(key, [.objectTouched, .metadataTouched]) }

    private func touch(_ key: String, _ kinds: ChangeKinds) -> Bool {
        let old = draft.edit(slot, RecordKey.normalized(key)) { old in
            guard let old = old.map({ unsafeDowncast($0, to: Box.self) }) else { return .keep }
            let box = Box.make(
                key: old.key, object: old.object, metadata: old.metadata, objectStamp: old.objectStamp,
                metadataStamp: old.metadataStamp)
            return .put(box, kinds)
        }
        return old != nil
    }

    // MARK: Removing

    /// Removes the record under `key`, or what is set aside under it (``UndecodablePolicy/setAside``).
    /// - Returns: the record that was there; `nil` also for one that was set aside. - Complexity: O(log *n*).
    @discardableResult
    public func remove(_ key: String) -> Record<Object, Metadata>? {
        let old = draft.edit(slot, RecordKey.normalized(key)) { _ in .remove }
        return old.map { Record(unsafeDowncast($0, to: Box.self)) }
    }

    /// Removes the records under `keys`, each as the same function does for one key; keys without a record are skipped.
    /// - Returns: how many were there. - Complexity: O(*k* · log *n*).
    @discardableResult
    public func remove(_ keys: some Sequence<String>) -> Int {
        keys.reduce(0) { $0 + (remove($1) == nil ? 0 : 1) }
    }

    /// Removes every record of the collection, and what is set aside in it.
    ///
    /// The changeset reports it as one fact (``RecordChanges/didRemoveAll``), not record by record.
    /// - Complexity: O(1) in the number of records.
    public func removeAll() { draft.clear(slot) }

    // MARK: Inside

    /// Whether what prepares a record may have changed both its object and its metadata.
    private var isPrepared: Bool {
        guard draft.needsPreparing(slot) else { return false }
        let binding = unsafeDowncast(draft.directory.bindings[slot], to: TypedBinding<Object, Metadata>.self)
        return binding.configuration.prepare != nil
    }

    /// What is to be stored; `nil` if nothing is: it was refused, or is there already and equal values are skipped.
    private func prepared(_ object: Object, _ metadata: Metadata?, _ key: String) -> (Object, Metadata?)? {
        guard draft.needsPreparing(slot) else { return (object, metadata) }
        let binding = unsafeDowncast(draft.directory.bindings[slot], to: TypedBinding<Object, Metadata>.self)
        var object = object
        var metadata = metadata
        do {
            try binding.configuration.prepare?(key, &object, &metadata)
        } catch {
            draft.fail(error)
            return nil
        }
        // No record keeps it.
        if Metadata.self == NoMetadata.self { metadata = nil }
        if let isEqual = binding.configuration.isEqual, let there = draft.box(slot, key) {
            let there = unsafeDowncast(there, to: Box.self)
            if isEqual(object, metadata, there.object, there.metadata) { return nil }
        }
        return (object, metadata)
    }

    private func box(_ key: String, _ object: Object, _ metadata: Metadata?) -> Box {
        Box.make(
            key: key, object: object, metadata: metadata, objectStamp: draft.tree.stamp,
            metadataStamp: draft.tree.stamp)
    }

    private func keeping(_ old: RecordBox?, _ key: String, _ object: Object, _ metadata: Metadata?) -> Box {
        let stamp = draft.stamp
        return Box.make(
            key: old?.key ?? key, object: object, metadata: metadata, objectStamp: stamp,
            metadataStamp: old?.metadataStamp ?? stamp)
    }
}

extension Draft {
    /// The box under `key`, given in any form.
    @usableFromInline
    func box(_ slot: Int, _ key: String) -> RecordBox? {
        roots[slot].lookup(recordKey: key)?.takeUnretainedValue() as RecordBox?
    }

    /// Removes the record under `key`, given in any form. What is set aside under it stays: whether somebody wants that removed
    /// or a chain of `?.` has found nothing, the setter of a subscript can't tell. Nor is that an operation, which are limited.
    @usableFromInline
    func removeRecord(_ slot: Int, _ key: String) {
        guard box(slot, key) != nil else { return }
        apply(slot, RecordKey.normalized(key)) { $0 == nil ? .keep : .remove }
    }
}

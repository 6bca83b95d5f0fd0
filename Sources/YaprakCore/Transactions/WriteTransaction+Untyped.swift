public import YaprakCBOR
import YaprakModel
import YaprakTrees

// Writing without the program's types: what a tool puts back, and what a test replays.
extension WriteTransaction {
    /// Inserts or replaces a record of the collection called `name`, whatever its type. Without metadata the record has none
    /// afterwards.
    ///
    ///     try transaction.setUntyped(["title": "Dune", "salesRank": 3], for: "abc", inCollectionNamed: "books")
    ///
    /// In a collection that is bound the value is decoded first, and migrated if its version is older; in one that is not
    /// it stays as it is until a type is bound. Tag 27 around a text and a byte string stands for the bytes of the coder with
    /// that name. A record that is there already, byte for byte, is left alone. Checks of
    /// ``CollectionConfiguration/prepare(_:)`` don't run: the record is taken for one that was in the database before.
    ///
    /// - Parameter version: the version of the collection's form that the value has, from 1 on.
    /// - Throws: `undecodableRecord` if the value is not of the collection's type or has no encoding, or if the version is below
    ///   1; `migrationFailed`, `invalidName`. The transaction may go on then; nothing was changed.
    /// - Complexity: O(log *n* + size).
    public mutating func setUntyped(
        _ object: CBORValue, metadata: CBORValue? = nil, version: Int = 1, for key: String,
        inCollectionNamed name: String
    ) throws {
        guard version >= 1 else {
            throw DatabaseError(
                .undecodableRecord,
                """
                versions begin with 1: the record \(key.debugDescription) of "\(name)" can't have version \(version). Give that \
                of the collection's form that the value has.
                """,
                place: .init(collectionName: name, key: key))
        }
        do {
            try put(
                object: object.encoded()[...], metadata: metadata?.encoded()[...], version: version, for: key,
                inCollectionNamed: name)
        } catch let error as CBORError {
            throw undecodable(key, name, error)
        }
    }

    /// Removes a record of the collection called `name`, whatever its type, also if it is set aside.
    /// - Returns: whether there was one. - Complexity: O(log *n*).
    @discardableResult
    public mutating func removeUntyped(_ key: String, inCollectionNamed name: String) -> Bool {
        guard let slot = draft.directory.slot(of: name), !draft.directory.bindings[slot].isHidden else { return false }
        let key = RecordKey.normalized(key)
        let isAside = draft.isAside(key, of: slot)
        return draft.edit(slot, key) { _ in .remove } != nil || isAside
    }

    /// Whether there is a record under `key` (in its normal form), whatever its type, also if it is set aside. O(log *n*).
    package func containsUntyped(_ key: String, inCollectionNamed name: String) -> Bool {
        guard let slot = draft.directory.slot(of: name) else { return false }
        return draft.roots[slot].lookup(key) != nil || draft.isAside(key, of: slot)
    }

    /// Whether the records of a collection can be read as values: they did not come from disk without a type.
    package func hasTypes(inCollectionNamed name: String) -> Bool {
        guard let slot = draft.directory.slot(of: name) else { return true }
        return !(draft.directory.bindings[slot] is RawBinding)
    }

    /// Attaches a value to the commit, given as one CBOR item: who asks for it decodes it as any type it fits.
    package mutating func setInfo(encoded item: [UInt8]) { draft.info = .encoded(item) }

    /// Says that a record changed, whatever its type, though it was not written.
    package mutating func touchUntyped(_ key: String, _ kinds: ChangeKinds, inCollectionNamed name: String) {
        guard let slot = draft.directory.slot(of: name), !draft.directory.bindings[slot].isHidden else { return }
        let binding = draft.directory.bindings[slot]
        draft.apply(slot, RecordKey.normalized(key)) { old in
            guard let old else { return .keep }
            let copy = binding.copy(
                old, key: old.key, objectStamp: old.objectStamp, metadataStamp: old.metadataStamp)
            return .put(copy, kinds)
        }
    }

    /// Inserts or replaces a record, given as its bytes: one well-formed CBOR item each.
    ///
    /// - Parameter reported: what the commit shall say of it, also if nothing changed; found by comparing if `nil`.
    /// - Returns: what that changed.
    @discardableResult
    package mutating func put(
        object: ArraySlice<UInt8>, metadata: ArraySlice<UInt8>?, version: Int, for key: String,
        inCollectionNamed name: String, reporting reported: ChangeKinds? = nil
    ) throws -> ChangeKinds {
        let known = draft.directory.slot(of: name)
        // The engine has collections of its own, under names that are none of a program's.
        let isCollection = known.map { !draft.directory.bindings[$0].isHidden } ?? false
        if !isCollection, let error = invalidName(name, of: "collection") { throw error }
        // The log writes versions as unsigned numbers. A file may say anything.
        guard version >= 0 else { throw undecodable(key, name, nil) }
        let key = RecordKey.normalized(key)
        let raw = RawRecord(key: key, object: object, metadata: metadata, version: version)
        let slot = known ?? draft.addCollection(RawBinding(name: name))
        let binding = draft.directory.bindings[slot]
        let box: RecordBox
        do {
            box = try binding.decode(raw, into: RecordDecoder())
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw undecodable(key, name, error)
        }
        let stamp = draft.stamp
        var kinds: ChangeKinds = [.objectChanged, .metadataChanged]
        draft.apply(slot, key) { old in
            if let reported, !reported.isEmpty {
                if !reported.contains(.inserted) { kinds = reported }
                // Played on another record than it was made of, it changes more than it says.
                if let old {
                    let there = binding.raw(old), now = binding.raw(box)
                    if there.version == now.version {
                        if there.object != now.object { kinds.insert(.objectChanged) }
                        if there.metadata != now.metadata { kinds.insert(.metadataChanged) }
                    }
                }
            } else if let old {
                let there = binding.raw(old)
                if there.version == version {
                    if there.object == object { kinds.remove(.objectChanged) }
                    if there.metadata == (binding.hasMetadata(box) ? metadata : nil) { kinds.remove(.metadataChanged) }
                    if kinds.isEmpty { return .keep }
                }
            }
            let copy = binding.copy(
                box, key: old?.key ?? key,
                objectStamp: kinds.contains(.objectChanged) ? stamp : old?.objectStamp ?? stamp,
                metadataStamp: kinds.contains(.metadataChanged) ? stamp : old?.metadataStamp ?? stamp)
            if old == nil { kinds = .inserted }
            return .put(copy, kinds)
        }
        return kinds
    }

    private func undecodable(_ key: String, _ name: String, _ cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            .undecodableRecord,
            """
            the record \(key.debugDescription) is not one that "\(name)" can hold. Write a value of the type that is \
            bound to it.
            """,
            place: .init(collectionName: name, key: key), cause: cause)
    }
}

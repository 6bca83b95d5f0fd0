import YaprakCBOR

// What is asked of a changeset without its types.
extension Changeset {
    /// The collections that the commit changed, in the order in which they were first changed.
    package var changedCollections: [(name: String, isCleared: Bool, entries: ContiguousArray<ChangeEntry>)] {
        contents.batch.collections.map { ($0.binding.name, $0.clearedCount != nil, $0.entries.array) }
    }

    /// What the commit did to the record under `key` (in its normal form), as it stands on disk or would stand there; `nil` if it
    /// did nothing, or took the record away with all others. No other record is encoded, and nothing is kept for later
    /// questions.
    /// - Complexity: O(number of changes in the collection).
    package func rawChange(
        ofKey key: String, inCollection name: String
    ) -> (before: RawRecord?, after: RawRecord?)? {
        guard let changes = contents.batch.changes(inCollection: name),
            let entry = changes.entries.first(where: { $0.key == key })
        else { return nil }
        return (entry.before.map { changes.binding.raw($0) }, entry.after.map { changes.binding.raw($0) })
    }

    /// Whether everything in all collections was removed at once.
    package var didRemoveEverything: Bool { contents.batch.clearedAll }

    /// The attached value as one CBOR item; `nil` if none was attached, and in it `nil` if the value has no encoding.
    package var encodedInfo: [UInt8]?? {
        switch contents.info {
        case nil: return nil
        case .encoded(let bytes)?, .value(_, let bytes?)?: return bytes
        case .value(let value, nil)?:
            guard let value = value as? any Encodable else { return .some(nil) }
            return .some(try? CBOREncoder().encode(value))
        }
    }
}

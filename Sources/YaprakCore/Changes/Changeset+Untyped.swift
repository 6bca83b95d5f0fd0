import YaprakCBOR

// What is asked of a changeset without its types.
extension Changeset {
    /// The collections that the commit changed, in the order in which they were first changed.
    package var changedCollections: [(name: String, isCleared: Bool, entries: ContiguousArray<ChangeEntry>)] {
        contents.batch.collections.map { ($0.binding.name, $0.clearedCount != nil, $0.entries.array) }
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

import YaprakCBOR
import YaprakModel

/// A value that stored values of its type are completed from; see ``CollectionConfiguration/prototype``.
struct Prototype<Value: Codable & Sendable>: Sendable {
    private let encoding: Result<[UInt8], any Error>

    init(_ value: Value) { encoding = Result { try sharedEncoder.encodePart(value) } }

    /// The prototype as one item.
    /// - Throws: `encodingFailed` with the collection.
    func item(in collection: String) throws -> [UInt8] {
        do { return try encoding.get() } catch {
            throw DatabaseError(
                .encodingFailed,
                "the prototype of \"\(collection)\" does not encode. Name a record that the collection could hold.",
                place: .init(collectionName: collection), cause: error)
        }
    }
}

/// What the records of a section were completed from, as items.
///
/// A checkpoint has records as a program wrote them, the log as they were written first. What one has more is no
/// difference if it is what the prototype has.
package struct SectionPrototypes: Sendable {
    var object: [UInt8]?
    var metadata: [UInt8]?

    /// Whether `written` is `read` with nothing but keys of the prototypes added.
    func isCompletion(_ written: RawRecord, of read: RawRecord) -> Bool {
        Self.isCompletion(written.object, of: read.object, from: object)
            && Self.isCompletion(written.metadata, of: read.metadata, from: metadata)
    }

    private static func isCompletion(
        _ written: ArraySlice<UInt8>?, of read: ArraySlice<UInt8>?, from prototype: [UInt8]?
    ) -> Bool {
        if written == read { return true }
        guard let written, let read, let prototype, let new = try? CBORValue(decoding: written),
            let old = try? CBORValue(decoding: read), let added = try? CBORValue(decoding: prototype)
        else { return false }
        return isCompletion(new, of: old, from: added)
    }

    private static func isCompletion(_ new: CBORValue, of old: CBORValue, from prototype: CBORValue?) -> Bool {
        if new == old { return true }
        switch (new, old) {
        case (.map(let new), .map(let old)):
            let known = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            let added = Dictionary(
                prototype?.map?.map { ($0.key, $0.value) } ?? [], uniquingKeysWith: { first, _ in first })
            return known.keys.allSatisfy { key in new.contains { $0.key == key } }
                && new.allSatisfy { pair in
                    guard let before = known[pair.key] else { return added[pair.key] == pair.value }
                    return isCompletion(pair.value, of: before, from: added[pair.key])
                }
        case (.array(let new), .array(let old)):
            return new.count == old.count
                && new.indices.allSatisfy { isCompletion(new[$0], of: old[$0], from: prototype?.array?.first) }
        default: return false
        }
    }
}

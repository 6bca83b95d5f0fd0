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
}

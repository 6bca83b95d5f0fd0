import YaprakCBOR
import YaprakModel

/// What the log can hold of one value.
enum StoredValue {
    /// Containers a value may nest: two for each level of records, and for the record itself. A reader follows
    /// `CBORItem.depthMax`, which leaves room for what a commit puts around each value.
    static let depthMax = 2 * (DatabaseLimits.recordLevelsMax + 1)
}

extension CBOREncoder {
    /// The bytes of something that stands in a commit beside its records.
    /// - Throws: what encoding throws; `encodingFailed` if it nests deeper than a reader of the log will follow.
    func encodePart(_ value: some Encodable) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try encode(value)
        } catch {
            throw DatabaseError(
                .encodingFailed, "a value of type \(type(of: value)) does not encode as CBOR", cause: error)
        }
        guard (try? CBORItem.length(of: bytes, maxDepth: StoredValue.depthMax)) != nil else {
            throw DatabaseError(
                .encodingFailed,
                "a value of type \(type(of: value)) nests deeper than \(StoredValue.depthMax) containers. Flatten it."
            )
        }
        return bytes
    }
}

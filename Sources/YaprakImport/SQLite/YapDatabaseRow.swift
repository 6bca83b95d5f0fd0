#if SQLite
    public import Foundation

    /// A row of a YapDatabase: a key in a collection, and what the program's serializers made of its object and its metadata.
    public struct YapDatabaseRow: Sendable, Hashable {
        /// The number that SQLite gave it.
        public let rowID: Int64
        /// The collection; empty for objects that were stored with none (`nil`).
        public let collection: String
        /// The key.
        public let key: String
        /// The object as its serializer wrote it; empty if the serializer failed.
        public let object: Data
        /// The metadata as their serializer wrote them, if the row has any.
        public let metadata: Data?

        /// The object as a type that `PropertyListEncoder` encoded, which is what `registerCodableSerialization` does.
        ///
        ///     try row.decodedObject(Book.self)
        ///
        /// Only binary property lists are read, which is what it writes; one in XML is refused. Safe to use on bytes from
        /// anywhere: so is a list that holds itself, nests deeper or is larger than a record may be.
        /// - Throws: `DecodingError`. - Complexity: O(bytes) for a list that holds each object once.
        public func decodedObject<Object: Decodable>(_ type: Object.Type) throws -> Object {
            try BinaryPropertyList.decoded(type, from: object)
        }

        /// The metadata as a type that `PropertyListEncoder` encoded; `nil` if the row has none. As ``decodedObject(_:)``.
        /// - Throws: `DecodingError`. - Complexity: as that.
        public func decodedMetadata<Metadata: Decodable>(_ type: Metadata.Type) throws -> Metadata? {
            guard let metadata, !metadata.isEmpty else { return nil }
            return try BinaryPropertyList.decoded(type, from: metadata)
        }
    }
#endif

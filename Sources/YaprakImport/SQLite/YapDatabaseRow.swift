#if SQLite
    public import Foundation

    /// A row of a YapDatabase: a key in a collection, and what the program's serializers made of its object and its metadata.
    public struct YapDatabaseRow: Sendable, Hashable {
        /// The number that SQLite gave it.
        public let rowID: Int64
        /// The name of the collection; empty for objects that were stored with none (`nil`). Of a name that is no UTF-8 each
        /// byte that is not ASCII is `%` with its number, and so is `%`.
        public let collectionName: String
        /// The key; one that is no UTF-8 as such a collection.
        public let key: String
        /// The object as its serializer wrote it; empty if the serializer failed.
        public let object: Data
        /// The metadata as their serializer wrote them, if the row has any.
        public let metadata: Data?
        /// The name of the collection with its bytes in the file.
        let storedCollectionName: YapDatabaseName
        /// The bytes of the key in the file, if they are no UTF-8.
        private let foreignKey: [UInt8]?

        init(rowID: Int64, collection: YapDatabaseName, key: YapDatabaseName, object: Data, metadata: Data?) {
            self.rowID = rowID
            (collectionName, storedCollectionName) = (collection.text, collection)
            (self.key, foreignKey) = (key.text, key.foreignBytes)
            self.object = object
            self.metadata = metadata
        }

        /// The bytes of the collection in the file, which tell it from all others.
        var collectionBytes: [UInt8] { storedCollectionName.bytes }
        /// Whether ``collectionName`` is another text than is in the file.
        var hasForeignCollection: Bool { storedCollectionName.foreignBytes != nil }
        /// Whether ``key`` is another text than is in the file.
        var hasForeignKey: Bool { foreignKey != nil }

        /// The object as a type that `PropertyListEncoder` encoded, which is what `registerCodableSerialization` does.
        ///
        ///     try row.decodedObject(Book.self)
        ///
        /// Only binary property lists are read, which is what it writes; one in XML is refused. Safe to use on bytes from
        /// anywhere: so is a list that holds itself, nests deeper or is larger than any record may be, or refers to the same
        /// objects again and again: to more than 2 million in all, or one for each byte if that is more.
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

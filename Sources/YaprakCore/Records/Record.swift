public import YaprakTrees

/// One record as a snapshot has it: key, object, metadata.
///
///     for record in database.snapshot[.books] { print(record.key, record.object.title) }
///
/// A reference to the stored value, O(1) to copy; it stays what it was when the record changes or goes.
public struct Record<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    @usableFromInline let record: TypedRecord<Object, Metadata>
    @usableFromInline let collection: CollectionName

    @inlinable init(_ record: TypedRecord<Object, Metadata>) {
        self.record = record
        collection = .none
    }

    /// The record in a box that is known to be of these types.
    @inlinable
    package init(box: RecordBox, in collection: CollectionName = .none) {
        record = unsafeDowncast(box, to: TypedRecord<Object, Metadata>.self)
        self.collection = collection
    }

    /// The box, without its types.
    package var storedBox: RecordBox { record }

    /// The key, in NFC. O(1).
    @inlinable public var key: String { record.key }
    /// The object. O(1).
    @inlinable public var object: Object { record.object }
    /// The metadata, if the record has any. O(1).
    @inlinable public var metadata: Metadata? { record.metadata }

    /// The name of the collection, for a row of a view; empty for records that are read from a collection, which the code
    /// that reads them names. O(1).
    public var collectionName: String { collection.text }

    /// Whether two records are the same stored value, so that nothing was written between. O(1); never compares contents.
    @inlinable
    public func isIdentical(to other: Self) -> Bool { record === other.record }
}

extension Record: Identifiable {
    /// The key, which no other record of the collection has. O(1).
    @inlinable public var id: String { key }
}

public import YaprakCore
import YaprakTrees

/// What rows of a view are read as: ``Record`` or ``MixedRecord``.
public protocol ViewRow: Sendable {
    /// The row of a record that a view holds. Called by views only.
    init(_ record: ViewRecord)
    /// The record's key, in NFC. O(1).
    var key: String { get }
    /// The name of the collection that the record is in. O(1).
    var collectionName: String { get }
}

/// A record as a view holds it, before it has a type. Made by views, read by rows.
public struct ViewRecord {
    @usableFromInline let placement: Placement
    @usableFromInline let collections: [CollectionName]

    @inlinable
    init(_ placement: Placement, _ collections: [CollectionName]) {
        self.placement = placement
        self.collections = collections
    }

    @inlinable var collection: CollectionName { collections[placement.collection] }
}

extension Record: ViewRow {
    /// The row of a record in a view of one collection. O(1).
    @inlinable
    public init(_ record: ViewRecord) {
        // The name first: a box that is read last need not be retained for it.
        let collection = record.collection
        self.init(box: record.placement.record, in: collection)
    }
}

/// A row of a view over several collections, of whatever types.
///
///     for row in snapshot[bond]["007"] {
///         if let movie = row.as(.movies) { print(movie.object.title) }
///         if let actor = row.as(.actors) { print(actor.object.name) }
///     }
public struct MixedRecord: ViewRow {
    package let record: RecordBox
    /// The name of the collection the record is in.
    public let collectionName: String

    /// The row of a record in a view. O(1).
    public init(_ record: ViewRecord) {
        self.record = record.placement.record
        collectionName = record.collection.text
    }

    init(_ record: RecordBox, collectionName: String) {
        self.record = record
        self.collectionName = collectionName
    }

    /// The key, in NFC. O(1).
    public var key: String { record.key }

    /// The row with its types, if it is a record of `collection`; `nil` if it is of another. O(1).
    ///
    /// - Precondition: the collection holds records of these types.
    public func `as`<Object, Metadata>(_ collection: RecordCollection<Object, Metadata>) -> Record<Object, Metadata>? {
        guard collection.name == collectionName else { return nil }
        precondition(
            TypedRecord<Object, Metadata>.isType(of: record),
            "collection \"\(collectionName)\" was used with \(Object.self) and \(Metadata.self): one name, one pair of types"
        )
        return Record(box: record)
    }
}

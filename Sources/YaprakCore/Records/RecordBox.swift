public import YaprakTrees

/// A record in a collection's tree, whatever its type.
///
/// Two stamps say when the object and when the metadata were last written. A touch makes a new box with both stamps
/// unchanged, so the difference of two snapshots knows *what* changed in a record, not only that something did.
@usableFromInline
package class RecordBox: KeyedRow, @unchecked Sendable {
    // Written once, before the box is shared; that is the whole of the @unchecked.
    @usableFromInline package final let objectStamp: UInt64
    @usableFromInline package final let metadataStamp: UInt64

    @usableFromInline
    init(key: String, objectStamp: UInt64, metadataStamp: UInt64) {
        self.objectStamp = objectStamp
        self.metadataStamp = metadataStamp
        super.init(key: key)
    }
}

/// A record with its values: what was written is what is read, without any decoding.
///
/// Most have no metadata, and no field for it: an optional of a generic type is destroyed by way of the runtime, which looks its
/// type up for each record that goes, also where it is `nil`.
@usableFromInline
package class TypedRecord<Object: Codable & Sendable, Metadata: Codable & Sendable>: RecordBox, @unchecked Sendable {
    @usableFromInline final let object: Object

    /// One without metadata.
    @inlinable
    init(key: String, object: Object, objectStamp: UInt64, metadataStamp: UInt64) {
        self.object = object
        super.init(key: key, objectStamp: objectStamp, metadataStamp: metadataStamp)
    }

    /// One with metadata if there is any.
    @inlinable
    package static func make(
        key: String, object: Object, metadata: Metadata?, objectStamp: UInt64, metadataStamp: UInt64
    ) -> TypedRecord {
        guard Metadata.self != NoMetadata.self, let metadata else {
            return TypedRecord(key: key, object: object, objectStamp: objectStamp, metadataStamp: metadataStamp)
        }
        return RecordWithMetadata(
            key: key, object: object, metadata: metadata, objectStamp: objectStamp, metadataStamp: metadataStamp)
    }

    /// Its metadata, if it has any.
    @inlinable
    final var metadata: Metadata? { Metadata.self == NoMetadata.self ? nil : ownMetadata() }

    @usableFromInline
    func ownMetadata() -> Metadata? { nil }

    /// Whether a record holds values of these types.
    package static func isType(of record: RecordBox) -> Bool {
        type(of: record) == Self.self || type(of: record) == RecordWithMetadata<Object, Metadata>.self
    }
}

/// A record that has metadata.
@usableFromInline
final class RecordWithMetadata<Object: Codable & Sendable, Metadata: Codable & Sendable>: TypedRecord<Object, Metadata>,
    @unchecked Sendable
{
    private let held: Metadata

    @usableFromInline
    init(key: String, object: Object, metadata: Metadata, objectStamp: UInt64, metadataStamp: UInt64) {
        held = metadata
        super.init(key: key, object: object, objectStamp: objectStamp, metadataStamp: metadataStamp)
    }

    override func ownMetadata() -> Metadata? { held }
}

extension TypedRecord {
    /// Where the object begins, counted from the address of the record: behind the two words of every object, and the fields
    /// of ``KeyedRow`` and ``RecordBox``. What reads one field of many objects, such as an index, reads it there.
    package static var objectOffset: Int { objectOffsetInRecord(Object.self) }

    /// What reads a property of such records: one that is stored in the object, where it stands. A key path is given a copy
    /// of the whole object, which counts a reference for each of its strings.
    package static func reading<Value>(
        _ path: any KeyPath<Object, Value> & Sendable
    ) -> @Sendable (RecordBox) -> Value {
        guard let offset = MemoryLayout<Object>.offset(of: path) else {
            return { Record<Object, Metadata>(box: $0).object[keyPath: path] }
        }
        let place = objectOffset + offset
        return { record in
            withExtendedLifetime(record) { (record.address + place).assumingMemoryBound(to: Value.self).pointee }
        }
    }
}

private func objectOffsetInRecord<Object: ~Copyable>(_ type: Object.Type) -> Int {
    let alignment = MemoryLayout<Object>.alignment
    return (64 + alignment - 1) / alignment * alignment
}

extension RecordBox {
    /// The bytes of the record, header and all. Valid while the record is.
    package var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Lends the object to a closure, where it lies: as what may not be copied, so that no code without its type copies it.
    ///
    /// - Precondition: the record is a ``TypedRecord`` of such objects.
    package final func lendObject<Object: ~Copyable, Result>(to body: (borrowing Object) -> Result) -> Result {
        let object = (address + objectOffsetInRecord(Object.self)).assumingMemoryBound(to: Object.self)
        return withExtendedLifetime(self) { body(object.pointee) }
    }
}

/// A record as it stands on disk: of a collection that no type was bound to, or set aside because it does not decode.
package final class RawRecord: RecordBox, @unchecked Sendable {
    /// The object: one CBOR item.
    package let object: ArraySlice<UInt8>
    /// The metadata: one CBOR item.
    package let metadata: ArraySlice<UInt8>?
    /// The version of the collection's form that the bytes have.
    package let version: Int
    /// Whether it was set aside: then it is no record of its collection, and counts nowhere. One of a collection without types
    /// is a record like any other.
    let isAside: Bool

    package convenience init(
        key: String, object: ArraySlice<UInt8>, metadata: ArraySlice<UInt8>?, version: Int,
        objectStamp: UInt64 = 0, metadataStamp: UInt64 = 0
    ) {
        self.init(
            key: key, object: object, metadata: metadata, version: version, objectStamp: objectStamp,
            metadataStamp: metadataStamp, isAside: false)
    }

    private init(
        key: String, object: ArraySlice<UInt8>, metadata: ArraySlice<UInt8>?, version: Int, objectStamp: UInt64,
        metadataStamp: UInt64, isAside: Bool
    ) {
        self.object = object
        self.metadata = metadata
        self.version = version
        self.isAside = isAside
        super.init(key: key, objectStamp: objectStamp, metadataStamp: metadataStamp)
    }

    /// The same bytes as what was set aside, in no tree yet.
    func setAside() -> RawRecord {
        RawRecord(
            key: key, object: object, metadata: metadata, version: version, objectStamp: 0, metadataStamp: 0,
            isAside: true)
    }
}

extension RecordBox? {
    /// Whether it is there, and was set aside.
    var isAside: Bool { (self as? RawRecord)?.isAside ?? false }
    /// Whether it is there and counts: it was not set aside.
    var isRecord: Bool { self != nil && !isAside }
}

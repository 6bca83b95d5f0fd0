import Synchronization
import YaprakCBOR
import YaprakModel
import YaprakTrees

/// What a collection's rows are: the types, and the way to disk and back. The non-generic interface to both.
@usableFromInline
package class CollectionBinding: @unchecked Sendable {
    // Subclasses hold only immutable Sendable state; that is the whole of the @unchecked.
    @usableFromInline package final let name: String
    @usableFromInline final let objectType: any Any.Type
    @usableFromInline final let metadataType: any Any.Type
    /// The version of the form in which rows are written.
    final let version: Int
    /// Whether records are looked at before they are written (``CollectionConfiguration/prepare(_:)``,
    /// ``CollectionConfiguration/skipEqualValues()``).
    @usableFromInline final let needsPreparing: Bool
    /// Whether it was bound with a configuration (``RecordCollection/configured(_:)``).
    final let isConfigured: Bool
    /// Whether the types of its records are known to have an end; see ``NestingBound``.
    private let isNestingBounded = Atomic(false)

    init(
        name: String, objectType: any Any.Type, metadataType: any Any.Type, version: Int, needsPreparing: Bool = false,
        isConfigured: Bool = false
    ) {
        self.name = name
        self.objectType = objectType
        self.metadataType = metadataType
        self.version = version
        self.needsPreparing = needsPreparing
        self.isConfigured = isConfigured
    }

    /// The same binding, in the place of one of the same types whose bytes are in the log.
    func following(_ former: CollectionBinding) -> CollectionBinding { self }

    /// Whether the collection is the engine's own and not shown among the names of collections.
    final var isHidden: Bool { name.utf8.first == 0 }

    /// Stops the program if the collection is used with other types than it has.
    @inlinable
    final func check(_ object: any Any.Type, _ metadata: any Any.Type) {
        if objectType != object || metadataType != metadata { refuse(object, metadata) }
    }

    @usableFromInline @inline(never)
    final func refuse(_ object: any Any.Type, _ metadata: any Any.Type) -> Never {
        if self is RawBinding {
            preconditionFailure(
                """
                collection "\(name)" came from disk and was not bound to a type: give it to \
                Database.open(at:collections:), or call database.bind(_:) before it is read
                """)
        }
        preconditionFailure(
            """
            collection "\(name)" holds records of type \(objectType) with metadata \(metadataType), \
            and was used with \(object) and \(metadata): one name, one pair of types
            """)
    }

    /// Writes the object of `record` as one CBOR item.
    func encodeObject(of record: RecordBox, to writer: CBORWriter) throws { fatalError("abstract") }
    /// Writes the metadata of `record` as one CBOR item; nothing, and false, if there is none.
    @discardableResult
    func encodeMetadata(of record: RecordBox, to writer: CBORWriter) throws -> Bool { fatalError("abstract") }
    /// The bytes of `record` as plain CBOR, whatever the coder.
    func plain(_ record: RecordBox) throws -> RawRecord { try RawRecord(encoding: record, of: self) }
    /// Whether the object or the metadata of `record` nests deeper than a file takes; see ``NestingBound``.
    func nestsTooDeep(_ record: RecordBox) -> Bool { false }
    /// Whether any record may nest too deep; false once it is known that none can.
    final var mayNestTooDeep: Bool { !isNestingBounded.load(ordering: .relaxed) }
    final func noteBoundedNesting() { isNestingBounded.store(true, ordering: .relaxed) }
    /// Whether `record` has metadata.
    func hasMetadata(_ record: RecordBox) -> Bool { fatalError("abstract") }
    /// The version of the form in which `record` is written.
    func version(of record: RecordBox) -> Int { version }
    /// Makes a typed row of a raw one. - Throws: what decoding or a migration throws.
    func decode(_ raw: RawRecord, into decoder: RecordDecoder) throws -> RecordBox { fatalError("abstract") }
    /// Makes a typed row of what the log says of a record, over the typed row that there is.
    /// - Throws: what decoding throws.
    func decode(
        _ row: PendingRecord, over old: RecordBox?, key: String, stamp: UInt64, into decoder: RecordDecoder
    ) throws -> RecordBox { fatalError("abstract") }
    /// A new row with the contents of `record`, for a tree it is not in yet.
    func copy(_ record: RecordBox, key: String, objectStamp: UInt64, metadataStamp: UInt64) -> RecordBox {
        fatalError("abstract")
    }
    /// What records are completed from.
    var prototypes: SectionPrototypes { SectionPrototypes() }
    /// Whether the program chose the coder.
    var hasOwnCoder: Bool { false }
    /// What is to happen to rows that don't decode.
    var undecodable: UndecodablePolicy { .refuse }
}

/// Per-thread state of decoding many rows; one for each worker.
package final class RecordDecoder {
    let cbor = CBORDecoder()
    package init() {}
}

/// A collection that no type was bound to: rows stay the bytes they are on disk.
package final class RawBinding: CollectionBinding, @unchecked Sendable {
    package init(name: String) {
        super.init(name: name, objectType: RawRecord.self, metadataType: RawRecord.self, version: 1)
    }

    override func encodeObject(of record: RecordBox, to writer: CBORWriter) throws {
        (record as! RawRecord).object.withUnsafeBytes { writer.write(encoded: $0) }
    }

    override func encodeMetadata(of record: RecordBox, to writer: CBORWriter) throws -> Bool {
        guard let metadata = (record as! RawRecord).metadata else { return false }
        metadata.withUnsafeBytes { writer.write(encoded: $0) }
        return true
    }

    override func nestsTooDeep(_ record: RecordBox) -> Bool {
        let raw = record as! RawRecord
        return raw.object.nestsTooDeep || raw.metadata?.nestsTooDeep ?? false
    }

    override func hasMetadata(_ record: RecordBox) -> Bool { (record as! RawRecord).metadata != nil }

    override func version(of record: RecordBox) -> Int { (record as! RawRecord).version }

    override func decode(_ raw: RawRecord, into decoder: RecordDecoder) throws -> RecordBox {
        copy(raw, key: raw.key, objectStamp: 0, metadataStamp: 0)
    }

    override func copy(_ record: RecordBox, key: String, objectStamp: UInt64, metadataStamp: UInt64) -> RecordBox {
        let raw = record as! RawRecord
        return RawRecord(
            key: key, object: raw.object, metadata: raw.metadata, version: raw.version, objectStamp: objectStamp,
            metadataStamp: metadataStamp)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var nestsTooDeep: Bool {
        (try? CBORItem.length(of: self, from: startIndex, maxDepth: StoredValue.depthMax)) == nil
    }
}

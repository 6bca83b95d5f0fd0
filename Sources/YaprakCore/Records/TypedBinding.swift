import YaprakCBOR
import YaprakModel
import YaprakTrees

/// A collection bound to its types.
@usableFromInline
final class TypedBinding<Object: Codable & Sendable, Metadata: Codable & Sendable>: CollectionBinding,
    @unchecked Sendable
{
    @usableFromInline typealias Box = TypedRecord<Object, Metadata>

    let configuration: CollectionConfiguration<Object, Metadata>
    private let collection: RecordCollection<Object, Metadata>
    private let isCBOR: Bool
    /// Coders of bytes that are older than the present coder, those that this process had bound included.
    private let earlierCoders: [any RecordCoder]
    private let objectPrototype: Prototype<Object>?
    private let metadataPrototype: Prototype<Metadata>?
    private let objectBound = NestingBound<Object>()
    private let metadataBound = NestingBound<Metadata>()

    /// - Parameter former: what the collection was bound to until now, in this process: its bytes are in the log.
    init(_ collection: RecordCollection<Object, Metadata>, after former: TypedBinding? = nil) {
        configuration = collection.configuration?.value ?? CollectionConfiguration()
        precondition(
            configuration.version >= 1,
            "versions of \"\(collection.name)\" are counted from 1, and it was bound as version \(configuration.version)"
        )
        isCBOR = configuration.coder is CBORRecordCoder
        objectPrototype = configuration.prototype.map { Prototype($0) }
        metadataPrototype = configuration.metadataPrototype.map { Prototype($0) }
        var earlier = configuration.earlierCoders
        for coder in former.map({ [$0.configuration.coder] + $0.earlierCoders }) ?? []
        where !earlier.contains(where: { $0.name == coder.name }) {
            earlier.append(coder)
        }
        earlierCoders = earlier
        self.collection = collection
        super.init(
            name: collection.name, objectType: Object.self, metadataType: Metadata.self,
            version: configuration.version,
            needsPreparing: configuration.prepare != nil || configuration.isEqual != nil,
            isConfigured: collection.configuration != nil)
    }

    override func following(_ former: CollectionBinding) -> CollectionBinding {
        TypedBinding(collection, after: former as? TypedBinding)
    }

    override var hasOwnCoder: Bool { !isCBOR }

    override var undecodable: UndecodablePolicy { configuration.undecodable }

    override func encodeObject(of record: RecordBox, to writer: CBORWriter) throws {
        try encode(unsafeDowncast(record, to: Box.self).object, to: writer)
    }

    override func encodeMetadata(of record: RecordBox, to writer: CBORWriter) throws -> Bool {
        guard let metadata = unsafeDowncast(record, to: Box.self).metadata else { return false }
        try encode(metadata, to: writer)
        return true
    }

    override func plain(_ record: RecordBox) throws -> RawRecord {
        let box = unsafeDowncast(record, to: Box.self)
        let metadata = try box.metadata.map { try plainItem($0) }
        return RawRecord(key: box.key, object: try plainItem(box.object), metadata: metadata, version: version)
    }

    private func plainItem<Value: Encodable>(_ value: Value) throws -> ArraySlice<UInt8> {
        let writer = CBORWriter(capacity: 128)
        try comparingEncoder.encode(value, to: writer)
        ForeignItem.wrapIfAmbiguous(from: 0, in: writer)
        return writer.bytes[...]
    }

    override func hasMetadata(_ record: RecordBox) -> Bool {
        unsafeDowncast(record, to: Box.self).metadata != nil
    }

    private func encode<Value: Encodable>(_ value: Value, to writer: CBORWriter) throws {
        if isCBOR {
            let start = writer.count
            try sharedEncoder.encode(value, to: writer, depthMax: StoredValue.depthMax)
            ForeignItem.wrapIfAmbiguous(from: start, in: writer)
        } else {
            ForeignItem.write(try configuration.coder.encode(value), coder: configuration.coder.name, to: writer)
        }
    }

    /// Other coders have limits of their own: their bytes are no containers.
    override func nestsTooDeep(_ record: RecordBox) -> Bool {
        guard isCBOR else {
            noteBoundedNesting()
            return false
        }
        let box = unsafeDowncast(record, to: Box.self)
        if objectBound.isExceeded(by: box.object) || box.metadata.map({ metadataBound.isExceeded(by: $0) }) ?? false {
            return true
        }
        if objectBound.isKnown, metadataBound.isKnown || Metadata.self == NoMetadata.self { noteBoundedNesting() }
        return false
    }

    override func copy(_ record: RecordBox, key: String, objectStamp: UInt64, metadataStamp: UInt64) -> RecordBox {
        let box = unsafeDowncast(record, to: Box.self)
        return Box.make(
            key: key, object: box.object, metadata: box.metadata, objectStamp: objectStamp,
            metadataStamp: metadataStamp)
    }

    // MARK: From disk

    override func decode(_ raw: RawRecord, into decoder: RecordDecoder) throws -> RecordBox {
        let record =
            if raw.version == version {
                try (
                    object: decode(raw.object, decoder, objectPrototype),
                    metadata: raw.metadata.map { try decode($0, decoder, metadataPrototype) }
                )
            } else {
                try migrated(raw, decoder)
            }
        return Box.make(
            key: raw.key, object: record.object, metadata: record.metadata, objectStamp: raw.objectStamp,
            metadataStamp: raw.metadataStamp)
    }

    override func decode(
        _ row: PendingRecord, over old: RecordBox?, key: String, stamp: UInt64, into decoder: RecordDecoder
    ) throws -> RecordBox {
        let kept = row.isNew ? nil : old.map { unsafeDowncast($0, to: Box.self) }
        guard let object = try row.object.map({ try decode($0, decoder, objectPrototype) }) ?? kept?.object else {
            preconditionFailure("a record has an object")
        }
        let metadata =
            row.setsMetadata ? try row.metadata.map { try decode($0, decoder, metadataPrototype) } : kept?.metadata
        return Box.make(
            key: old?.key ?? key, object: object, metadata: metadata, objectStamp: row.objectStamp(over: old, stamp),
            metadataStamp: row.metadataStamp(over: old, stamp))
    }

    private func migrated(_ raw: RawRecord, _ decoder: RecordDecoder) throws -> (object: Object, metadata: Metadata?) {
        var at = raw.version
        guard at < version else {
            throw DatabaseError(
                .migrationFailed,
                """
                a record of "\(name)" has version \(at), newer than version \(version) of this program. Open it with \
                the newer program.
                """,
                place: .init(collectionName: name, key: raw.key))
        }
        var record = UntypedRecord(
            key: raw.key, object: try decode(raw.object, decoder, nil),
            metadata: try raw.metadata.map { try decode($0, decoder, nil) })
        let object = foreignPart(raw.object, record.object)
        // Metadata that a step adds is made of what the step sees: of the object.
        let metadata =
            if let item = raw.metadata, let value = record.metadata { foreignPart(item, value) } else { object }
        while at < version {
            guard let migration = configuration.migrations[at], migration.to <= version else {
                throw DatabaseError(
                    .migrationFailed,
                    """
                    no migration leads "\(name)" from version \(at) to \(version). Add migrate(from: \(at), to: …) \
                    where it is bound.
                    """,
                    place: .init(collectionName: name, key: raw.key))
            }
            try migration.step(&record)
            at = migration.to
        }
        return (
            object: try typed(record.object, from: object, raw.key, decoder, objectPrototype),
            metadata: try record.metadata.map { try typed($0, from: metadata, raw.key, decoder, metadataPrototype) }
        )
    }

    /// What a migration begins with, if its form is that of another coder than the built-in one for CBOR.
    private func foreignPart(_ item: ArraySlice<UInt8>, _ value: CBORValue) -> ForeignPart? {
        guard let name = item.withUnsafeBytes({ ForeignItem.read($0)?.coder }), let known = coder(named: name),
            !(known is CBORRecordCoder)
        else { return nil }
        return ForeignPart(coder: known, item: item, value: value)
    }

    /// The value of a part as migrations left it.
    ///
    /// It has the forms of the coder that wrote it: bytes are texts in JSON, and dates what the coder makes of them. So that
    /// coder reads it again.
    private func typed<Value: Decodable>(
        _ value: CBORValue, from part: ForeignPart?, _ key: String, _ decoder: RecordDecoder,
        _ prototype: Prototype<Value>?
    ) throws -> Value {
        guard let part else {
            return try CBOREncoder().encode(value).withUnsafeBytes { try decodeCBOR($0, decoder, prototype) }
        }
        // What is as it was is read where it was: its numbers may have more digits there than those of a `CBORValue`.
        if value == part.value { return try decode(part.item, decoder, nil) }
        let bytes: [UInt8]
        do { bytes = try part.coder.encode(value) } catch {
            throw DatabaseError(
                .migrationFailed,
                """
                the coder \(part.coder.name.debugDescription) wrote a record of "\(name)" and does not encode what a \
                migration made of it. A coder whose records are migrated has to encode CBORValue, and the migration has \
                to make what it encodes.
                """,
                place: .init(collectionName: name, key: key), cause: error)
        }
        return try bytes.withUnsafeBytes { try part.coder.decode(Value.self, from: $0) }
    }

    /// Bytes name their coder, so a collection may change from one that is known here to any other.
    private func decode<Value: Decodable>(
        _ item: ArraySlice<UInt8>, _ decoder: RecordDecoder, _ prototype: Prototype<Value>?
    ) throws -> Value {
        try item.withUnsafeBytes { bytes in
            guard let foreign = ForeignItem.read(bytes) else { return try decodeCBOR(bytes, decoder, prototype) }
            guard let known = coder(named: foreign.coder) else {
                let coders = [configuration.coder] + earlierCoders
                throw DatabaseError(
                    .undecodableRecord,
                    """
                    a record was written by the coder \(foreign.coder.debugDescription), and "\(name)" is bound with \
                    \(coders.map(\.name.debugDescription).joined(separator: ", ")). Name the former coder among \
                    CollectionConfiguration.earlierCoders.
                    """,
                    place: .init(collectionName: name))
            }
            return try known.decode(Value.self, from: foreign.bytes)
        }
    }

    /// The coder of that name: those that are bound come before the built-in ones, whose names a program may have taken.
    private func coder(named name: String) -> (any RecordCoder)? {
        // What the built-in CBOR coder makes is rarely named: a coder of the program that has its name comes first.
        if !isCBOR, configuration.coder.name == name { return configuration.coder }
        return earlierCoders.first { $0.name == name } ?? ForeignItem.builtInCoders.first { $0.name == name }
    }

    private func decodeCBOR<Value: Decodable>(
        _ bytes: UnsafeRawBufferPointer, _ decoder: RecordDecoder, _ prototype: Prototype<Value>?
    ) throws -> Value {
        guard let prototype else { return try decoder.cbor.decode(Value.self, from: bytes) }
        return try decoder.cbor.decode(Value.self, from: bytes, filling: try prototype.item(in: name))
    }

    override var prototypes: SectionPrototypes {
        // Bytes of another coder are not completed, and a coder that encrypts has nothing of a record in clear.
        guard isCBOR else { return SectionPrototypes() }
        return SectionPrototypes(
            object: try? objectPrototype?.item(in: name), metadata: try? metadataPrototype?.item(in: name))
    }
}

/// An object or metadata before its migration, as a coder of the program or the one for JSON wrote it.
private struct ForeignPart {
    let coder: any RecordCoder
    let item: ArraySlice<UInt8>
    let value: CBORValue
}

/// Bytes of another coder inside of CBOR: tag 27, "serialised language-independent object with type name", around the
/// coder's name and the bytes. Registered with IANA; specified at http://cbor.schmorp.de/generic-object.
///
/// A record may be such an item itself. Then its own bytes are wrapped, as those of the coder "cbor".
package enum ForeignItem {
    private static let tag: UInt64 = 27

    /// The coders that need not be bound.
    static let builtInCoders: [any RecordCoder] = [CBORRecordCoder.shared, JSONRecordCoder()]

    static func write(_ bytes: [UInt8], coder: String, to writer: CBORWriter) {
        writer.write(tag: tag)
        writer.writeArrayHead(count: 2)
        writer.write(text: coder)
        writer.write(bytes: bytes)
    }

    /// Wraps the item that was written from `start` on if it would be read as bytes of another coder.
    static func wrapIfAmbiguous(from start: Int, in writer: CBORWriter) {
        // Few records begin with a tag.
        guard writer[start] == 0xd8 else { return }
        let isForeign = writer.withBytes { read(UnsafeRawBufferPointer(rebasing: $0[start...])) != nil }
        if isForeign { wrap(from: start, in: writer) }
    }

    /// Wraps the item that was written from `start` on.
    static func wrap(from start: Int, in writer: CBORWriter) {
        let bytes = writer.withBytes { [UInt8]($0[start...]) }
        writer.truncate(to: start)
        write(bytes, coder: CBORRecordCoder.shared.name, to: writer)
    }

    /// The item that was wrapped, or else the item itself. Bytes point into `item`.
    package static func unwrapped(_ item: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let foreign = read(item), foreign.coder == CBORRecordCoder.shared.name else { return item }
        return foreign.bytes
    }

    /// The coder and the bytes, or `nil` if the item is no such thing. Bytes point into `item`.
    package static func read(_ item: UnsafeRawBufferPointer) -> (coder: String, bytes: UnsafeRawBufferPointer)? {
        // 0xd8 0x1b is the head of tag 27 in its shortest form, the only one that we write.
        guard item.count > 3, item[0] == 0xd8, item[1] == 0x1b, item[2] == 0x82 else { return nil }
        var reader = CBORReader(item, at: 3)
        guard let coder = try? reader.readText(), let bytes = try? reader.readBytesInPlace(), reader.isAtEnd else {
            return nil
        }
        return (coder, bytes)
    }
}

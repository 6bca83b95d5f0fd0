import YaprakCBOR
import YaprakModel
import YaprakTrees

/// One record as a checkpoint has it.
package enum RecordItem {
    /// The byte of the item `undefined`.
    private static let undefined: UInt8 = 0xf7

    /// Whether an item is `27(["cbor", h'f7'])`.
    private static func isWrappedUndefined(_ item: ArraySlice<UInt8>) -> Bool {
        item.withUnsafeBytes { item in
            guard let foreign = ForeignItem.read(item) else { return false }
            return foreign.coder == CBORRecordCoder.shared.name && foreign.bytes.elementsEqual([undefined])
        }
    }

    /// Appends the item of a record; `version` is the one that the section names.
    static func write(
        _ box: RecordBox, of binding: CollectionBinding, sectionVersion: Int, to writer: CBORWriter
    ) throws {
        let version = binding.version(of: box)
        let hasMetadata = binding.hasMetadata(box)
        let isOther = version != sectionVersion
        writer.writeArrayHead(count: 2 + (hasMetadata || isOther ? 1 : 0) + (isOther ? 1 : 0))
        writer.write(text: box.key)
        try binding.encodeObject(of: box, to: writer)
        if hasMetadata {
            let start = writer.count
            try binding.encodeMetadata(of: box, to: writer)
            // Before a version, `undefined` says that there is none.
            if isOther, writer.count == start + 1, writer[start] == undefined {
                ForeignItem.wrap(from: start, in: writer)
            }
        } else if isOther {
            writer.writeUndefined()
        }
        if isOther { writer.write(integer: Int64(version)) }
    }

    /// Reads the item at the reader's place. Object and metadata are parts of `chunk`, which the reader reads.
    ///
    /// - Parameter keys: those before it in the section.
    static func read(
        _ reader: inout CBORReader, in chunk: ArraySlice<UInt8>, sectionVersion: Int, after keys: inout AscendingKeys
    ) throws -> RawRecord {
        guard let parts = try reader.readArrayHead(), (2...4).contains(parts) else {
            throw malformedSection("a record")
        }
        let key = try reader.readText()
        guard key.utf8.count <= DatabaseLimits.storedKeyBytesMax else { throw malformedSection("a key") }
        try keys.add(key)
        let object = try slice(&reader, chunk)
        var metadata = parts > 2 ? try slice(&reader, chunk) : nil
        if parts > 3, let bytes = metadata {
            if bytes.count == 1, bytes.first == undefined { metadata = nil }
            // As it was before it was wrapped.
            if isWrappedUndefined(bytes) { metadata = bytes.suffix(1) }
        }
        let version = parts > 3 ? Int(try reader.readInteger(as: Int64.self)) : sectionVersion
        return RawRecord(key: RecordKey.normalized(key), object: object, metadata: metadata, version: version)
    }

    private static func slice(_ reader: inout CBORReader, _ chunk: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        let start = reader.position
        try reader.skip()
        return chunk[(chunk.startIndex + start)..<(chunk.startIndex + reader.position)]
    }
}

func malformedSection(_ what: String) -> DatabaseError {
    DatabaseError(
        .corruptCheckpoint, "\(what) of a checkpoint is not in the form of this version. Run `yaprak verify`.")
}

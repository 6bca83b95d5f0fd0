import YaprakCBOR
import YaprakModel
import YaprakTrees

/// What the sections of a checkpoint are. The numbers stand in files.
///
/// | kind | name | items |
/// | --- | --- | --- |
/// | 1 records | collection | [key, object], [key, object, metadata], [key, object, metadata or undefined, version] |
/// | 2 set aside | collection | the same; records that did not decode when they were last bound |
/// | 3 derived root | extension | byte strings: the encoded root, in pieces |
/// | 4 primary root | extension | the same |
/// | 5 primary steps | extension | steps that were logged while the extension was not registered |
///
/// The info of a section is a CBOR map: `"v"` the version of a collection's records, `"t"` the version tag of an
/// extension.
package enum SectionKind: UInt16 {
    case records = 1
    case setAside = 2
    case derivedRoot = 3
    case primaryRoot = 4
    case primarySteps = 5
}

/// The info of a section.
package struct SectionInfo {
    package var version = 1
    package var tag = ""

    init(version: Int = 1, tag: String = "") {
        self.version = version
        self.tag = tag
    }

    /// Reads the info; what is missing has its default, what is unknown is skipped.
    package init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { bytes in
            var info = SectionInfo()
            if bytes.isEmpty { return info }
            var reader = CBORReader(bytes)
            for _ in 0..<(try reader.readMapHead() ?? 0) {
                switch try reader.readText() {
                case "t": info.tag = try reader.readText()
                case "v": info.version = Int(try reader.readInteger(as: Int64.self))
                default: try reader.skip()
                }
            }
            return info
        }
    }

    var bytes: [UInt8] {
        let writer = CBORWriter(capacity: 32)
        writer.writeMapHead(count: 2)
        writer.write(text: "t")
        writer.write(text: tag)
        writer.write(text: "v")
        writer.write(integer: Int64(version))
        return writer.bytes
    }
}

/// One record as a checkpoint has it.
package enum RecordItem {
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
        if hasMetadata { try binding.encodeMetadata(of: box, to: writer) } else if isOther { writer.writeUndefined() }
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
        guard key.utf8.count <= Limits.storedKeyBytesMax else { throw malformedSection("a key") }
        try keys.add(key)
        let object = try slice(&reader, chunk)
        var metadata = parts > 2 ? try slice(&reader, chunk) : nil
        if let bytes = metadata, bytes.count == 1, bytes.first == 0xf7 { metadata = nil }
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

internal import YaprakModel

/// The bytes of a file header before verification.
struct UnprovenFileHeader {
    let bytes: [UInt8]
}

// All parsing checks the checksum first, then the limits, then the bounds, and only then uses a field.
extension UnprovenFileHeader {
    /// The header, if all checks pass.
    func prove(as kind: FileKind) throws(HeaderDamage) -> FileHeader {
        typealias Field = Layout.FileField
        guard bytes.count >= Layout.fileHeaderBytes else { throw .tooShort }
        guard Array(bytes[0..<8]) == kind.magic else { throw .foreign }
        let sum = bytes.withUnsafeBytes {
            XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[..<Field.sum]), seed: 0)
        }
        guard sum == bytes.number(at: Field.sum) as UInt64 else { throw .sum }
        let major: UInt16 = bytes.number(at: Field.major)
        let incompatible: UInt64 = bytes.number(at: Field.incompatible)
        let readOnly: UInt64 = bytes.number(at: Field.readOnlyCompatible)
        let creator = creatorText
        guard major == Layout.major else {
            throw .newer("the file has format \(major), written by \(creator); this version knows \(Layout.major)")
        }
        let unknown = incompatible & ~Features.knownIncompatible | readOnly
        guard unknown == 0 else {
            throw .newer("the file was written by \(creator) and needs features \(hexadecimal(unknown))")
        }
        guard bytes[Field.checksum] == Layout.checksumXXH64, bytes[Field.cipher] == 0,
            bytes[Field.codecs] & ~Layout.codecBitLZ4 == 0
        else { throw .newer("the file was written by \(creator) and needs a checksum, codec or cipher of its own") }
        let maxStored: UInt32 = bytes.number(at: Field.maxStored)
        let maxRaw: UInt32 = bytes.number(at: Field.maxRaw)
        guard (bytes.number(at: Field.headerLength) as UInt32) == UInt32(Layout.fileHeaderBytes),
            maxStored <= FormatLimits.frameStoredMax, maxRaw <= FormatLimits.frameRawMax, bytes[Field.padShift] <= 16
        else { throw .content("the header of the file states sizes over the limits") }
        let first: UInt64 = bytes.number(at: Field.first)
        guard first <= FormatLimits.commitNumberMax, kind == .checkpoint || first > 0 else {
            throw .content("the file starts with commit \(first)")
        }
        let ancestors = try readAncestors(incompatible)
        return FileHeader(
            kind: kind, incompatible: incompatible, readOnlyCompatible: readOnly,
            compatible: bytes.number(at: Field.compatible),
            databaseID: DatabaseID(
                high: bytes.number(at: Field.databaseHigh), low: bytes.number(at: Field.databaseLow)),
            epoch: bytes.number(at: Field.epoch), first: first,
            previousFirst: bytes.number(at: Field.previousFirst), previousEpoch: bytes.number(at: Field.previousEpoch),
            previousEnd: bytes.number(at: Field.previousEnd), previousChain: bytes.number(at: Field.previousChain),
            attested: bytes.number(at: Field.attested), salt: bytes.number(at: Field.salt),
            padShift: bytes[Field.padShift], maxStored: maxStored, maxRaw: maxRaw,
            createdNs: Int64(bitPattern: bytes.number(at: Field.createdNs)), creator: creator, ancestors: ancestors)
    }

    private func readAncestors(_ incompatible: UInt64) throws(HeaderDamage) -> [Lineage.Ancestor] {
        guard incompatible & Features.forked != 0 else { return [] }
        typealias Field = Layout.FileField
        let count: UInt32 = bytes.number(at: Field.ancestorCount)
        guard (1...UInt32(FormatLimits.ancestorsMax)).contains(count) else {
            throw .content("the header of the file names \(count) ancestors")
        }
        var ancestors: [Lineage.Ancestor] = []
        for at in stride(
            from: Field.ancestors, to: Field.ancestors + Int(count) * Layout.ancestorBytes, by: Layout.ancestorBytes)
        {
            ancestors.append(
                .init(
                    id: DatabaseID(high: bytes.number(at: at), low: bytes.number(at: at + 8)),
                    through: bytes.number(at: at + 16)))
        }
        return ancestors
    }

    /// Printable characters only, because the text appears in messages and on terminals.
    private var creatorText: String {
        let field = bytes[Layout.FileField.creator..<Layout.FileField.creator + Layout.creatorBytes]
        return String(decoding: field.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}

/// Why bytes are not a valid file header.
enum HeaderDamage: Error, Sendable, Equatable {
    case tooShort
    case foreign
    case sum
    case newer(String)
    case content(String)

    /// A clause for a message.
    var sentence: String {
        switch self {
        case .tooShort: "the file is shorter than its header"
        case .foreign: "the file does not start as a file of this kind"
        case .sum: "the header of the file does not verify"
        case .newer(let what): what
        case .content(let what): what
        }
    }
}

internal import YaprakModel

/// Reads what `Encoding.swift` wrote. Order everywhere: sum, limits, bounds; only then is a field believed.

extension UnprovenFileHeader {
    /// The header, if everything about it holds.
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

    /// Printable characters only: the text ends in messages and terminals.
    private var creatorText: String {
        let field = bytes[Layout.FileField.creator..<Layout.FileField.creator + Layout.creatorBytes]
        return String(decoding: field.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}

extension UnprovenFrameHeader {
    /// Whether the sum of these 64 bytes is right for this file and offset.
    func verifies(salt: UInt64, offset: UInt64) -> Bool {
        typealias Field = Layout.FrameField
        guard bytes.count >= Layout.frameHeaderBytes,
            (bytes.number(at: Field.magic) as UInt32) == Layout.frameMagic
        else { return false }
        let sum = XXH64.hash(
            UnsafeRawBufferPointer(rebasing: bytes[..<Field.headerSum]),
            seed: Sums.headerSeed(salt: salt, offset: offset))
        return sum == bytes.number(at: Field.headerSum) as UInt64
    }

    /// The highest commit the frame says was durable, if its sum is right.
    func provenDurable(salt: UInt64, offset: UInt64) -> UInt64? {
        verifies(salt: salt, offset: offset) ? bytes.number(at: Layout.FrameField.durable) : nil
    }

    /// The header, if everything about it holds and the frame fits before `end`.
    func prove(in file: FileHeader, at offset: UInt64, end: UInt64) -> Result<FrameHeader, FrameDamageError> {
        typealias Field = Layout.FrameField
        guard verifies(salt: file.salt, offset: offset) else { return .failure(.init(isBlank ? .blank : .header)) }
        let type = bytes[Field.type]
        let flags: UInt16 = bytes.number(at: Field.flags)
        let stored: UInt32 = bytes.number(at: Field.storedLength)
        let raw: UInt32 = bytes.number(at: Field.rawLength)
        let pad: UInt32 = bytes.number(at: Field.pad)
        if FrameType(rawValue: type) == nil, type < FrameType.firstSkippable {
            return .failure(.init(.newer("a frame of the unknown type \(type) needs a newer version")))
        }
        guard let codec = Codec(rawValue: bytes[Field.codec]) else {
            return .failure(.init(.newer("a frame of the unknown codec \(bytes[Field.codec]) needs a newer version")))
        }
        guard flags & ~FrameFlags.known == 0 else {
            return .failure(.init(.newer("a frame with the unknown flags \(flags) needs a newer version")))
        }
        guard stored <= file.maxStored, raw <= file.maxRaw, pad <= FormatLimits.padMax,
            Int(raw) <= FormatLimits.expansionMax * Int(stored) + FormatLimits.expansionSlack,
            codec == .lz4 || stored == raw,
            end >= offset, UInt64(Layout.frameHeaderBytes) + UInt64(stored) + UInt64(pad) <= end - offset
        else { return .failure(.init(.bounds)) }
        return .success(
            FrameHeader(
                type: type, codec: codec, flags: flags, storedLength: Int(stored), rawLength: Int(raw),
                first: bytes.number(at: Field.first), count: bytes.number(at: Field.count), pad: Int(pad),
                durable: bytes.number(at: Field.durable), previousChain: bytes.number(at: Field.previousChain),
                payloadSum: bytes.number(at: Field.payloadSum), headerSum: bytes.number(at: Field.headerSum)))
    }

    private var isBlank: Bool {
        for at in stride(from: 0, to: Layout.frameHeaderBytes, by: 8) where bytes.number(at: at) as UInt64 != 0 {
            return false
        }
        return true
    }
}

/// Carries a `FrameDamage` through `Result`.
struct FrameDamageError: Error {
    let damage: FrameDamage
    init(_ damage: FrameDamage) { self.damage = damage }
}

extension FrameHeader {
    /// Whether these stored bytes are the frame's payload.
    func proves(_ stored: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64) -> Bool {
        stored.count == storedLength
            && XXH64.hash(stored, seed: Sums.payloadSeed(salt: salt, first: first, offset: offset)) == payloadSum
    }

    /// The uncompressed payload; nil if it does not decompress to exactly what the header says.
    func decompressed(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
        guard codec == .lz4 else { return [UInt8](stored) }
        var isWhole = false
        let raw = [UInt8](unsafeUninitializedCapacity: rawLength) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: rawLength)
            isWhole = LZ4Block.decompress(stored, into: target)
            count = isWhole ? rawLength : 0
        }
        return isWhole ? raw : nil
    }
}

extension [UInt8] {
    /// The little-endian number at `offset`, which the caller has checked to be inside.
    func number<T: FixedWidthInteger>(at offset: Int) -> T { withUnsafeBytes { $0.number(at: offset) } }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset`; stops the program if that is outside.
    func number<T: FixedWidthInteger>(at offset: Int) -> T {
        precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size, "numbers are read inside their buffer")
        return T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

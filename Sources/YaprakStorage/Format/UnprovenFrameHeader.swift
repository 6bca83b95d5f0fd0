/// The bytes of a frame header before verification.
struct UnprovenFrameHeader {
    let bytes: UnsafeRawBufferPointer
}

extension UnprovenFrameHeader {
    /// Whether the checksum of these 64 bytes is right for this file and offset.
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

    /// The highest commit that the frame calls durable, if its checksum is right.
    func provenDurable(salt: UInt64, offset: UInt64) -> UInt64? {
        verifies(salt: salt, offset: offset) ? bytes.number(at: Layout.FrameField.durable) : nil
    }

    /// The header, if all checks pass and the frame ends before `end`.
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

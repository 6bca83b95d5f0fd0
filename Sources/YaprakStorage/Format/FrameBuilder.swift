/// Builds consecutive frames as they will be stored in a file from `base` on.
struct FrameBuilder {
    /// The seed of the checksums.
    let salt: UInt64
    /// The offset in the file of the first byte of `bytes`.
    private(set) var base: UInt64
    /// The header checksum of the previous frame.
    private(set) var chain: UInt64
    /// The frames.
    private(set) var bytes: [UInt8] = []
    private(set) var frames = 0

    init(salt: UInt64, base: UInt64, chain: UInt64) {
        self.salt = salt
        self.base = base
        self.chain = chain
    }

    /// Where the next frame starts in the file.
    var end: UInt64 { base + UInt64(bytes.count) }

    /// Adds a frame, compressed if `gate` allows it and it saves space, padded to end on a multiple of `alignment`.
    mutating func add(
        _ type: FrameType, _ payload: UnsafeRawBufferPointer, flags: UInt16 = 0, first: UInt64, count: UInt32 = 0,
        durable: UInt64, alignment: Int = Layout.alignment, gate: inout CompressionGate
    ) {
        let start = reserveHeader()
        var codec = Codec.raw
        if payload.count >= LZ4Block.inputBytesMin, gate.opens() {
            let stored = LZ4Block.append(payload, to: &bytes)
            gate.note(success: stored != nil)
            if stored != nil { codec = .lz4 }
        }
        if codec == .raw { bytes.append(contentsOf: payload) }
        seal(
            FrameHeader(
                type: type.rawValue, codec: codec, flags: flags, rawLength: payload.count, first: first, count: count,
                durable: durable, previousChain: chain),
            at: start, alignment: alignment)
    }

    /// Adds a frame whose payload is stored as it is.
    mutating func addRaw(
        _ type: FrameType, _ payload: [UInt8] = [], first: UInt64, durable: UInt64, alignment: Int = Layout.alignment
    ) {
        let start = reserveHeader()
        bytes.append(contentsOf: payload)
        seal(
            FrameHeader(
                type: type.rawValue, rawLength: payload.count, first: first, durable: durable, previousChain: chain),
            at: start, alignment: alignment)
    }

    /// Adds a copy of a frame of another file; its payload stays as stored.
    mutating func addCopy(
        of header: FrameHeader, stored: UnsafeRawBufferPointer, durable: UInt64, alignment: Int
    ) {
        let start = reserveHeader()
        bytes.append(contentsOf: stored)
        var copy = header
        copy.durable = durable
        copy.previousChain = chain
        seal(copy, at: start, alignment: alignment)
    }

    /// Drops the frames so far, which are in the file now.
    mutating func advance() {
        base += UInt64(bytes.count)
        bytes.removeAll(keepingCapacity: bytes.count <= 4 << 20)
    }

    private mutating func reserveHeader() -> Int {
        let start = bytes.count
        bytes.append(contentsOf: [UInt8](repeating: 0, count: Layout.frameHeaderBytes))
        return start
    }

    private mutating func seal(_ unsealed: FrameHeader, at start: Int, alignment: Int) {
        typealias Field = Layout.FrameField
        var header = unsealed
        header.storedLength = bytes.count - start - Layout.frameHeaderBytes
        let offset = base + UInt64(start)
        let unpaddedEnd = offset + UInt64(Layout.frameHeaderBytes + header.storedLength)
        let over = Int(unpaddedEnd % UInt64(alignment))
        header.pad = over == 0 ? 0 : alignment - over
        header.payloadSum = bytes.withUnsafeBytes {
            XXH64.hash(
                UnsafeRawBufferPointer(rebasing: $0[(start + Layout.frameHeaderBytes)...]),
                seed: Sums.payloadSeed(salt: salt, first: header.first, offset: offset))
        }
        bytes.append(contentsOf: [UInt8](repeating: 0, count: header.pad))
        bytes.put(Layout.frameMagic, at: start + Field.magic)
        bytes.put(header.type, at: start + Field.type)
        bytes.put(header.codec.rawValue, at: start + Field.codec)
        bytes.put(header.flags, at: start + Field.flags)
        bytes.put(UInt32(header.storedLength), at: start + Field.storedLength)
        bytes.put(UInt32(header.rawLength), at: start + Field.rawLength)
        bytes.put(header.first, at: start + Field.first)
        bytes.put(header.count, at: start + Field.count)
        bytes.put(UInt32(header.pad), at: start + Field.pad)
        bytes.put(header.durable, at: start + Field.durable)
        bytes.put(header.previousChain, at: start + Field.previousChain)
        bytes.put(header.payloadSum, at: start + Field.payloadSum)
        chain = bytes.withUnsafeBytes {
            XXH64.hash(
                UnsafeRawBufferPointer(rebasing: $0[start..<start + Field.headerSum]),
                seed: Sums.headerSeed(salt: salt, offset: offset))
        }
        bytes.put(chain, at: start + Field.headerSum)
        frames += 1
    }
}

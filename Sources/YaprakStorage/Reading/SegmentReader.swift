internal import YaprakCBOR
internal import YaprakModel

/// Reads the frames of one segment in order and returns their verified commits.
///
/// The checks of each frame, in this order: checksum of the header, limits, bounds, chain, checksum of the payload, bounded
/// decompression, split into items, numbers. No byte of it is used before.
struct SegmentReader {
    /// Why reading stopped.
    enum End: Sendable {
        /// At the given logical end.
        case limit
        /// At a seal.
        case seal(Seal)
        /// At a durability marker with nothing after it.
        case attest
        /// At bytes that are not a frame of this log.
        case damage(FrameDamage)
    }

    /// The result of one step.
    enum Step: Sendable {
        case frame(FrameHeader, at: UInt64)
        case end(End)
    }

    /// A frame with commits that may not be proven durable.
    struct Place {
        var offset: UInt64
        var chain: UInt64
        var first: UInt64
        var last: UInt64
    }

    let name: String
    let header: FileHeader
    let window: ReadWindow
    /// The offset of the next frame.
    private(set) var offset = UInt64(Layout.fileHeaderBytes)
    /// The header checksum of the previous frame.
    private(set) var chain: UInt64
    /// The number of the next commit.
    private(set) var next: UInt64
    /// The newest commit that a frame called durable.
    private(set) var durable: UInt64
    /// Whether payloads are verified and split. If not, only headers and the chain are verified.
    var provesPayloads = true

    /// A commit that continues in the next frame: its bytes so far, and where it began.
    private var partial: [UInt8] = []
    private(set) var partialStart: Place?
    private var scratch: [UInt8] = []

    init(name: String, header: FileHeader, window: ReadWindow) {
        self.name = name
        self.header = header
        self.window = window
        chain = header.previousChain
        next = header.first
        durable = header.attested
    }

    /// Continues at another place, from an index or after damage.
    mutating func jump(to offset: UInt64, chain: UInt64, next: UInt64) {
        self.offset = offset
        self.chain = chain
        self.next = next
        partial = []
        partialStart = nil
    }

    /// Reads the next frame before `limit` and calls `body` with its complete commits.
    mutating func step(
        limit: UInt64, _ body: (UInt64, UnsafeRawBufferPointer, FrameHeader, UInt64) throws -> Void
    ) throws -> Step {
        guard offset < limit else {
            return .end(partialStart == nil ? .limit : .damage(.content("a commit goes on behind the end")))
        }
        guard let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes) else {
            return .end(.damage(.endOfFile))
        }
        let frame: FrameHeader
        switch UnprovenFrameHeader(bytes: bytes).prove(in: header, at: offset, end: min(limit, window.size)) {
        case .success(let proven): frame = proven
        case .failure(let error): return .end(.damage(error.damage))
        }
        guard frame.previousChain == chain else { return .end(.damage(.chain)) }
        let at = offset
        switch FrameType(rawValue: frame.type) {
        case .commitGroup:
            if let damage = try takeCommits(frame, body) { return .end(.damage(damage)) }
        case .attest:
            durable = max(durable, frame.durable)
            return .end(.attest)
        case .seal:
            return .end(try takeSeal(frame))
        case .checkpointMark, .padding, nil:
            // The commits can be read without it. An unknown type from 0x80 on may be skipped.
            break
        case .sectionBegin, .chunk, .sectionEnd, .footer:
            return .end(.damage(.content("a frame of a checkpoint is in a segment")))
        }
        durable = max(durable, frame.durable)
        offset += UInt64(frame.totalLength)
        chain = frame.headerSum
        return .frame(frame, at: at)
    }

    /// The verified stored payload of the frame at `offset`.
    func payload(of frame: FrameHeader, at offset: UInt64) throws -> UnsafeRawBufferPointer? {
        let start = offset + UInt64(Layout.frameHeaderBytes)
        guard let stored = try window.bytes(at: start, count: frame.storedLength),
            frame.proves(stored, salt: header.salt, offset: offset)
        else { return nil }
        return stored
    }

    /// The seal at an offset; nil if none verifies there.
    func seal(at offset: UInt64) throws -> Seal? {
        guard let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes),
            case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(
                in: header, at: offset, end: window.size),
            frame.type == FrameType.seal.rawValue, let stored = try payload(of: frame, at: offset)
        else { return nil }
        return Seal([UInt8](stored))
    }

    private mutating func takeSeal(_ frame: FrameHeader) throws -> End {
        guard let stored = try payload(of: frame, at: offset) else { return .damage(.payload) }
        guard let seal = Seal([UInt8](stored)), seal.last &+ 1 == next, seal.chain == chain, partialStart == nil else {
            return .damage(.content("the seal contradicts the segment"))
        }
        durable = max(durable, seal.last)
        return .seal(seal)
    }

    private mutating func takeCommits(
        _ frame: FrameHeader, _ body: (UInt64, UnsafeRawBufferPointer, FrameHeader, UInt64) throws -> Void
    ) throws -> FrameDamage? {
        let continues = frame.flags & FrameFlags.continues != 0
        let continuation = frame.flags & FrameFlags.continuation != 0
        guard frame.first == next else { return .content("the frame starts with commit \(frame.first)") }
        guard continuation == (partialStart != nil) else { return .content("a part of a commit is missing") }
        guard continuation || continues ? frame.count == (continues ? 0 : 1) : frame.count > 0,
            frame.count <= frame.rawLength, frame.count <= FormatLimits.frameCommitsMax,
            frame.first <= FormatLimits.commitNumberMax,
            UInt64(frame.count) <= FormatLimits.commitNumberMax - frame.first + 1
        else { return .content("the frame counts \(frame.count.counted("commit"))") }
        guard provesPayloads else {
            notePartial(frame, continues: continues)
            next += UInt64(frame.count)
            return nil
        }
        guard let stored = try payload(of: frame, at: offset) else { return .payload }
        if frame.codec == .lz4 {
            guard let raw = frame.decompressed(stored) else { return .content("the payload does not decompress") }
            scratch = raw
        }
        if continuation || continues {
            return try takePart(frame, stored, continues: continues, body)
        }
        if frame.codec == .raw { return try deliver(frame, stored, body) }
        let raw = scratch
        return try raw.withUnsafeBytes { try deliver(frame, $0, body) }
    }

    /// Calls `body` with the items of a frame, after checking that their number is as stated.
    private mutating func deliver(
        _ frame: FrameHeader, _ raw: UnsafeRawBufferPointer,
        _ body: (UInt64, UnsafeRawBufferPointer, FrameHeader, UInt64) throws -> Void
    ) throws -> FrameDamage? {
        var ends: [Int] = []
        ends.reserveCapacity(Int(frame.count))
        var at = 0
        while at < raw.count, ends.count < Int(frame.count) {
            guard let length = try? CBORItem.length(of: raw, from: at) else {
                return .content("commit \(frame.first + UInt64(ends.count)) is not a well-formed item")
            }
            at += length
            ends.append(at)
        }
        guard at == raw.count, ends.count == Int(frame.count) else {
            return .content("the frame holds other commits than it counts")
        }
        at = 0
        for end in ends {
            try body(next, UnsafeRawBufferPointer(rebasing: raw[at..<end]), frame, offset)
            next += 1
            at = end
        }
        return nil
    }

    private mutating func notePartial(_ frame: FrameHeader, continues: Bool) {
        if continues, partialStart == nil {
            partialStart = Place(offset: offset, chain: chain, first: frame.first, last: frame.first)
        }
        if !continues { partialStart = nil }
    }

    private mutating func takePart(
        _ frame: FrameHeader, _ stored: UnsafeRawBufferPointer, continues: Bool,
        _ body: (UInt64, UnsafeRawBufferPointer, FrameHeader, UInt64) throws -> Void
    ) throws -> FrameDamage? {
        guard partial.count + frame.rawLength <= FormatLimits.commitBytesMax else {
            return .content("commit \(frame.first) is larger than a commit may be")
        }
        if frame.codec == .lz4 { partial += scratch } else { partial.append(contentsOf: stored) }
        let start = partialStart?.offset ?? offset
        notePartial(frame, continues: continues)
        guard !continues else { return nil }
        let whole = partial
        partial = []
        guard let length = try? CBORItem.length(of: whole), length == whole.count else {
            return .content("commit \(frame.first) is not a well-formed item")
        }
        try whole.withUnsafeBytes { try body(next, $0, frame, start) }
        next += 1
        return nil
    }
}

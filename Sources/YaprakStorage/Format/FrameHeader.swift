/// The header of a frame, verified by its checksum.
struct FrameHeader: Sendable, Hashable {
    /// The raw value, because unknown types from 0x80 on are skipped.
    var type: UInt8
    var codec: Codec = .raw
    var flags: UInt16 = 0
    var storedLength: Int = 0
    var rawLength: Int = 0
    var first: UInt64
    var count: UInt32 = 0
    var pad: Int = 0
    var durable: UInt64
    var previousChain: UInt64
    var payloadSum: UInt64 = 0
    var headerSum: UInt64 = 0

    /// Header, payload and padding.
    var totalLength: Int { Layout.frameHeaderBytes + storedLength + pad }
}

extension FrameHeader {
    /// Whether these stored bytes are the frame's payload.
    func proves(_ stored: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64) -> Bool {
        stored.count == storedLength
            && XXH64.hash(stored, seed: Sums.payloadSeed(salt: salt, first: first, offset: offset)) == payloadSum
    }

    /// The uncompressed payload; nil if it does not decompress to exactly the length in the header.
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

/// The seeds of the checksums: a frame verifies only in its file, at its offset, and its payload only with its header.
enum Sums {
    static func headerSeed(salt: UInt64, offset: UInt64) -> UInt64 { salt ^ offset }
    static func payloadSeed(salt: UInt64, first: UInt64, offset: UInt64) -> UInt64 { salt ^ first ^ offset }
}

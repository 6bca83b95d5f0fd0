internal import YaprakStorage

/// Makes every checksum of a damaged file right again, so that what lies behind the checks is reached: a forger's tool.
package enum ChecksumMending {
    /// Mends the header of the file, every frame with its payload, the chain, and the trailer of a checkpoint.
    ///
    /// - Parameter chains: whether each frame names the one before it.
    package static func mend(_ bytes: inout [UInt8], chains: Bool = true) {
        guard bytes.count >= FileRegions.headerBytes else { return }
        put(sum(bytes, 0..<4088, seed: 0), &bytes, 4088)
        let salt = FileRegions.number64(bytes, 112)
        let isCheckpoint = bytes[3] == 0x43
        var chain = isCheckpoint ? 0 : FileRegions.number64(bytes, 96)
        var end = FileRegions.headerBytes
        var footer: (offset: Int, sum: UInt64)?
        for frame in FileRegions.frames(bytes) {
            let first = FileRegions.number64(bytes, frame.offset + 16)
            if chains { put(chain, &bytes, frame.offset + 40) }
            let offset = UInt64(frame.offset)
            put(sum(bytes, frame.payload, seed: salt ^ first ^ offset), &bytes, frame.offset + 48)
            let own = sum(bytes, frame.offset..<frame.offset + 56, seed: salt ^ offset)
            put(own, &bytes, frame.offset + 56)
            // Attests and seals are not part of the chain.
            if frame.kind != .attest, frame.kind != .seal { chain = own }
            if frame.kind == .footer { footer = (frame.offset, own) }
            end = frame.end
        }
        guard isCheckpoint, bytes.count >= end + 64 else { return }
        let trailer = bytes.count - 64
        if let footer {
            put(UInt64(footer.offset), &bytes, trailer + 16)
            put(footer.sum, &bytes, trailer + 24)
        }
        put(sum(bytes, trailer..<trailer + 56, seed: salt ^ UInt64(trailer)), &bytes, trailer + 56)
    }

    /// Mends the closing mark of a lock file.
    package static func mendLock(_ bytes: inout [UInt8]) {
        guard bytes.count >= 592 else { return }
        put(sum(bytes, 512..<584, seed: 512), &bytes, 584)
    }

    private static func sum(_ bytes: [UInt8], _ range: Range<Int>, seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed) }
    }

    private static func put(_ number: UInt64, _ bytes: inout [UInt8], _ at: Int) {
        for i in 0..<8 { bytes[at + i] = UInt8(truncatingIfNeeded: number >> UInt64(8 * i)) }
    }
}

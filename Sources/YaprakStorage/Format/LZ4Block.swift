internal import CLZ4

/// LZ4 blocks through liblz4, with bounds in both directions.
enum LZ4Block {
    /// The smallest input that is compressed: shorter inputs save next to nothing.
    static let inputBytesMin = 256

    /// Appends the compressed form of `raw` if it saves at least an eighth and 64 bytes.
    ///
    /// - Returns: the number of bytes appended, or nil if `raw` is better stored uncompressed.
    static func append(_ raw: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Int? {
        guard raw.count >= inputBytesMin, let rawCount = Int32(exactly: raw.count) else { return nil }
        let room = raw.count - max(64, raw.count / 8)
        let start = output.count
        output.append(contentsOf: [UInt8](repeating: 0, count: room))
        let stored = output.withUnsafeMutableBytes { buffer -> Int32 in
            guard let source = raw.baseAddress, let target = buffer.baseAddress else { return 0 }
            return LZ4_compress_default(
                source.assumingMemoryBound(to: CChar.self),
                (target + start).assumingMemoryBound(to: CChar.self), rawCount, Int32(room))
        }
        output.removeLast(room - max(0, Int(stored)))
        return stored > 0 ? Int(stored) : nil
    }

    /// Decompresses into exactly `target`.
    ///
    /// - Returns: false if the block is malformed, or gives fewer or more bytes.
    static func decompress(_ stored: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let storedCount = Int32(exactly: stored.count), let rawCount = Int32(exactly: target.count),
            let source = stored.baseAddress, let output = target.baseAddress
        else { return false }
        let written = LZ4_decompress_safe(
            source.assumingMemoryBound(to: CChar.self), output.assumingMemoryBound(to: CChar.self), storedCount,
            rawCount)
        return written == rawCount
    }
}

#if canImport(Compression)
    internal import Compression
#else
    internal import CLZ4
#endif

/// The coder of raw LZ4 blocks: that of the system on Apple's platforms, where an app can't link liblz4, and liblz4
/// everywhere else. Each reads what the other writes.
enum LZ4Codec {
    /// Compresses `raw` into `target`. `nil` if it doesn't fit.
    static func compress(_ raw: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        guard let source = raw.baseAddress, let output = target.baseAddress else { return nil }
        #if canImport(Compression)
            let written = compression_encode_buffer(
                output.assumingMemoryBound(to: UInt8.self), target.count, source.assumingMemoryBound(to: UInt8.self),
                raw.count, nil, COMPRESSION_LZ4_RAW)
        #else
            guard let rawCount = Int32(exactly: raw.count), let room = Int32(exactly: target.count) else { return nil }
            let written = Int(
                LZ4_compress_default(
                    source.assumingMemoryBound(to: CChar.self), output.assumingMemoryBound(to: CChar.self), rawCount,
                    room))
        #endif
        return written > 0 ? written : nil
    }

    /// Decompresses into exactly `target`. False if the block is malformed, or gives fewer or more bytes.
    static func decompress(_ stored: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let source = stored.baseAddress, let output = target.baseAddress else { return false }
        #if canImport(Compression)
            // The system's call cuts what is longer than the target, and does not say so.
            guard LZ4Sequences.unpackedCount(of: stored) == target.count else { return false }
            let written = compression_decode_buffer(
                output.assumingMemoryBound(to: UInt8.self), target.count, source.assumingMemoryBound(to: UInt8.self),
                stored.count, nil, COMPRESSION_LZ4_RAW)
        #else
            guard let storedCount = Int32(exactly: stored.count), let room = Int32(exactly: target.count) else {
                return false
            }
            let written = Int(
                LZ4_decompress_safe(
                    source.assumingMemoryBound(to: CChar.self), output.assumingMemoryBound(to: CChar.self), storedCount,
                    room))
        #endif
        return written == target.count
    }
}

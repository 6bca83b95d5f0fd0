/// LZ4 blocks in frames: compressed where that saves something, and decompressed within bounds.
enum LZ4Block {
    /// The smallest input that is compressed: shorter inputs save next to nothing.
    static let inputBytesMin = 256

    /// Appends the compressed form of `raw` if it saves at least an eighth and 64 bytes.
    ///
    /// - Returns: the number of bytes appended, or nil if `raw` is better stored uncompressed.
    static func append(_ raw: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Int? {
        guard raw.count >= inputBytesMin else { return nil }
        let room = raw.count - max(64, raw.count / 8)
        let start = output.count
        output.append(contentsOf: [UInt8](repeating: 0, count: room))
        let stored = output.withUnsafeMutableBytes { LZ4Codec.compress(raw, into: .init(rebasing: $0[start...])) }
        output.removeLast(room - (stored ?? 0))
        return stored
    }

    /// Decompresses into exactly `target`.
    ///
    /// - Returns: false if the block is malformed, or gives fewer or more bytes.
    static func decompress(_ stored: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        LZ4Codec.decompress(stored, into: target)
    }
}

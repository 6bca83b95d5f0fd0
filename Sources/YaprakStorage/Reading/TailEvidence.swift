/// Evidence of durable commits after the last good frame.
struct TailEvidence {
    /// The newest commit that a frame there calls durable.
    var durable: UInt64 = 0
    /// The number of bytes up to the last one that is not zero.
    var bytes: UInt64 = 0

    /// Searches every multiple of eight from `start` to the end of the file.
    ///
    /// Reads only the headers of frames: their own checksums verify them.
    static func find(in window: ReadWindow, of header: FileHeader, from start: UInt64) throws(DiskError) -> Self {
        var found = TailEvidence()
        var at = start
        while at < window.size {
            let count = Int(min(UInt64(128 << 10), window.size - at))
            guard let bytes = try window.bytes(at: at, count: count) else { return found }
            var i = 0
            while i < count {
                let width = min(8, count - i)
                let word: UInt64 = width == 8 ? bytes.number(at: i) : bytes[i..<count].contains { $0 != 0 } ? 1 : 0
                if word != 0 {
                    found.bytes = at + UInt64(i + width) - start
                    if UInt32(truncatingIfNeeded: word) == Layout.frameMagic, width == 8 {
                        found.note(bytes, i, at, window.size, header)
                    }
                }
                i += 8
            }
            // Headers that straddle two windows are seen whole in the second.
            at += UInt64(count == 128 << 10 ? count - Layout.frameHeaderBytes : count)
        }
        return found
    }

    private mutating func note(
        _ bytes: UnsafeRawBufferPointer, _ i: Int, _ at: UInt64, _ size: UInt64, _ header: FileHeader
    ) {
        guard i + Layout.frameHeaderBytes <= bytes.count else { return }
        let frame = UnprovenFrameHeader(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[i..<i + Layout.frameHeaderBytes]))
        if let durable = frame.provenDurable(salt: header.salt, offset: at + UInt64(i)) {
            self.durable = max(self.durable, durable)
        }
    }
}

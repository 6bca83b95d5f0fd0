/// Evidence of durable commits after the last good frame.
struct TailEvidence {
    /// The newest commit that a frame there calls durable.
    var durable: UInt64 = 0
    /// The number of bytes up to the last one that is not zero.
    var bytes: UInt64 = 0
    /// Where the search began.
    private var start: UInt64 = 0

    /// Whether it was searched for. If not, it says nothing.
    var isSearched: Bool { start > 0 }

    /// Searches every multiple of eight from `start` to the end of the file.
    ///
    /// Reads only the headers of frames: their own checksums verify them.
    /// - Complexity: O(bytes that the file has there), without those of long holes.
    static func find(in window: ReadWindow, of header: FileHeader, from start: UInt64) throws(DiskError) -> Self {
        var found = TailEvidence()
        found.start = start
        // Where frames begin, whatever length the one before this claims.
        let first = Layout.alignedDown(start.addingClamped(UInt64(Layout.alignment - 1)))
        var scan = FrameScan(window, from: first, before: window.size)
        while let at = try scan.next(), let bytes = try window.bytes(at: at, count: Layout.frameHeaderBytes) {
            let frame = UnprovenFrameHeader(bytes: bytes)
            if let durable = frame.provenDurable(salt: header.salt, offset: at) {
                found.durable = max(found.durable, durable)
            }
        }
        found.bytes = scan.dataEnd - first
        return found
    }

    /// The same evidence for damage behind the place where the search began: the file is not searched again.
    func seen(from later: UInt64) -> Self {
        var evidence = self
        evidence.bytes -= min(bytes, later - min(later, start))
        evidence.start = max(start, later)
        return evidence
    }
}

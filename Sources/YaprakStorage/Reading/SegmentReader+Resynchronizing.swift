extension SegmentReader {
    /// Continues with the next group of whole commits that verifies; false if there is none before `limit`.
    ///
    /// No frame lies in another: behind a header that verifies, the search goes on where that frame ends. So no payload is read
    /// twice, however many frames a file claims to have within each other.
    /// - Complexity: O(bytes up to that group), however often it is called for a file.
    mutating func resynchronize(before limit: UInt64) throws -> Bool {
        let end = min(limit, window.size)
        var scan = FrameScan(window, from: try placeBehindDamage(end), before: end)
        while let at = try scan.next() {
            guard let bytes = try window.bytes(at: at, count: Layout.frameHeaderBytes),
                case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(in: header, at: at, end: end),
                frame.type == FrameType.commitGroup.rawValue, frame.flags & FrameFlags.continuation == 0,
                frame.first >= next, frame.first <= FormatLimits.commitNumberMax
            else { continue }
            guard try payload(of: frame, at: at) != nil else {
                scan.skip(to: at + UInt64(frame.totalLength))
                continue
            }
            jump(to: at, chain: frame.previousChain, next: frame.first)
            return true
        }
        return false
    }

    /// Where the search begins: behind a frame whose payload was read, at a place where a frame may start.
    private func placeBehindDamage(_ end: UInt64) throws -> UInt64 {
        if let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes),
            case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(in: header, at: offset, end: end),
            frame.previousChain == chain,
            frame.type == FrameType.commitGroup.rawValue || frame.type == FrameType.seal.rawValue
        {
            return Layout.alignedDown(offset + UInt64(frame.totalLength))
        }
        return Layout.alignedDown(offset.addingClamped(UInt64(Layout.alignment)))
    }
}

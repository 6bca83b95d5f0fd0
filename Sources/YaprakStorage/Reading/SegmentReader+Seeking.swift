extension SegmentReader {
    /// Moves to the frame that holds a commit, or to the end if there is none. Reads headers only: the chain proves them, and
    /// no payload before the commit is read.
    ///
    /// - Parameter index: the index of the segment, which is extended on the way.
    mutating func seek(_ wanted: UInt64, limit: UInt64, _ index: inout SegmentIndex) throws {
        if let place = index.place(for: wanted), place.first > next, place.offset < limit,
            try stands(at: place) == false
        {
            index = SegmentIndex()
        }
        let proves = provesPayloads
        provesPayloads = false
        defer { provesPayloads = proves }
        var start = (offset: offset, chain: chain, next: next)
        while next <= wanted {
            if partialStart == nil {
                start = (offset, chain, next)
                index.note(.init(offset: offset, chain: chain, first: next))
            }
            guard case .frame = try step(limit: limit, { _, _, _, _ in }) else { break }
        }
        jump(to: start.offset, chain: start.chain, next: start.next)
    }

    /// Continues at a place of an index; false, and unchanged, if no frame there begins with that commit.
    private mutating func stands(at place: SegmentIndex.Place) throws -> Bool {
        guard let bytes = try window.bytes(at: place.offset, count: Layout.frameHeaderBytes),
            case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(
                in: header, at: place.offset, end: window.size),
            frame.type == FrameType.commitGroup.rawValue, frame.flags & FrameFlags.continuation == 0,
            frame.first == place.first, place.chain == nil || place.chain == frame.previousChain
        else { return false }
        jump(to: place.offset, chain: frame.previousChain, next: frame.first)
        return true
    }
}

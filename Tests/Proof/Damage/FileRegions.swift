internal import YaprakStorage

/// What each byte of a file means, by the page on the format: read without the engine's reader, so that both must agree.
package struct FileRegions: Sendable {
    /// What a byte belongs to.
    package enum Region: String, Sendable, CaseIterable {
        case fileHeader = "file header"
        case frameHeader = "frame header"
        case payload
        /// Zeros behind a payload. Not covered by a sum.
        case padding
        case attest
        case seal
        case trailer
        /// Behind the last frame of a segment, where anything may be.
        case behindEnd = "behind the end"
        /// The first 64 bytes of the lock file, for people.
        case lockText = "text of the lock file"
        case closingMark = "closing mark"
        /// Between the two, and behind.
        case lockRest = "rest of the lock file"
    }

    private(set) var regions: [Region]
    /// Where the last frame with commits ends, in a segment.
    private(set) var endOfCommits = Int.max

    static let headerBytes = 4096
    static let frameHeaderBytes = 64

    /// - Parameter path: its folder says what it is.
    package init(_ bytes: [UInt8], path: String) {
        if path.hasSuffix("LOCK") {
            regions = bytes.indices.map { $0 < 64 ? .lockText : (512..<592).contains($0) ? .closingMark : .lockRest }
            return
        }
        let isCheckpoint = path.hasSuffix("ckpt")
        regions = bytes.indices.map { $0 < Self.headerBytes ? .fileHeader : isCheckpoint ? .trailer : .behindEnd }
        if !isCheckpoint { endOfCommits = 0 }
        for frame in Self.frames(bytes) {
            if frame.kind == .commits { endOfCommits = frame.end }
            let tail: Region = [.commits, .mark, .padding].contains(frame.kind) || isCheckpoint ? .payload : .seal
            let head: Region = frame.kind == .attest ? .attest : frame.kind == .seal ? .seal : .frameHeader
            for at in frame.offset..<frame.payload.lowerBound { regions[at] = head }
            for at in frame.payload { regions[at] = tail }
            for at in frame.payload.upperBound..<frame.end { regions[at] = .padding }
        }
    }

    package subscript(offset: Int) -> Region { regions[offset] }

    /// The kinds of frames that matter here.
    enum Kind: UInt8 {
        case commits = 1
        case attest = 2
        case seal = 3
        case mark = 4
        case footer = 8
        case padding = 128
    }

    struct Frame {
        let kind: Kind?
        let offset: Int
        let payload: Range<Int>
        let end: Int
    }

    /// The frames as their lengths say, without looking at a sum.
    static func frames(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var at = headerBytes
        while at + frameHeaderBytes <= bytes.count, bytes[at..<at + 4].elementsEqual([0x59, 0x41, 0x50, 0x46]) {
            let stored = number32(bytes, at + 8)
            let zeros = number32(bytes, at + 28)
            let start = at + frameHeaderBytes
            guard stored <= bytes.count - start, zeros <= bytes.count - start - stored else { break }
            let end = start + stored + zeros
            frames.append(
                Frame(kind: Kind(rawValue: bytes[at + 4]), offset: at, payload: start..<start + stored, end: end))
            if end % 8 != 0 { break }
            at = end
        }
        return frames
    }

    static func number32(_ bytes: [UInt8], _ at: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }

    static func number64(_ bytes: [UInt8], _ at: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
    }
}

/// Looks for frames where the chain does not lead: at every multiple of eight from a start on.
///
/// Each byte is read once, but for those of holes behind a long run of zeros. No file of a writer has such a run, so that
/// nothing about its files depends on what a file system says of holes.
struct FrameScan {
    /// No writer reserves so much space at once.
    static let zerosMin: UInt64 = 4 << 20

    private let window: ReadWindow
    private let end: UInt64
    private var offset: UInt64
    /// Behind the last byte so far that is not zero; the start if there is none.
    private(set) var dataEnd: UInt64
    private var isSparse = false
    /// Whether a buffer was read to its end, and a hole may follow.
    private var isBetween = false

    /// - Parameter end: nothing at or behind it counts, and it is not behind the end of the file.
    init(_ window: ReadWindow, from start: UInt64, before end: UInt64) {
        self.window = window
        self.end = end
        offset = start
        dataEnd = start
    }

    /// The next place with the magic number of a frame and room for its header; nil if there is none.
    mutating func next() throws(DiskError) -> UInt64? {
        while offset < end {
            skipHole()
            let least = Int(min(UInt64(Layout.frameHeaderBytes), end - offset))
            guard let bytes = try window.bytes(from: offset, atLeast: least) else { return nil }
            if let found = look(in: bytes) { return found }
        }
        return nil
    }

    /// Goes on from a later place, or up to seven bytes before it: a frame may claim a length that no writer gives it, and the
    /// frames behind it begin where frames begin.
    mutating func skip(to later: UInt64) {
        offset = max(offset, Layout.alignedDown(later))
        dataEnd = max(dataEnd, min(later, end))
    }

    /// Looks as far as the bytes reach. What needs more than them is left to the next look.
    private mutating func look(in bytes: UnsafeRawBufferPointer) -> UInt64? {
        let start = offset
        let isLast = UInt64(bytes.count) >= end - start
        let count = isLast ? Int(end - start) : bytes.count & ~7
        var at = 0
        while at < count {
            let width = min(8, count - at)
            let word: UInt64 = width == 8 ? bytes.number(at: at) : bytes[at..<count].contains { $0 != 0 } ? 1 : 0
            if word != 0 {
                let place = start + UInt64(at)
                if width == 8, UInt32(truncatingIfNeeded: word) == Layout.frameMagic {
                    if at + Layout.frameHeaderBytes <= count {
                        (offset, dataEnd) = (place + 8, place + 8)
                        return place
                    }
                    if !isLast {
                        offset = place
                        return nil
                    }
                }
                dataEnd = place + UInt64(width)
            }
            at += 8
        }
        offset = start + UInt64(min(at, count))
        isBetween = true
        if offset - dataEnd >= Self.zerosMin { isSparse = true }
        return nil
    }

    private mutating func skipHole() {
        guard isSparse, isBetween else { return }
        isBetween = false
        let data = min(window.nextData(from: offset), end)
        // In steps of eight, as without holes.
        if data > offset { offset += (data - offset) & ~7 }
    }
}

internal import YaprakLocks

/// Looks for the last commit in a segment, without the payloads of those that a later frame calls durable.
struct EndOfSegment {
    private var reader: SegmentReader
    private var unproven = UnprovenFrames()
    /// The first frame of a commit that is not complete yet.
    private var open: SegmentReader.Place?
    /// Why nothing was read behind the end.
    private(set) var stop = SegmentReader.End.limit

    /// Where reading can go on.
    struct Place {
        var offset: UInt64
        var chain: UInt64
        var next: UInt64
    }

    /// The first commit behind the place to begin with, until it is known that those before are durable.
    private var skipped: UInt64?

    /// - Parameters:
    ///   - place: where the commits before were found to be complete; the beginning if nil.
    ///   - guess: a place to begin with where a frame behind it calls the commits before durable.
    init(_ reader: SegmentReader, from place: Place?, or guess: SegmentIndex.Place?) {
        self.reader = reader
        if let place, place.offset <= reader.window.size {
            self.reader.jump(to: place.offset, chain: place.chain, next: place.next)
        } else if let guess, let chain = guess.chain, guess.offset <= reader.window.size {
            self.reader.jump(to: guess.offset, chain: chain, next: guess.first)
            skipped = guess.first
        }
    }

    /// The last complete commit; the one before the segment if there is none in it.
    var last: UInt64 { reader.next - min(1, reader.next) }
    /// Where reading stopped.
    var offset: UInt64 { reader.offset }
    /// Behind the last complete commit.
    private(set) var place = Place(offset: 0, chain: 0, next: 0)

    /// Reads to the end.
    ///
    /// - Returns: the newest commit that the segment calls durable, which may lie behind that end.
    mutating func find() throws -> UInt64 {
        reader.provesPayloads = false
        try run()
        if let first = skipped, reader.durable < first - 1 {
            reader.jump(
                to: UInt64(Layout.fileHeaderBytes), chain: reader.header.previousChain, next: reader.header.first)
            unproven = UnprovenFrames()
            try run()
        }
        skipped = nil
        // Of the others a power cut may have kept the header alone.
        if let first = unproven.first {
            unproven = UnprovenFrames()
            reader.jump(to: first.offset, chain: first.chain, next: first.first)
            reader.provesPayloads = true
            try run()
        }
        let start = open ?? SegmentReader.Place(offset: reader.offset, chain: reader.chain, first: reader.next, last: 0)
        place = Place(offset: start.offset, chain: start.chain, next: start.first)
        switch stop {
        case .damage, .attest:
            let found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            return max(reader.durable, found.durable)
        case .seal, .limit:
            return reader.durable
        }
    }

    /// Takes notice of what was written since: `find` reads on from the end it found.
    mutating func refresh() throws {
        try reader.window.refresh()
        reader.jump(to: place.offset, chain: place.chain, next: place.next)
        unproven = UnprovenFrames()
    }

    private mutating func run() throws {
        open = nil
        while true {
            let before = (offset: reader.offset, chain: reader.chain, next: reader.next)
            guard case .frame(let frame, _) = try step() else { return }
            unproven.drop(through: reader.durable)
            guard frame.type == FrameType.commitGroup.rawValue else { continue }
            let start =
                open
                ?? SegmentReader.Place(
                    offset: before.offset, chain: before.chain, first: before.next, last: before.next)
            open = reader.partialStart == nil ? nil : start
            if open == nil {
                unproven.append(
                    .init(offset: start.offset, chain: start.chain, first: start.first, last: reader.next - 1))
            }
        }
    }

    private mutating func step() throws -> SegmentReader.Step {
        let step = try reader.step(limit: .max) { _, _, _, _ in }
        if case .end(let end) = step { stop = end }
        return step
    }
}

/// Where a reader found the end of the newest segment.
final class LastEnd: Sendable {
    private let kept = Mutex<(name: FileName, salt: UInt64, place: EndOfSegment.Place)?>(nil)

    /// The end that was found in this segment; nil if another was read last.
    func place(in name: FileName, salt: UInt64) -> EndOfSegment.Place? {
        kept.withLock { $0?.name == name && $0?.salt == salt ? $0?.place : nil }
    }

    /// Keeps an end, in place of the one before.
    func keep(_ place: EndOfSegment.Place, of name: FileName, salt: UInt64) {
        kept.withLock { $0 = (name, salt, place) }
    }
}

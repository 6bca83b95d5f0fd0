internal import SystemPackage
internal import YaprakModel

/// Reads the segments of a log in order, verifies that each continues the previous one, and finds the end of the log.
struct LogWalk {
    typealias Body = (UInt64, UnsafeRawBufferPointer, FrameHeader, UInt64) throws -> Void

    let directory: any Directory
    let segments: [FileName]
    let lineage: Lineage?
    /// The newest commit that a file outside of the log proves to have been durable.
    let evidence: UInt64
    /// The mark of the last clean close.
    let closing: ClosingMark?
    private(set) var frames = 0
    /// The bytes of all frames, and of the headers of all segments but the first: what was appended since the first began.
    private(set) var bytes: UInt64 = 0
    /// The segments behind the first.
    private(set) var segmentCount = 0
    private(set) var notes: [String] = []
    /// How many times frames were checked for being proven. A test bounds it by a multiple of the frames.
    private(set) var placesVisited = 0

    /// The end of the log.
    struct End {
        var reader: SegmentReader
        var name: FileName
        /// The end of the last whole commit, and the chain there.
        var offset: UInt64
        var chain: UInt64
        var last: UInt64
        /// The newest commit the files prove to have been durable.
        var proven: UInt64
        var tornBytes: UInt64
        var isClosed: Bool
        /// The first frame with commits that are not proven.
        var firstUnproven: SegmentReader.Place?
    }

    init(
        directory: any Directory, segments: [FileName], lineage: Lineage?, evidence: UInt64,
        closing: ClosingMark? = nil
    ) {
        self.directory = directory
        self.segments = segments
        self.lineage = lineage
        self.evidence = evidence
        self.closing = closing
    }

    /// Reads from the segment at `start` to the end of the log.
    ///
    /// - Throws: `corruptLog`, `newerFormat`, `DiskError`, what `body` throws.
    mutating func run(from start: Int, _ body: Body) throws -> End {
        var current = try open(start)
        var index = start
        while index + 1 < segments.count {
            let next = try open(index + 1)
            try cross(&current, to: next, segments[index], segments[index + 1], body)
            current = next
            index += 1
            segmentCount += 1
        }
        return try finish(&current, segments[index], body)
    }

    private func open(_ index: Int) throws -> SegmentReader {
        let name = segments[index]
        let (file, result) = try DatabaseDirectory.open(name, .segment, in: directory)
        let header = try LogError.proven(result, name)
        guard lineage?.accepts(header) ?? false else {
            throw LogError.corrupt(name, at: 0, "the segment belongs to another database")
        }
        return SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
    }

    // MARK: A segment with a successor

    private mutating func cross(
        _ reader: inout SegmentReader, to next: SegmentReader, _ name: FileName, _ nextName: FileName, _ body: Body
    ) throws {
        let header = next.header
        guard header.previousFirst == name.first, header.previousEpoch == name.epoch else {
            throw LogError.corrupt(nextName, at: 0, "the segment before it is missing")
        }
        let start = reader.offset
        while true {
            switch try reader.step(limit: header.previousEnd, body) {
            case .frame:
                frames += 1
                continue
            case .end(.limit):
                bytes += reader.offset - start + UInt64(Layout.fileHeaderBytes)
                if header.followsHole, reader.next < header.first {
                    throw LogError.hole(reader.next...header.first - 1, before: nextName)
                }
                guard reader.offset == header.previousEnd, reader.chain == header.previousChain,
                    reader.next == header.first
                else { throw LogError.corrupt(nextName, at: 0, "it does not follow the segment before it") }
                return
            case .end(.damage(.newer(let what))):
                throw LogError.newer(what, in: name.path(.segment), at: reader.offset)
            case .end(let end):
                guard reader.next < header.first else {
                    // The damaged frame held no commit: the next segment continues with the next number.
                    guard reader.next == header.first, reader.partialStart == nil else {
                        throw LogError.corrupt(nextName, at: 0, "it does not follow the segment before it")
                    }
                    notes.append("\(name.path(.segment)), offset \(reader.offset): a frame without commits is damaged")
                    return
                }
                throw LogError.lost(reader.next...header.first - 1, in: name, at: reader.offset, sentence(end))
            }
        }
    }

    // MARK: The last segment

    private mutating func finish(_ reader: inout SegmentReader, _ name: FileName, _ body: Body) throws -> End {
        let start = reader.offset
        var unproven = UnprovenFrames()
        var open: SegmentReader.Place?
        var end: SegmentReader.End?
        while end == nil {
            let before = (offset: reader.offset, chain: reader.chain, next: reader.next)
            switch try reader.step(limit: .max, body) {
            case .end(let found): end = found
            case .frame(let frame, _):
                frames += 1
                guard frame.type == FrameType.commitGroup.rawValue else { continue }
                unproven.drop(through: reader.durable)
                let place =
                    open
                    ?? SegmentReader.Place(
                        offset: before.offset, chain: before.chain, first: before.next, last: before.next)
                if reader.partialStart != nil {
                    open = place
                } else {
                    open = nil
                    unproven.append(
                        .init(offset: place.offset, chain: place.chain, first: place.first, last: reader.next - 1))
                }
            }
        }
        bytes += reader.offset - start
        placesVisited = unproven.visited
        return try judge(reader, name, end ?? .limit, unproven)
    }

    /// Decides at the end of the log whether acknowledged commits are missing.
    private func judge(
        _ reader: SegmentReader, _ name: FileName, _ end: SegmentReader.End, _ unproven: UnprovenFrames
    ) throws -> End {
        var found = TailEvidence()
        var isClosed = false
        var damage: FrameDamage?
        switch end {
        case .seal(let seal):
            isClosed = seal.kind == Layout.sealClosed
            guard isClosed else {
                throw LogError.corrupt(name, at: reader.offset, "the segment after it is missing")
            }
        case .damage(.newer(let what)):
            throw LogError.newer(what, in: name.path(.segment), at: reader.offset)
        case .damage(let what):
            damage = what
            found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
        case .attest:
            found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            found.bytes = 0
        case .limit:
            break
        }
        let proven = max(reader.durable, found.durable, evidence)
        guard reader.next > proven else {
            throw LogError.lost(reader.next...proven, in: name, at: reader.offset, sentence(end))
        }
        if case .content(let what)? = damage {
            // The checksums are right, so this was written like that. No crash causes it.
            throw LogError.corrupt(name, at: reader.offset, what)
        }
        let place = reader.partialStart
        let offset = place?.offset ?? reader.offset
        if let closing, closing.names(name, reader.header), closing.end == offset, closing.chain == reader.chain,
            !isClosed
        {
            // Only the seal is damaged.
            isClosed = true
            found.bytes = 0
        }
        var unproven = unproven
        unproven.drop(through: proven)
        return End(
            reader: reader, name: name, offset: offset, chain: place?.chain ?? reader.chain, last: reader.next - 1,
            proven: proven, tornBytes: found.bytes + (reader.offset - offset), isClosed: isClosed,
            firstUnproven: unproven.first)
    }

    private func sentence(_ end: SegmentReader.End) -> String {
        switch end {
        case .damage(let damage): damage.sentence
        case .seal: "the segment ends too early"
        case .attest, .limit: "the log ends too early"
        }
    }
}

internal import SystemPackage

/// Appends to the newest segment of a log. Belongs to the log's thread; knows nothing of queues and callers.
///
/// Invariants:
/// - Nothing before `offset` is ever written again. What lies at `offset` and behind was never acknowledged: a word about
///   durability, or the remains of a write that failed. The next frame goes there.
/// - `durable <= last`, and equal whenever nothing waits for a sync.
final class LogWriter {
    /// The segment that is written to.
    struct Open {
        let file: any File
        let name: FileName
        let salt: UInt64
        var offset: UInt64
        var chain: UInt64
        var allocated: UInt64
        var index: [Seal.Entry] = []
        var indexStride: UInt64 = 64 << 10
        var firstNs: Int64 = 0
        var lastNs: Int64 = 0
        var isEmpty = true
    }

    private let directory: any Directory
    private let options: StoreOptions
    private let databaseID: DatabaseID
    private let epoch: UInt64
    private var gate = CompressionGate()
    /// Where the log ends while no segment is open.
    private var tail: LogTail
    private(set) var open: Open?
    /// The newest commit that was written.
    private(set) var last: UInt64
    /// The newest commit that a sync has confirmed.
    private(set) var durable: UInt64
    /// The newest commit that some frame in the log says is durable.
    private(set) var attested: UInt64
    /// Something was written that no sync has confirmed.
    private(set) var needsSync = false
    /// A successor may exist: nothing more goes into the open segment.
    private var mustRotate = false
    private(set) var statistics = StoreStatistics()

    init(
        directory: any Directory, options: StoreOptions, databaseID: DatabaseID, epoch: UInt64, tail: LogTail
    ) {
        self.directory = directory
        self.options = options
        self.databaseID = databaseID
        self.epoch = epoch
        self.tail = tail
        last = tail.last
        durable = tail.last
        attested = tail.last
        statistics.bytesSinceCheckpoint = tail.bytes
    }

    /// The newest segment there is.
    var newestSegment: FileName? { open?.name ?? tail.segment }

    private var alignment: Int { max(Layout.alignment, 1 << Int(options.padShift)) }

    // MARK: Groups

    /// Writes commits as one group, with one write. They are acknowledged by nobody yet.
    func write(_ items: [[UInt8]]) throws {
        if open == nil || mustRotate || (open?.offset ?? 0) > UInt64(options.segmentBytesMax) { try startSegment() }
        guard var segment = open else { return }
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        add(items, to: &builder)
        let end = builder.end
        if end > segment.allocated { extend(&segment, past: end) }
        try segment.file.writeAll(builder.bytes, at: segment.offset)
        noteIndex(&segment, first: last + 1)
        segment.offset = end
        segment.chain = builder.chain
        segment.isEmpty = false
        segment.lastNs = options.now()
        if segment.firstNs == 0 { segment.firstNs = segment.lastNs }
        open = segment
        last += UInt64(items.count)
        attested = durable
        needsSync = true
        statistics.groups += 1
        statistics.frames += builder.frames
        statistics.commits += items.count
        statistics.storedBytes += UInt64(builder.bytes.count)
        statistics.bytesSinceCheckpoint += UInt64(builder.bytes.count)
        for item in items { statistics.rawBytes += UInt64(item.count) }
    }

    private func add(_ items: [[UInt8]], to builder: inout FrameBuilder) {
        var number = last + 1
        var at = 0
        while at < items.count {
            // As many commits as one frame holds; one that is too large for it alone.
            var end = at + 1
            var bytes = items[at].count
            while end < items.count, bytes + items[end].count <= options.frameBytesMax {
                bytes += items[end].count
                end += 1
            }
            if end == at + 1 {
                addParts(of: items[at], number: number, isLast: end == items.count, to: &builder)
            } else {
                var raw: [UInt8] = []
                raw.reserveCapacity(bytes)
                for item in items[at..<end] { raw += item }
                let alignment = end == items.count ? alignment : Layout.alignment
                raw.withUnsafeBytes {
                    builder.add(
                        .commitGroup, $0, first: number, count: UInt32(end - at), durable: durable,
                        alignment: alignment, gate: &gate)
                }
            }
            number += UInt64(end - at)
            at = end
        }
    }

    /// One commit: in one frame, or in as many as it needs, of which the last one makes it count.
    private func addParts(of item: [UInt8], number: UInt64, isLast: Bool, to builder: inout FrameBuilder) {
        let step = options.frameBytesMax
        var start = 0
        repeat {
            let end = min(item.count, start + step)
            let isWhole = end == item.count
            var flags: UInt16 = 0
            if !isWhole { flags |= FrameFlags.continues }
            if start > 0 { flags |= FrameFlags.continuation }
            item.withUnsafeBytes {
                builder.add(
                    .commitGroup, UnsafeRawBufferPointer(rebasing: $0[start..<end]), flags: flags, first: number,
                    count: isWhole ? 1 : 0, durable: durable,
                    alignment: isWhole && isLast ? alignment : Layout.alignment, gate: &gate)
            }
            start = end
        } while start < item.count
    }

    /// Space ahead. Without it the write decides whether there is room.
    private func extend(_ segment: inout Open, past end: UInt64) {
        guard options.preallocationBytes > 0 else { return }
        let step = UInt64(options.preallocationBytes)
        let target = (end / step + 1) * step
        if (try? segment.file.allocate(to: target)) != nil { segment.allocated = target }
    }

    private func noteIndex(_ segment: inout Open, first: UInt64) {
        if let newest = segment.index.last, segment.offset - newest.offset < segment.indexStride { return }
        if segment.index.count == Layout.sealIndexEntriesMax {
            segment.index = segment.index.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            segment.indexStride *= 2
        }
        segment.index.append(Seal.Entry(first: first, offset: segment.offset))
    }

    // MARK: Durability

    /// Asks the device to confirm everything written so far.
    func sync() throws {
        guard needsSync, let open else { return }
        try open.file.syncData()
        statistics.syncs += 1
        needsSync = false
        durable = last
    }

    /// Says at the end of the log what is durable. Costs no sync; the next group takes its place.
    ///
    /// Not in the chain: without a sync between them it could reach the disk later than the group behind it, and the
    /// chain would have a hole in front of an acknowledged commit.
    func attest() {
        guard attested < durable, let open, !mustRotate else { return }
        var builder = FrameBuilder(salt: open.salt, base: open.offset, chain: open.chain)
        builder.addRaw(.attest, first: last + 1, durable: durable, alignment: alignment)
        // Evidence only: if it can't be written, nothing is lost by it.
        try? open.file.writeAll(builder.bytes, at: open.offset)
        attested = durable
    }

    // MARK: Segments

    /// Ends the open segment and starts the next, unless the open one is empty or none was needed yet.
    func rotate() throws {
        try sync()
        guard let open, !open.isEmpty || mustRotate else { return }
        try startSegment()
    }

    /// Makes the next segment: written whole under a temporary name, synced, renamed, and only then the old one sealed.
    private func startSegment() throws {
        try sync()
        let previous = open
        try makeSegment(
            first: last + 1, attested: last, previous: previous?.name ?? tail.segment,
            previousEnd: previous?.offset ?? tail.end, previousChain: previous?.chain ?? tail.chain
        ) { _ in }
        if let previous { try finish(previous, Layout.sealRotated) }
    }

    /// Makes the first segment of this opening with the frames that were readable and not proven.
    func relog(
        first: UInt64, last newLast: UInt64, previousEnd: UInt64, previousChain: UInt64, frameBytesMax: UInt32,
        _ frames: (inout FrameBuilder, _ write: (inout FrameBuilder) throws -> Void) throws -> Void
    ) throws {
        try makeSegment(
            first: first, attested: newLast, previous: tail.segment, previousEnd: previousEnd,
            previousChain: previousChain, frameBytesMax: frameBytesMax
        ) { segment in
            var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
            func write(_ builder: inout FrameBuilder) throws {
                guard !builder.bytes.isEmpty else { return }
                try segment.file.writeAll(builder.bytes, at: builder.base)
                builder.advance()
            }
            try frames(&builder, write)
            try write(&builder)
            segment.offset = builder.base
            segment.chain = builder.chain
            segment.isEmpty = false
        }
        last = newLast
        durable = newLast
        attested = newLast
    }

    private func makeSegment(
        first: UInt64, attested: UInt64, previous: FileName?, previousEnd: UInt64, previousChain: UInt64,
        frameBytesMax: UInt32 = 0, _ fill: (inout Open) throws -> Void
    ) throws {
        let name = FileName(first: first, epoch: epoch)
        let temporary = name.temporary(.segment)
        // Left over from an attempt that failed, if it is there.
        try? directory.unlink(temporary)
        let header = FileHeader(
            kind: .segment, databaseID: databaseID, epoch: epoch, first: first, previousFirst: previous?.first ?? 0,
            previousEpoch: previous?.epoch ?? 0, previousEnd: previousEnd, previousChain: previousChain,
            attested: attested, salt: options.random(), padShift: options.padShift,
            maxStored: max(frameBytesMax, UInt32(options.frameBytesMax)),
            maxRaw: max(frameBytesMax, UInt32(options.frameBytesMax)),
            createdNs: options.now())
        let file = try directory.open(temporary, .create)
        var segment = Open(
            file: file, name: name, salt: header.salt, offset: UInt64(Layout.fileHeaderBytes), chain: previousChain,
            allocated: 0)
        do {
            extend(&segment, past: segment.offset)
            try file.writeAll(header.encoded(), at: 0)
            try fill(&segment)
            // Before any name leads to it: a segment that can be found has its header and its space.
            try file.sync()
            statistics.syncs += 1
        } catch {
            try? file.close()
            try? directory.unlink(temporary)
            throw error
        }
        mustRotate = true
        do {
            try directory.rename(temporary, to: name.string(.segment))
            // A rename is not durable until its directory is.
            try directory.sync()
        } catch {
            try? file.close()
            throw error
        }
        mustRotate = false
        statistics.segments += 1
        statistics.storedBytes += segment.offset
        open = segment
    }

    private func finish(_ segment: Open, _ kind: UInt32) throws {
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        let seal = Seal(
            kind: kind, last: last, chain: segment.chain, firstNs: segment.firstNs, lastNs: segment.lastNs,
            index: Array(segment.index.prefix(sealIndexEntriesThatFit)))
        builder.addRaw(.seal, seal.encoded(), first: last + 1, durable: last, alignment: alignment)
        defer { try? segment.file.close() }
        do {
            try segment.file.writeAll(builder.bytes, at: segment.offset)
            // Only what was reserved and never used is given back.
            try segment.file.truncate(to: builder.end)
        } catch {
            // A segment without a seal is as good: its successor, or its frames, say where it ends.
            return
        }
        try segment.file.syncData()
        statistics.syncs += 1
    }

    private var sealIndexEntriesThatFit: Int {
        max(0, (options.frameBytesMax - Layout.sealFixedBytes) / Layout.sealIndexEntryBytes)
    }

    /// Notes a finished checkpoint in the log.
    func mark(_ mark: CheckpointMark, bytesBefore: UInt64) throws {
        statistics.checkpoints += 1
        statistics.bytesSinceCheckpoint -= min(bytesBefore, statistics.bytesSinceCheckpoint)
        guard var segment = open, !mustRotate else { return }
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        builder.addRaw(.checkpointMark, mark.encoded(), first: last + 1, durable: durable, alignment: alignment)
        try segment.file.writeAll(builder.bytes, at: segment.offset)
        segment.offset = builder.end
        segment.chain = builder.chain
        open = segment
        needsSync = true
        statistics.storedBytes += UInt64(builder.bytes.count)
    }

    /// Syncs and seals. The log is complete then.
    func close() throws {
        try sync()
        guard let segment = open else { return }
        open = nil
        try finish(segment, Layout.sealClosed)
    }

    /// Lets go of the file without another word: after a failed sync nothing may be written.
    func abandon() {
        try? open?.file.close()
        open = nil
    }
}

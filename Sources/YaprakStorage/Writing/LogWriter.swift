internal import SystemPackage
internal import YaprakModel

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
    }

    let directory: any Directory
    let options: StoreOptions
    let lineage: Lineage
    let epoch: UInt64
    private var gate: CompressionGate
    /// Where the log ends while no segment is open.
    let tail: LogTail
    var open: Open?
    /// The newest commit that was written.
    var last: UInt64
    /// The newest commit that a sync has confirmed.
    var durable: UInt64
    /// The newest commit that some frame in the log says is durable.
    var attested: UInt64
    /// Something was written that no sync has confirmed.
    var needsSync = false
    /// A successor may exist: nothing more goes into the open segment.
    var mustRotate = false
    var statistics = StoreStatistics()

    init(
        directory: any Directory, options: StoreOptions, lineage: Lineage, epoch: UInt64, tail: LogTail
    ) {
        self.directory = directory
        self.options = options
        gate = CompressionGate(isEnabled: options.compresses)
        self.lineage = lineage
        self.epoch = epoch
        self.tail = tail
        last = tail.last
        durable = tail.last
        attested = tail.last
        statistics.bytesSinceCheckpoint = tail.bytes
    }

    /// The newest segment there is.
    var newestSegment: FileName? { open?.name ?? tail.segment }

    /// Whether the next commit goes to the next segment. Never before a segment has one: two would have the same name.
    private var isFull: Bool {
        guard let open else { return false }
        return open.offset > UInt64(options.segmentBytesMax) && open.name.first <= last
    }

    var alignment: Int { max(Layout.alignment, 1 << Int(options.padShift)) }

    /// How the last frame of a group ends: on a sector if a sync follows at once, else a later one sees to that.
    private var groupAlignment: Int { options.durability == .always ? alignment : Layout.alignment }

    // MARK: Groups

    /// Writes commits as one group, with one write. They are acknowledged by nobody yet.
    func write(_ items: [[UInt8]]) throws {
        if open == nil || mustRotate || isFull { try startSegment() }
        guard var segment = open else { return }
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        add(items, to: &builder)
        let end = builder.end
        if end > segment.allocated { extend(&segment, past: end) }
        do {
            try segment.file.writeAll(builder.bytes, at: segment.offset)
        } catch {
            try rollBackToPublished(segment)
            throw error
        }
        noteIndex(&segment, first: last + 1)
        segment.offset = end
        segment.chain = builder.chain
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

    /// Makes what a failed write may have left unreadable: whole frames of it would be taken for commits after a crash,
    /// although their callers got an error.
    ///
    /// - Throws: an error of the sync. If nothing at all can be written or cut off, it stays; the next group takes its place.
    private func rollBackToPublished(_ segment: Open) throws {
        if let size = try? segment.file.size(), size <= segment.offset { return }
        let blank = [UInt8](repeating: 0, count: Layout.frameHeaderBytes)
        if (try? segment.file.writeAll(blank, at: segment.offset)) == nil {
            guard (try? segment.file.truncate(to: segment.offset)) != nil else { return }
            open?.allocated = segment.offset
        }
        // Some of it may be on the disk already.
        try segment.file.syncData()
        statistics.syncs += 1
    }

    /// Somebody has removed the segment that is written to: what goes there is gone with the process.
    struct SegmentIsGone: Error {
        let name: FileName

        var asDatabaseError: DatabaseError {
            DatabaseError(
                .writeFailed,
                "The files of the database were removed while it was open. Write a snapshot elsewhere (`write(to:)`), and go on "
                    + "from there.", place: .init(file: name.path(.segment)))
        }
    }

    /// - Throws: ``SegmentIsGone``. - Complexity: one call to the system, which asks no disk.
    func checkName() throws {
        guard let open, (try? open.file.hasName()) == false else { return }
        throw SegmentIsGone(name: open.name)
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
                let alignment = end == items.count ? groupAlignment : Layout.alignment
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
                    alignment: isWhole && isLast ? groupAlignment : Layout.alignment, gate: &gate)
            }
            start = end
        } while start < item.count
    }

    /// Space ahead. Without it the write decides whether there is room.
    func extend(_ segment: inout Open, past end: UInt64) {
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
        guard needsSync, open != nil else { return }
        fillSector()
        try open?.file.syncData()
        statistics.syncs += 1
        needsSync = false
        durable = last
    }

    /// Fills the sector that a sync is about to make durable, so that no append rewrites it.
    ///
    /// In the chain: whatever comes behind it is written after the sync that covers it. If it can't be written, the next group
    /// takes its place, and shares the sector.
    private func fillSector() {
        guard var segment = open, segment.offset % UInt64(alignment) != 0 else { return }
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        builder.addRaw(.padding, first: last + 1, durable: durable, alignment: alignment)
        if builder.end > segment.allocated { extend(&segment, past: builder.end) }
        guard (try? segment.file.writeAll(builder.bytes, at: segment.offset)) != nil else { return }
        segment.offset = builder.end
        segment.chain = builder.chain
        open = segment
        statistics.storedBytes += UInt64(builder.bytes.count)
        statistics.bytesSinceCheckpoint += UInt64(builder.bytes.count)
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
}

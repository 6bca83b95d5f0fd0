internal import SystemPackage
internal import YaprakModel

/// Appends to the newest segment of a log. Owned by the log's thread; independent of queues and callers.
///
/// Invariants:
/// - Nothing before `offset` is ever written again. What is at `offset` and after it was never acknowledged: a durability
///   marker, or the remains of a failed write. The next frame overwrites it.
/// - `durable <= last`; they are equal when no sync is pending.
final class LogWriter {
    /// The open segment.
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
    /// The end of the log while no segment is open.
    let tail: LogTail
    var open: Open?
    /// The newest commit that was written.
    var last: UInt64
    /// The newest commit that a sync has confirmed.
    var durable: UInt64
    /// The newest commit that a frame in the log calls durable.
    var attested: UInt64
    /// Whether a write awaits a sync.
    var needsSync = false
    /// Whether a next segment may exist: then nothing more is written to the open one.
    var mustRotate = false
    var statistics = StoreStatistics()
    /// How many names the folder has, as far as this writer knows: pruning removes some.
    var entries: Int
    /// Why pruning removed none, where a store prunes.
    var pruningFailure: PruningFailure?

    /// - Parameter entries: how many names the folder has.
    init(
        directory: any Directory, options: StoreOptions, lineage: Lineage, epoch: UInt64, tail: LogTail,
        entries: Int = 0
    ) {
        self.entries = entries
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
        statistics.segmentsSinceCheckpoint = tail.segmentCount
    }

    /// The newest segment there is.
    var newestSegment: FileName? { open?.name ?? tail.segment }

    /// Whether the next commit goes to the next segment. Not before the open one has a commit: both would have the same name.
    private var isFull: Bool {
        guard let open else { return false }
        return open.offset > UInt64(options.segmentBytesMax) && open.name.first <= last
    }

    var alignment: Int { max(Layout.alignment, 1 << Int(options.padShift)) }

    /// The alignment of the end of a group: a sector if a sync follows at once; otherwise the sync fills the sector later.
    private var groupAlignment: Int { options.durability == .always ? alignment : Layout.alignment }

    // MARK: Groups

    /// Writes commits as one group, with one write. They are not acknowledged yet.
    func write(_ items: [[UInt8]]) throws {
        if open == nil || mustRotate || isFull {
            try checkEntries(keeping: FormatLimits.directoryEntriesKept)
            try startSegment()
        }
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

    /// Makes the remains of a failed write unreadable: after a crash its whole frames would count as commits, although their
    /// callers got an error.
    ///
    /// - Throws: an error of the sync. If the file can't be written or truncated at all, the next group overwrites the remains.
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

    /// The open segment was removed by somebody: its content would be lost with the process.
    struct SegmentIsGone: Error {
        let name: FileName

        var asDatabaseError: DatabaseError {
            DatabaseError(
                .writeFailed,
                "The files of the database were removed while it was open. Write a snapshot elsewhere (`write(to:)`), and go on "
                    + "from there.", place: .init(file: name.path(.segment)))
        }
    }

    /// - Throws: ``SegmentIsGone``. - Complexity: one system call, without disk access.
    func checkName() throws {
        guard let open, (try? open.file.hasName()) == false else { return }
        throw SegmentIsGone(name: open.name)
    }

    /// Refuses another segment if the folder of the log would then have more names than a listing takes: nothing would open
    /// the database.
    ///
    /// - Parameter kept: how many more must still fit.
    /// - Throws: `overLimit`, `DiskError`.
    func checkEntries(keeping kept: Int) throws {
        guard try hasRoom(keeping: kept) else {
            throw DatabaseError(
                .overLimit,
                "The folder of the log has \(entries) files, and may have no more. Make a checkpoint and go on. If that does not "
                    + "help, retain less, and move away what is not the database's.",
                place: .init(file: Layout.segmentsName), cause: pruningFailure?.cause)
        }
    }

    /// Whether the folder of the log may have another name, and `kept` more.
    func hasRoom(keeping kept: Int) throws(DiskError) -> Bool {
        let most = options.logEntriesMax - kept
        // Some may have been removed since they were counted.
        if entries >= most { entries = try directory.list(limit: FormatLimits.directoryEntriesMax).count }
        return entries < most
    }

    private func add(_ items: [[UInt8]], to builder: inout FrameBuilder) {
        var number = last + 1
        var at = 0
        while at < items.count {
            // As many commits as fit in one frame, or a single one that is larger.
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

    /// One commit, in one frame or in several. It counts once the last one is complete.
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

    /// Allocates space ahead. If that fails, the write decides whether there is room.
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

    /// Makes everything written so far durable.
    func sync() throws {
        guard needsSync, open != nil else { return }
        fillSector()
        try open?.file.syncData()
        statistics.syncs += 1
        needsSync = false
        durable = last
    }

    /// The same, and the file still has its name afterwards: what is durable without one goes with the process.
    ///
    /// - Throws: ``SegmentIsGone``, an error of the sync.
    func syncNamed() throws {
        try sync()
        try checkName()
    }

    /// Fills the sector that a sync is about to make durable, so that no append rewrites it.
    ///
    /// It is part of the chain: everything after it is written after the sync that covers it. If it can't be written, the next
    /// group overwrites it and shares the sector.
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

    /// Writes a durability marker at the end of the log. Costs no sync; the next group overwrites it.
    ///
    /// It is not part of the chain: without a sync in between it could reach the disk later than the next group, and the
    /// chain would have a gap before an acknowledged commit.
    func attest() {
        guard attested < durable, let open, !mustRotate else { return }
        var builder = FrameBuilder(salt: open.salt, base: open.offset, chain: open.chain)
        builder.addRaw(.attest, first: last + 1, durable: durable, alignment: alignment)
        // Evidence only: nothing is lost if it can't be written.
        try? open.file.writeAll(builder.bytes, at: open.offset)
        attested = durable
    }
}

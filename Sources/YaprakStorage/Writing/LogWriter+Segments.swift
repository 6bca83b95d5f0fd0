internal import YaprakModel

/// The life of segments: creation under a temporary name, rewriting of an unverified tail, sealing, closing.
extension LogWriter {
    /// Ends the open segment and starts the next, unless the open one is empty or none was needed yet.
    ///
    /// In a full folder, where commits begin no segment any more, it begins one for them: they go on behind the checkpoint that
    /// comes now, and the next one removes the segments before that. It leaves half of what is kept free to openings, which may
    /// have to write a tail again, and the checkpoint begins within the open segment then.
    func rotate() throws {
        try sync()
        // The checkpoint that comes now names the newest segment.
        try syncTailName()
        // After the last commit that there can be, no segment begins.
        guard last < FormatLimits.commitNumberMax else { return }
        let kept = FormatLimits.directoryEntriesKept
        if let open {
            // Frames without commits, such as the mark of a checkpoint, don't count: the next segment would have the
            // same name.
            guard open.name.first <= last || mustRotate else { return }
        } else {
            guard try !hasRoom(keeping: kept) else { return }
        }
        guard try hasRoom(keeping: kept / 2) else { return }
        try startSegment()
    }

    /// Ends the open segment and starts the next, unless the open one is of this opening and empty.
    func begin() throws {
        try sync()
        if let open, open.name.first > last, !mustRotate { return }
        try startSegment()
    }

    /// Makes the next segment: writes it under a temporary name, syncs, renames, and only then seals the old one.
    func startSegment() throws {
        try sync()
        let previous = open
        try makeSegment(
            first: last + 1, attested: last, previous: previous?.name ?? tail.segment,
            previousEnd: previous?.offset ?? tail.end, previousChain: previous?.chain ?? tail.chain,
            features: previous == nil && tail.endsInHole ? Features.followsHole : 0
        ) { _ in }
        if let previous { try finish(previous, Layout.sealRotated) }
    }

    /// Ends the open segment and starts the next with a later commit: those between are missing, and the header says so.
    ///
    /// Only for a new directory that a repair writes.
    func startSegment(afterHoleBefore first: UInt64) throws {
        precondition(first > last + 1, "commits are missing between \(last) and \(first)")
        try sync()
        let previous = open
        try makeSegment(
            first: first, attested: first - 1, previous: previous?.name ?? tail.segment,
            previousEnd: previous?.offset ?? tail.end, previousChain: previous?.chain ?? tail.chain,
            features: Features.followsHole
        ) { _ in }
        if let previous { try finish(previous, Layout.sealRotated) }
        last = first - 1
        durable = last
        attested = last
    }

    /// Makes the name of the newest segment durable before anything names it, if an earlier opening made it and was not
    /// closed: its sync of the directory may have failed, and a power cut would leave what names it without it.
    func syncTailName() throws {
        guard open == nil, tail.segment != nil, !tail.isClosed else { return }
        try directory.sync()
    }

    /// Makes the first segment of this opening from frames that were readable and not proven durable.
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
        }
        last = newLast
        durable = newLast
        attested = newLast
    }

    private func makeSegment(
        first: UInt64, attested: UInt64, previous: FileName?, previousEnd: UInt64, previousChain: UInt64,
        frameBytesMax: UInt32 = 0, features: UInt64 = 0, _ fill: (inout Open) throws -> Void
    ) throws {
        // Readers take the name for that of somebody else's file.
        guard first <= FormatLimits.commitNumberMax else { throw DatabaseError.commitsUsedUp }
        try checkEntries(keeping: 0)
        let name = FileName(first: first, epoch: epoch)
        let temporary = name.temporary(.segment)
        // A failed attempt may have left it.
        try? directory.unlink(temporary)
        var header = FileHeader(
            kind: .segment, lineage: lineage, epoch: epoch, first: first, previousFirst: previous?.first ?? 0,
            previousEpoch: previous?.epoch ?? 0, previousEnd: previousEnd, previousChain: previousChain,
            attested: attested, salt: options.random(), padShift: options.padShift,
            maxStored: max(frameBytesMax, UInt32(options.frameBytesMax)),
            maxRaw: max(frameBytesMax, UInt32(options.frameBytesMax)),
            createdNs: options.now())
        header.compatible |= features
        let file = try directory.open(temporary, .create)
        entries += 1
        var segment = Open(
            file: file, name: name, salt: header.salt, offset: UInt64(Layout.fileHeaderBytes), chain: previousChain,
            allocated: 0)
        do {
            extend(&segment, past: segment.offset)
            try file.writeAll(header.encoded(), at: 0)
            try fill(&segment)
            // Before it has its name: every segment with a final name has its header and its space.
            try file.sync()
            statistics.syncs += 1
        } catch {
            try? file.close()
            try? directory.unlink(temporary)
            throw error
        }
        mustRotate = true
        do {
            try syncTailName()
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
        // As `LogWalk` counts it. Many openings with few commits each are mostly headers, and make a checkpoint due, too.
        if previous != nil {
            statistics.bytesSinceCheckpoint += UInt64(Layout.fileHeaderBytes)
            statistics.segmentsSinceCheckpoint += 1
        }
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
            // Only space that was never used is given back.
            try segment.file.truncate(to: builder.end)
        } catch {
            // The seal is not required: the next segment, or its own frames, say where a segment ends.
            return
        }
        try segment.file.syncData()
        statistics.syncs += 1
    }

    private var sealIndexEntriesThatFit: Int {
        max(0, (options.frameBytesMax - Layout.sealFixedBytes) / Layout.sealIndexEntryBytes)
    }

    /// Records a finished checkpoint in the log.
    ///
    /// - Parameter start: the log when the checkpoint began.
    func mark(_ mark: CheckpointMark, begunAt start: LogQueue.BarrierAnswer) throws {
        statistics.checkpoints += 1
        statistics.bytesSinceCheckpoint -= min(start.bytesSinceCheckpoint, statistics.bytesSinceCheckpoint)
        statistics.segmentsSinceCheckpoint -= min(start.segmentsSinceCheckpoint, statistics.segmentsSinceCheckpoint)
        guard var segment = open, !mustRotate else { return }
        var builder = FrameBuilder(salt: segment.salt, base: segment.offset, chain: segment.chain)
        builder.addRaw(.checkpointMark, mark.encoded(), first: last + 1, durable: durable, alignment: alignment)
        try segment.file.writeAll(builder.bytes, at: segment.offset)
        segment.offset = builder.end
        segment.chain = builder.chain
        open = segment
        attested = durable
        needsSync = true
        statistics.storedBytes += UInt64(builder.bytes.count)
    }

    /// Syncs and seals. The log is complete then.
    ///
    /// - Returns: the end of the log; nil if there is no log.
    @discardableResult
    func close() throws -> ClosingMark? {
        try sync()
        guard let segment = open else {
            return tail.segment.map {
                ClosingMark(
                    database: lineage.id, last: last, segment: $0, salt: tail.salt, end: tail.end, chain: tail.chain)
            }
        }
        open = nil
        try finish(segment, Layout.sealClosed)
        return ClosingMark(
            database: lineage.id, last: last, segment: segment.name, salt: segment.salt, end: segment.offset,
            chain: segment.chain)
    }

    /// Closes the file without writing: after a failed sync nothing may be written.
    func abandon() {
        try? open?.file.close()
        open = nil
    }
}

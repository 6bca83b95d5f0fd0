internal import SystemPackage
package import YaprakModel

/// The result of `Store.open`: a verified checkpoint, and a way to replay the commits after it.
///
///     let (store, recovery) = try Store.open(path)
///     if let checkpoint = recovery.checkpoint { … }
///     try recovery.replay { number, item in … }
package final class Recovery {
    /// What was found and done so far. Complete once `replay` has returned.
    package private(set) var report = RecoveryReport()

    /// The newest checkpoint that verifies; nil when the log starts at the first commit.
    package var checkpoint: CheckpointReader? { base.checkpoint }

    /// What a recovery needs of its store.
    struct Opening {
        let path: FilePath
        /// Whether this opening has made the directory.
        let isNew: Bool
        let fileSystem: any FileSystem
        let directory: DatabaseDirectory
        let options: StoreOptions
        let lineage: Lineage
        let epoch: UInt64
        /// When it began, in nanoseconds of `monotonicNanoseconds`.
        let started: UInt64
        /// Makes the store ready for appends after the writer's commits.
        let activate: (LogWriter, ClosingMark?) throws(DatabaseError) -> Void
    }

    private let opening: Opening
    private let base: RecoveryBase
    private var hasRun = false

    init(_ opening: Opening, base: RecoveryBase) {
        self.opening = opening
        self.base = base
        report.checkpointCommitNumber = base.checkpoint?.number
        report.notes = base.notes
    }

    /// Calls `body` with every commit after the checkpoint, in order, then makes the store ready for appends.
    ///
    /// The bytes are valid during the call only. Commits that were readable but not proven durable are written into a new
    /// segment and synced before this returns: what readers see is on disk. No byte of the log is destroyed. Call it once.
    ///
    /// - Throws: `corruptLog` with the file, the offset and the lost commits if the log proves that an unreadable commit was
    ///   durable; `newerFormat`; `ioFailed`; what `body` throws. The store then accepts no commits.
    /// - Complexity: O(bytes of the log since the checkpoint).
    package func replay(_ body: (CommitNumber, UnsafeRawBufferPointer) throws -> Void) throws {
        precondition(!hasRun, "a recovery is replayed once")
        hasRun = true
        do {
            try run(body)
        } catch let error as DiskError {
            throw error.asDatabaseError(writing: false)
        }
        report.duration = .nanoseconds(Int64(clamping: monotonicNanoseconds() - opening.started))
    }

    private func run(_ body: (CommitNumber, UnsafeRawBufferPointer) throws -> Void) throws {
        var tail = LogTail(last: base.number)
        var relog: LogWalk.End?
        if let first = base.firstSegment {
            var walk = LogWalk(
                directory: opening.directory.segments, segments: base.listing.segments, lineage: base.lineage,
                evidence: base.evidence, closing: base.closing)
            let end = try walk.run(from: first) { number, item, _, _ in
                guard number > base.number else { return }
                report.replayedCommitCount += 1
                try body(CommitNumber(number), item)
            }
            tail = LogTail(
                segment: end.name, salt: end.reader.header.salt, end: end.offset, chain: end.chain, last: end.last,
                isClosed: end.isClosed, bytes: walk.bytes, segmentCount: walk.segmentCount)
            report.frameCount = walk.frames
            report.tornByteCount = end.tornBytes
            report.notes += walk.notes
            report.provenCommitNumber = CommitNumber(min(end.proven, end.last))
            report.wasClosedCleanly = end.isClosed
            if end.firstUnproven != nil { relog = end }
        } else {
            try DirectoryOpening.syncNames(
                opening.path, opening.directory, isNew: opening.isNew, opening.fileSystem)
            report.provenCommitNumber = CommitNumber(base.number)
        }
        report.newestCommitNumber = CommitNumber(tail.last)
        let writer = LogWriter(
            directory: opening.directory.segments, options: opening.options, lineage: opening.lineage,
            epoch: opening.epoch, tail: tail, entries: base.listing.segmentEntries)
        do {
            if let relog {
                try writeAgain(relog, writer)
            } else {
                // An earlier opening may have written this tail, and its sync of the directory may have failed behind the
                // rename: what is shown from here on would go with the name.
                try writer.syncTailName()
            }
        } catch let error as DiskError {
            // What is written again is read, too.
            throw error.asDatabaseError(writing: error.operation != .read && error.operation != .size)
        }
        try opening.activate(writer, base.closing)
    }

    /// Writes the commits that are readable but not proven durable into a new segment, and syncs it.
    ///
    /// They may be in the page cache only, after a sync that failed in an earlier process. Another sync of the same file would
    /// then succeed without writing. New bytes in a new file are really written.
    private func writeAgain(_ end: LogWalk.End, _ writer: LogWriter) throws {
        guard let place = end.firstUnproven else { return }
        var reader = end.reader
        reader.jump(to: place.offset, chain: place.chain, next: place.first)
        let alignment = max(Layout.alignment, 1 << Int(opening.options.padShift))
        try writer.relog(
            first: place.first, last: end.last, previousEnd: place.offset, previousChain: place.chain,
            frameBytesMax: max(end.reader.header.maxRaw, end.reader.header.maxStored)
        ) { builder, write in
            while reader.offset < end.offset {
                let changed = LogError.corrupt(end.name, at: reader.offset, "the segment changed while it was read")
                guard case .frame(let frame, let at) = try reader.step(limit: end.offset, { _, _, _, _ in }) else {
                    throw changed
                }
                // The payload of a frame without commits was not verified, and a power cut may have kept its header alone.
                guard frame.type == FrameType.commitGroup.rawValue else { continue }
                guard let stored = try reader.payload(of: frame, at: at) else { throw changed }
                builder.addCopy(of: frame, stored: stored, durable: end.proven, alignment: alignment)
                if builder.bytes.count > 1 << 20 { try write(&builder) }
            }
        }
        report.reloggedCommitCount = Int(clamping: end.last - place.first + 1)
    }
}

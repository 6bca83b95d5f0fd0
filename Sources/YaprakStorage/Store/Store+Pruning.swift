internal import SystemPackage
internal import YaprakLocks
package import YaprakModel

extension Store {
    /// Removes the checkpoints that retention does not keep, and the segments that no kept checkpoint needs.
    ///
    /// At least two checkpoints that verify stay, once there are two, and the oldest that stays is one that verifies. If a file
    /// can't be removed, the others are, the next checkpoint tries again, and a folder that is full meanwhile says why.
    func prune() {
        do throws(DiskError) {
            try removeSurplus()
            pruningFailure.note(nil)
        } catch {
            pruningFailure.note(error)
        }
    }

    private func removeSurplus() throws(DiskError) {
        let surplus = try surplus()
        guard !surplus.isEmpty else { return }
        try makeFoldersDurable()
        let outcome = removeCheckpoints(surplus.checkpoints)
        // The checkpoints first, durably, then the segments that only they needed.
        if outcome.removesAny { try directory.checkpoints.sync() }
        try removeSegments(outcome.oldest.map { Self.unneeded(surplus.segments, from: $0) } ?? surplus.segments)
        if let failure = outcome.failure { throw failure }
    }

    /// Removes those that it can, in ascending order.
    ///
    /// - Returns: whether any went, the first failure, and the oldest that is left and may be one of ours.
    private func removeCheckpoints(
        _ names: [FileName]
    ) -> (removesAny: Bool, failure: DiskError?, oldest: FileName?) {
        var outcome: (removesAny: Bool, failure: DiskError?, oldest: FileName?) = (false, nil, nil)
        for name in names {
            guard let error = remove(name, .checkpoint) else {
                outcome.removesAny = true
                continue
            }
            outcome.failure = outcome.failure ?? error
            if outcome.oldest == nil, mayBeOurs(name, .checkpoint) { outcome.oldest = name }
        }
        return outcome
    }

    /// Removes a file, if it is there; returns why it can't.
    private func remove(_ name: FileName, _ kind: FileKind) -> DiskError? {
        do throws(DiskError) {
            try folder(kind).unlink(name.string(kind))
            return nil
        } catch {
            return error.errno == .noSuchFileOrDirectory ? nil : error
        }
    }

    /// Whether a file that can't be removed may be one that something needs, and not a folder with its name, or another's file.
    private func mayBeOurs(_ name: FileName, _ kind: FileKind) -> Bool {
        do {
            let (file, header) = try DatabaseDirectory.open(name, kind, in: folder(kind))
            try? file.close()
            return (try? header.get()).map(lineage.accepts) ?? false
        } catch {
            return !error.isAboutNoFile && error.errno != .noSuchFileOrDirectory
        }
    }

    private func folder(_ kind: FileKind) -> any Directory {
        switch kind {
        case .segment: directory.segments
        case .checkpoint: directory.checkpoints
        }
    }

    /// Why the last pruning left files that nobody needs; nil if it did not.
    package var pruningError: DatabaseError? { pruningFailure.cause }

    /// Whether the folder of the log is full, and a checkpoint of `number` leads to room: it lets segments go, or is the first of
    /// the two that do.
    ///
    /// - Throws: `ioFailed`. - Complexity: O(number of files), and O(bytes of the checkpoints) if the folder is full.
    package func needsCheckpointForRoom(at number: CommitNumber) throws(DatabaseError) -> Bool {
        guard try isLogFull() else { return false }
        return try translatingDiskErrors(writing: false) {
            let listing = try directory.list()
            // An opening makes no second one of a commit.
            guard !listing.segments.isEmpty,
                !listing.checkpoints.contains(FileName(first: number.rawValue, epoch: epoch))
            else { return false }
            if try !surplus(withCheckpointAt: number.rawValue).segments.isEmpty { return true }
            return !listing.checkpoints.reversed().contains { verifies($0) }
        }
    }

    /// Files that are not needed.
    struct Surplus {
        var checkpoints: [FileName] = []
        var segments: [FileName] = []

        var isEmpty: Bool { checkpoints.isEmpty && segments.isEmpty }
    }

    /// Makes the names of the folders durable, once, before a file is removed: the opening that made a folder again may have
    /// failed at that, or been killed, and a power cut would leave neither that file nor the one that replaces it.
    private func makeFoldersDurable() throws(DiskError) {
        // After a failure, too: another sync may succeed without writing.
        if let known = folderSync.withLock({ $0 }) { return try known.get() }
        let result = Result { () throws(DiskError) in try directory.root.sync() }
        folderSync.withLock { $0 = result }
        try result.get()
    }

    /// The files that retention does not keep.
    ///
    /// - Parameter number: a commit that is about to get a checkpoint.
    func surplus(withCheckpointAt number: UInt64? = nil) throws(DiskError) -> Surplus {
        let listing = try directory.list()
        let coming = number.map { FileName(first: $0, epoch: epoch) }
        guard let oldest = oldestKept(listing.checkpoints + (coming.map { [$0] } ?? []), coming: coming) else {
            return Surplus()
        }
        return Surplus(
            checkpoints: listing.checkpoints.filter { $0 < oldest },
            segments: Self.unneeded(listing.segments, from: oldest))
    }

    /// The segments that are not needed for the commits after a checkpoint: all before the last that starts at or before the
    /// first of them.
    private static func unneeded(_ segments: [FileName], from checkpoint: FileName) -> [FileName] {
        zip(segments, segments.dropFirst()).prefix { $1.first <= checkpoint.first + 1 }.map(\.0)
    }

    /// A segment of ours that can't be removed keeps those behind it, so that the log has no gap.
    ///
    /// - Throws: the first failure, when the others are gone.
    private func removeSegments(_ names: [FileName]) throws(DiskError) {
        var removesAny = false
        var failure: DiskError?
        for name in names {
            guard let error = remove(name, .segment) else {
                removesAny = true
                continue
            }
            failure = failure ?? error
            if mayBeOurs(name, .segment) { break }
        }
        do throws(DiskError) {
            // A device that removed nothing is not asked: its refusal would end all writing.
            if removesAny { try directory.segments.sync() }
        } catch {
            // The directory of the log failed to sync: names of segments may be lost, so nothing more is acknowledged.
            logThread.poison(error.asDatabaseError(writing: true))
            throw error
        }
        if let failure { throw failure }
    }
}

/// The files that a compaction removes, or would remove.
package struct PrunedFiles: Sendable {
    package fileprivate(set) var checkpoints: [(file: String, number: CommitNumber)] = []
    package fileprivate(set) var segments: [String] = []
    package fileprivate(set) var bytes: UInt64 = 0
    /// The oldest remaining state: a checkpoint's commit, or 0.
    package fileprivate(set) var oldestKept = CommitNumber.zero

    package init(oldestKept: CommitNumber = .zero) { self.oldestKept = oldestKept }
}

extension Store {
    /// The files that retention does not keep once there is a checkpoint of `number`.
    ///
    /// - Throws: `ioFailed`.
    package func prunable(withCheckpointAt number: CommitNumber?) throws(DatabaseError) -> PrunedFiles {
        try translatingDiskErrors(writing: false) {
            try describe(try surplus(withCheckpointAt: number?.rawValue), coming: number?.rawValue)
        }
    }

    /// Removes the files that retention does not keep.
    package func pruneNow() { prune() }

    private func describe(_ surplus: Surplus, coming: UInt64?) throws -> PrunedFiles {
        var files = PrunedFiles()
        for name in surplus.checkpoints {
            files.checkpoints.append((name.path(.checkpoint), CommitNumber(name.first)))
            files.bytes = files.bytes.addingClamped(size(name, .checkpoint))
        }
        for name in surplus.segments {
            files.segments.append(name.path(.segment))
            files.bytes = files.bytes.addingClamped(size(name, .segment))
        }
        let listing = try directory.list()
        let gone = Set(surplus.segments)
        let reachesBack =
            listing.segments.first { !gone.contains($0) }.map { $0.first == 1 } ?? listing.checkpoints.isEmpty
        let left = listing.checkpoints.filter { !surplus.checkpoints.contains($0) }.map(\.first)
        files.oldestKept = CommitNumber(reachesBack ? 0 : left.min() ?? coming ?? 0)
        return files
    }

    /// The length of a file; 0 for what can't be opened, such as a folder with its name, which is no reason to remove nothing.
    private func size(_ name: FileName, _ kind: FileKind) -> UInt64 {
        (try? folder(kind).open(name.string(kind), .read).size()) ?? 0
    }

    /// The files that a purge removes: all but the checkpoints of these names, and a segment. An older checkpoint of the same
    /// commit goes, too: it may have records under a key that was given up, or state of an extension that is gone.
    private func history(keeping checkpoints: [FileName], _ segment: FileName?) throws -> Surplus {
        let listing = try directory.list()
        return Surplus(
            checkpoints: listing.checkpoints.filter { !checkpoints.contains($0) },
            segments: listing.segments.filter { $0 != segment })
    }

    /// The name of the checkpoint that a purge copies.
    private func name(of checkpoint: CheckpointReader) -> FileName {
        FileName(first: checkpoint.number.rawValue, epoch: checkpoint.header.epoch)
    }

    /// What a purge would remove.
    package func purgeable(at number: CommitNumber) throws(DatabaseError) -> PrunedFiles {
        try translatingDiskErrors(writing: false) {
            // Where there is none that can be read, the purge makes one first.
            let source = try? StoreReader(directory: directory).openCheckpoint(number)
            var files = try describe(history(keeping: source.map { [name(of: $0)] } ?? [], nil), coming: nil)
            files.oldestKept = number
            return files
        }
    }

    /// Removes the whole history. Two equal checkpoints of the newest state remain, so that a damaged file still costs
    /// nothing.
    ///
    /// Requires a checkpoint of the newest commit from an earlier opening.
    /// - Throws: `corruptCheckpoint`, `diskFull`, `writeFailed`, `syncFailed`, `ioFailed`, `overLimit` (there is no commit after
    ///   this one, or no room for another checkpoint). If a file can't be removed, the others are, and then it throws; but a
    ///   checkpoint keeps all segments.
    package func purgeHistory(at number: CommitNumber) throws(DatabaseError) -> PrunedFiles {
        let answer = try pass(.begin)
        let writer = try beginCheckpoint(at: number)
        let reader = StoreReader(directory: directory)
        let source = try reader.openCheckpoint(number)
        do {
            for section in source.sections {
                try writer.beginSection(kind: section.kind, name: section.name, info: section.info, asOf: section.asOf)
                try source.forEachChunk(of: section) { try writer.append($0) }
                try writer.endSection(count: section.count, digest: section.digest)
            }
        } catch {
            writer.cancel()
            throw error as? DatabaseError ?? DatabaseError(.ioFailed, "An unexpected error came up.", cause: error)
        }
        try writer.finish()
        return try translatingDiskErrors(writing: true) {
            let kept = [name(of: source), FileName(first: number.rawValue, epoch: epoch)]
            let surplus = try history(keeping: kept, answer.newestSegment)
            var files = try describe(surplus, coming: nil)
            files.oldestKept = number
            try makeFoldersDurable()
            let outcome = removeCheckpoints(surplus.checkpoints)
            try directory.checkpoints.sync()
            if outcome.oldest == nil { try removeSegments(surplus.segments) }
            if let failure = outcome.failure { throw failure }
            return files
        }
    }
}

package import SystemPackage
internal import YaprakCBOR
internal import YaprakLocks
package import YaprakModel

/// A database directory, opened for writing: stores commits as bytes, and returns them in order after a crash.
///
///     let (store, recovery) = try Store.open("shop.yaprak", options: StoreOptions())
///     try recovery.replay { number, item in … }
///     try store.append(number: 1, item: bytes) { result in … }
///     try store.close()
///
/// Invariants:
/// - Commits are numbered 1, 2, 3, … without gaps; `append` is called in that order.
/// - Completions run in commit order, on the log's own thread.
/// - Nothing is appended before `Recovery.replay` has returned.
package final class Store: Sendable {
    let directory: DatabaseDirectory
    let options: StoreOptions
    let epoch: UInt64
    let logThread: LogThread
    private let checkpointIsOpen = Mutex(false)
    /// What came of the sync that makes the names of the folders durable; nil if there was none.
    let folderSync = Mutex<Result<Void, DiskError>?>(nil)
    /// Why the last pruning left files that nobody needs.
    let pruningFailure = PruningFailure()

    /// The identity in every file this database writes, and the other databases whose files may be here.
    let lineage: Lineage

    private init(
        directory: DatabaseDirectory, options: StoreOptions, lineage: Lineage, epoch: UInt64, lock: any FileLock
    ) {
        self.directory = directory
        self.options = options
        self.lineage = lineage
        self.epoch = epoch
        logThread = LogThread(options: options, lock: lock, root: directory.root)
    }

    deinit { close { _ in } }

    /// Opens a directory, takes its lock and finds the newest checkpoint that verifies.
    ///
    /// - Throws: `alreadyOpen`, `notFound`, `notADatabase`, `permissionDenied`, `newerFormat`, `corruptLog`,
    ///   `corruptCheckpoint`, `overLimit`, `ioFailed`; `diskFull`, `writeFailed` where something has to be made.
    /// - Complexity: O(bytes of the checkpoint); the log is read by `Recovery.replay`.
    package static func open(
        _ path: FilePath, options: StoreOptions = StoreOptions(), fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> (store: Store, recovery: Recovery) {
        let started = monotonicNanoseconds()
        let opened = try DirectoryOpening.open(path, creates: options.createsIfMissing, fileSystem)
        let (directory, lock) = (opened.directory, opened.lock)
        do throws(DatabaseError) {
            return try translatingDiskErrors(writing: false) {
                var base = try RecoveryBase.find(in: directory)
                if lock.hasOtherNames {
                    base.notes.append(
                        "\(Layout.lockName) is a hard link, and is not written to: nothing proves where a close leaves the "
                            + "log. Remove it while the database is closed; the next opening makes another.")
                }
                let epoch = base.listing.epoch + 1
                guard epoch <= FileName.epochMax else {
                    throw DatabaseError(.overLimit, "The database was opened more often than its names can count.")
                }
                // They are ours by their pattern, and no other process has the lock. One that stays does no harm.
                for name in base.listing.temporarySegments { try? directory.segments.unlink(name) }
                for name in base.listing.temporaryCheckpoints { try? directory.checkpoints.unlink(name) }
                let store = Store(
                    directory: directory, options: options,
                    lineage: base.lineage ?? Lineage(id: DatabaseID(high: options.random(), low: options.random())),
                    epoch: epoch, lock: lock)
                let opening = Recovery.Opening(
                    path: path, isNew: opened.isNew, fileSystem: fileSystem, directory: directory, options: options,
                    lineage: store.lineage, epoch: epoch, started: started,
                    activate: { writer, closing throws(DatabaseError) in
                        writer.pruningFailure = store.pruningFailure
                        try store.logThread.start(writer, closing: closing)
                    })
                return (store, Recovery(opening, base: base))
            }
        } catch {
            lock.release()
            throw error
        }
    }

    // MARK: Commits

    /// Queues a commit for the log and returns at once.
    ///
    /// The item is one well-formed CBOR item. `completion` runs exactly once, on the log's thread, after those of all
    /// commits before it; it must not block.
    ///
    /// - Throws: `readOnly`, `abandoned` (suspended: call `resume(after:)` first), `closed`, `transactionTooLarge`,
    ///   `overLimit` (there is no such number). Then `completion` is not called and the number is not used.
    /// - Complexity: O(1).
    package func append(
        number: CommitNumber, item: [UInt8],
        completion: @escaping @Sendable (Result<Void, DatabaseError>) -> Void
    ) throws(DatabaseError) {
        assert((try? CBORItem.length(of: item)) == item.count, "a commit is one well-formed CBOR item")
        precondition(!item.isEmpty, "a commit has bytes")
        guard item.count <= FormatLimits.commitBytesMax else {
            throw DatabaseError(
                .transactionTooLarge,
                "The commit has \(item.count) bytes; a commit may have \(FormatLimits.commitBytesMax). Split it.")
        }
        guard number.rawValue <= FormatLimits.commitNumberMax else {
            throw .commitsUsedUp
        }
        let (refusal, wakes) = logThread.queue.withLock { queue -> (DatabaseError?, Bool) in
            if let refusal = queue.refusal() { return (refusal, false) }
            precondition(number.rawValue == queue.next, "commits are numbered without gaps")
            queue.next += 1
            return (nil, queue.enqueue(.commit(.init(number: number.rawValue, item: item, completion: completion))))
        }
        logThread.noteArrival(wakes: wakes)
        if let refusal { throw refusal }
    }

    /// Ends a suspension. The next commit follows `last`, the last one that was acknowledged.
    ///
    /// - Throws: `readOnly`, `closed`.
    package func resume(after last: CommitNumber) throws(DatabaseError) {
        let refusal = logThread.queue.withLock { queue -> DatabaseError? in
            guard case .suspended = queue.status, !queue.isClosing else { return queue.refusal() }
            precondition(last == acknowledgedNumber, "a log goes on behind the last commit it acknowledged")
            queue.status = .running
            queue.next = last.rawValue + 1
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The newest durable commit.
    package var durableNumber: CommitNumber { logThread.durable }

    /// The newest commit whose completion was called with success.
    package var acknowledgedNumber: CommitNumber { logThread.acknowledged }

    /// Calls `completion` when every commit queued so far is durable, under any durability policy: on the log's thread, or
    /// at once if the store accepts no commits.
    package func flush(_ completion: @escaping @Sendable (Result<CommitNumber, DatabaseError>) -> Void) {
        pass(.flush) { result in completion(result.map(\.durable)) }
    }

    /// Blocks until every commit queued so far is durable. Not for use on the cooperative pool.
    ///
    /// - Throws: `syncFailed`, `writeFailed` if the files were removed, `readOnly`, `abandoned`, `closed`.
    package func flush() throws(DatabaseError) { _ = try pass(.flush) }

    // MARK: State

    /// Makes readers of the directory that is open, wherever its path leads by now. Does not keep the store.
    package var makeReader: @Sendable () -> StoreReader {
        { [directory] in StoreReader(directory: directory) }
    }

    /// Whether commits are accepted, and if not, why.
    package var status: StoreStatus { logThread.queue.withLock { $0.status } }

    /// Whether a repair skipped lost commits. Every file of this store says so, and a backup has to.
    package var isSalvaged: Bool { lineage.isSalvaged }

    /// What this store has done since it was opened.
    package var statistics: StoreStatistics { logThread.queue.withLock { $0.statistics } }

    /// More segments than these since the newest checkpoint make the next one due, however few bytes they have.
    package var segmentsUntilCheckpoint: Int { options.segmentsUntilCheckpoint }

    /// Whether the folder of the log has so many names that a commit may begin no segment. A checkpoint removes some.
    ///
    /// - Throws: `ioFailed`. - Complexity: O(number of files).
    package func isLogFull() throws(DatabaseError) -> Bool {
        try translatingDiskErrors(writing: false) {
            try directory.segments.list(limit: FormatLimits.directoryEntriesMax).count
                >= options.logEntriesMax - FormatLimits.directoryEntriesKept
        }
    }

    // MARK: Barriers

    private func pass(
        _ kind: LogQueue.Barrier.Kind,
        _ completion: @escaping @Sendable (Result<LogQueue.BarrierAnswer, DatabaseError>) -> Void
    ) {
        let (refusal, wakes) = logThread.queue.withLock { queue -> (DatabaseError?, Bool) in
            if let refusal = queue.refusal() { return (refusal, false) }
            return (nil, queue.enqueue(.barrier(.init(kind: kind, completion: completion))))
        }
        logThread.noteArrival(wakes: wakes)
        if let refusal { completion(.failure(refusal)) }
    }

    /// Queues a barrier and blocks until it was passed.
    func pass(_ kind: LogQueue.Barrier.Kind) throws(DatabaseError) -> LogQueue.BarrierAnswer {
        let answer = Monitor<Result<LogQueue.BarrierAnswer, DatabaseError>?>(nil)
        pass(kind) { result in
            answer.withLock { $0 = result }
            answer.broadcast()
        }
        return try logThread.wait(for: answer).get()
    }

    // MARK: Checkpoints

    /// Begins a checkpoint of the state after `number`, which must be durable. The log continues in a new segment.
    ///
    /// The checkpoint is written on the caller's thread while appends continue. One at a time.
    /// - Throws: `readOnly`, `closed`, `abandoned`, `diskFull`, `writeFailed`, `permissionDenied`, `syncFailed`, `alreadyExists`
    ///   (this opening has made one at the same commit), `overLimit` (there are too many checkpoints).
    package func beginCheckpoint(at number: CommitNumber) throws(DatabaseError) -> CheckpointWriter {
        let isFree = checkpointIsOpen.withLock { isOpen -> Bool in
            defer { isOpen = true }
            return !isOpen
        }
        precondition(isFree, "one checkpoint at a time")
        do throws(DatabaseError) {
            // Nothing is removed behind a log that failed, or beside somebody else who has the lock by now.
            if let refusal = logThread.queue.withLock({ $0.refusal() }) { throw refusal }
            try makeRoomForCheckpoint()
            let answer = try pass(.rotate)
            precondition(number <= answer.durable, "a checkpoint holds durable commits")
            return try translatingDiskErrors(writing: true) { try makeCheckpoint(number, answer) }
        } catch {
            checkpointIsOpen.withLock { $0 = false }
            throw error
        }
    }

    /// Refuses another checkpoint if their folder would then have more names than a listing takes: nothing would open the
    /// database.
    private func makeRoomForCheckpoint() throws(DatabaseError) {
        let most = min(options.checkpointFilesMax, FormatLimits.directoryEntriesMax)
        func count() throws(DatabaseError) -> Int {
            try translatingDiskErrors(writing: true) {
                try directory.checkpoints.list(limit: FormatLimits.directoryEntriesMax).count
            }
        }
        guard try count() >= most else { return }
        // Pruning follows a checkpoint, which would never come.
        prune()
        let entries = try count()
        guard entries < most else {
            throw DatabaseError(
                .overLimit,
                "The folder of the checkpoints has \(entries) files, and may have no more. Retain less, and move away what is "
                    + "not the database's.", place: .init(file: Layout.checkpointsName), cause: pruningFailure.cause)
        }
    }

    private func makeCheckpoint(
        _ number: CommitNumber, _ answer: LogQueue.BarrierAnswer
    ) throws -> CheckpointWriter {
        let name = FileName(first: number.rawValue, epoch: epoch)
        if try directory.list().checkpoints.contains(name) {
            throw DatabaseError(
                .alreadyExists, "There is a checkpoint of commit \(number) already. Go on with the next commit.",
                place: .init(file: name.string(.checkpoint)))
        }
        let header = FileHeader(
            kind: .checkpoint, lineage: lineage, epoch: epoch, first: number.rawValue,
            previousFirst: answer.newestSegment?.first ?? 0, previousEpoch: answer.newestSegment?.epoch ?? 0,
            attested: number.rawValue, salt: options.random(), padShift: 3, maxStored: FormatLimits.frameStoredMax,
            maxRaw: FormatLimits.frameRawMax, createdNs: options.now())
        return try CheckpointWriter(
            .init(
                directory: directory.checkpoints, name: name, header: header, options: options,
                completed: { [self] mark in
                    defer { checkpointIsOpen.withLock { $0 = false } }
                    // The checkpoint is valid even if the log can't record it.
                    _ = try? pass(.mark(mark, begunAt: answer))
                    // The log may have failed since, or somebody else may have the lock.
                    if logThread.queue.withLock({ $0.mayRemoveFiles }) { prune() }
                },
                cancelled: { [self] in checkpointIsOpen.withLock { $0 = false } }))
    }

    // MARK: Closing

    /// Writes what is queued, seals the log and releases the lock. All completions have run when it returns.
    ///
    /// A second call does nothing. Blocks; not for use on the cooperative pool when the disk is slow.
    /// - Throws: `syncFailed`, `writeFailed` if the files were removed; the lock is released nevertheless. Commits that can't be
    ///   written fail at their completions.
    package func close() throws(DatabaseError) {
        let answer = Monitor<Result<Void, DatabaseError>?>(nil)
        close { result in
            answer.withLock { $0 = result }
            answer.broadcast()
        }
        try logThread.wait(for: answer).get()
    }

    /// The same for a store that nobody will use again: blocks, unless the thread is a log's, which would wait for itself or for
    /// one that waits for it.
    package func closeUnattended() {
        if LogThread.isCurrent { close { _ in } } else { try? close() }
    }

    /// The same without blocking. Calls `completion` on the log's thread.
    package func close(_ completion: @escaping @Sendable (Result<Void, DatabaseError>) -> Void) {
        enum Answer { case now(Result<Void, DatabaseError>), later(wakes: Bool), withoutThread }
        let answer = logThread.queue.withLock { queue -> Answer in
            if let result = queue.closeResult { return .now(result) }
            let isFirst = !queue.isClosing
            queue.isClosing = true
            queue.closeCompletions.append(completion)
            if isFirst, case .recovering = queue.status { return .withoutThread }
            return .later(wakes: queue.wake())
        }
        switch answer {
        case .now(let result): completion(result)
        case .later(let wakes): logThread.noteArrival(wakes: wakes)
        case .withoutThread: logThread.finishClosing(.success(()), StoreStatistics())
        }
    }
}

import Logging
public import SystemPackage
public import YaprakModel
package import YaprakStorage

extension Database {
    /// Writes a checkpoint of the newest commit, so that the next launch replays nothing before it.
    ///
    /// Writers and readers go on meanwhile. The checkpoint is read back and proven before it counts; then what
    /// ``DatabaseOptions/retention`` no longer asks for is removed. The engine does this by itself
    /// (``DatabaseOptions/checkpoints``); call it before a long pause or a backup of the files.
    ///
    /// - Returns: the commit that was written; `nil` in memory.
    /// - Throws: `diskFull`, `writeFailed`, `permissionDenied`, `syncFailed`, `corruptCheckpoint` if what was written can't be
    ///   read back, `overLimit`, `encodingFailed` with the key, `readOnly`, `closed`, what a primary extension's `encode`
    ///   throws; `abandoned` if the log refused a commit of another task meanwhile, as it does when the checkpoint before this
    ///   one fills the disk: call it again; `CancellationError` if the task is cancelled while another checkpoint is written,
    ///   while it waits for a writer after a commit that failed, or before all of this one is written: nothing is left of it
    ///   then. The database goes on, and the log keeps everything.
    /// - Complexity: O(number of records).
    @discardableResult
    public func checkpoint() async throws -> CommitNumber? {
        guard let files else { return nil }
        try checkOpen()
        // Before its turn: who closes has the writers' turn, which this may need, and waits for a checkpoint under way.
        try await flush(files)
        try await files.checkpoints.takeOrThrow()
        defer { files.checkpoints.pass() }
        try checkOpen()
        return try await writeCheckpoint(files, isCancellable: true)
    }

    /// Writes one unless it is being written, or was while this task waited to begin, or the database was closed meanwhile.
    func checkpointIfDue() async throws {
        guard let files, files.checkpoints.takeIfFree() else { return }
        defer { files.checkpoints.pass() }
        // A database that was closed meanwhile needs none: nothing has failed. One that closes later waits for this turn.
        guard !isClosed, files.isCheckpointDue else { return }
        do {
            _ = try await writeCheckpoint(files)
        } catch {
            files.checkpoints.noteFailure(at: files.growth)
            throw error
        }
    }

    private func checkOpen() throws {
        if isClosed { throw DatabaseError(.closed, "the database is closed. Open it again to write a checkpoint.") }
    }

    /// Writes the one that the number of segments makes due, before the files are closed: a program that writes and closes at
    /// once leaves no time for it, and one whose log is full does not get further than to close it.
    func checkpointBeforeClosing(_ files: DatabaseFiles) async {
        do {
            guard try await files.needsCheckpointBeforeClosing(at: publication.newest.number) else { return }
            _ = try await writeCheckpoint(files)
        } catch {
            options.logger.warning("a checkpoint failed; the log keeps everything: \(ErrorText.of(error))")
        }
    }

    /// - Parameter isCancellable: whether it ends when the task is cancelled.
    private func writeCheckpoint(_ files: DatabaseFiles, isCancellable: Bool = false) async throws -> CommitNumber {
        // Under a lazy durability the newest commit may not be on disk yet; a checkpoint of it must not be ahead.
        try await files.flush()
        let contents = CheckpointContents(state: publication.newest, encodingFault: options.store.encodingFault)
        let (store, scheduler) = (files.store, options.store.scheduler)
        let write: @Sendable (WorkCancellation) throws -> UInt64 = { cancellation in
            try contents.write(
                to: try store.beginCheckpoint(at: contents.state.number), checking: cancellation.check)
        }
        do {
            let bytes =
                if isCancellable {
                    try await DatabaseFiles.cancellable(on: scheduler, write)
                } else {
                    try await DatabaseFiles.blocking(on: scheduler) { try write(WorkCancellation()) }
                }
            files.checkpoints.noteSize(bytes)
        } catch let error as DatabaseError where error.code == .alreadyExists {
            // Nothing was committed since the last one.
        }
        return contents.state.number
    }

    /// Writes a snapshot as a database of its own, while everything goes on.
    ///
    ///     let before = database.snapshot
    ///     …
    ///     try await database.backup(before, to: "before.yaprak")
    ///
    /// The new directory holds one checkpoint and no log; opening it gives the database as of the snapshot, with its commit
    /// number. It appears under its name only when it is complete and synced. If a repair of this database has skipped lost
    /// commits, the new one says so, too. Its files know that: a fork in memory does not.
    ///
    /// - Parameter snapshot: any snapshot of this database; the newest if `nil`.
    /// - Throws: `alreadyExists`, `notFound` if the parent directory isn't there, `ioFailed` if that can't be opened,
    ///   `alreadyOpen` if another process makes the same directory; `diskFull`, `writeFailed`, `permissionDenied`, `syncFailed`,
    ///   `corruptCheckpoint` if what was written can't be read back, `overLimit`, `encodingFailed` with the key, and what a
    ///   primary extension's `encode` throws; `CancellationError` if the task is cancelled before all is written. Nothing is
    ///   left at the path then, unless the sync of its name failed: the message says that it is complete.
    /// - Complexity: O(number of records).
    public nonisolated func backup(_ snapshot: Snapshot? = nil, to path: FilePath) async throws {
        try await backup(snapshot, to: path, fileSystem: PosixFileSystem())
    }

    package nonisolated func backup(
        _ snapshot: Snapshot?, to path: FilePath, fileSystem: any FileSystem
    ) async throws {
        let state = (snapshot ?? self.snapshot).state
        let contents = CheckpointContents(state: state)
        var storeOptions = options.store
        storeOptions.now = options.clock
        let isSalvaged = files?.store.isSalvaged ?? false
        _ = try await DatabaseFiles.cancellable(on: storeOptions.scheduler) { [storeOptions] cancellation in
            try contents.write(
                to: try Store.createStandalone(
                    path, at: contents.state.number, isSalvaged: isSalvaged, options: storeOptions,
                    fileSystem: fileSystem),
                checking: cancellation.check)
        }
    }
}

package import SystemPackage

/// One database directory, opened for writing: commits go in as bytes and come back, in order, after a crash.
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
    /// Opens a directory, takes its lock and finds the newest checkpoint that verifies.
    ///
    /// - Throws: `alreadyOpen`, `notFound`, `notADatabase`, `permissionDenied`, `newerFormat`, `corruptLog`,
    ///   `corruptCheckpoint`, `ioFailed`.
    /// - Complexity: O(bytes of the checkpoint); the log is read by `Recovery.replay`.
    package static func open(
        _ path: FilePath, options: StoreOptions = StoreOptions(), fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> (store: Store, recovery: Recovery) { throw unbuilt }

    /// Puts a commit into the queue of the log. Returns at once.
    ///
    /// The item is one well-formed CBOR item. `completion` runs exactly once, on the log's thread, after those of all
    /// commits before it; it must not block.
    ///
    /// - Throws: `readOnly`, `abandoned` (suspended: call `resume(after:)` first), `closed`, `transactionTooLarge`. Then
    ///   `completion` is not called and the number is not used.
    package func append(
        number: CommitNumber, item: [UInt8],
        completion: @escaping @Sendable (Result<Void, DatabaseError>) -> Void
    ) throws(DatabaseError) { throw unbuilt }

    /// Ends a suspension: the next commit is the one after `last`, which is the last that was acknowledged.
    ///
    /// - Throws: `readOnly`, `closed`.
    package func resume(after last: CommitNumber) throws(DatabaseError) { throw unbuilt }

    /// The newest commit a power cut can't take back.
    package var durableNumber: CommitNumber { .zero }

    /// The newest commit whose completion was told success.
    package var acknowledgedNumber: CommitNumber { .zero }

    /// Calls back when every commit queued so far is durable, whatever the durability policy; on the log's thread.
    package func flush(_ completion: @escaping @Sendable (Result<CommitNumber, DatabaseError>) -> Void) {}

    /// Blocks until every commit queued so far is durable. Not for use on Swift's thread pool.
    package func flush() throws(DatabaseError) { throw unbuilt }

    /// Whether commits are taken, and if not, why.
    package var status: StoreStatus { .closed }

    /// What this store has done since it was opened.
    package var statistics: StoreStatistics { StoreStatistics() }

    /// The identity in every file of this database.
    package var databaseID: DatabaseID { DatabaseID(high: 0, low: 0) }

    /// Starts a checkpoint of the state after `number`, which has to be durable. The log goes on in a new segment.
    ///
    /// Everything of the checkpoint runs on the caller's thread; appends go on meanwhile. One at a time.
    /// - Throws: `readOnly`, `closed`, `diskFull`, `writeFailed`.
    package func beginCheckpoint(at number: CommitNumber) throws(DatabaseError) -> CheckpointWriter { throw unbuilt }

    /// Makes a new database directory whose only content is one checkpoint: a backup, or a fork to disk.
    ///
    /// The directory gets its name when `finish()` returns; before, it has a temporary name beside it. Never
    /// overwrites. The new database has an identity of its own.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `diskFull`, `writeFailed`.
    package static func createStandalone(
        _ path: FilePath, at number: CommitNumber, options: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> CheckpointWriter { throw unbuilt }

    /// Writes what is queued, seals the log, gives the lock back. All completions have run when it returns.
    ///
    /// A second call does nothing. Blocks; not for use on Swift's thread pool when the disk is slow.
    package func close() throws(DatabaseError) {}
}

let unbuilt = DatabaseError(.readOnly, "not built yet")

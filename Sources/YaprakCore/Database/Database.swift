import Logging
public import SystemPackage
public import YaprakModel
package import YaprakStorage
import YaprakTrees

/// A database: collections of keyed records in memory, snapshots that are values, commits that can be followed.
///
///     let database = try await Database.open(at: "shop.yaprak", collections: .books)    // or Database.inMemory()
///
///     try await database.write { transaction in
///         transaction[.books]["abc"] = Book(title: "Dune", genre: "sci-fi", salesRank: 3)
///     }
///     let dune = database.snapshot[.books]["abc"]             // no await, no decoding
///
/// - Many readers and one writer at a time; neither ever waits for the other. Writers of
///   equal priority are served in order of arrival, urgent ones before.
/// - A write is all or nothing, in memory and in the log, and seen by readers only when the log has it
///   (``Durability/always``).
/// - With no path nothing touches a disk.
///
/// The actor orders writes and owns the life of the database: its collections, extensions, checkpoints. It owns nothing
/// that a reader touches.
public actor Database {
    nonisolated let publication: Publication
    nonisolated let turns = WriteTurns()
    nonisolated let timeline: Timeline
    nonisolated let reclaimer: Reclaimer
    nonisolated let settings: DatabaseSettings
    nonisolated let files: DatabaseFiles?

    /// What this database was opened with.
    public nonisolated var options: DatabaseOptions { settings.options }

    /// What opening the files found and did; `nil` in memory.
    ///
    /// The count of records set aside is that of the newest snapshot: binding a collection later adds to it, repairing or
    /// removing such a record takes from it.
    public nonisolated var recoveryReport: RecoveryReport? {
        guard var report = files?.report else { return nil }
        report.setAsideRecordCount = publication.newest.countOfRecordsSetAside
        return report
    }

    /// The newest sealed state. Ahead of the published one by what waits for the log.
    var working: SnapshotState
    /// The ticket of the newest commit that waits for the log.
    var lastTicket: CommitTicket?
    /// Extension state that came with the files and that nobody has registered for yet.
    var shelf: ExtensionShelf
    var hosts: [String: ExtensionHost]
    private(set) var isClosed = false
    /// The object for all drafts; between two of them it has `working`, or nothing.
    @exclusivity(unchecked)
    var draft: Draft?

    init(
        state: SnapshotState, timeline: Timeline, reclaimer: Reclaimer, settings: DatabaseSettings,
        files: DatabaseFiles? = nil, shelf: ExtensionShelf = ExtensionShelf(), hosts: [String: ExtensionHost] = [:]
    ) {
        let waiting = shelf.primaryItems
        let state = waiting.isEmpty ? state : state.keeping(waiting)
        publication = Publication(
            state, lagLimit: settings.lagLimit, isScheduled: settings.scheduler != nil)
        working = state
        self.timeline = timeline
        self.reclaimer = reclaimer
        self.settings = settings
        self.files = files
        self.shelf = shelf
        self.hosts = hosts
    }

    deinit {
        // A snapshot that is still held keeps what it needs; the rest is freed.
        publication.close()
        files?.closeIfNeeded()
        if !isClosed { timeline.close(working.visitTrees) }
    }

    // MARK: Reading

    /// The newest commit, as a value. Never waits; a lock of nanoseconds.
    ///
    ///     let snapshot = database.snapshot
    ///     print(snapshot[.books].count, snapshot[.authors].count)     // of the same moment
    public nonisolated var snapshot: Snapshot { Snapshot(publication.newest) }

    /// The number of the newest commit that readers can see. Never waits.
    public nonisolated var commitNumber: CommitNumber { publication.newest.number }

    /// The directory of the database, as it was given; `nil` in memory. The database reads and writes the directory that it has
    /// opened, wherever the path leads by now.
    public nonisolated var path: FilePath? { files?.path }

    /// Makes readers of the directory that is open; `nil` in memory.
    package nonisolated var makeStoreReader: (@Sendable () -> StoreReader)? { files?.makeReader }

    /// The writers in line, the one at work included.
    public nonisolated var pendingWriteCount: Int { turns.count }

    // MARK: Opening

    /// A database that lives in memory and nowhere else.
    ///
    ///     let database = Database.inMemory()
    ///
    /// Collections are bound by their first use.
    /// - Parameter checkingCoding: encode and decode every record that is written, so that a test double fails where the
    ///   database with a file would. Costs what the file would cost, without the file.
    /// - Complexity: O(1).
    public static func inMemory(
        checkingCoding: Bool = false, options: DatabaseOptions = DatabaseOptions()
    ) -> Database {
        let reclaimer = Reclaimer(on: options.store.scheduler)
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let state = SnapshotState(
            number: .zero, directory: .empty, roots: RootVector(), extensions: [], version: timeline.newest)
        return Database(
            state: state, timeline: timeline, reclaimer: reclaimer,
            settings: .inMemory(options, checkingCoding: checkingCoding))
    }

    /// A database in memory with its collections bound, so that their coders and checks are used from the first write on.
    ///
    ///     let database = try Database.inMemory(collections: RecordCollection.books.configured { $0.prepare { … } })
    ///
    /// - Parameter checkingCoding: as above.
    /// - Throws: `invalidName`, `overLimit`.
    /// - Precondition: no name is given with two pairs of types.
    /// - Complexity: O(number of collections).
    public static func inMemory<each Object, each Metadata>(
        checkingCoding: Bool = false, options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) throws -> Database {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        return try inMemory(checkingCoding, options, bindings)
    }

    private static func inMemory(
        _ checkingCoding: Bool, _ options: DatabaseOptions, _ bindings: [CollectionBinding]
    ) throws -> Database {
        for binding in bindings {
            if let error = invalidName(binding.name, of: "collection") { throw error }
        }
        let reclaimer = Reclaimer(on: options.store.scheduler)
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let empty = SnapshotState(
            number: .zero, directory: .empty, roots: RootVector(), extensions: [], version: timeline.newest)
        let settings = DatabaseSettings.inMemory(options, checkingCoding: checkingCoding)
        let draft = Draft(base: empty, tree: timeline.beginDraft(), environment: settings.environment)
        var shelf = ExtensionShelf()
        do {
            for binding in bindings { try draft.bind(binding, &shelf) }
        } catch {
            draft.abort()
            timeline.close(roots: [])
            throw error
        }
        return Database(
            state: draft.sealTrees(number: .zero), timeline: timeline, reclaimer: reclaimer, settings: settings)
    }

    /// Waits until all writes that were begun before are done, ends all streams, seals the log and releases the files.
    ///
    /// Snapshots stay readable. Later writes throw `closed`; a second call does nothing. The same path can be opened again
    /// as soon as this returns. Cancelling the task has no effect: the task that shuts down is often cancelled, and the
    /// database is closed when this returns, whatever it throws. Callbacks of the writes it waited for
    /// (``WriteTransaction/afterCommit(_:)``) are run by the tasks that write, perhaps after this has returned.
    /// - Throws: `syncFailed` if the device did not confirm commits that were acknowledged before, or the end of the log;
    ///   `writeFailed` if the file with the newest commits of this opening was removed, also where a write or ``flush()`` has
    ///   thrown it before: a snapshot that was kept can still be written elsewhere, with `write(to:)`. The database is closed
    ///   all the same. A commit that fails throws where it was written, not here.
    public func close() async throws {
        await turns.takeBehindAll()
        defer { passTurn() }
        if isClosed { return }
        await waitForLog()
        // A checkpoint needs a log that takes something. One that refused a commit goes on first, as for the next writer.
        if let files, files.mayNeedCheckpointBeforeClosing { try? checkWritable() }
        isClosed = true
        // A checkpoint under way writes to files that somebody else may open as soon as this returns.
        await files?.checkpoints.take()
        defer { files?.checkpoints.pass() }
        if let files { await checkpointBeforeClosing(files) }
        publication.close()
        draft?.letGo()
        draft = nil
        timeline.close(working.visitTrees)
        reclaimer.reclaimSome(timeline)
        try await files?.close()
    }

    /// Waits until every write that was begun before this call has succeeded or failed. Their callbacks
    /// (``WriteTransaction/afterCommit(_:)``) are run by the tasks that write, perhaps after this has returned.
    /// - Throws: `CancellationError` if the task is cancelled meanwhile. The writers learn what became of their writes.
    public nonisolated(nonsending) func drain() async throws {
        try await turns.take(isBehindAll: true)
        passTurn()
        await waitForLog()
    }

    /// Waits until every commit published so far would survive a loss of power, whatever ``DatabaseOptions/durability``.
    /// In memory that is as good as ``drain()``.
    /// - Throws: `syncFailed`; `writeFailed` if the file with the newest commits of this opening was removed, and the database
    ///   is read-only then; `readOnly`, `closed`, `abandoned` if a commit failed meanwhile; `CancellationError`.
    public nonisolated(nonsending) func flush() async throws {
        try await drain()
        if let files { try await flush(files) }
    }

    /// Makes the log durable. Where it takes nothing since a commit failed, it is first made to go on, as the next writer would.
    nonisolated(nonsending) func flush(_ files: DatabaseFiles) async throws {
        do {
            try await files.flush()
        } catch let error as DatabaseError where error.code == .abandoned {
            try await goOnAfterFailure()
            try await files.flush()
        }
    }

    private func goOnAfterFailure() async throws {
        try await turns.take()
        defer { passTurn() }
        await waitForLog()
        try checkWritable()
    }

    func waitForLog() async {
        // Commits that come meanwhile are behind it: who has the turn has none, who drains doesn't wait for them.
        guard let ticket = lastTicket else { return }
        // What became of it is the business of the one who wrote.
        try? await ticket.wait()
        if lastTicket === ticket { lastTicket = nil }
    }
}

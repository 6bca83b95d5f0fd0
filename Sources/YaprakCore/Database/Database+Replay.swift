public import SystemPackage
public import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// Rebuilds a database in memory from the files of another, as of any commit, by replaying its log.
    ///
    ///     let then = try await Database.replay("shop.yaprak", upTo: 42, collections: .books)
    ///     try await then.write { $0[.books].removeAll() }             // the files keep their books
    ///
    /// The same log gives the same state, always: recovery is the same function. The replay starts with the oldest commit
    /// the files lead to, not with the newest checkpoint, and holds the state against every checkpoint it passes. Where commits
    /// are missing from the log, it starts once more, with the next checkpoint that verifies. The directory is read, not changed,
    /// and may be in use.
    ///
    /// What comes of it is a writable database of its own, without files; commit numbers go on from the last one that was
    /// replayed. Extensions that are registered afterwards are computed from the records; a primary
    /// one has its state as of that commit.
    ///
    /// - Parameters:
    ///   - last: the commit to stop at; the newest there is if `nil`.
    ///   - checkingCoding: as in ``inMemory(checkingCoding:options:)``.
    /// - Throws: `stateDiffers` with the commits, the collection and the key if a checkpoint is not what the log leads to;
    ///   `commitOutOfReach` if the files don't lead there; `notFound`, `notADatabase`, `corruptLog`, `corruptCheckpoint`,
    ///   `newerFormat`, `ioFailed`, `permissionDenied`, `overLimit`, `undecodableRecord`, `migrationFailed`, `invalidName`.
    /// - Complexity: O(bytes of the log, and records of each checkpoint).
    public static func replay<each Object, each Metadata>(
        _ log: FilePath, upTo last: CommitNumber? = nil, checkingCoding: Bool = false,
        options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        let replayed = try await DatabaseFiles.blocking(on: options.store.scheduler) { try Replayed(log, upTo: last) }
        let database = Database(
            state: replayed.state, timeline: replayed.timeline, reclaimer: replayed.reclaimer,
            settings: .inMemory(options, checkingCoding: checkingCoding), shelf: replayed.shelf)
        if !bindings.isEmpty { try await database.bind(bindings) }
        return database
    }
}

/// What a replay of files came to.
private struct Replayed: Sendable {
    let state: SnapshotState
    let timeline: Timeline
    let reclaimer: Reclaimer
    let shelf: ExtensionShelf

    init(_ path: FilePath, upTo last: CommitNumber?) throws {
        var audit = CheckpointAudit(try StoreReader.open(path))
        var replay = try audit.replay(upTo: last)
        // Derived roots are those of the first checkpoint: computing them again is less work than catching up.
        var shelf = replay.shelf
        shelf.items = shelf.items.filter(\.value.isPrimary)
        shelf.dropBaseIfUseless()
        self.shelf = shelf
        state = replay.seal()
        timeline = replay.timeline
        reclaimer = audit.reclaimer
    }
}

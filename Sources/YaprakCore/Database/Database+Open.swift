public import Foundation
import Logging
public import SystemPackage
import YaprakModel
package import YaprakStorage
import YaprakTrees

extension Database {
    /// Opens the database at `path`, or makes one there.
    ///
    ///     let database = try await Database.open(at: "shop.yaprak", collections: .books, .authors)
    ///
    /// Loads the newest checkpoint, replays the log after it, and decodes the records of the collections named here, on
    /// all cores. Opening never destroys a byte of the log. The directory is locked until ``close()``, or until the
    /// database and everything that uses it is gone.
    ///
    /// - Throws: ``DatabaseError``: `notFound` if the parent directory isn't there, `alreadyOpen`, `notADatabase`,
    ///   `permissionDenied`, `newerFormat`, `corruptLog` with the file, offset and lost commits, `corruptCheckpoint`,
    ///   `overLimit`, `ioFailed`, `undecodableRecord` with the first keys, `migrationFailed`, `invalidName`; and `diskFull`,
    ///   `writeFailed`, `syncFailed` where the directory has to be made, or a tail to be written again.
    /// - Complexity: O(bytes of the checkpoint and of the log after it).
    public static func open<each Object, each Metadata>(
        at path: FilePath, options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        return try await open(at: path, options: options, bindings: bindings, fileSystem: PosixFileSystem())
    }

    /// Opens the database at a path that is given as a string: `"\(folder)/shop.yaprak"`. Everything else as above.
    @_disfavoredOverload
    public static func open<each Object, each Metadata>(
        at path: String, options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        try await open(at: FilePath(path), options: options, collections: repeat each collections)
    }

    /// Opens the database at a URL of the file system. As the one above.
    ///
    ///     let url = URL.applicationSupportDirectory.appending(path: "shop.yaprak")
    ///     let database = try await Database.open(at: url, collections: .books)
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public static func open<each Object, each Metadata>(
        at url: URL, options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        try await open(at: FilePath(ofFile: url), options: options, collections: repeat each collections)
    }

    /// Opens a database on a disk that a test gives.
    package static func open<each Object, each Metadata>(
        at path: FilePath, options: DatabaseOptions, fileSystem: any FileSystem,
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        return try await open(at: path, options: options, bindings: bindings, fileSystem: fileSystem)
    }

    /// The same with collections whose types the caller does not name.
    package static func open(
        at path: FilePath, options: DatabaseOptions, bindings: [CollectionBinding], fileSystem: any FileSystem
    ) async throws -> Database {
        var storeOptions = options.store
        storeOptions.durability = options.durability
        storeOptions.retention = options.retention
        storeOptions.now = options.clock
        let reclaimer = Reclaimer(on: storeOptions.scheduler)
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let recovered: Recovered
        do {
            recovered = try await DatabaseFiles.blocking(on: storeOptions.scheduler) { [storeOptions, bindings] in
                try Recovered(path, storeOptions, bindings, timeline, fileSystem)
            }
        } catch {
            timeline.close(roots: [])
            throw error
        }
        let files = DatabaseFiles(
            path: path, store: recovered.store, report: recovered.report, policy: options.checkpoints,
            scheduler: storeOptions.scheduler)
        files.checkpoints.noteSize(recovered.checkpointBytes)
        options.logger.info("opened \(path): \(recovered.report)")
        let database = Database(
            state: recovered.state, timeline: timeline, reclaimer: reclaimer, settings: .withLog(options),
            files: files, shelf: recovered.shelf)
        do {
            if !bindings.isEmpty { try await database.bind(bindings) }
        } catch {
            try? await database.close()
            throw error
        }
        return database
    }
}

/// What recovery made of the files.
struct Recovered: Sendable {
    let store: Store
    let report: RecoveryReport
    let state: SnapshotState
    let shelf: ExtensionShelf
    /// The size of the checkpoint that the state was loaded from, uncompressed; 0 if there is none.
    let checkpointBytes: UInt64

    init(
        _ path: FilePath, _ options: StoreOptions, _ bindings: [CollectionBinding], _ timeline: Timeline,
        _ fileSystem: any FileSystem
    ) throws {
        let (store, recovery) = try Store.open(path, options: options, fileSystem: fileSystem)
        var replay = RawReplay(timeline: timeline, valuesFor: bindings)
        do {
            if let checkpoint = recovery.checkpoint { try replay.load(checkpoint) }
            try recovery.replay { _, item in try replay.apply(LoggedCommit(item)) }
            try replay.settle()
        } catch {
            replay.cancel()
            try? store.close()
            if let known = error as? DatabaseError, known.code != .corruptLog || known.place != .init() { throw known }
            let number = replay.number.next()
            throw DatabaseError(
                .corruptLog,
                "commit \(number): "
                    + ((error as? DatabaseError)?.message
                        ?? "it is not in the form of this version. Run `yaprak verify`."),
                place: .init(commits: number...number), cause: error)
        }
        self.store = store
        checkpointBytes = recovery.checkpoint?.rawBytes ?? 0
        var report = recovery.report
        report.notes += replay.notes
        self.report = report
        state = replay.seal()
        shelf = replay.shelf
    }
}

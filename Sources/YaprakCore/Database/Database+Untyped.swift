public import SystemPackage
package import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// A database in memory that starts with records without types, as of a commit.
    ///
    /// Collections can be bound later, as if they had come from disk.
    /// - Parameter collections: no name twice; records in any order, of one key the last counts.
    /// - Complexity: O(number of records).
    package static func inMemory(
        _ collections: [(name: String, records: [RawRecord])], at number: CommitNumber, checkingCoding: Bool = false,
        options: DatabaseOptions = DatabaseOptions()
    ) -> Database {
        let reclaimer = Reclaimer()
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let draft = timeline.beginDraft()
        var directory = CollectionDirectory.empty
        var roots = RootVector()
        for collection in collections {
            directory = directory.appending(RawBinding(name: collection.name))
            roots.append(draft.buildTree(of: collection.records))
        }
        let state = SnapshotState(
            number: number, directory: directory, roots: roots, extensions: [], version: draft.seal())
        return Database(
            state: state, timeline: timeline, reclaimer: reclaimer,
            settings: .inMemory(options, checkingCoding: checkingCoding))
    }
}

extension Snapshot {
    /// Writes the snapshot as a database of its own: one checkpoint, no log.
    ///
    ///     try reader.snapshot(at: 42).write(to: "then.yaprak")
    ///
    /// It holds the records, and the extensions that are registered in the snapshot, as a checkpoint does. A snapshot that was
    /// read without types has none, so that primary state is not in what it writes. A snapshot does not know whether its database
    /// lost commits in a repair: what it writes does not say so; a backup by its database does. The directory appears under its
    /// name only when it is complete and synced.
    ///
    /// It blocks its thread until then. In a task, use ``Database/backup(_:to:)-(_,FilePath)``, which does not, and which ends
    /// when the task is cancelled.
    /// - Throws: `alreadyExists`, `notFound` if the parent directory isn't there, `ioFailed` if that can't be opened,
    ///   `alreadyOpen` if another process makes the same directory; `diskFull`, `writeFailed`, `permissionDenied`, `syncFailed`,
    ///   `corruptCheckpoint` if what was written can't be read back, `overLimit`, `encodingFailed` with the key, and what a
    ///   primary extension's `encode` throws. Nothing is left at the path then, unless the sync of its name failed.
    /// - Complexity: O(number of records).
    public func write(to path: FilePath) throws {
        _ = try CheckpointContents(state: state).write(
            to: try Store.createStandalone(path, at: commitNumber, options: StoreOptions()))
    }
}

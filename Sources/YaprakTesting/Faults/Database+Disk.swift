public import Yaprak
internal import YaprakCore

extension Database {
    /// Opens the database at a path of a simulated disk, or makes one there. As `Database.open(at:options:collections:)`.
    ///
    ///     let database = try await Database.open(at: "/shop", on: disk, collections: .books)
    ///
    /// - Throws: as opening on a real disk.
    /// - Complexity: as opening on a real disk.
    public static func open<each Object, each Metadata>(
        at path: FilePath, on disk: SimulatedDisk, options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        try await open(
            at: path, options: disk.applied(to: options), fileSystem: disk.files, collections: repeat each collections)
    }

    /// A fork of this database with files, on a simulated disk: same records, same extensions and reactions, a log of its own.
    ///
    ///     let database = try await Database.current.fork(on: disk)
    ///     disk.plan(.diskFull(afterBytes: 5_000))
    ///
    /// So a database in memory meets the faults of a disk. Plan faults afterwards: making the fork writes, too. Views have the
    /// filter, the sorting and the grouping that they were registered with. What transactions have set since (`setFiltering`,
    /// `setSorting`, `setGrouping`) does not come along, unlike in a fork in memory: set it in the fork.
    /// - Parameters:
    ///   - path: where it is on the disk; nothing may be there.
    ///   - disk: the disk.
    ///   - options: those of the fork; this database's if `nil`.
    /// - Throws: `alreadyExists`; as `backup`, as opening, and as registering its extensions and reactions.
    /// - Complexity: O(number of records): they are written into a checkpoint, and read back.
    public nonisolated func fork(
        at path: FilePath = "/fork", on disk: SimulatedDisk, options: DatabaseOptions? = nil
    ) async throws -> Database {
        let snapshot = self.snapshot
        try await backup(snapshot, to: path, fileSystem: disk.files)
        let fork = try await Database.open(
            at: path, options: disk.applied(to: options ?? self.options), bindings: snapshot.bindings,
            fileSystem: disk.files)
        // The rules of relationships are a reaction, too, which comes with the first of them: each has its place.
        let reactions = snapshot.reactionCodes
        for code in reactions.beforeExtensions { try await fork.register(code) }
        for code in snapshot.extensionCodes { try await fork.register(code) }
        for code in reactions.others { try await fork.register(code) }
        return fork
    }

    /// Lets every stream of changesets that is behind fall too far behind: in memory its next element throws `laggedBehind`, with
    /// files it goes on from the log.
    ///
    ///     let changes = database.changesets()
    ///     try await database.write { … }
    ///     database.lagStreams()
    ///     await #expect(throws: DatabaseError.self) { for try await _ in changes {} }
    ///
    /// What a program does then is hard to reach in a test: in memory a stream has `DatabaseOptions.lagLimit`
    /// commits, 100,000 by default.
    /// - Complexity: O(number of streams).
    public nonisolated func lagStreams() { detachStreams() }
}

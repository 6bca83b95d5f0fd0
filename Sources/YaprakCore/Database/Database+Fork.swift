import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// A writable database in memory that starts at a snapshot of this one.
    ///
    ///     let preview = database.fork()
    ///     try await preview.write { $0[.books].removeAll() }          // this database keeps its books
    ///
    /// The two share what they have in common and never see each other's writes; either may go first. Registered
    /// extensions come along, each with a host of its own, and so does primary state that waits for its extension. Views
    /// that are known from files alone do not come along: register the program's own. Those with primary state, such as a
    /// `ManualView`, are empty then, unless the snapshot was read with types and extensions. The commit numbers of the fork
    /// go on from the snapshot's.
    ///
    /// - Parameters:
    ///   - snapshot: where it starts: any snapshot of this database in this opening, or of its forks; the newest if `nil`. One
    ///     of another database, or of an earlier opening, makes a fork of that one; only the options come from here.
    ///   - checkingCoding: as in ``inMemory(checkingCoding:options:)``.
    /// - Complexity: O(1) in the number of records; no node is copied. Waits for nobody.
    public nonisolated func fork(from snapshot: Snapshot? = nil, checkingCoding: Bool = false) -> Database {
        // One reference, which goes to the fork.
        Self.fork(
            SnapshotState.forDatabases(snapshot?.state ?? publication.newest),
            settings: settings.ofFork(checkingCoding: checkingCoding))
    }

    /// A writable database in memory that starts at a snapshot of this one, with options of its own.
    ///
    ///     let patient = database.fork(options: options)              // whose streams may fall behind further, say
    ///
    /// - Parameters:
    ///   - snapshot: where it starts, as in ``fork(from:checkingCoding:)``.
    ///   - checkingCoding: as in ``inMemory(checkingCoding:options:)``.
    ///   - options: those of the fork; this database's if `nil`. What is about files has no effect in memory.
    /// - Complexity: O(1), as without options, which are some hundred bytes to copy.
    public nonisolated func fork(
        from snapshot: Snapshot? = nil, checkingCoding: Bool = false, options: DatabaseOptions?
    ) -> Database {
        guard let options else { return fork(from: snapshot, checkingCoding: checkingCoding) }
        return Self.fork(
            SnapshotState.forDatabases(snapshot?.state ?? publication.newest),
            settings: .inMemory(options, checkingCoding: checkingCoding))
    }

    @inline(__always)
    private static func fork(_ state: SnapshotState, settings: DatabaseSettings) -> Database {
        let reclaimer = Reclaimer(on: settings.scheduler)
        let timeline = state.makeForkedTimeline(reclaimer)
        let shelf = ExtensionShelf(items: state.extensions.waiting)
        if state.extensions.isEmpty {
            return Database(state: state, timeline: timeline, reclaimer: reclaimer, settings: settings, shelf: shelf)
        }
        let hosts = state.extensions.map { ExtensionHost(adopting: $0.registration, at: state.number) }
        let fork = Database(
            state: state, timeline: timeline, reclaimer: reclaimer, settings: settings, shelf: shelf,
            hosts: Dictionary(uniqueKeysWithValues: hosts.map { ($0.name, $0) }))
        for host in hosts { host.belong(to: fork) }
        return fork
    }
}

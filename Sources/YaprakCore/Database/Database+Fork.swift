import YaprakModel
import YaprakTrees

extension Database {
    /// A writable database in memory that starts at a snapshot of this one.
    ///
    ///     let preview = await database.fork()
    ///     try await preview.write { $0[.books].removeAll() }          // this database keeps its books
    ///
    /// The two share what they have in common and never see each other's writes; either may go first. Registered
    /// extensions come along, each with a host of its own. The commit numbers of the fork go on from the snapshot's.
    ///
    /// - Parameters:
    ///   - snapshot: where it starts: any snapshot of this database or of its forks; the newest if `nil`.
    ///   - checkingCoding: as in ``inMemory(checkingCoding:options:)``.
    ///   - options: those of the fork; this database's if `nil`. What is about files has no effect in memory.
    /// - Complexity: O(1) in the number of records; no node is copied.
    public nonisolated(nonsending) func fork(
        from snapshot: Snapshot? = nil, checkingCoding: Bool = false, options: DatabaseOptions? = nil
    ) async -> Database {
        let origin = (snapshot ?? self.snapshot).state
        let reclaimer = Reclaimer()
        let timeline = reclaimer.makeTimeline { Timeline.fork(from: origin.version, onGarbage: $0) }
        let state = SnapshotState(
            number: origin.number, directory: origin.directory, roots: origin.roots, extensions: origin.extensions,
            reactions: origin.reactions, version: timeline.newest)
        let fork = Database(
            state: state, timeline: timeline, reclaimer: reclaimer, options: options ?? self.options,
            encodes: checkingCoding, checksDecoding: checkingCoding, files: nil)
        if !origin.extensions.isEmpty { await fork.hostExtensions() }
        return fork
    }

    private func hostExtensions() async {
        for entry in working.extensions {
            let host = ExtensionHost(entry.registration, database: self)
            hosts[host.name] = host
            await host.didRegister(at: working.number, origin: .adopted)
        }
    }
}

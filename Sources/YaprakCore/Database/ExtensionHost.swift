import YaprakLocks
import YaprakTrees

public import struct YaprakModel.CommitNumber

/// The actor that hosts one registered extension: its population, its version, its place among the others.
///
///     let host = try await database.register(salesRank) { print($0) }       // 1024 of 34006 records
///     await host.status
///     for try await changes in host.changes(of: salesRank) { … }
///
/// What the extension knows is read from snapshots, not from here; nobody who reads waits for a host.
public actor ExtensionHost {
    /// Where an extension is in its life.
    public enum Status: Sendable, Hashable {
        /// The records that are there already are being put in.
        case populating(PopulationProgress)
        /// It follows every commit.
        case registered
        /// It was taken out, or was never let in.
        case unregistered
    }

    /// The name under which it is registered.
    public nonisolated let name: String
    /// Says which code made its root.
    public nonisolated let versionTag: String
    /// The extensions it reads.
    public nonisolated let dependencies: [String]
    /// Where it is in its life.
    public private(set) var status: Status = .populating(PopulationProgress(done: 0, total: 0))
    /// The commit as of which it entered the database; `nil` until then.
    public private(set) var registeredAt: CommitNumber?
    /// How it came by its root.
    public private(set) var origin: Origin = .populated

    /// How an extension came by its root.
    public enum Origin: Sendable, Hashable {
        /// From the records, one by one.
        case populated
        /// From a checkpoint, and what changed since; in a fork, from the database it was forked from.
        case adopted
    }

    nonisolated let registration: ExtensionRegistration
    /// Set once. A host of a fork is made before the fork.
    private nonisolated let owner = Mutex(Owner())

    private struct Owner: Sendable {
        weak var database: Database?
    }

    init(_ registration: ExtensionRegistration, database: Database) {
        self.registration = registration
        name = registration.name
        versionTag = registration.versionTag
        dependencies = registration.dependencies
        belong(to: database)
    }

    /// The host of an extension that a fork brings along.
    init(adopting registration: ExtensionRegistration, at number: CommitNumber) {
        self.registration = registration
        name = registration.name
        versionTag = registration.versionTag
        dependencies = registration.dependencies
        status = .registered
        registeredAt = number
        origin = .adopted
    }

    /// Says whose extension it is.
    nonisolated func belong(to database: Database) { owner.withLock { $0.database = database } }

    /// What each commit changes in the extension, from now on: one element for each commit that does.
    ///
    /// Nothing is dropped: see ``ChangesetSequence``. The log does not have the changes of extensions, so a consumer that
    /// is more than ``DatabaseOptions/lagLimit`` commits or ``DatabaseOptions/lagBytesLimit`` bytes behind gets
    /// ``DatabaseError`` with the code `laggedBehind`, with a file, too: it goes on from a snapshot. Ends when the database
    /// closes; ended from the start if it is gone. O(1) to make.
    public nonisolated func changes<Extension: DatabaseExtension>(
        of extension: Extension
    ) -> ExtensionChangesSequence<Extension> {
        let changesets = owner.withLock({ $0.database })?.changesetsInMemory() ?? ChangesetSequence.finished
        return ExtensionChangesSequence(`extension`, changesets)
    }

    // MARK: Population

    /// Gathers what a root over `state` is made of from the records, a stretch at a time, while writes go on.
    /// - Throws: what the extension throws, `CancellationError`.
    func populate(
        over state: SnapshotState, _ progress: (@Sendable (PopulationProgress) -> Void)?
    ) async throws -> ExtensionRegistration.Update {
        let context = ExtensionContext(before: state, after: state)
        var seed = ExtensionRegistration.Update(root: registration.makeSeed())
        let chunks = PopulationChunks(state, registration)
        var done = 0
        status = .populating(PopulationProgress(done: 0, total: chunks.total))
        for chunk in chunks {
            try Task.checkCancellation()
            let gathered = try registration.gather(chunk, into: seed.root, in: context)
            seed.root = gathered.root
            seed.operations += gathered.operations
            done += chunk.batch.collections.reduce(0) { $0 + $1.entries.count }
            let step = PopulationProgress(done: done, total: chunks.total)
            status = .populating(step)
            progress?(step)
            await Task.yield()
        }
        return seed
    }

    func didRegister(at number: CommitNumber, origin: Origin) {
        // Somebody may have taken it out again already: an actor runs what is queued in the order of priorities.
        if status != .unregistered { status = .registered }
        registeredAt = number
        self.origin = origin
    }

    func didUnregister() { status = .unregistered }
}

/// How far the population of an extension has come.
public struct PopulationProgress: Sendable, Hashable, CustomStringConvertible {
    /// Records that were put in.
    public let done: Int
    /// Records there are to put in.
    public let total: Int
    /// `done of total records`.
    public var description: String { "\(done) of \(total) \(total == 1 ? "record" : "records")" }
}

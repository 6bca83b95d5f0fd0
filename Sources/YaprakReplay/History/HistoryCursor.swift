public import YaprakCore
import YaprakExtensions
import YaprakLocks
public import YaprakModel
import YaprakStorage

/// A cursor in the history of a database: it stands at a commit, and goes to others, forwards and backwards.
///
///     let cursor = try reader.cursor(at: 42)
///     while let step = try cursor.next() {                   // commit 43, 44, …
///         for change in step.changes { print(change.key, change.before?.object, change.after?.object) }
///     }
///     try cursor.step(-10)
///     print(cursor.commitNumber, cursor.snapshot.collectionNames)
///
/// Every snapshot of a cursor is a value like any other, and shares with the others what they have in common: the
/// difference of two costs what differs. A reader with types gives typed records, and views that were kept up to date from
/// commit to commit, so that mappings report what changed in a list between any two of them. (Snapshots from before and after
/// a way back beyond the commit at which the cursor began share nothing, since the records were read again: a list's
/// changes between those are right, and name every row.)
///
/// A log can only be applied forwards. To go back the cursor keeps the snapshots it passed: the last few hundred, and
/// from there on one in ever more commits, so that what it keeps grows with the logarithm of the way, and each costs what
/// it doesn't share. Where all that comes to eight times what the state itself holds, fewer are kept. What lies between is
/// applied again from the one before it.
///
/// One thread at a time moves it; another that comes meanwhile waits. Calls read files and block while they do. Reading
/// ``snapshot`` never waits.
public final class HistoryCursor: Sendable {
    // Not a lock: with types, a move decodes records and runs views, which is user code.
    private let cache: Exclusive<Boxed>
    private let present: Mutex<Snapshot>

    private final class Boxed {
        var cache: SnapshotCache
        init(_ cache: SnapshotCache) { self.cache = cache }
    }

    convenience init(_ reader: ReplayReader, at number: CommitNumber, followingViews: Bool) throws {
        try self.init(reader, atOrBefore: number, followingViews: followingViews)
        try seek(to: number)
    }

    /// A cursor that stands at the last place before a commit, or at it, where reading can begin.
    init(_ reader: ReplayReader, atOrBefore number: CommitNumber, followingViews: Bool) throws {
        var makeObserver: HistoryLine.ObserverMaker?
        if followingViews { makeObserver = { ViewFollower(continuing: $0) } }
        let cache = try SnapshotCache(reader, atOrBefore: number, makeObserver: makeObserver)
        present = Mutex(cache.snapshot)
        self.cache = Exclusive(Boxed(cache))
    }

    private init(from origin: SnapshotCache.Origin) {
        let cache = SnapshotCache(from: origin)
        present = Mutex(cache.snapshot)
        self.cache = Exclusive(Boxed(cache))
    }

    /// A cursor that stands at the last place before a commit, or at it, that this one has kept; this one stays where it is.
    /// The two share what they keep. O(what is kept).
    ///
    /// - Returns: `nil` if this one begins after that commit.
    package func continued(before number: CommitNumber) -> HistoryCursor? {
        cache.use { $0.cache.origin(before: number) }.map { HistoryCursor(from: $0) }
    }

    /// How many commits ``seek(to:)`` would apply to go to one; `nil` if it would read a checkpoint. O(what is kept).
    package func commitCount(to number: CommitNumber) -> UInt64? { cache.use { $0.cache.commitCount(to: number) } }

    /// Moves, and shows where that led.
    private func move<Result>(_ body: (inout SnapshotCache) throws -> Result) rethrows -> Result {
        try cache.use { boxed in
            defer {
                let snapshot = boxed.cache.snapshot
                let old = present.withLock { present in
                    defer { present = snapshot }
                    return present
                }
                withExtendedLifetime(old) {}
            }
            return try body(&boxed.cache)
        }
    }

    /// The commit it stands at. O(1).
    public var commitNumber: CommitNumber { snapshot.commitNumber }

    /// The database as of that commit. O(1).
    public var snapshot: Snapshot { present.withLock { $0 } }

    /// Goes to a commit, forwards or backwards.
    ///
    /// Where an extension can't follow the commits on the way, it has the state of this one alone, as of
    /// ``ReplayReader/snapshot(at:)-(CommitNumber?)``: edges that were between other collections in between, for example.
    /// ``next()`` and ``step(_:)`` forwards do not pass such a commit.
    /// - Throws: `commitOutOfReach` if the files don't lead there; errors of reading; `undecodableRecord`,
    ///   `migrationFailed`, `extensionFailed` where there are types. The cursor then stays where it was.
    /// - Complexity: forwards O(changes in between). Backwards O(1) within the last few hundred commits, beyond that
    ///   O(changes in a quarter of the way), and once, beyond where the cursor began, O(bytes of a checkpoint). Where an
    ///   extension can't follow, as of ``ReplayReader/snapshot(at:)-(CommitNumber?)``, too.
    public func seek(to number: CommitNumber) throws {
        try move { try $0.seek(to: number) }
    }

    /// The same, unless something comes that makes it needless; asks before each commit that is applied.
    ///
    /// - Throws: as ``seek(to:)``; `CancellationError` if `isCancelled` is true. How far it came is kept: the next one goes on
    ///   from there.
    package func seek(to number: CommitNumber, unless isCancelled: () -> Bool) throws {
        try move { try $0.seek(to: number, unless: isCancelled) }
    }

    /// Takes so many steps forwards, or backwards if the number is negative; fewer where the history begins or ends.
    ///
    /// - Returns: the steps that were taken, negative if they went backwards; 0 at an end.
    /// - Throws: as ``seek(to:)``; at the end of what the log keeps it stops and throws nothing.
    /// - Complexity: as ``seek(to:)``.
    @discardableResult
    public func step(_ count: Int = 1) throws -> Int { try move { try $0.step(count) } }

    /// Takes a step forwards and returns the commit; `nil` at the newest complete one. Call it again later: a program may be
    /// writing.
    ///
    /// - Throws: as ``seek(to:)``. - Complexity: O(changes of the commit).
    public func next() throws -> ReplayStep? { try move { try $0.next() } }

    /// Takes a step backwards and returns the commit that is undone by it; `nil` at the beginning.
    ///
    /// - Throws: as ``seek(to:)``. - Complexity: as ``seek(to:)``.
    public func previous() throws -> ReplayStep? { try move { try $0.previous() } }

    /// The steps from here to a commit, or to the newest. The cursor goes along as they are taken. O(1) to make.
    public func forwards(through last: CommitNumber? = nil) -> ReplaySteps {
        ReplaySteps(cursor: self, isForwards: true, last: last)
    }

    /// The steps back from here: the first undoes the commit the cursor stands at, the last leads to `first`, or to the
    /// beginning. The cursor goes along as they are taken. O(1) to make.
    public func backwards(to first: CommitNumber? = nil) -> ReplaySteps {
        ReplaySteps(cursor: self, isForwards: false, last: first)
    }

    /// How many snapshots the cursor keeps, to go back to.
    package var keptSnapshotCount: Int { cache.use { $0.cache.keptSnapshotCount } }
    /// How many rows of trees these hold together, and what shares them.
    package var keptRowCount: Int { cache.use { $0.cache.rowCount } }
}

extension ReplayReader {
    /// A cursor that begins at a commit, or at the newest.
    ///
    ///     let cursor = try reader.cursor(at: 42)
    ///
    /// With `followingViews` the snapshots have the views that are in the files, as far as they can be shown as of each
    /// commit: see ``UntypedView``. A reader with types has the views it was given instead.
    /// - Throws: as ``snapshot(at:)-(CommitNumber?)``.
    /// - Complexity: O(bytes of the checkpoint before it and of the log from there). Following views costs O(log *n*) for
    ///   each row that moves, and the reading of each checkpoint near a commit that is sought.
    public func cursor(
        at number: CommitNumber? = nil, followingViews: Bool = false
    ) throws -> HistoryCursor {
        try store.reading(asOf: number) { try HistoryCursor(self, at: $0, followingViews: followingViews) }
    }
}

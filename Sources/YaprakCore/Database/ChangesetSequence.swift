import YaprakLocks
public import YaprakModel
import YaprakStorage

/// Every commit, one changeset after the other, without a gap.
///
///     for try await changeset in database.changesets() { upload(changeset) }
///
/// Nothing is dropped and nothing is reordered. A consumer that is slower than the writers has one changeset per missed
/// commit kept for it, up to ``DatabaseOptions/lagLimit`` commits and ``DatabaseOptions/lagBytesLimit`` bytes; beyond that
/// the sequence goes on from the log, or, in memory, throws ``DatabaseError`` with the code `laggedBehind`. It ends when the
/// database closes and everything was delivered, and when its task is cancelled. It does not keep the database from closing.
///
/// - Important: An iterator that goes on from the log holds a copy of the whole database: as of the commit that it has delivered
///   last, for the values before each change. It is loaded for the first of these commits, shares nothing with snapshots, and
///   goes when the iterator has caught up, when it is released, and when a call throws or finds its task cancelled. A consumer
///   that stops in between keeps it. What it delivers has no changes of extensions; see ``Changeset/isFromLog``.
///
/// Each iterator starts where the sequence was made. The first iterator takes over the sequence's place in memory, so that a
/// sequence which is kept by a variable or by an operator keeps nothing of what was read. A later one starts there as with
/// ``Database/changesets(after:)``: what is not in memory any more comes from the log, and without a file it throws
/// `laggedBehind`. Make a sequence for each consumer. One that nobody iterates counts as a consumer that reads nothing: the
/// limits hold for it, too.
public struct ChangesetSequence: AsyncSequence, Sendable {
    /// A changeset.
    public typealias Element = Changeset
    /// ``DatabaseError``.
    public typealias Failure = any Error

    private let start: SequenceStart?

    init(_ source: ChangesetSource, from link: ChangesetLink) {
        start = SequenceStart(source, ChangesetCursor(link, of: source.publication))
    }

    init(_ source: ChangesetSource, after number: CommitNumber) {
        start = SequenceStart(source, source.publication.cursor(after: number))
    }

    private init() { start = nil }

    /// A sequence that has ended.
    static var finished: ChangesetSequence { ChangesetSequence() }

    /// An iterator that starts where the sequence was made. O(1) the first time, later as ``Database/changesets(after:)``.
    public func makeAsyncIterator() -> Iterator { Iterator(start?.source, start?.takeCursor()) }

    /// The changesets from where the sequence was made up to now, without waiting, as far as memory has them; none once it is
    /// iterated. The sequence stays where it is. O(their number).
    package func published() -> [Changeset] {
        guard let copy = start?.copyCursor() else { return [] }
        var changesets: [Changeset] = []
        while let next = copy.advance() { changesets.append(next) }
        return changesets
    }

    /// Delivers changesets in the order of their commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: ChangesetSource?
        private let cursor: ChangesetCursor?
        private var history: HistoryReader?

        init(_ source: ChangesetSource?, _ cursor: ChangesetCursor?) {
            self.source = source
            self.cursor = cursor
        }

        /// The next changeset; waits for it. `nil` when the database is closed or the task cancelled. O(1) from memory; from
        /// the log O(bytes of the commit); the first time, and after an error, it loads a checkpoint and replays what follows it.
        /// A commit from the log that removed everything in a collection with ``UndecodablePolicy/setAside`` costs as much as
        /// decoding all that it removed.
        /// - Throws: `laggedBehind`, `commitOutOfReach`, `undecodableRecord`, and errors of reading the log.
        public mutating func next() async throws -> Changeset? {
            guard let source, let cursor else { return nil }
            while !Task.isCancelled {
                if let changeset = cursor.advance() {
                    history = nil
                    return changeset
                }
                let (newest, tail, isLast) = source.publication.newestWithTail
                if !cursor.isLinked {
                    if cursor.link(to: tail) {
                        // All the rest comes from memory. What it has read from files is as large as the database.
                        history = nil
                        continue
                    }
                    do {
                        return try await nextFromLog(source, cursor, upTo: tail.number)
                    } catch {
                        // Also where another call may succeed: a part of the commit may have been applied.
                        history = nil
                        if error is CancellationError, Task.isCancelled { return nil }
                        throw error
                    }
                }
                if cursor.number != tail.number { continue }  // It came in between.
                if isLast { return nil }
                await source.publication.wait(after: newest)
            }
            history = nil
            return nil
        }

        /// - Throws: `CancellationError` if the task was cancelled meanwhile; nothing is delivered then.
        private mutating func nextFromLog(
            _ source: ChangesetSource, _ cursor: ChangesetCursor, upTo newest: CommitNumber
        ) async throws -> Changeset {
            let number = cursor.number
            guard number < newest else {
                throw DatabaseError(
                    .commitOutOfReach,
                    "commit \(number) is not there yet; the newest is \(newest). Start from a commit this database has made.",
                    place: .init(commits: newest...number))
            }
            guard let makeReader = source.makeReader else {
                throw DatabaseError(
                    .laggedBehind,
                    """
                    the consumer is \(newest.rawValue - number.rawValue) commits behind; \(source.lagLimit.commits) \
                    commits or \(source.lagLimit.bytes) bytes are kept in memory. Start again from a snapshot, consume \
                    faster, or raise DatabaseOptions.lagLimit or lagBytesLimit.
                    """,
                    place: .init(commits: number.next()...newest))
            }
            let reader: HistoryReader
            if let history, history.number == number {
                reader = history
            } else {
                reader = try await DatabaseFiles.cancellable(on: source.scheduler) { cancellation in
                    try HistoryReader(makeReader(), at: number, checking: cancellation.check)
                }
                history = reader
            }
            let bindings = source.publication.newest.directory
            let changeset = try await DatabaseFiles.cancellable(on: source.scheduler) { cancellation in
                try reader.next(typedBy: bindings, checking: cancellation.check)
            }
            // What nobody waits for any more is not delivered.
            try Task.checkCancellation()
            guard let changeset else {
                throw DatabaseError(
                    .commitOutOfReach,
                    "commit \(number.next()) is no longer in the log. Raise DatabaseOptions.retention.",
                    place: .init(commits: number.next()...number.next()))
            }
            cursor.delivered(changeset.commitNumber)
            return changeset
        }
    }
}

/// Where a sequence of changesets was made.
private final class SequenceStart: Sendable {
    let source: ChangesetSource
    private let number: CommitNumber
    /// Waits for the first iterator: a cursor, so that a sequence nobody iterates is dropped like a slow consumer.
    private let cursor: Mutex<ChangesetCursor?>

    init(_ source: ChangesetSource, _ cursor: ChangesetCursor) {
        self.source = source
        number = cursor.number
        self.cursor = Mutex(cursor)
    }

    /// The cursor for an iterator.
    func takeCursor() -> ChangesetCursor {
        cursor.withLock { $0.take() } ?? source.publication.cursor(after: number)
    }

    /// Another cursor at the place, as long as no iterator has taken it.
    func copyCursor() -> ChangesetCursor? { cursor.withLock { $0 }?.copy() }
}

/// What streams of changesets draw from. Does not keep the database.
struct ChangesetSource: Sendable {
    let publication: Publication
    /// Makes readers of the log, for missed commits; `nil` in memory, and where the log does not have what is asked for.
    var makeReader: (@Sendable () -> StoreReader)?
    let lagLimit: LagLimit
    /// What runs the reading; see `WorkScheduler`.
    let scheduler: (any WorkScheduler)?
}

/// The newest snapshot, again and again: one element at once, then one whenever there is a newer one.
///
///     for await snapshot in database.snapshots { show(snapshot[.books].count) }
///
/// Never stale, never in the way: while the consumer is busy, commits are skipped and only the newest is delivered
/// next. Ends when the database closes and when the task is cancelled.
public struct SnapshotSequence: AsyncSequence, Sendable {
    /// A snapshot.
    public typealias Element = Snapshot
    /// It never fails.
    public typealias Failure = Never

    let publication: Publication

    /// The newest snapshot there is, whatever an iterator has delivered. O(1).
    package var newest: Snapshot { Snapshot(publication.newest) }

    /// An iterator that begins with the newest snapshot there is when it is first asked. O(1).
    public func makeAsyncIterator() -> Iterator { Iterator(publication: publication) }

    /// Delivers the newest snapshot each time.
    public struct Iterator: AsyncIteratorProtocol {
        let publication: Publication
        private var last: SnapshotState?

        init(publication: Publication) { self.publication = publication }

        /// The newest snapshot; waits until it is another than the one before. `nil` at the end. O(1).
        public mutating func next() async -> Snapshot? {
            while !Task.isCancelled {
                let (newest, isLast) = publication.newestOrLast
                if newest !== last {
                    last = newest
                    return Snapshot(newest)
                }
                if isLast { return nil }
                await publication.wait(after: newest)
            }
            return nil
        }
    }
}

extension Database {
    private nonisolated var changesetSource: ChangesetSource {
        ChangesetSource(
            publication: publication, makeReader: makeStoreReader, lagLimit: options.lag,
            scheduler: options.store.scheduler)
    }

    /// Every commit from now on, without a gap. See ``ChangesetSequence``.
    ///
    ///     for try await changeset in database.changesets() { … }
    ///
    /// O(1); costs writers nothing.
    public nonisolated func changesets() -> ChangesetSequence {
        ChangesetSequence(changesetSource, from: publication.newestWithTail.tail)
    }

    /// The same for consumers that want what is not in the log: one that falls too far behind learns it.
    nonisolated func changesetsInMemory() -> ChangesetSequence {
        var source = changesetSource
        source.makeReader = nil
        return ChangesetSequence(source, from: publication.newestWithTail.tail)
    }

    /// Every commit after `number`, without a gap: resumes where a consumer stopped, also in an earlier launch.
    ///
    ///     for try await changeset in database.changesets(after: lastUploaded) {
    ///         try await upload(changeset)
    ///         lastUploaded = changeset.commitNumber
    ///     }
    ///
    /// Commits that another stream has yet to read come from memory. Others are read back from the log and replayed, old
    /// values included; changes of extensions are not among them. If the log does not reach back so far, the first element
    /// throws ``DatabaseError`` with the code `commitOutOfReach`; see ``DatabaseOptions/retention``. Without a file there is no
    /// log, and it throws `laggedBehind`.
    /// - Complexity: O(1) after the newest commit, else O(number of streams + commits from the nearest of them to `number`). What
    ///   is not in memory makes the first element load a checkpoint and replay up to `number`. A commit from the log that removed
    ///   everything in a collection with ``UndecodablePolicy/setAside`` costs as much as decoding all that it removed.
    public nonisolated func changesets(after number: CommitNumber) -> ChangesetSequence {
        ChangesetSequence(changesetSource, after: number)
    }

    /// The newest snapshot, again and again. See ``SnapshotSequence``.
    public nonisolated var snapshots: SnapshotSequence { SnapshotSequence(publication: publication) }
}

extension Database {
    /// Takes the chain of commits away from every stream, as from one that fell too far behind. One that is at the newest commit
    /// goes on.
    package nonisolated func detachStreams() { publication.detachStreams() }
}

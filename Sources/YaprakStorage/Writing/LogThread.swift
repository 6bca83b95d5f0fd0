internal import Synchronization
internal import YaprakLocks
internal import YaprakModel

/// The engine's only thread of its own: a sync blocks, and must not block the cooperative pool.
///
/// It takes everything that is queued, writes it with one write, syncs once and completes the commits in order.
final class LogThread: Sendable {
    let queue = Monitor(LogQueue())
    private let options: StoreOptions
    private let lock: any FileLock
    /// The directory with the lock file.
    private let root: any Directory
    private let durableBits = Atomic<UInt64>(0)
    private let acknowledgedBits = Atomic<UInt64>(0)
    /// Counts what was added to the queue.
    private let arrivals = Atomic<UInt64>(0)
    /// A turn of the log, where a scheduler runs it in place of the thread.
    private let scheduled = Mutex<(@Sendable () -> LogRest)?>(nil)

    init(options: StoreOptions, lock: any FileLock, root: any Directory) {
        self.options = options
        self.lock = lock
        self.root = root
    }

    var durable: CommitNumber { CommitNumber(durableBits.load(ordering: .acquiring)) }
    var acknowledged: CommitNumber { CommitNumber(acknowledgedBits.load(ordering: .acquiring)) }

    /// Starts the thread, which owns the writer from here on.
    ///
    /// - Parameter closing: the mark of the last clean close.
    func start(_ writer: LogWriter, closing: ClosingMark?) throws(DatabaseError) {
        durableBits.store(writer.durable, ordering: .releasing)
        acknowledgedBits.store(writer.last, ordering: .releasing)
        let next = writer.last + 1
        let statistics = writer.statistics
        queue.withLock {
            $0.next = next
            $0.statistics = statistics
            $0.status = .running
        }
        let owned = Owned(writer)
        if let scheduler = options.scheduler {
            scheduled.withLock { $0 = { self.takeTurn(owned.writer, closing, scheduler) } }
            wake()
            return
        }
        guard startThread({ self.run(owned.writer, closing) }) else {
            finishClosing(.success(()), statistics)
            throw DatabaseError(.ioFailed, "The system has no thread to give. Raise the limit of the process.")
        }
    }

    /// Hands a writer to the thread.
    private struct Owned: @unchecked Sendable {
        let writer: LogWriter
        init(_ writer: LogWriter) { self.writer = writer }
    }

    /// Whether the thread is a log's, or inside a turn of one: it can't wait for an answer of a log's thread.
    static var isCurrent: Bool { isInTurns.isSet }
    private static let isInTurns = ThreadFlag()

    private func run(_ writer: LogWriter, _ closing: ClosingMark?) {
        // Also between two turns: what a turn had is released there.
        _ = Self.isInTurns.unlessSet {
            while true {
                let turn = queue.waitFor { queue, deadline in
                    queue.nextTurn(now: monotonicNanoseconds(), limits: options, deadline: &deadline)
                }
                let seen = arrivals.load(ordering: .relaxed)
                let start = monotonicNanoseconds()
                if perform(turn, writer, closing) { return }
                if case .group(let commits) = turn, commits.count == 1,
                    monotonicNanoseconds() - start >= Self.patience
                {
                    linger(after: seen)
                }
            }
        }
    }

    /// So long the thread looks for more before it sleeps.
    private static let patience: UInt64 = 30_000

    /// Looks whether something comes at once, after the only commit there was: a writer that waits for each of its commits brings
    /// the next one sooner than a thread that sleeps is awake.
    ///
    /// Only after one that took longer than that, because of a sync: otherwise the writer is resumed where this thread goes to
    /// sleep. And not after several: the first that comes would get a sync of its own, and those behind it would wait for two.
    private func linger(after seen: UInt64) {
        let end = monotonicNanoseconds() + Self.patience
        while arrivals.load(ordering: .relaxed) == seen, monotonicNanoseconds() < end { yieldThread() }
    }

    /// Does a turn without a thread, if there is one.
    private func takeTurn(
        _ writer: LogWriter, _ closing: ClosingMark?, _ scheduler: any WorkScheduler
    ) -> LogRest {
        var rest = LogRest.ended
        let isOutermost = Self.isInTurns.unlessSet { rest = takeTurnMarked(writer, closing, scheduler) }
        return isOutermost ? rest : takeTurnMarked(writer, closing, scheduler)
    }

    private func takeTurnMarked(
        _ writer: LogWriter, _ closing: ClosingMark?, _ scheduler: any WorkScheduler
    ) -> LogRest {
        var deadline: UInt64?
        let turn = queue.withLock { $0.nextTurn(now: scheduler.now(), limits: options, deadline: &deadline) }
        guard let turn else { return .idle(until: deadline) }
        guard perform(turn, writer, closing) else { return .more }
        // The turn holds this object, and the scheduler. It is released when the lock is free again.
        _ = scheduled.withLock { turn in
            defer { turn = nil }
            return turn
        }
        return .ended
    }

    /// Returns true if it was the last.
    private func perform(_ turn: LogQueue.Turn, _ writer: LogWriter, _ closing: ClosingMark?) -> Bool {
        switch turn {
        case .group(let commits): write(commits, writer)
        case .barrier(let barrier): pass(barrier, writer)
        case .sync: guarded(writer) { try writer.sync() }
        case .attest: attest(writer)
        case .poison(let cause): poison(cause, [], writer)
        case .close:
            close(writer, closing)
            return true
        }
        return false
    }

    /// Notes that something was added to the queue.
    /// - Parameter wakes: whether the thread sleeps, or is about to.
    func noteArrival(wakes: Bool) {
        arrivals.wrappingAdd(1, ordering: .relaxed)
        if wakes { wake() }
    }

    /// Wakes the thread, which sleeps.
    private func wake() {
        guard let scheduler = options.scheduler else { return queue.signal() }
        if let turn = scheduled.withLock({ $0 }) { scheduler.logHasWork(turn) }
    }

    /// Blocks until there is an answer.
    func wait<Answer>(for answer: Monitor<Answer?>) -> Answer {
        options.scheduler?.wait { answer.withLock { $0 != nil } }
        return answer.waitFor { answer, _ in answer }
    }

    private func now() -> UInt64 { options.scheduler?.now() ?? monotonicNanoseconds() }

    // MARK: Turns

    private func write(_ commits: [LogQueue.Commit], _ writer: LogWriter) {
        do {
            try writer.write(commits.map(\.item))
            if options.durability == .always { try writer.sync() }
            try writer.checkName()
        } catch {
            fail(commits, error, writer)
            return
        }
        durableBits.store(writer.durable, ordering: .releasing)
        acknowledgedBits.store(writer.last, ordering: .releasing)
        afterWork(writer)
        for commit in commits { commit.completion(.success(())) }
        // Under load the queue is never empty, so the interval is checked here, too.
        let isDue = queue.withLock { queue in queue.syncDeadline.map { $0 <= now() } ?? false }
        if isDue { guarded(writer) { try writer.sync() } }
    }

    private func pass(_ barrier: LogQueue.Barrier, _ writer: LogWriter) {
        do {
            switch barrier.kind {
            case .flush: try writer.syncNamed()
            case .rotate: try writer.rotate()
            case .begin: try writer.begin()
            case .mark(let mark, let start): try writer.mark(mark, begunAt: start)
            }
        } catch {
            // A segment that could not be made fails no commit: the log continues in the old one, or tries again.
            if let disk = error as? DiskError, disk.isFailedSync {
                poison(disk, [], writer)
            } else if let gone = error as? LogWriter.SegmentIsGone {
                poison(gone.asDatabaseError, [], writer)
            } else {
                afterWork(writer)
            }
            barrier.completion(.failure(Self.translate(error)))
            return
        }
        durableBits.store(writer.durable, ordering: .releasing)
        afterWork(writer)
        barrier.completion(
            .success(
                .init(
                    durable: CommitNumber(writer.durable), newestSegment: writer.newestSegment,
                    bytesSinceCheckpoint: writer.statistics.bytesSinceCheckpoint,
                    segmentsSinceCheckpoint: writer.statistics.segmentsSinceCheckpoint)))
    }

    /// Runs a sync in the background.
    private func guarded(_ writer: LogWriter, _ body: () throws -> Void) {
        do {
            try body()
            durableBits.store(writer.durable, ordering: .releasing)
            afterWork(writer)
        } catch {
            guard let disk = error as? DiskError else { return }
            poison(disk, [], writer)
        }
    }

    private func attest(_ writer: LogWriter) {
        writer.attest()
        queue.withLock { $0.attestDeadline = nil }
    }

    /// Publishes the statistics and sets the deadlines.
    private func afterWork(_ writer: LogWriter) {
        let now = now()
        var attestsNow = false
        if writer.attested < writer.durable, options.attestAfter == .zero {
            writer.attest()
            attestsNow = true
        }
        let statistics = writer.statistics
        let needsSync = writer.needsSync
        let needsAttest = !attestsNow && writer.attested < writer.durable
        queue.withLock { queue in
            queue.statistics = statistics
            if case .interval(let interval) = options.durability, needsSync {
                queue.syncDeadline = queue.syncDeadline ?? now + interval.nanoseconds
            } else {
                queue.syncDeadline = nil
            }
            queue.attestDeadline = needsAttest ? now + options.attestAfter.nanoseconds : nil
        }
    }

    // MARK: Failures

    private func fail(_ commits: [LogQueue.Commit], _ error: any Error, _ writer: LogWriter) {
        if let disk = error as? DiskError, disk.isFailedSync {
            poison(disk, commits, writer)
            return
        }
        if let gone = error as? LogWriter.SegmentIsGone {
            poison(gone.asDatabaseError, commits, writer)
            return
        }
        let cause = Self.translate(error)
        let waiting = queue.withLock { $0.stop(.suspended(cause)) }
        // The commits of a group fail together, and each gets the cause itself.
        for commit in commits { commit.completion(.failure(cause)) }
        refuse(
            waiting,
            DatabaseError(
                .abandoned, "A commit before this one could not be written. Try again.", place: cause.place,
                cause: cause))
    }

    /// Handles a failed sync: no write and no sync ever again.
    private func poison(_ error: DiskError, _ commits: [LogQueue.Commit], _ writer: LogWriter) {
        poison(error.asDatabaseError(writing: true), commits, writer)
    }

    private func poison(_ cause: DatabaseError, _ commits: [LogQueue.Commit], _ writer: LogWriter) {
        let waiting = queue.withLock { $0.stop(.readOnly(cause)) }
        writer.abandon()
        for commit in commits { commit.completion(.failure(cause)) }
        refuse(
            waiting,
            DatabaseError(
                .readOnly, "The database is read-only since its log failed. Open it again.", place: cause.place,
                cause: cause))
    }

    private func refuse(_ waiting: [LogQueue.Entry], _ error: DatabaseError) {
        for entry in waiting {
            switch entry {
            case .commit(let commit): commit.completion(.failure(error))
            case .barrier(let barrier): barrier.completion(.failure(error))
            }
        }
    }

    /// Makes the log read-only because a sync of its directory failed elsewhere: on its own thread, before anything else that it
    /// does next. What that is writing now is completed as ever.
    func poison(_ error: DatabaseError) {
        let wakes = queue.withLock { queue in
            queue.poison = error
            return queue.wake()
        }
        noteArrival(wakes: wakes)
    }

    private func close(_ writer: LogWriter, _ closing: ClosingMark?) {
        let failure = queue.withLock { queue -> DatabaseError? in
            if case .readOnly(let cause) = queue.status { cause } else { nil }
        }
        var result: Result<Void, DatabaseError> = .success(())
        if let failure {
            // Nothing can be written any more. Under a lazy durability that may concern commits that were acknowledged.
            if failure.code == .writeFailed {
                // The files were removed (`SegmentIsGone`), with all that was durable.
                result = .failure(failure)
            } else if writer.durable < acknowledged.rawValue {
                result = .failure(
                    DatabaseError(
                        .syncFailed,
                        """
                        Commits after \(writer.durable) were acknowledged, and a sync of them failed. A power failure may \
                        lose them.
                        """,
                        place: failure.place, cause: failure))
            }
        } else {
            do {
                try writer.syncNamed()
                let end = try writer.close()
                durableBits.store(writer.durable, ordering: .releasing)
                // Everything is durable without the mark. With it, that can be proven up to the last commit.
                if let end, end != closing { try? end.write(in: root) }
            } catch {
                result = .failure(Self.translate(error))
            }
        }
        writer.abandon()
        finishClosing(result, writer.statistics)
    }

    /// Releases the lock and completes all calls of `close`.
    func finishClosing(_ result: Result<Void, DatabaseError>, _ statistics: StoreStatistics) {
        lock.release()
        let completions = queue.withLock { queue in
            queue.status = .closed
            queue.statistics = statistics
            queue.closeResult = result
            defer { queue.closeCompletions = [] }
            return queue.closeCompletions
        }
        for completion in completions { completion(result) }
    }

    private static func translate(_ error: any Error) -> DatabaseError {
        if let disk = error as? DiskError { return disk.asDatabaseError(writing: true) }
        if let gone = error as? LogWriter.SegmentIsGone { return gone.asDatabaseError }
        return error as? DatabaseError ?? DatabaseError(.writeFailed, "The log could not be written.", cause: error)
    }
}

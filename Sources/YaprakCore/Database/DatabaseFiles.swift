import Dispatch
import Logging
import SystemPackage
import YaprakLocks
import YaprakModel
import YaprakStorage

/// The files of a database: its store, and who may block on it.
final class DatabaseFiles: Sendable {
    let path: FilePath
    let store: Store
    let report: RecoveryReport
    let policy: CheckpointPolicy
    /// Makes readers of the directory that is open.
    let makeReader: @Sendable () -> StoreReader
    /// What the log could not take and no writer has dealt with yet.
    let health = LogHealth()
    private let scheduler: (any WorkScheduler)?
    private let isClosed = Mutex(false)

    init(
        path: FilePath, store: Store, report: RecoveryReport, policy: CheckpointPolicy, scheduler: (any WorkScheduler)?
    ) {
        self.path = path
        self.store = store
        self.report = report
        self.policy = policy
        makeReader = store.makeReader
        self.scheduler = scheduler
    }

    /// Runs blocking work where it blocks nobody: Swift's own threads are few, and a sync on one of them would stall the
    /// whole program.
    static func blocking<Result: Sendable>(
        on scheduler: (any WorkScheduler)?, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await Errand.run(body) { work in
            if let scheduler {
                scheduler.run(work)
            } else {
                DispatchQueue.global(qos: .userInitiated).async(execute: work)
            }
        }
    }

    func flush() async throws {
        let store = store
        _ = try await withCheckedThrowingContinuation { continuation in
            store.flush { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    func close() async throws {
        guard
            isClosed.withLock({ wasClosed in
                defer { wasClosed = true }
                return !wasClosed
            })
        else { return }
        let store = store
        try await Self.blocking(on: scheduler) { try store.close() }
    }

    /// For a database that was let go of without being closed.
    func closeIfNeeded() {
        guard
            isClosed.withLock({ wasClosed in
                defer { wasClosed = true }
                return !wasClosed
            })
        else { return }
        store.closeUnattended()
    }

    /// Whose turn it is to write a checkpoint.
    let checkpoints = CheckpointTurns()

    /// Whether the log has grown enough since the newest checkpoint, or since one that failed.
    var isCheckpointDue: Bool {
        let limit: UInt64
        switch policy {
        case .manual: return false
        case .every(let bytes): limit = UInt64(max(bytes, 1))
        case .automatic: limit = max(64 << 20, checkpoints.lastSize)
        }
        let growth = growth
        if growth.bytes > limit, growth.bytes - limit >= checkpoints.failedAt.bytes { return true }
        return isDue(bySegmentsOf: growth)
    }

    /// Whether a checkpoint is due because of the number of segments alone.
    var hasManySegments: Bool { policy != .manual && isDue(bySegmentsOf: growth) }

    /// Whether closing may have to write a checkpoint: there are many segments, or the log refused a commit because of a limit.
    var mayNeedCheckpointBeforeClosing: Bool { hasManySegments || policy != .manual && health.wasOverLimit }

    /// Whether closing has to write a checkpoint of the newest commit: because of the number of segments, or because the folder
    /// of the log is full and the checkpoint leads to room. The next opening could not write either.
    ///
    /// - Throws: `ioFailed`. - Complexity: that of `Store.needsCheckpointForRoom` where a commit was refused; else O(1).
    func needsCheckpointBeforeClosing(at newest: CommitNumber) async throws -> Bool {
        guard mayNeedCheckpointBeforeClosing, !hasManySegments else { return hasManySegments }
        let store = store
        return try await Self.blocking(on: scheduler) { try store.needsCheckpointForRoom(at: newest) }
    }

    /// Many short openings with few commits each have few bytes, and the folder of the log would be full some day.
    private func isDue(bySegmentsOf growth: LogGrowth) -> Bool {
        let most = store.segmentsUntilCheckpoint
        return growth.segments > most && growth.segments - most >= checkpoints.failedAt.segments
    }

    /// How much the log has grown since the newest checkpoint.
    var growth: LogGrowth {
        let statistics = store.statistics
        return LogGrowth(bytes: statistics.bytesSinceCheckpoint, segments: statistics.segmentsSinceCheckpoint)
    }

    /// Starts a checkpoint in the background if the log has grown enough.
    func checkpointIfDue(_ database: Database) {
        guard !checkpoints.isTaken, isCheckpointDue else { return }
        let write: @Sendable () async -> Void = { [weak database] in
            do {
                try await database?.checkpointIfDue()
            } catch {
                database?.options.logger.warning(
                    "a checkpoint failed; the log keeps everything: \(ErrorText.of(error))")
            }
        }
        if let scheduler {
            Task(executorPreference: scheduler, operation: write)
        } else {
            Task.detached(priority: .utility, operation: write)
        }
    }
}

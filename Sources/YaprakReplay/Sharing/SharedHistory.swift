public import YaprakCore
internal import YaprakLocks
public import YaprakModel

/// The history of a database for many tasks at once: any commit, any state, without blocking a thread of theirs.
///
///     let history = SharedHistory(reader)
///     async let then = history.snapshot(at: 42)
///     async let step = history.step(to: 1000)
///     print(try await then.untyped("books").count, try await step.changes.count)
///
/// A few ``HistoryCursor``s serve all who ask. A question goes to the one that is nearest, so that a task that goes through
/// history commit by commit finds its window still there: its steps cost as much as they would with a cursor of its own.
/// Where all are far, another cursor begins at the nearest place there is: one that a cursor keeps, or a checkpoint.
/// Who asks while all cursors move waits for one. Snapshots have the views that are in the files.
///
/// A task that is cancelled gets a `CancellationError`, and what its question read goes no further. The cursor keeps how far it
/// came, so that the next question goes on from there.
public actor SharedHistory {
    /// What is read.
    public nonisolated let reader: ReplayReader
    /// The commits in brief, for all who ask.
    public nonisolated let index: CommitIndex

    private struct Slot {
        /// `nil` while it is made.
        var cursor: HistoryCursor?
        let followsViews: Bool
        /// Where it stands or is going.
        var target: CommitNumber
        var isMoving = true
        var lastUse: UInt64
    }

    private let cursorsMax: Int
    private var slots: [Int: Slot] = [:]
    private var uses: UInt64 = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Two commits this near are in one window.
    private static let near: UInt64 = 256
    /// Reading a checkpoint takes about as long as applying this many commits.
    private static let checkpointCost: UInt64 = 1024
    /// Following views takes about so many times as long as applying a commit to the records.
    private static let viewCost: UInt64 = 4

    /// The history that a reader reads.
    ///
    /// - Parameters:
    ///   - reader: what is read.
    ///   - cursorsMax: the most cursors, at least 1. Each keeps what ``HistoryCursor`` says.
    public init(_ reader: ReplayReader, cursorsMax: Int = 4) {
        self.reader = reader
        self.cursorsMax = max(1, cursorsMax)
        index = CommitIndex(reader)
    }

    /// The database as of a commit.
    ///
    /// - Throws: as ``HistoryCursor/seek(to:)``. - Complexity: as ``HistoryCursor/seek(to:)`` from the nearest cursor.
    public func snapshot(at number: CommitNumber) async throws -> Snapshot {
        try await snapshot(at: number, followingViews: true)
    }

    /// The same; without the views, which cost more to follow than records, if they are not asked for.
    package func snapshot(at number: CommitNumber, followingViews: Bool) async throws -> Snapshot {
        try await withCursor(for: number, followingViews) { cursor, isCancelled in
            try cursor.seek(to: number, unless: isCancelled)
            return cursor.snapshot
        }
    }

    /// A commit, with the database before it and after it; `nil` if there is no such commit yet.
    ///
    /// - Throws: as ``HistoryCursor/seek(to:)``: the state before the commit has to be in reach.
    /// - Complexity: as ``snapshot(at:)``.
    public func step(to number: CommitNumber) async throws -> ReplayStep? {
        try await step(to: number, followingViews: true)
    }

    /// The same; without the views if they are not asked for.
    package func step(to number: CommitNumber, followingViews: Bool) async throws -> ReplayStep? {
        guard number > .zero else { return nil }
        let before = CommitNumber(number.rawValue - 1)
        return try await withCursor(for: before, followingViews) { cursor, isCancelled in
            try cursor.seek(to: before, unless: isCancelled)
            return try cursor.next()
        }
    }

    /// Two states of the database, which share what they have in common where both are within one cursor's reach.
    ///
    /// - Throws: as ``snapshot(at:)``. - Complexity: as ``snapshot(at:)``.
    public func snapshots(
        at first: CommitNumber, _ second: CommitNumber
    ) async throws -> (first: Snapshot, second: Snapshot) {
        try await snapshots(at: first, second, followingViews: true)
    }

    /// The same; without the views if they are not asked for.
    package func snapshots(
        at first: CommitNumber, _ second: CommitNumber, followingViews: Bool
    ) async throws -> (first: Snapshot, second: Snapshot) {
        try await withCursor(for: min(first, second), followingViews) { cursor, isCancelled in
            // Forwards first: what is passed on the way stays in the window.
            try cursor.seek(to: min(first, second), unless: isCancelled)
            let earlier = cursor.snapshot
            try cursor.seek(to: max(first, second), unless: isCancelled)
            let later = cursor.snapshot
            return first <= second ? (earlier, later) : (later, earlier)
        }
    }

    /// Runs something that reads files, on a thread that no task waits for.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before it began.
    public nonisolated func reading<Result: Sendable>(
        _ body: @escaping @Sendable (ReplayReader) throws -> Result
    ) async throws -> Result {
        let reader = reader
        return try await BlockingWork.run { try body(reader) }
    }

    /// The same for what takes long: the second argument says whether the task was cancelled meanwhile.
    package nonisolated func reading<Result: Sendable>(
        _ body: @escaping @Sendable (ReplayReader, _ isCancelled: () -> Bool) throws -> Result
    ) async throws -> Result {
        let reader = reader
        return try await BlockingWork.run { cancellation in try body(reader) { cancellation.isCancelled } }
    }

    /// How many cursors there are.
    package var cursorCount: Int { slots.count }

    // MARK: Cursors

    /// Runs `body` with a cursor that nobody else moves meanwhile.
    private func withCursor<Result: Sendable>(
        for number: CommitNumber, _ followingViews: Bool,
        _ body: @escaping @Sendable (HistoryCursor, _ isCancelled: () -> Bool) throws -> Result
    ) async throws -> Result {
        let (id, cursor) = try await take(for: number, followingViews)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(
                try await BlockingWork.run { cancellation in try body(cursor) { cancellation.isCancelled } })
        } catch { result = .failure(error) }
        slots[id]?.isMoving = false
        slots[id]?.target = cursor.commitNumber
        resumeWaiting()
        return try result.get()
    }

    private func resumeWaiting() {
        let resumed = waiting
        waiting = []
        for continuation in resumed { continuation.resume() }
    }

    /// The cursor that has the least way to go, or that is on the way there already. Where all are far, another one: it begins
    /// at what the nearest keeps, or at a checkpoint, and takes the place of the one that was not used for longest.
    private func take(for number: CommitNumber, _ followingViews: Bool) async throws -> (Int, HistoryCursor) {
        let reader = reader
        let checkpoint = try await BlockingWork.run {
            try reader.checkpointNumbers().last { $0 <= number }
        }
        let freshCost = number.rawValue - (checkpoint ?? .zero).rawValue
        while true {
            try Task.checkCancellation()
            uses += 1
            let usable = slots.filter { $0.value.followsViews || !followingViews }
            let best = usable.compactMap { id, slot in
                cost(of: slot, to: number, followingViews).map { (id: id, cost: $0) }
            }
            .min { $0.cost < $1.cost }
            if let best, best.cost <= Self.near { return use(best.id, number) }
            let idle = slots.filter { !$0.value.isMoving }
            let isOnTheWay = usable.contains { $0.value.isMoving && distance($0.value.target, number) <= Self.near }
            let isNearer = best.map { $0.cost <= freshCost || $0.cost - freshCost <= Self.checkpointCost } ?? false
            let source = isNearer ? best?.id : nil
            let oldest = idle.min { $0.value.lastUse < $1.value.lastUse }?.key
            if isOnTheWay || slots.count >= cursorsMax && oldest == nil {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { waiting.append($0) }
                } onCancel: {
                    // All of them look again: it runs after this one began to wait.
                    Task { await self.resumeWaiting() }
                }
                continue
            }
            if slots.count >= cursorsMax, let oldest {
                if oldest == source { return use(oldest, number) }
                slots[oldest] = nil
            }
            return try await make(for: number, followingViews, from: source.flatMap { slots[$0] })
        }
    }

    /// How far a cursor has to go, in commits; `nil` if it moves, or would begin at a checkpoint.
    private func cost(of slot: Slot, to number: CommitNumber, _ followingViews: Bool) -> UInt64? {
        guard !slot.isMoving, let count = slot.cursor?.commitCount(to: number) else { return nil }
        if followingViews || !slot.followsViews || count <= Self.near { return count }
        return count < .max / Self.viewCost ? count * Self.viewCost : .max
    }

    /// Another cursor, from what one that is there keeps, or from a checkpoint. It stands there: who takes it goes on.
    private func make(
        for number: CommitNumber, _ followingViews: Bool, from source: Slot?
    ) async throws -> (Int, HistoryCursor) {
        let reader = reader, id = Int(uses)
        let continued = source?.cursor?.continued(before: number)
        let followsViews = continued == nil ? followingViews : source?.followsViews ?? followingViews
        slots[id] = Slot(cursor: nil, followsViews: followsViews, target: number, lastUse: uses)
        do {
            let cursor: HistoryCursor
            if let continued {
                cursor = continued
            } else {
                cursor = try await BlockingWork.run {
                    try HistoryCursor(reader, atOrBefore: number, followingViews: followingViews)
                }
            }
            slots[id]?.cursor = cursor
            return (id, cursor)
        } catch {
            slots[id] = nil
            resumeWaiting()
            throw error
        }
    }

    private func use(_ id: Int, _ number: CommitNumber) -> (Int, HistoryCursor) {
        slots[id]!.isMoving = true
        slots[id]!.target = number
        slots[id]!.lastUse = uses
        return (id, slots[id]!.cursor!)
    }

    private func distance(_ one: CommitNumber, _ other: CommitNumber) -> UInt64 {
        max(one, other).rawValue - min(one, other).rawValue
    }
}

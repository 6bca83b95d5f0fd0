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
/// Who asks while all cursors move waits for one. Snapshots have the views that are in the files.
public actor SharedHistory {
    /// What is read.
    public nonisolated let reader: ReplayReader
    /// The commits in brief, for all who ask.
    public nonisolated let index: CommitIndex

    private struct Slot {
        let cursor: HistoryCursor
        var isMoving = false
        var lastUse: UInt64
    }

    private let cursorsMax: Int
    private var slots: [Int: Slot] = [:]
    private var making = 0
    private var uses: UInt64 = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Two commits this near are in one window.
    private static let near: UInt64 = 256

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
        try await withCursor(near: number) { cursor in
            try cursor.seek(to: number)
            return cursor.snapshot
        }
    }

    /// A commit, with the database before it and after it; `nil` if there is no such commit yet.
    ///
    /// - Throws: as ``HistoryCursor/seek(to:)``: the state before the commit has to be in reach.
    /// - Complexity: as ``snapshot(at:)``.
    public func step(to number: CommitNumber) async throws -> ReplayStep? {
        guard number > .zero else { return nil }
        let before = CommitNumber(number.rawValue - 1)
        return try await withCursor(near: before) { cursor in
            try cursor.seek(to: before)
            return try cursor.next()
        }
    }

    /// Two states of the database, which share what they have in common where both are within one cursor's reach.
    ///
    /// - Throws: as ``snapshot(at:)``. - Complexity: as ``snapshot(at:)``.
    public func snapshots(
        at first: CommitNumber, _ second: CommitNumber
    ) async throws -> (first: Snapshot, second: Snapshot) {
        try await withCursor(near: min(first, second)) { cursor in
            // Forwards first: what is passed on the way stays in the window.
            try cursor.seek(to: min(first, second))
            let earlier = cursor.snapshot
            try cursor.seek(to: max(first, second))
            let later = cursor.snapshot
            return first <= second ? (earlier, later) : (later, earlier)
        }
    }

    /// Runs something that reads files, on a thread that no task waits for.
    ///
    /// - Throws: what `body` throws.
    public nonisolated func reading<Result: Sendable>(
        _ body: @escaping @Sendable (ReplayReader) throws -> Result
    ) async throws -> Result {
        let reader = reader
        return try await BlockingWork.run { try body(reader) }
    }

    // MARK: Cursors

    /// Runs `body` with a cursor that nobody else moves meanwhile.
    private func withCursor<Result: Sendable>(
        near number: CommitNumber, _ body: @escaping @Sendable (HistoryCursor) throws -> Result
    ) async throws -> Result {
        let (id, cursor) = try await take(near: number)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await BlockingWork.run { try body(cursor) }) } catch { result = .failure(error) }
        slots[id]?.isMoving = false
        resumeNext()
        return try result.get()
    }

    private func resumeNext() { if !waiting.isEmpty { waiting.removeFirst().resume() } }

    /// The cursor that has the least way to go; a new one where all are far and there may be one more.
    private func take(near number: CommitNumber) async throws -> (Int, HistoryCursor) {
        while true {
            uses += 1
            let idle = slots.filter { !$0.value.isMoving }
            let near = idle.min { distance($0.value, number) < distance($1.value, number) }
            if let near, distance(near.value, number) <= Self.near { return use(near.key) }
            if slots.count + making < cursorsMax {
                making += 1
                defer { making -= 1 }
                let reader = reader, id = Int(uses)
                do {
                    let cursor = try await BlockingWork.run { try reader.cursor(at: number, followingViews: true) }
                    slots[id] = Slot(cursor: cursor, isMoving: true, lastUse: uses)
                    return (id, cursor)
                } catch {
                    resumeNext()
                    throw error
                }
            }
            if let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) { return use(oldest.key) }
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func use(_ id: Int) -> (Int, HistoryCursor) {
        slots[id]!.isMoving = true
        slots[id]!.lastUse = uses
        return (id, slots[id]!.cursor)
    }

    private func distance(_ slot: Slot, _ number: CommitNumber) -> UInt64 {
        let here = slot.cursor.commitNumber
        return here < number ? number.rawValue - here.rawValue : here.rawValue - number.rawValue
    }
}

import DequeModule
import YaprakLocks

/// What the log has more than at the newest checkpoint.
struct LogGrowth {
    var bytes: UInt64 = 0
    var segments = 0
}

/// The right to write a checkpoint: one at a time, in order of arrival.
///
/// Who closes a database takes it, too, so that no checkpoint writes to files that somebody else may open by then.
final class CheckpointTurns: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var line: Deque<Waiter> = []
        var nextID: UInt64 = 0
        /// The size of the newest checkpoint.
        var lastSize: UInt64 = 0
        var failedAt = LogGrowth()
    }

    private let state = Mutex(State())

    /// Whether a checkpoint is being written.
    var isTaken: Bool { state.withLock { $0.isTaken } }

    /// The size of the newest checkpoint, uncompressed; 0 if there is none. An opening reads it from the files.
    var lastSize: UInt64 { state.withLock { $0.lastSize } }

    /// Notes the size of a checkpoint that was written, or that the database was opened with.
    func noteSize(_ bytes: UInt64) {
        state.withLock {
            $0.lastSize = bytes
            $0.failedAt = LogGrowth()
        }
    }

    /// How much the log had grown when the last checkpoint failed; nothing if it did not.
    var failedAt: LogGrowth { state.withLock { $0.failedAt } }

    /// Notes that one failed when the log had grown by so much: the next is due when it has grown by as much again.
    func noteFailure(at growth: LogGrowth) { state.withLock { $0.failedAt = growth } }

    /// Takes the right if it is free.
    func takeIfFree() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Takes the right as soon as it is free, whether the task is cancelled or not.
    nonisolated(nonsending) func take() async {
        _ = await withCheckedContinuation { enqueue(nil, $0) }
    }

    /// Takes the right as soon as it is free.
    /// - Throws: `CancellationError` if the task is cancelled before.
    nonisolated(nonsending) func takeOrThrow() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue(id, $0) }
        } onCancel: {
            // Few wait here: O(their number) will do.
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.line.firstIndex(where: { $0.id == id }) else { return nil }
                return state.line.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
        if !isMine { throw CancellationError() }
    }

    /// - Parameter id: names the waiter for its cancellation; `nil` if it waits even when cancelled.
    private func enqueue(_ id: UInt64?, _ continuation: CheckedContinuation<Bool, Never>) {
        let answer = state.withLock { state -> Bool? in
            if id != nil, Task.isCancelled { return false }
            if state.isTaken {
                state.line.append(Waiter(id: id ?? 0, continuation: continuation))
                return nil
            }
            state.isTaken = true
            return true
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Gives the right to the next in line.
    func pass() {
        let next = state.withLock { state -> Waiter? in
            if let next = state.line.popFirst() { return next }
            state.isTaken = false
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}

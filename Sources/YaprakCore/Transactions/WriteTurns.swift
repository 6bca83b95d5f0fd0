import DequeModule
import YaprakLocks

/// Whose turn it is to write: first come, first served.
///
/// An actor's own queue runs urgent tasks first, so the order of writers is kept here instead. Where nobody waits, a turn
/// is taken and given back under a lock, without a suspension.
///
///     take ──▶ free? ──yes──▶ taken
///                │no
///                ▼
///            in line ──── passed on ──▶ taken
///                └─────── cancelled ──▶ thrown out
final class WriteTurns: Sendable {
    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isTaken = false
        var line: Deque<Waiter> = []
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The number of writers in line, the one at work included.
    var count: Int { state.withLock { ($0.isTaken ? 1 : 0) + $0.line.count } }

    /// Takes the turn if it is free.
    func takeIfFree() -> Bool {
        state.withLock { state in
            if state.isTaken { return false }
            state.isTaken = true
            return true
        }
    }

    /// Takes the turn, after everybody who asked before.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    nonisolated(nonsending) func take() async throws {
        if takeIfFree() { return }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Action { case wait, go, leave }
                let action: Action = state.withLock { state in
                    if Task.isCancelled { return .leave }
                    if !state.isTaken {
                        state.isTaken = true
                        return .go
                    }
                    state.line.append(Waiter(id: id, continuation: continuation))
                    return .wait
                }
                switch action {
                case .wait: break
                case .go: continuation.resume()
                case .leave: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.line.firstIndex(where: { $0.id == id }) else { return nil }
                return state.line.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Gives the turn to the next in line.
    func pass() {
        let next = state.withLock { state -> Waiter? in
            guard let next = state.line.popFirst() else {
                state.isTaken = false
                return nil
            }
            return next
        }
        next?.continuation.resume()
    }
}

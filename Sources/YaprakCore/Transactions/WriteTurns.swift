import YaprakLocks

/// The write queue: who may write now, and who next.
///
/// Writers of equal priority are served in order of arrival. A writer of higher priority overtakes those that wait, and
/// those that were offered the turn but whose task does not run yet; after ``overtakingsMax`` overtakings in a row the
/// oldest is offered it. An actor's own queue would reorder by priority without such a bound, and can't be counted.
///
/// Closing and draining wait behind all that came before them, whatever its priority. Once those are done, they are served as
/// a writer of their priority and arrival: they wait for none that came later, unless it is of higher priority.
///
///     enter ──▶ offered ──claim──▶ taken ──pass──▶ free, offered to the next
///       │          ▲  └─overtaken──┐
///       └──▶ in line ◀─────────────┘
///               └──── cancelled ──▶ out
///
/// *A turn belongs to a task that runs.* A turn is only offered to a task that waits; it is taken by `claim`, which the task
/// calls when it runs. So a low-priority task that the system does not run, because others keep all threads busy, holds up
/// nobody of higher priority: those that come overtake it, and those that wait are offered the turn in its place after
/// ``patience``.
///
/// - Invariant: whenever the turn is free and somebody is in line, somebody is offered it, or is awake and will come. And
///   nobody in line may have a free turn ahead of the one it is offered to, unless that is favored and still has patience.
///   So each step that frees the turn, takes an offer back or takes somebody out of the line ends by offering the turn to
///   the next in line: `pass`, `enqueue`, `leave`. One that `enter` refused is in no list until `enqueue`; from then
///   on, later work behind all that was offered the turn may be due no longer.
struct WriteTurns: ~Copyable, Sendable {
    /// A place in line. The earlier arrival goes first among equals. Who has one only gives it back: the queue reads it.
    struct Ticket: Sendable, Equatable {
        let arrival: UInt64
        /// The priority of the task.
        let priority: UInt8
        /// After all that came before, whatever their priority.
        let isBehindAll: Bool

        /// The row of the line it stands in.
        var row: UInt8 { isBehindAll ? 0 : priority }

        /// Whether it goes first of two that may both have the turn. It may take one then that was offered to `other`, whose
        /// task does not run yet.
        func outruns(_ other: Ticket) -> Bool {
            priority != other.priority ? priority > other.priority : arrival < other.arrival
        }
    }

    /// The oldest writer, which was offered the turn although others of higher priority wait. Of its fields others read
    /// ``priorityOfFirst`` alone.
    struct Favored: Sendable {
        let ticket: Ticket
        let firstPriority: UInt8
        /// The priority of the one that would have been next.
        var priorityOfFirst: TaskPriority { TaskPriority(rawValue: firstPriority) }
    }

    private let state: Mutex<State>

    /// So many writers in a row may overtake an older one of lower priority; then that is offered the turn.
    static let overtakingsMax = 64
    /// So long one that is favored may take to claim its turn while others of higher priority wait: a thread that is free
    /// runs it within a small part of that.
    static let patience = Duration.milliseconds(1)

    /// Nobody is in line.
    init(overtakingsMax: Int = WriteTurns.overtakingsMax) { state = Mutex(State(overtakingsMax: overtakingsMax)) }

    /// Whether the invariant does not hold. For tests.
    /// - Parameter favored: those that were favored, and still have patience.
    func isOwed(notCounting favored: [Favored]) -> Bool {
        state.withLock { state in state.isOwed && !favored.contains { $0.ticket == state.offered } }
    }

    /// Whether the turn is offered to one that was favored. For tests.
    func isOffered(to favored: Favored) -> Bool { state.withLock { $0.offered == favored.ticket } }

    /// The number of writers in line, the one at work included.
    var count: Int {
        state.withLock { ($0.isTaken ? 1 : 0) + ($0.offered == nil ? 0 : 1) + $0.overtaken.count + $0.line.count }
    }

    /// Comes for a turn.
    ///
    /// - Parameter isBehindAll: after all that came before, whatever their priority.
    /// - Returns: the place in line, and whether it was offered the turn. Then `claim` has to follow, else `wait`.
    @inline(never)
    func enter(isBehindAll: Bool = false) -> (ticket: Ticket, isOffered: Bool) {
        let priority = Task.currentPriority.rawValue
        return state.withLockInlined { state in
            state.arrivals &+= 1
            let ticket = Ticket(arrival: state.arrivals, priority: priority, isBehindAll: isBehindAll)
            guard state.isFree(forRunning: ticket) else { return (ticket, false) }
            // One that was offered it before finds out when it claims, and waits again, at its old place.
            state.offer(to: ticket)
            return (ticket, true)
        }
    }

    /// Waits until the turn is offered. O(1), O(priorities) where several are in line; so is being cancelled.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    nonisolated(nonsending) func wait(_ ticket: Ticket) async throws {
        let waiter = Waiter(ticket, isCancellable: true)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enqueue(waiter, continuation)
            }
        } onCancel: {
            leave(waiter)
        }
    }

    /// Takes one whose task is cancelled out of the line, if it is there.
    private func leave(_ waiter: Waiter) {
        let (wasInLine, offer) = state.withLock { state -> (Bool, Waiter?) in
            guard waiter.isInLine else { return (false, nil) }
            state.line.remove(waiter)
            return (true, state.offerAgain())
        }
        offer?.resume()
        if wasInLine { waiter.resume(throwing: CancellationError()) }
    }

    /// Waits until the turn is offered, whether the task is cancelled or not.
    nonisolated(nonsending) func waitIgnoringCancellation(_ ticket: Ticket) async {
        let waiter = Waiter(ticket, isCancellable: false)
        // Only a cancellation resumes it with an error.
        try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            enqueue(waiter, continuation)
        }
    }

    private func enqueue(_ waiter: Waiter, _ continuation: CheckedContinuation<Void, any Error>) {
        enum Action { case wait(offer: Waiter?), go, leave(offer: Waiter?) }
        let action: Action = state.withLock { state in
            state.forget(waiter.ticket)
            if waiter.isCancellable, Task.isCancelled { return .leave(offer: state.offerAgain()) }
            if state.isFree(forRunning: waiter.ticket) {
                state.offer(to: waiter.ticket)
                return .go
            }
            waiter.continuation = continuation
            state.line.insert(waiter)
            // It may have been the one that was offered it, and those it waits for may be in line by now.
            return .wait(offer: state.offered == nil ? state.offerToNext() : nil)
        }
        switch action {
        case .wait(let offer): offer?.resume()
        case .go: continuation.resume()
        case .leave(let offer):
            offer?.resume()
            continuation.resume(throwing: CancellationError())
        }
    }

    /// Takes the turn that was offered. Call it where the work is done, without a suspension in between.
    /// - Returns: false if somebody of higher priority was faster: `wait` again.
    @inline(never)
    func claim(_ ticket: Ticket) -> Bool {
        state.withLockInlined { state in
            guard state.isFree(for: ticket) else { return false }
            state.isTaken = true
            state.forget(ticket)
            if let oldest = state.line.oldest, oldest.ticket.arrival < ticket.arrival {
                state.overtakings += 1
            } else {
                state.overtakings = 0
            }
            return true
        }
    }

    /// Takes the turn, for work that keeps it across suspensions.
    ///
    /// - Parameter isBehindAll: after all that came before, whatever their priority.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    nonisolated(nonsending) func take(isBehindAll: Bool = false) async throws {
        var (ticket, isOffered) = enter(isBehindAll: isBehindAll)
        while true {
            if !isOffered { try await wait(ticket) }
            if claim(ticket) { return }
            isOffered = false
        }
    }

    /// Takes the turn after all that came before, whatever their priority and whether the task is cancelled or not.
    nonisolated(nonsending) func takeBehindAll() async {
        var (ticket, isOffered) = enter(isBehindAll: true)
        while true {
            if !isOffered { await waitIgnoringCancellation(ticket) }
            if claim(ticket) { return }
            isOffered = false
        }
    }

    /// Gives the turn back, and offers it to the next in line.
    /// - Returns: one that goes before its time. Call `reconsider` when it has had ``patience`` long to claim the turn;
    ///   where a seed decides what runs, at any time.
    @inline(never)
    func pass() -> Favored? {
        let next = state.withLockInlined { state in
            state.isTaken = false
            return state.offerNext()
        }
        guard let next else { return nil }
        next.waiter.resume()
        return next.favored
    }

    /// Offers the turn to the next in line if one that was favored has not claimed it.
    func reconsider(_ favored: Favored) {
        let next = state.withLock { $0.offered == favored.ticket ? $0.offerToNext() : nil }
        next?.resume()
    }
}

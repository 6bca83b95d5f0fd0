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
    /// A place in line. The earlier arrival goes first among equals.
    struct Ticket: Sendable, Equatable {
        fileprivate let arrival: UInt64
        /// The priority of the task.
        fileprivate let priority: UInt8
        /// After all that came before, whatever their priority.
        fileprivate let isBehindAll: Bool

        /// The row of the line it stands in.
        fileprivate var row: UInt8 { isBehindAll ? 0 : priority }

        /// Whether it goes first of two that may both have the turn. It may take one then that was offered to `other`, whose
        /// task does not run yet.
        fileprivate func outruns(_ other: Ticket) -> Bool {
            priority != other.priority ? priority > other.priority : arrival < other.arrival
        }
    }

    // Not private, because the compiler (6.3.1) can't reach a private type from the database in a debug build: "Global is
    // external, but doesn't have external or weak linkage".
    struct State {
        var isTaken = false
        /// Who is awake, or about to be, and may claim the turn.
        var offered: Ticket?
        /// Those who were offered it, were overtaken, and have not noticed yet. They will come back to the line.
        var overtaken: [Ticket] = []
        var line = WaiterLine()
        var arrivals: UInt64 = 0
        /// Turns that went to a writer while an older one was waiting, in a row.
        var overtakings = 0
        /// ``WriteTurns/overtakingsMax``; tests take fewer.
        let overtakingsMax: Int

        /// Whether a ticket may have the turn now, ahead of the one it was offered to.
        fileprivate func isFree(for ticket: Ticket) -> Bool {
            guard !isTaken else { return false }
            if offered == ticket { return true }
            if ticket.isBehindAll, !isDue(ticket) { return false }
            return offered.map { ticket.outruns($0) } ?? true
        }

        /// Whether all that came before have had their turn, or have left.
        private func isDue(_ ticket: Ticket) -> Bool {
            func isBefore(_ other: Ticket) -> Bool { other.arrival < ticket.arrival }
            if let offered, isBefore(offered) { return false }
            if let oldest = line.oldest, isBefore(oldest.ticket) { return false }
            return !overtaken.contains(where: isBefore)
        }

        fileprivate mutating func offer(to ticket: Ticket) {
            if let offered, offered != ticket { overtaken.append(offered) }
            offered = ticket
        }

        /// Notes that a ticket is neither offered the turn nor on its way back to the line.
        fileprivate mutating func forget(_ ticket: Ticket) {
            if offered == ticket { offered = nil }
            overtaken.removeAll { $0 == ticket }
        }

        /// Whether one that runs may have the turn now: it does not pass one that waits and goes before it.
        fileprivate func isFree(forRunning ticket: Ticket) -> Bool {
            isFree(for: ticket) && !(line.first.map { !$0.ticket.isBehindAll && $0.ticket.outruns(ticket) } ?? false)
        }

        /// Who of those in line is served next: the first, or one behind all that has waited long enough and goes before it.
        private var next: Waiter? {
            guard let first = line.first else { return nil }
            guard let last = line.behindAll, last.ticket.outruns(first.ticket), isDue(last.ticket) else { return first }
            return last
        }

        /// Offers a free turn to the next in line, if that goes before the one it was offered to already.
        /// - Returns: whom to resume.
        fileprivate mutating func offerToNext() -> Waiter? {
            guard !isTaken, let next, isFree(for: next.ticket) else { return nil }
            offer(to: next)
            return next
        }

        /// Offers a free turn that is offered to nobody to the next in line. One that is offered it may be favored, and is
        /// left its patience; only one behind all goes before it, for which it may be time since somebody left.
        /// - Returns: whom to resume.
        fileprivate mutating func offerAgain() -> Waiter? {
            offered == nil || next?.ticket.isBehindAll == true ? offerToNext() : nil
        }

        /// Whether one in line may have the turn and is not offered it.
        fileprivate var isOwed: Bool { !isTaken && next.map { isFree(for: $0.ticket) } ?? false }

        /// Offers a turn that has just become free to the next in line, or to the oldest if that was overtaken often.
        fileprivate mutating func offerNext() -> Offer? {
            guard let next else { return nil }
            guard overtakings >= overtakingsMax, let oldest = line.oldest, oldest !== next,
                isFree(for: oldest.ticket)
            else { return offerToNext().map { Offer(waiter: $0) } }
            overtakings = 0
            let favored = Favored(ticket: oldest.ticket, firstPriority: next.ticket.priority)
            offer(to: oldest)
            return Offer(waiter: oldest, favored: favored)
        }

        private mutating func offer(to waiter: Waiter) {
            line.remove(waiter)
            offer(to: waiter.ticket)
        }
    }

    /// A turn that was offered: whom to resume.
    ///
    /// It and what is in it have no field of the concurrency library's types: those are copied and destroyed by way of the
    /// runtime, also where there is none.
    fileprivate struct Offer {
        let waiter: Waiter
        var favored: Favored?
    }

    /// The oldest writer, which was offered the turn although others of higher priority wait.
    struct Favored: Sendable {
        fileprivate let ticket: Ticket
        fileprivate let firstPriority: UInt8
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

/// One that waits in line. Its fields are touched under the lock of the queue; once it was taken out of the line, by who took it
/// out.
final class Waiter: @unchecked Sendable {
    let ticket: WriteTurns.Ticket
    let isCancellable: Bool
    fileprivate var continuation: CheckedContinuation<Void, any Error>?
    var isInLine = false
    // A waiter is kept by its task; the line only links waiters.
    private var previousLink: Unmanaged<Waiter>?
    private var nextLink: Unmanaged<Waiter>?

    var previous: Waiter? {
        get { previousLink?.takeUnretainedValue() }
        set { previousLink = newValue.map(Unmanaged.passUnretained) }
    }

    var next: Waiter? {
        get { nextLink?.takeUnretainedValue() }
        set { nextLink = newValue.map(Unmanaged.passUnretained) }
    }

    init(_ ticket: WriteTurns.Ticket, isCancellable: Bool) {
        self.ticket = ticket
        self.isCancellable = isCancellable
    }

    /// Resumes the task of one that was taken out of the line: once, without the lock.
    @inline(never)
    func resume() { continuation.take()?.resume() }

    /// The same with an error.
    func resume(throwing error: any Error) { continuation.take()?.resume(throwing: error) }
}

/// Those who wait, by priority and, within one, by arrival.
///
///     high    9 ⇄ 12
///     medium  3 ⇄ 4 ⇄ 7 ⇄ …
///
/// Each operation is O(number of priorities); putting one in is O(those of its priority that arrived later), which is none
/// but for one that was overtaken.
struct WaiterLine {
    private struct Row {
        let priority: UInt8
        private var headLink: Unmanaged<Waiter>?
        private var tailLink: Unmanaged<Waiter>?

        init(priority: UInt8) { self.priority = priority }

        var head: Waiter? {
            get { headLink?.takeUnretainedValue() }
            set { headLink = newValue.map(Unmanaged.passUnretained) }
        }

        var tail: Waiter? {
            get { tailLink?.takeUnretainedValue() }
            set { tailLink = newValue.map(Unmanaged.passUnretained) }
        }
    }

    /// The highest priority first; rows without waiters stay, there are few.
    private var rows: [Row] = []
    private(set) var count = 0

    /// The one of highest priority, the earliest of them.
    var first: Waiter? {
        for row in rows where row.head != nil { return row.head }
        return nil
    }

    /// The first of those that are behind all that came before them.
    var behindAll: Waiter? {
        guard let head = rows.last?.head, head.ticket.isBehindAll else { return nil }
        return head
    }

    /// The one that arrived first.
    var oldest: Waiter? {
        var oldest: Waiter?
        for row in rows {
            guard let head = row.head else { continue }
            if oldest.map({ head.ticket.arrival < $0.ticket.arrival }) ?? true { oldest = head }
        }
        return oldest
    }

    mutating func insert(_ waiter: Waiter) {
        let row = row(of: waiter.ticket.row)
        // From the front for one that was here before, which all others are behind; from the back for a new one.
        var next: Waiter?
        if let head = rows[row].head, waiter.ticket.arrival < head.ticket.arrival {
            next = head
        } else {
            var previous = rows[row].tail
            while let at = previous, at.ticket.arrival > waiter.ticket.arrival { (next, previous) = (at, at.previous) }
        }
        let previous = next == nil ? rows[row].tail : next?.previous
        (waiter.previous, waiter.next) = (previous, next)
        if let previous { previous.next = waiter } else { rows[row].head = waiter }
        if let next { next.previous = waiter } else { rows[row].tail = waiter }
        waiter.isInLine = true
        count += 1
    }

    mutating func remove(_ waiter: Waiter) {
        let row = row(of: waiter.ticket.row)
        if let previous = waiter.previous { previous.next = waiter.next } else { rows[row].head = waiter.next }
        if let next = waiter.next { next.previous = waiter.previous } else { rows[row].tail = waiter.previous }
        (waiter.previous, waiter.next) = (nil, nil)
        waiter.isInLine = false
        count -= 1
    }

    private mutating func row(of priority: UInt8) -> Int {
        for index in rows.indices {
            if rows[index].priority == priority { return index }
            if rows[index].priority < priority {
                rows.insert(Row(priority: priority), at: index)
                return index
            }
        }
        rows.append(Row(priority: priority))
        return rows.count - 1
    }
}

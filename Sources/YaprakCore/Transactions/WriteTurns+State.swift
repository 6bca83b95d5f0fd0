extension WriteTurns {
    // Not private, because the compiler (6.3.1) can't reach a private type from the database in a debug build: "Global is
    // external, but doesn't have external or weak linkage".
    /// Who has the turn, who is offered it and who waits. Only the queue has one, and uses it under its lock.
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
        func isFree(for ticket: Ticket) -> Bool {
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

        mutating func offer(to ticket: Ticket) {
            if let offered, offered != ticket { overtaken.append(offered) }
            offered = ticket
        }

        /// Notes that a ticket is neither offered the turn nor on its way back to the line.
        mutating func forget(_ ticket: Ticket) {
            if offered == ticket { offered = nil }
            if !overtaken.isEmpty { overtaken.removeAll { $0 == ticket } }
        }

        /// Whether one that runs may have the turn now: it does not pass one that waits and goes before it.
        func isFree(forRunning ticket: Ticket) -> Bool {
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
        mutating func offerToNext() -> Waiter? {
            guard !isTaken, let next, isFree(for: next.ticket) else { return nil }
            offer(to: next)
            return next
        }

        /// Offers a free turn that is offered to nobody to the next in line. One that is offered it may be favored, and is
        /// left its patience; only one behind all goes before it, for which it may be time since somebody left.
        /// - Returns: whom to resume.
        mutating func offerAgain() -> Waiter? {
            offered == nil || next?.ticket.isBehindAll == true ? offerToNext() : nil
        }

        /// Whether one in line may have the turn and is not offered it.
        var isOwed: Bool { !isTaken && next.map { isFree(for: $0.ticket) } ?? false }

        /// Offers a turn that has just become free to the next in line, or to the oldest if that was overtaken often.
        mutating func offerNext() -> Offer? {
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
    struct Offer {
        let waiter: Waiter
        var favored: Favored?
    }
}

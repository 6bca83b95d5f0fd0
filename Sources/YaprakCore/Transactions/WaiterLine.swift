/// One that waits in line. Its fields are touched under the lock of the queue; once it was taken out of the line, by who took it
/// out.
final class Waiter: @unchecked Sendable {
    let ticket: WriteTurns.Ticket
    let isCancellable: Bool
    /// The task that waits, until it is resumed. Only `enqueue` sets it, before the waiter is in line.
    var continuation: CheckedContinuation<Void, any Error>?
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

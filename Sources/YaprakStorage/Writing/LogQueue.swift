internal import DequeModule
internal import YaprakModel

/// What waits for the log's thread, and whether anything may. A state machine: it runs under the lock of a monitor and
/// says what to do; the doing, and every completion, happens outside.
struct LogQueue {
    typealias Completion = @Sendable (Result<Void, DatabaseError>) -> Void

    /// A commit that waits.
    struct Commit: Sendable {
        let number: UInt64
        let item: [UInt8]
        let completion: Completion
    }

    /// Work that stands in line with the commits.
    struct Barrier: Sendable {
        enum Kind: Sendable {
            case flush
            case rotate
            /// A segment of this opening, empty if it has written nothing.
            case begin
            case mark(CheckpointMark, bytesBefore: UInt64)
        }
        let kind: Kind
        let completion: @Sendable (Result<BarrierAnswer, DatabaseError>) -> Void
    }

    /// What a barrier found.
    struct BarrierAnswer: Sendable {
        let durable: CommitNumber
        let newestSegment: FileName?
        let bytesSinceCheckpoint: UInt64
    }

    enum Entry: Sendable {
        case commit(Commit)
        case barrier(Barrier)
    }

    /// What the thread does next.
    enum Turn: Sendable {
        case group([Commit])
        case barrier(Barrier)
        case sync
        case attest
        case close
    }

    var status = StoreStatus.recovering
    /// The number the next append has to have.
    var next: UInt64 = 1
    var entries = Deque<Entry>()
    var isClosing = false
    /// The thread sleeps: whoever puts something in has to wake it.
    var sleeps = false
    var syncDeadline: UInt64?
    var attestDeadline: UInt64?
    var statistics = StoreStatistics()
    var closeCompletions: [@Sendable (Result<Void, DatabaseError>) -> Void] = []
    var closeResult: Result<Void, DatabaseError>?

    /// The error that something new gets at once; nil if it may wait in line.
    func refusal() -> DatabaseError? {
        if isClosing { return .storeClosed }
        switch status {
        case .running: return nil
        case .recovering:
            return DatabaseError(.readOnly, "Recovery has not finished. Replay the log first.")
        case .suspended(let cause):
            return DatabaseError(
                .abandoned, "A commit before this one could not be written. Try again.", place: cause.place,
                cause: cause)
        case .readOnly(let cause):
            return DatabaseError(
                .readOnly, "The database is read-only since its log failed. Open it again.", place: cause.place,
                cause: cause)
        case .closed: return .storeClosed
        }
    }

    /// Puts an entry in line; true if the thread has to be woken.
    mutating func enqueue(_ entry: Entry) -> Bool {
        entries.append(entry)
        return wake()
    }

    /// True if the thread has to be woken.
    mutating func wake() -> Bool {
        defer { sleeps = false }
        return sleeps
    }

    /// What to do now; nil and a deadline, or none, to sleep.
    mutating func nextTurn(now: UInt64, limits: StoreOptions, deadline: inout UInt64?) -> Turn? {
        if let turn = nextEntry(limits) { return turn }
        if isClosing { return .close }
        if let due = syncDeadline, due <= now { return .sync }
        if let due = attestDeadline, due <= now { return .attest }
        deadline = [syncDeadline, attestDeadline].compactMap(\.self).min()
        sleeps = true
        return nil
    }

    private mutating func nextEntry(_ limits: StoreOptions) -> Turn? {
        guard let first = entries.popFirst() else { return nil }
        guard case .commit(let commit) = first else {
            if case .barrier(let barrier) = first { return .barrier(barrier) }
            return nil
        }
        var group = [commit]
        var bytes = commit.item.count
        while group.count < limits.groupCommitsMax, case .commit(let next)? = entries.first,
            bytes + next.item.count <= limits.groupBytesMax
        {
            bytes += next.item.count
            group.append(next)
            entries.removeFirst()
        }
        return .group(group)
    }

    /// Stops taking commits and returns everything in line, for the caller to fail in order.
    mutating func stop(_ status: StoreStatus) -> [Entry] {
        if case .readOnly = self.status {} else { self.status = status }
        if case .readOnly = self.status {
            syncDeadline = nil
            attestDeadline = nil
        }
        let waiting = Array(entries)
        entries.removeAll()
        return waiting
    }
}

extension DatabaseError {
    static let storeClosed = DatabaseError(.closed, "The database is closed. Open it again.")
}

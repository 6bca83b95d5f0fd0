internal import DequeModule
internal import YaprakModel

/// The queue of the log's thread. A state machine: it runs under the lock of a monitor and returns what to do. The work and
/// every completion happen outside the lock.
struct LogQueue {
    typealias Completion = @Sendable (Result<Void, DatabaseError>) -> Void

    /// A queued commit.
    struct Commit: Sendable {
        let number: UInt64
        let item: [UInt8]
        let completion: Completion
    }

    /// Work that is queued in order with the commits.
    struct Barrier: Sendable {
        enum Kind: Sendable {
            case flush
            case rotate
            /// Starts a new segment, unless the open one is of this opening and empty.
            case begin
            case mark(CheckpointMark, begunAt: BarrierAnswer)
        }
        let kind: Kind
        let completion: @Sendable (Result<BarrierAnswer, DatabaseError>) -> Void
    }

    /// The result of a barrier.
    struct BarrierAnswer: Sendable {
        let durable: CommitNumber
        let newestSegment: FileName?
        let bytesSinceCheckpoint: UInt64
        let segmentsSinceCheckpoint: Int
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
        /// Handle a failure from elsewhere.
        case poison(DatabaseError)
        case close
    }

    var status = StoreStatus.recovering
    /// The required number of the next append.
    var next: UInt64 = 1
    var entries = Deque<Entry>()
    /// A sync of the log's directory failed on another thread. All completions run on the log's own, in the order of the commits:
    /// a group may be under way there.
    var poison: DatabaseError?
    var isClosing = false
    /// The thread sleeps: a caller that adds an entry must wake it.
    var sleeps = false
    var syncDeadline: UInt64?
    var attestDeadline: UInt64?
    var statistics = StoreStatistics()
    var closeCompletions: [@Sendable (Result<Void, DatabaseError>) -> Void] = []
    var closeResult: Result<Void, DatabaseError>?

    /// The error for a new entry; nil if it is accepted.
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

    /// Whether files of the log may be removed: it has the lock, and no sync failed. Where a disk is full, that is what helps.
    var mayRemoveFiles: Bool {
        if isClosing { return false }
        return switch status {
        case .running, .suspended: true
        case .recovering, .readOnly, .closed: false
        }
    }

    /// Adds an entry; true if the thread must be woken.
    mutating func enqueue(_ entry: Entry) -> Bool {
        entries.append(entry)
        return wake()
    }

    /// True if the thread must be woken.
    mutating func wake() -> Bool {
        defer { sleeps = false }
        return sleeps
    }

    /// What to do now; nil to sleep, until the deadline if there is one.
    mutating func nextTurn(now: UInt64, limits: StoreOptions, deadline: inout UInt64?) -> Turn? {
        if let cause = poison.take() { return .poison(cause) }
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

    /// Stops accepting commits and returns the queued entries, which the caller fails in order.
    mutating func stop(_ status: StoreStatus) -> [Entry] {
        if case .readOnly = self.status {} else { self.status = status }
        if case .readOnly = self.status {
            syncDeadline = nil
            attestDeadline = nil
        }
        // A deque without elements, made an array, writes to the one empty array of the process: the thread sanitizer sees a race
        // with all who read another empty array.
        if entries.isEmpty { return [] }
        let waiting = Array(entries)
        entries.removeAll()
        return waiting
    }
}

extension DatabaseError {
    static let storeClosed = DatabaseError(.closed, "The database is closed. Open it again.")
    static let commitsUsedUp = DatabaseError(
        .overLimit,
        "The commits are used up: the last one has the greatest number, \(FormatLimits.commitNumberMax). Export the data into a "
            + "new database.")
}

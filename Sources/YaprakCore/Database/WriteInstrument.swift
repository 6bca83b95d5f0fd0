public import YaprakModel

/// Observes each write of a database: for metrics, for traces, for a log of slow writes.
///
///     struct SlowWrites: WriteInstrument {
///         func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
///             { report in
///                 if report.total > .milliseconds(100) { print("\(report.origin) took \(report.total)") }
///             }
///         }
///     }
///     options.instruments = [SlowWrites()]
///
/// It is called in the task of the writer, so task-local values are the writer's, and outside the turn of the write and all
/// locks: what it does takes the writer's time and nobody else's. It must not wait for another write of the same database.
/// Forks have the instruments of their origin unless they are given options of their own. A database without instruments
/// pays one comparison for a write.
public protocol WriteInstrument: Sendable {
    /// A write begins; it has no turn yet.
    /// - Returns: what is called once when the write has ended, also if it threw or was cancelled.
    func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void
}

/// What became of a write, and how long its parts took.
public struct WriteReport: Sendable {
    /// Who wrote, as the write said.
    public let origin: String
    /// The commit that was made; `nil` if the write changed nothing or failed.
    public let commitNumber: CommitNumber?
    /// From the call until its turn came, or until it was given up.
    public let waiting: Duration
    /// The closure, what extensions did with its changes, and encoding.
    public let transaction: Duration
    /// Until the log had the commit, or what a write without one has read. Next to nothing in memory. What runs after the commit
    /// is no part of it.
    public let log: Duration
    /// What the write threw.
    public let error: (any Error)?

    /// All of it.
    public var total: Duration { waiting + transaction + log }
}

/// Takes the times of one write: four readings of the clock.
struct WriteStopwatch {
    private let start = ContinuousClock.now
    private var waiting = Duration.zero
    private var transaction = Duration.zero
    private var turnEnd: ContinuousClock.Instant?
    private var logEnd: ContinuousClock.Instant?

    /// The turn is over, or never began.
    mutating func endTurn(begunAt turn: ContinuousClock.Instant?) {
        let end = ContinuousClock.now
        turnEnd = end
        waiting = start.duration(to: turn ?? end)
        transaction = turn.map { $0.duration(to: end) } ?? .zero
    }

    /// The log has the commit, or has refused it.
    mutating func endLog() { logEnd = .now }

    func report(_ origin: String, _ number: CommitNumber?, _ error: (any Error)?) -> WriteReport {
        WriteReport(
            origin: origin, commitNumber: number, waiting: waiting, transaction: transaction,
            log: turnEnd.map { $0.duration(to: logEnd ?? $0) } ?? .zero, error: error)
    }
}

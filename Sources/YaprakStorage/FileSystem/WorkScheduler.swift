/// Runs the log, all work that blocks, and tasks that the engine starts by itself, in place of threads.
///
/// The engine has none by default: the log has a thread of its own, and work that blocks runs on the system's. A simulation
/// gives one (`StoreOptions.scheduler`), so that a seed decides what runs next, and one seed is one history.
package protocol WorkScheduler: TaskExecutor {
    /// Runs work that blocks, later, beside the tasks.
    func run(_ work: @escaping @Sendable () -> Void)
    /// The log has something to do: calls `turn` until it has no more.
    func logHasWork(_ turn: @escaping @Sendable () -> LogRest)
    /// Returns when `isDone` does. Runs turns of the log meanwhile.
    func wait(until isDone: () -> Bool)
    /// The monotonic clock, in nanoseconds.
    func now() -> UInt64
    /// Whether somebody runs what it is given.
    var isDriven: Bool { get }
    /// A write begins. One from another thread is not part of the history.
    func noteUse()
}

/// What the log has to do after a turn.
package enum LogRest: Sendable {
    /// There is more.
    case more
    /// Nothing until it is woken, or until the deadline on the clock of the scheduler.
    case idle(until: UInt64?)
    /// It is closed.
    case ended
}

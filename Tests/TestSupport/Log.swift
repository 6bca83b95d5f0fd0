import YaprakLocks

/// Lines that tests collect from anywhere.
public final class Log: Sendable {
    private let storage = Mutex<[String]>([])
    /// An empty log.
    public init() {}
    /// What was added so far.
    public var lines: [String] { storage.withLock { $0 } }
    /// Adds a line.
    public func add(_ line: String) { storage.withLock { $0.append(line) } }
}

/// What opening a database found and did.
///
///     if let report = database.recoveryReport {           // nil in memory
///         print(report)   // checkpoint 1200, 34 commits replayed to 1234, 512 torn bytes ignored, 0.003 seconds
///     }
public struct RecoveryReport: Sendable, CustomStringConvertible {
    /// The checkpoint the state was loaded from; nil when the log reaches back to the first commit and none was used.
    public package(set) var checkpoint: CommitNumber?
    /// The newest commit that was read back.
    public package(set) var newest: CommitNumber = .zero
    /// The newest commit that the files prove to have been durable.
    public package(set) var proven: CommitNumber = .zero
    /// Commits replayed from the log.
    public package(set) var replayedCommitCount: Int = 0
    /// Frames read from the log.
    public package(set) var frames: Int = 0
    /// Bytes at the end of the log that were never acknowledged as durable. They stay in the file and are ignored.
    public package(set) var tornBytes: UInt64 = 0
    /// Commits that were readable but not proven durable. They were written and synced again before they became visible.
    public package(set) var relogged: Int = 0
    /// Findings without consequences: a damaged checkpoint that an older one replaces, a foreign file.
    public package(set) var notes: [String] = []
    /// Records that do not decode to the type of their collection. They are kept as bytes, and reads skip them.
    public package(set) var recordsSetAside: Int = 0
    /// How long recovery took, from the lock to the last commit.
    public package(set) var duration: Duration = .zero
    /// Whether the last writer had closed the database.
    public package(set) var wasClosedCleanly: Bool = false

    package init() {}

    /// One line for a log.
    public var description: String {
        let start = checkpoint.map { "checkpoint \($0)" } ?? "no checkpoint"
        let torn = tornBytes > 0 ? ", \(tornBytes) torn bytes ignored" : ""
        let noted = notes.isEmpty ? "" : ", \(notes.count) notes"
        let aside = recordsSetAside > 0 ? ", \(recordsSetAside) records set aside" : ""
        return "\(start), \(replayedCommitCount) commits replayed to \(newest)\(torn)\(noted)\(aside), \(duration)"
    }
}

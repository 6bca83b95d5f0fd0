/// What opening a database found and did.
///
///     if let report = database.recoveryReport {           // nil in memory
///         print(report)   // checkpoint 1200, 34 commits replayed to 1234, 512 torn bytes ignored, 0.003 seconds
///     }
public struct RecoveryReport: Sendable, CustomStringConvertible {
    /// The commit of the checkpoint that the state was loaded from; nil when the log reaches back to the first commit and
    /// none was used.
    public package(set) var checkpointCommitNumber: CommitNumber?
    /// The newest commit that was read back.
    public package(set) var newestCommitNumber: CommitNumber = .zero
    /// The newest commit that the files prove to have been durable.
    public package(set) var provenCommitNumber: CommitNumber = .zero
    /// Commits replayed from the log.
    public package(set) var replayedCommitCount: Int = 0
    /// Frames read from the log.
    public package(set) var frameCount: Int = 0
    /// Bytes at the end of the log that were never acknowledged as durable. They stay in the file and are ignored.
    public package(set) var tornByteCount: UInt64 = 0
    /// Commits that were readable but not proven durable. They were written and synced again before they became visible.
    public package(set) var reloggedCommitCount: Int = 0
    /// Findings without consequences: a damaged checkpoint that an older one replaces, a foreign file.
    public package(set) var notes: [String] = []
    /// Records that do not decode to the type of their collection. They are kept as bytes, and reads skip them.
    public package(set) var setAsideRecordCount: Int = 0
    /// How long recovery took, from the lock to the last commit.
    public package(set) var duration: Duration = .zero
    /// Whether the last writer had closed the database.
    public package(set) var wasClosedCleanly: Bool = false

    package init() {}

    /// One line for a log.
    public var description: String {
        let start = checkpointCommitNumber.map { "checkpoint \($0)" } ?? "no checkpoint"
        let commits = "\(replayedCommitCount) \(replayedCommitCount.word("commit"))"
        let torn = tornByteCount > 0 ? ", \(tornByteCount) torn \(tornByteCount.word("byte")) ignored" : ""
        let noted = notes.isEmpty ? "" : ", \(notes.count) \(notes.count.word("note"))"
        let asideCount = setAsideRecordCount
        let aside = asideCount > 0 ? ", \(asideCount) \(asideCount.word("record")) set aside" : ""
        return "\(start), \(commits) replayed to \(newestCommitNumber)\(torn)\(noted)\(aside), \(duration)"
    }
}

internal import YaprakCore
internal import YaprakLocks
internal import YaprakModel
internal import YaprakReplay

/// Notes where the database of a test begins, so that a failure can show what the test committed.
///
/// The stream counts in the statistics of the database. The snapshot does not: the fork shares that state with the fixture,
/// which holds it.
final class CommitRecording: Sendable {
    /// That of the scope around this one: a trait of a suite has one, too, where its test has a trait of its own.
    @TaskLocal static var current: CommitRecording?

    private struct Marks {
        var hasFailed = false
        var isReplaced = false
    }

    private let database: Database
    private let start: Snapshot
    private let changesets: ChangesetSequence
    private let marks = Mutex(Marks())

    init(_ database: Database) {
        self.database = database
        start = database.snapshot
        changesets = database.changesets()
    }

    /// Whether something failed so far.
    var hasFailed: Bool { marks.withLock { $0.hasFailed } }

    /// Whether there is something to say of a failure. A database that another took the place of has nothing to say, unless
    /// something was committed to it all the same.
    var isOfInterest: Bool { hasCommits || !marks.withLock { $0.isReplaced } }

    /// Notes that the test has another database, of a scope within this one.
    func noteReplaced() { marks.withLock { $0.isReplaced = true } }

    /// Whether the test has committed something.
    var hasCommits: Bool { database.commitNumber > start.commitNumber }

    /// Notes a failure.
    /// - Returns: whether it is the first.
    func noteFailure() -> Bool {
        marks.withLock { marks in
            defer { marks.hasFailed = true }
            return !marks.hasFailed
        }
    }

    /// The commits of the test so far, oldest first; with a limit the newest ones.
    func text(last limit: Int? = nil) -> String {
        // The number first: others may write meanwhile, and the stream has at least as many then.
        let count = database.commitNumber.rawValue - start.commitNumber.rawValue
        let commits = changesets.published()
        if count == 0 { return "The test has made no commit." }
        if commits.count < count {
            // The stream was let go of because it fell too far behind: what the commits come to is still there.
            let net = RecordText.lines(of: ReplayChanges(from: start, to: database.snapshot))
            let shown = limit == nil ? net : shortened(net)
            return "\(count.counted("commit")), together:\n" + shown.joined(separator: "\n")
        }
        let shown = limit.map { commits.suffix($0) } ?? commits[...]
        let before = commits.count - shown.count
        let head = before > 0 ? ["… \(before.counted("commit")) before"] : []
        return (head + shown.flatMap { CommitText.lines(of: $0) }).joined(separator: "\n")
    }
}

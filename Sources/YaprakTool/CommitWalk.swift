import Yaprak
import YaprakReplay

/// The commits that a verb goes through, one after the other, with the records before and after each if they are wanted.
struct CommitWalk {
    let reader: ReplayReader
    /// The first commit; where the walk ends if it goes backwards.
    var first: CommitNumber
    /// The last commit; the newest there is when the walk comes there, if `nil`.
    var last: CommitNumber?
    var isBackwards = false
    var hasValues = false
    /// Whether to wait for new commits at the end.
    var follows = false

    /// A commit, and the step that it is if values are wanted.
    typealias Visit = (ReplayCommit, ReplayStep?) throws -> Bool

    /// Hands over commits until `visit` has enough, there are no more, or somebody presses Ctrl-C.
    ///
    /// - Parameter pause: called before the walk waits for new commits: what was printed has to be seen.
    func run(_ visit: Visit, pause: () throws -> Void = {}) async throws {
        if isBackwards {
            try hasValues ? stepBackwards(visit) : readBackwards(visit)
        } else if hasValues {
            let journey = try reader.journey(at: CommitNumber(first.rawValue - min(1, first.rawValue)))
            try await goOn(pause) { end in
                while end.map({ journey.commitNumber < $0 }) ?? true, let step = try journey.next() {
                    guard try isWanted(step.commit, step, visit) else { return false }
                }
                return true
            }
        } else {
            var commits = reader.commits(from: first, through: last).makeAsyncIterator()
            try await goOn(pause) { _ in
                while let commit = try commits.next() {
                    guard try isWanted(commit, nil, visit) else { return false }
                }
                return true
            }
        }
    }

    /// Asks for what there is again and again; once, if nobody follows.
    private func goOn(_ pause: () throws -> Void, _ readAll: (CommitNumber?) throws -> Bool) async throws {
        while try readAll(last), follows {
            try pause()
            try checkInterruption()
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func readBackwards(_ visit: Visit) throws {
        var commits = try reader.commitsBackwards(from: first, through: last).makeAsyncIterator()
        while let commit = try commits.next(), try isWanted(commit, nil, visit) {}
    }

    private func stepBackwards(_ visit: Visit) throws {
        let journey = try reader.journey(at: last)
        while journey.commitNumber >= first, let step = try journey.previous(), try isWanted(step.commit, step, visit) {
        }
    }

    private func isWanted(_ commit: ReplayCommit, _ step: ReplayStep?, _ visit: Visit) throws -> Bool {
        try checkInterruption()
        return try visit(commit, step)
    }

    private func checkInterruption() throws {
        if Invocation.isInterrupted() { throw Interrupted() }
    }
}

/// Somebody pressed Ctrl-C. What was printed is whole; the exit code says the rest.
struct Interrupted: Error {}

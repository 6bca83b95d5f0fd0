import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

/// The commits that a subcommand visits, one after the other, with the records before and after each on request.
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

    /// A commit, and its step if values are wanted.
    typealias Visit = (ReplayCommit, ReplayStep?) throws -> Bool

    /// Calls `visit` with commits until it returns `false`, there are no more, or the user presses Ctrl-C.
    ///
    /// - Parameter pause: called before the walk waits for new commits, so that what was printed is flushed.
    func run(_ visit: Visit, pause: () throws -> Void = {}) async throws {
        if isBackwards {
            try await hasValues ? stepBackwards(visit) : readBackwards(visit)
        } else if hasValues {
            let cursor = try reader.warmCursor(at: CommitNumber(first.rawValue - min(1, first.rawValue)))
            try await goOn(pause) {
                guard last.map({ cursor.commitNumber < $0 }) ?? true, let step = try cursor.next() else { return nil }
                return try isWanted(step.commit, step, visit)
            }
        } else {
            var commits = reader.commits(from: first, through: last).makeAsyncIterator()
            try await goOn(pause) { try commits.next().map { try isWanted($0, nil, visit) } }
        }
    }

    /// How long commits are read between two yields. Reading blocks its thread, and a walk that is far behind would keep it; a
    /// yield may change the thread, which costs as much as several commits.
    private static let turn = Duration.milliseconds(2)
    /// How many commits are read before the clock is asked.
    private static let commitsPerLook = 16

    /// Takes steps until one is not followed by another: `true` continues, `nil` means that there are no more for now. With
    /// ``follows`` it is then polled.
    private func goOn(_ pause: () throws -> Void, _ step: () throws -> Bool?) async throws {
        while true {
            if try await takeAll(step) == false { return }
            guard follows else { return }
            try pause()
            try checkInterruption()
            // `tail --follow | head -2`: who read is gone, and the next write may be hours away.
            if Invocation.console.out.hasLostReader { throw Errno.brokenPipe }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Takes steps to the end of what there is, yielding now and then: `true`, or `false` if a step stopped it.
    private func takeAll(_ step: () throws -> Bool?) async throws -> Bool {
        var count = 0, turnEnd = ContinuousClock.now + Self.turn
        while let goesOn = try step() {
            guard goesOn else { return false }
            count += 1
            guard count.isMultiple(of: Self.commitsPerLook), ContinuousClock.now >= turnEnd else { continue }
            await Task.yield()
            turnEnd = ContinuousClock.now + Self.turn
        }
        return true
    }

    private func readBackwards(_ visit: Visit) async throws {
        var commits = try reader.commitsBackwards(from: first, through: last).makeAsyncIterator()
        _ = try await takeAll { try commits.next().map { try isWanted($0, nil, visit) } }
    }

    private func stepBackwards(_ visit: Visit) async throws {
        let cursor = try reader.warmCursor(at: last)
        _ = try await takeAll {
            guard cursor.commitNumber >= first else { return nil }
            return try cursor.previous().map { try isWanted($0.commit, $0, visit) }
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

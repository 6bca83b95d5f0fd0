public import YaprakModel
import YaprakStorage

extension ReplayReader {
    /// The oldest commit whose state the files lead to; 0, the empty database, if they keep everything.
    ///
    /// - Throws: `commitOutOfReach` if they lead to no state at all; `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(bytes of the log): the headers of all frames are read. Checkpoints are not verified.
    public func oldestReachableCommitNumber() throws(DatabaseError) -> CommitNumber {
        let checkpoints = try store.checkpoints().map(\.number)
        guard let first = try oldestCommitNumber() else { return checkpoints.min() ?? .zero }
        if first <= 1 { return .zero }
        // A checkpoint leads on only if the log continues where it ends.
        guard let start = checkpoints.filter({ $0.next() >= first }).min() else {
            throw DatabaseError(
                .commitOutOfReach,
                "The log starts with commit \(first), and there is no checkpoint to start from. Run `yaprak verify`.",
                place: .init(commits: first...first))
        }
        return start
    }
}

extension ReplayReader {
    /// The commits that have a checkpoint, ascending.
    ///
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(number of files); none is opened, so a damaged one is among them.
    public func checkpointNumbers() throws(DatabaseError) -> [CommitNumber] { try store.checkpointNumbers().sorted() }
}

extension ReplayReader {
    /// The commits around one to whose states nothing leads: from what the log lacks up to the next checkpoint.
    ///
    /// - Parameter error: what reading its state threw.
    /// - Returns: `nil` if the log leads there: the error has another reason.
    /// - Throws: `commitOutOfReach`, `newerFormat`, `ioFailed`. - Complexity: O(bytes of the log since the checkpoint before).
    package func unreachableCommits(
        around number: CommitNumber, after error: DatabaseError
    ) throws(DatabaseError) -> ClosedRange<CommitNumber>? {
        // A fork may take the log to end there, and the checkpoint before may be damaged.
        guard [.corruptLog, .corruptCheckpoint, .commitOutOfReach].contains(error.code) else { return nil }
        let checkpoints = try checkpointNumbers()
        var first = error.place.commits?.lowerBound
        if error.code != .corruptLog || first.map({ $0 > number }) ?? true {
            first = try firstUnreadable(after: checkpoints.last { $0 < number } ?? .zero, through: number)
        }
        guard let first else { return nil }
        if let next = checkpoints.first(where: { $0 > number }) { return first...CommitNumber(next.rawValue - 1) }
        return first...max(number, try newestCommitNumber())
    }

    /// The first commit of a range that is not in the log, or can't be read.
    private func firstUnreadable(
        after start: CommitNumber, through last: CommitNumber
    ) throws(DatabaseError) -> CommitNumber? {
        var read = start
        do throws(DatabaseError) {
            var commits = try store.commits(from: start.next(), through: last)
            while let commit = try commits.next() { read = commit.number }
        } catch {
            guard error.code == .corruptLog else { throw error }
        }
        return read < last ? read.next() : nil
    }
}

package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// A log folded from its beginning, and held against every checkpoint on the way.
///
///     let replay = CheckedReplay(reader)
///     let state = try replay.run(upTo: 1000) { difference in throw difference.error }
///
/// Recovery starts at the newest checkpoint; this starts at the oldest commit the files lead to, so that each checkpoint
/// proves the log before it, and the log each checkpoint.
package struct CheckedReplay {
    private let reader: StoreReader
    /// Called now and then with the commit that was reached.
    package var progress: ((CommitNumber) throws -> Void)?
    /// Checkpoints that the state was held against.
    package private(set) var checkpoints: [CommitNumber] = []
    /// Where the replay began: a checkpoint's commit, or 0.
    package private(set) var start = CommitNumber.zero
    /// Frees what the replayed trees give up.
    private(set) var reclaimer = Reclaimer()

    package init(_ reader: StoreReader) { self.reader = reader }

    /// Replays up to a commit, or to the newest.
    ///
    /// - Parameter differs: called for each checkpoint that is not what the log leads to. If it returns, the replay goes on
    ///   from what the checkpoint holds.
    /// - Returns: the state without types, and what is known of extensions.
    /// - Throws: `commitOutOfReach`, `corruptLog`, `corruptCheckpoint`, `newerFormat`, `ioFailed`; what the closures throw.
    /// - Complexity: O(bytes of the log, and records of each checkpoint).
    package mutating func run(
        upTo last: CommitNumber? = nil, differs: (CheckpointDifference) throws -> Void
    ) throws -> RawReplay {
        let last = try last ?? reader.newest()
        var replay = makeReplay()
        do {
            try begin(&replay, upTo: last)
            start = replay.number
            try fold(&replay, upTo: last, differs)
            return replay
        } catch {
            replay.discard()
            throw error
        }
    }

    private mutating func makeReplay() -> RawReplay {
        reclaimer = Reclaimer()
        return RawReplay(timeline: reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) })
    }

    /// Loads the oldest checkpoint that verifies, unless the log goes back to the first commit.
    private func begin(_ replay: inout RawReplay, upTo last: CommitNumber) throws {
        if try reader.logReachesBackToFirst() { return }
        for number in try checkpointNumbers() where number <= last {
            if let checkpoint = try open(number) { return try replay.load(checkpoint) }
        }
    }

    private mutating func fold(
        _ replay: inout RawReplay, upTo last: CommitNumber, _ differs: (CheckpointDifference) throws -> Void
    ) throws {
        var ahead = try checkpointNumbers().filter { $0 > start && $0 <= last }[...]
        var good = start
        if replay.number < last {
            var commits = try reader.commits(from: replay.number.next(), through: last)
            while let commit = try commits.next() {
                try replay.apply(LoggedCommit(commit.item[...]))
                if replay.number.rawValue % 1024 == 0 { try progress?(replay.number) }
                guard ahead.first == replay.number else { continue }
                ahead.removeFirst()
                guard let checkpoint = try open(replay.number) else { continue }
                checkpoints.append(replay.number)
                if let difference = try replay.difference(to: checkpoint, replayedFrom: good.next()) {
                    try differs(difference)
                    // What follows started from the checkpoint: the program that opened the database continued from there.
                    replay.discard()
                    replay = makeReplay()
                    try replay.load(checkpoint)
                }
                good = replay.number
            }
        }
        try progress?(replay.number)
        guard replay.number == last else { throw outOfReach(last, replay.number) }
    }

    private func outOfReach(_ wanted: CommitNumber, _ reached: CommitNumber) -> DatabaseError {
        DatabaseError(
            .commitOutOfReach, "commit \(wanted) is not in these files; they lead to commit \(reached).",
            place: .init(commits: min(wanted, reached)...max(wanted, reached)))
    }

    private func checkpointNumbers() throws -> [CommitNumber] {
        Set(try reader.checkpoints().map(\.number)).sorted()
    }

    /// A checkpoint, if it verifies; one that does not is the business of `verify`.
    private func open(_ number: CommitNumber) throws -> CheckpointReader? {
        do {
            return try reader.openCheckpoint(number)
        } catch {
            if error.code == .corruptCheckpoint || error.code == .notFound { return nil }
            throw error
        }
    }
}

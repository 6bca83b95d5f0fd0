import YaprakLocks
public import YaprakModel

/// What the commits of a log are, in brief: number, exact time, origin, count of changes. Read once and kept.
///
///     let index = CommitIndex(reader)
///     for entry in try index.entries(in: 900...1000) { print(entry.number, entry.nanosecondsSince1970, entry.origin) }
///     let activity = try index.activity(in: 1...1_000_000, slicesMax: 500)
///
/// A range is answered from its own commits: the rest of the log is not read. What was read stays, in some 20 bytes for
/// each commit, so a second question about the same range costs no file.
///
/// Threads may ask at the same time. Calls read files and block while they do.
public final class CommitIndex: Sendable {
    /// A commit in brief.
    public struct Entry: Sendable, Hashable {
        /// The number.
        public let number: CommitNumber
        /// When it was made, in nanoseconds since 1970.
        public let nanosecondsSince1970: Int64
        /// Who wrote; empty if the program did not say.
        public let origin: String
        /// The records that were changed one by one.
        public let changeCount: Int
        /// The bytes of the commit before compression.
        public let byteCount: Int

        init(
            number: CommitNumber, nanosecondsSince1970: Int64, origin: String, changeCount: Int, byteCount: Int
        ) {
            self.number = number
            self.nanosecondsSince1970 = nanosecondsSince1970
            self.origin = origin
            self.changeCount = changeCount
            self.byteCount = byteCount
        }

        /// A commit in brief; one that is in no log has no bytes.
        public init(_ commit: some CommitDescription) {
            self.init(
                number: commit.commitNumber, nanosecondsSince1970: commit.nanosecondsSince1970, origin: commit.origin,
                changeCount: commit.changeCount, byteCount: (commit as? ReplayCommit)?.byteCount ?? 0)
        }
    }

    private let reader: ReplayReader
    private let known = Mutex(KnownEntries())

    /// An index of a reader's log. O(1): nothing is read yet.
    public init(_ reader: ReplayReader) { self.reader = reader }

    /// The commits of a range, ascending. Where the log ends before, begins after it, or has a hole that a repair left, those
    /// that it has.
    ///
    /// - Throws: `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`; `commitOutOfReach` if the log was
    ///   pruned meanwhile.
    /// - Complexity: O(bytes of the commits that were not asked for before), and O(number of commits in the range).
    public func entries(in range: ClosedRange<CommitNumber>) throws(DatabaseError) -> [Entry] {
        var entries: [Entry] = []
        try forEach(in: range, unless: { false }) { entries.append($0) }
        return entries
    }

    /// How much was done in each part of a range of commits.
    ///
    /// The slices have equally many commits, but for the last, which may have fewer.
    /// - Parameters:
    ///   - range: the commits.
    ///   - slicesMax: the most slices.
    /// - Throws: as ``entries(in:)``. - Complexity: as ``entries(in:)``.
    public func activity(
        in range: ClosedRange<CommitNumber>, slicesMax: Int
    ) throws(DatabaseError) -> [CommitActivity] {
        try activity(in: range, slicesMax: slicesMax, unless: { false })
    }

    /// The same of what is read until it is to stop: that is asked now and then.
    package func activity(
        in range: ClosedRange<CommitNumber>, slicesMax: Int, unless isStopped: () -> Bool
    ) throws(DatabaseError) -> [CommitActivity] {
        var slices = CommitSlices(range, slicesMax: slicesMax)
        try forEach(in: range, unless: isStopped) { slices.add($0) }
        return slices.slices
    }

    /// How much was done in each part of the time in which the commits of a range were made.
    ///
    /// The slices are equally long; those in which nothing was done are left out. Where a clock was set back, later commits
    /// are counted in an earlier slice.
    /// - Parameters:
    ///   - range: the commits.
    ///   - slicesMax: the most slices.
    /// - Throws: as ``entries(in:)``. - Complexity: as ``entries(in:)``.
    public func activity(
        overTimeOf range: ClosedRange<CommitNumber>, slicesMax: Int
    ) throws(DatabaseError) -> [CommitActivity] {
        try activity(overTimeOf: range, slicesMax: slicesMax, unless: { false })
    }

    /// The same of what is read until it is to stop: that is asked now and then.
    package func activity(
        overTimeOf range: ClosedRange<CommitNumber>, slicesMax: Int, unless isStopped: () -> Bool
    ) throws(DatabaseError) -> [CommitActivity] {
        var earliest = Int64.max, latest = Int64.min
        try forEach(in: range, unless: isStopped) { entry in
            earliest = min(earliest, entry.nanosecondsSince1970)
            latest = max(latest, entry.nanosecondsSince1970)
        }
        guard earliest <= latest else { return [] }
        var slices = TimeSlices(earliest...latest, slicesMax: slicesMax)
        try forEach(in: range, unless: isStopped) { slices.add($0) }
        return slices.slices
    }

    /// Forgets what was read: where a directory was replaced by another.
    public func removeAll() { known.withLock { $0 = KnownEntries() } }

    private func forEach(
        in range: ClosedRange<CommitNumber>, unless isStopped: () -> Bool, _ body: (Entry) -> Void
    ) throws(DatabaseError) {
        let last = min(range.upperBound, try reader.newestCommitNumber())
        guard let oldest = try reader.oldestCommitNumber() else { return }
        var number = max(range.lowerBound, oldest, 1)
        while number <= last, !isStopped() {
            if let (entries, next) = known.withLock({ $0.entries(from: number, through: last) }) {
                entries.forEach(body)
                number = next
                continue
            }
            let end = min(last, KnownEntries.lastOfBlock(of: number))
            var commits = reader.commits(from: number, through: end).makeAsyncIterator()
            var read: [Entry] = []
            while let commit = try commits.next() { read.append(Entry(commit)) }
            known.withLock { $0.keep(read, of: number...end) }
            read.forEach(body)
            number = end.next()
            guard read.isEmpty, number <= last else { continue }
            // A hole: on to what comes behind it, however far that is.
            var behind = reader.commits(from: number, through: last).makeAsyncIterator()
            guard let commit = try behind.next() else { return }
            number = commit.commitNumber
        }
    }
}

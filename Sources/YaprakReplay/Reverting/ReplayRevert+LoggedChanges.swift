import YaprakCore
import YaprakModel

extension ReplayRevert {
    /// What some commits changed, as the files say it: all that a revert has to read.
    ///
    ///     let logged = try ReplayRevert.LoggedChanges(of: 17...17, choice, reader, in: database.snapshot)     // reads files
    ///     let revert = logged.revert(in: transaction.before)                                                // reads none
    ///
    /// What a commit changed stays the same forever, so it can be read before a write has its turn. What the records are now
    /// is asked in the turn.
    struct LoggedChanges: Sendable {
        /// A commit of which something is chosen.
        struct Step {
            let number: CommitNumber
            var changes: [Change]
        }

        /// A change of such a commit.
        struct Change {
            let collectionName: String
            let key: String
            /// What the record was, as the snapshot would have it: a hash of it, because a key may have changed in each of a
            /// hundred thousand commits. `nil` if there was none.
            let before: Int?
            let isChosen: Bool
        }

        let commits: ClosedRange<CommitNumber>
        let choice: Choice
        /// What the records were and became, ordered by collection and key.
        private(set) var spans: [Choice.Span] = []
        /// The commits of which something is chosen, ascending; empty for everything, where each of them is.
        private(set) var steps: [Step] = []
        /// The primary extensions whose operations the commits logged, ascending.
        private(set) var extensionNames: [String] = []
    }
}

extension ReplayRevert.LoggedChanges {
    /// Reads the files.
    ///
    /// - Parameters:
    ///   - snapshot: its types and versions say in which form records are compared. Where a collection gets others before the
    ///     write has its turn, commits that are reverted wholly may be called partly reverted.
    ///   - isCancelled: whether nobody waits for it any more; asked for each commit and each change that is looked at, and while
    ///     a condition looks through records.
    /// - Throws: `commitOutOfReach` if the files don't lead to the commits, or to the one before them; errors of reading;
    ///   `CancellationError` if `isCancelled` was true.
    /// - Complexity: as ``ReplayReader/changes(from:to:)``. What is kept is O(records that changed); of a choice, also a key and
    ///   a hash for each change of the commits of which something is chosen.
    init(
        of commits: ClosedRange<CommitNumber>, _ choice: ReplayRevert.Choice, _ reader: ReplayReader,
        in snapshot: Snapshot, unless isCancelled: @escaping () -> Bool = { false }
    ) throws {
        guard commits.lowerBound > 0 else {
            throw DatabaseError(
                .commitOutOfReach, "commit 0 is the empty database, which can't be reverted",
                place: .init(commits: commits))
        }
        self.commits = commits
        self.choice = choice
        if choice.condition == nil { spans = try choice.spans(of: commits, reader) }
        if !choice.isEverything { try readSteps(reader, PresentRecords(in: snapshot), unless: isCancelled) }
        var names: Set<String> = []
        var logged = reader.commits(from: commits.lowerBound, through: commits.upperBound).makeAsyncIterator()
        while let commit = try logged.next() {
            if isCancelled() { throw CancellationError() }
            names.formUnion(commit.logged.steps.map(\.name))
        }
        extensionNames = names.sorted()
    }

    /// Reads commit after commit: which changes are chosen, and, with a condition, what records were before the first of them
    /// and what the last of them left.
    private mutating func readSteps(
        _ reader: ReplayReader, _ present: PresentRecords, unless isCancelled: @escaping () -> Bool
    ) throws {
        var chosen: [[String]: ReplayRevert.Choice.Span] = [:]
        let cursor = try reader.cursor(at: CommitNumber(commits.lowerBound.rawValue - 1))
        while cursor.commitNumber < commits.upperBound {
            if isCancelled() { throw CancellationError() }
            guard let step = try cursor.next() else {
                throw DatabaseError(
                    .commitOutOfReach,
                    "commit \(commits.upperBound) is not in these files; the newest there is is \(cursor.commitNumber).",
                    place: .init(commits: commits))
            }
            let marked = try step.changes.map { change in
                (change: change, isChosen: try choice.includes(change, of: step, unless: isCancelled))
            }
            guard marked.contains(where: \.isChosen) else { continue }
            var changes: [Change] = []
            for (change, isChosen) in marked {
                if isCancelled() { throw CancellationError() }
                changes.append(
                    Change(
                        collectionName: change.collectionName, key: change.key,
                        before: present.form(change.before, in: change.collectionName)?.hashValue, isChosen: isChosen))
                guard isChosen, choice.condition != nil else { continue }
                let first = ReplayRevert.Choice.Span(
                    collectionName: change.collectionName, key: change.key, then: change.before, left: nil)
                chosen[[change.collectionName, change.key], default: first].left = change.after
            }
            steps.append(Step(number: step.commit.commitNumber, changes: changes))
        }
        guard choice.condition != nil else { return }
        spans = chosen.values.sorted { ($0.collectionName, $0.key) < ($1.collectionName, $1.key) }
    }

    /// What reverts the commits in a snapshot. Reads no file.
    ///
    /// - Complexity: O(*c* · log *n*) with *c* what was kept.
    func revert(in snapshot: Snapshot) -> ReplayRevert {
        let present = PresentRecords(in: snapshot)
        let changes = spans.compactMap { span -> ReplayRevert.Change? in
            guard let fields = choice.fields else { return span.reverted(in: present) }
            return span.reverting(fields, in: present)
        }
        return ReplayRevert(
            commits: commits, changes: changes, extensionNames: extensionNames,
            coverage: ReplayRevert.Coverage(of: self, changes, in: present))
    }
}

#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakReplay

    /// A database as the inspector reads it: a directory, or a running program's.
    protocol InspectedHistory: Sendable {
        /// What to call the database.
        var title: String { get }
        /// Where its files are; `nil` in memory.
        var path: FilePath? { get }
        /// The newest commit there is now.
        func newest() async throws -> CommitNumber
        /// The newest state of a running program, with its views; `nil` where files are read.
        func current() async -> Snapshot?
        /// The commits whose states can be shown.
        func reach() async throws -> ClosedRange<CommitNumber>
        /// The commits that are known one by one; `nil` if none is.
        func known() async throws -> ClosedRange<CommitNumber>?
        /// The commit that a position stands for.
        func commitNumber(at position: LogPosition) async throws -> CommitNumber
        /// Commits in brief, ascending.
        func entries(in range: ClosedRange<CommitNumber>) async throws -> [CommitIndex.Entry]
        /// How much was done in each part of a range.
        func activity(in range: ClosedRange<CommitNumber>, slicesMax: Int, byTime: Bool) async throws
            -> [CommitActivity]
        /// A commit with what it changed; the changes are `nil` if the state before it can't be shown.
        func step(to number: CommitNumber) async throws -> InspectedStep?
        /// The database as of a commit. A history that reads files has the views only if they are asked for: following them
        /// costs more than the records.
        func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot
        /// Two states of the database, without views as a rule.
        func snapshots(at first: CommitNumber, _ second: CommitNumber) async throws -> (
            first: Snapshot, second: Snapshot
        )
        /// What happened to a record, oldest first, as far as `deadline` allows.
        func revisions(ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant) async throws
            -> Revisions
        /// The names of commits.
        func tags() async throws -> [LogTag]
        /// The commits around one to whose states nothing leads, where reading its state threw `error`; `nil` if that has another
        /// reason.
        func unreachable(
            around number: CommitNumber, after error: DatabaseError
        ) async throws -> ClosedRange<CommitNumber>?
        /// The numbers of the commits that have a checkpoint.
        func checkpoints() async throws -> [CommitNumber]
        /// What decides, beside the newest commit and the tags, what can be shown: two answers under one text are the same.
        func stateTag() async throws -> String
        /// What can be said of the files and of the engine.
        func health() async throws -> [HealthPart]
        /// A database of its own that begins at the newest state, with the program's views, and without its instruments; `nil` if
        /// no program runs here.
        func fork() -> Database?
        /// The newest state, whenever there is a newer one, or another database. Ends when its consumer does.
        func follow() -> AsyncStream<FollowedState>
    }

    extension InspectedHistory {
        func current() async -> Snapshot? { nil }

        func unreachable(
            around number: CommitNumber, after error: DatabaseError
        ) async throws -> ClosedRange<CommitNumber>? { nil }

        /// The commits whose states can be shown; `nil` where the log leads to none: it has commits all the same.
        func reachIfAny() async throws -> ClosedRange<CommitNumber>? {
            do {
                return try await reach()
            } catch let error as DatabaseError where error.code == .commitOutOfReach {
                return nil
            }
        }

        /// The records as of a commit.
        func snapshot(at number: CommitNumber) async throws -> Snapshot {
            try await snapshot(at: number, withViews: false)
        }
    }

    /// What a follower of a history is notified of.
    struct FollowedState: Sendable, Equatable {
        /// The newest commit.
        let newest: CommitNumber
        /// How often another database took the place of the one that was read.
        var replacements = 0
    }

    /// A commit as a page shows it.
    struct InspectedStep: Sendable {
        let commit: any CommitDescription
        /// What it changed, in the order of collections and keys.
        let changes: [ReplayChange]?
        /// Why there are none.
        let note: String?
        /// Whether there are none because a file is damaged, which may be put back.
        var isDamaged = false
    }

    /// What happened to a record, oldest first: of the revisions that were read the newest ``max``, or as many of them as have no
    /// more than ``bytesMax``, and at least one.
    struct Revisions: Sendable {
        /// What happened to it in one commit.
        struct Revision: Sendable {
            let number: CommitNumber
            let nanosecondsSince1970: Int64
            let origin: String
            let before: ReplayRecord?
            let after: ReplayRecord?

            /// What the record had before and has after it, in bytes.
            fileprivate var byteCount: Int { (before?.byteCount ?? 0) + (after?.byteCount ?? 0) }
        }
        /// The most that are kept of one record.
        static let most = 5000
        /// The most bytes that they have, before and after each commit: what is `after` one and `before` the next counts twice.
        static let mostBytes = 32 << 20

        private let max: Int
        private let bytesMax: Int
        private var bytes = 0
        private(set) var revisions: [Revision] = []
        /// How many earlier ones were read and are not kept.
        private(set) var omitted = 0
        /// Whether time did not allow to read up to the newest commit.
        private(set) var isLate = false

        init(max: Int = Revisions.most, bytesMax: Int = Revisions.mostBytes) {
            self.max = max
            self.bytesMax = bytesMax
        }

        /// Whether some may be missing.
        var isCut: Bool { isLate || omitted > 0 }

        /// Whether all commits up to this one were read.
        func isKnown(through number: CommitNumber) -> Bool {
            !isLate || (revisions.last?.number ?? .zero) >= number
        }

        /// Appends the next one. O(1) on average.
        mutating func append(_ revision: Revision) {
            revisions.append(revision)
            bytes += revision.byteCount
            // Not one by one: that would move all of them each time.
            if revisions.count >= max + max / 8 + 1 || bytes > bytesMax + bytesMax / 8 { drop() }
        }

        /// Ends the reading.
        mutating func finish(isLate: Bool) {
            self.isLate = isLate
            drop()
        }

        private mutating func drop() {
            var surplus = 0
            while revisions.count - surplus > max || bytes > bytesMax && revisions.count - surplus > 1 {
                bytes -= revisions[surplus].byteCount
                surplus += 1
            }
            revisions.removeFirst(surplus)
            omitted += surplus
        }
    }

    /// A part of the page on health: a heading and a table.
    struct HealthPart: Sendable {
        enum State: String, Sendable { case good, notable, bad }
        typealias Row = (name: String, value: String, state: State)
        let title: String
        var rows: [Row]
        var note: String?
    }
#endif

#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakReplay

    /// The history that the files of a database have, also while a program writes them.
    ///
    /// Where the directory was replaced by another, it is opened again: what was kept of the old one is forgotten. So it is where
    /// commits are missing. Where another reader can read what this one can't, it takes its place. Files that were exchanged one
    /// by one, for a log with as many commits or more, are not noticed.
    actor FileHistory: InspectedHistory {
        nonisolated let path: FilePath?
        nonisolated let title: String
        /// Opens the files once more.
        private let open: @Sendable () throws(DatabaseError) -> ReplayReader
        /// Which directory is in their place; of a database that is open it is always the same.
        private let identify: @Sendable () -> FileIdentity?
        private var history: SharedHistory
        private var newestSeen = CommitNumber.zero
        /// Which directory was opened.
        private var opened: FileIdentity?
        /// How often another took its place.
        private var replacements = 0
        private let revisionsMax: Int
        private let revisionBytesMax: Int

        /// - Parameters:
        ///   - revisionsMax: the most revisions that are kept of one record.
        ///   - revisionBytesMax: the most bytes that they have.
        /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
        init(
            _ path: FilePath, revisionsMax: Int = Revisions.most, revisionBytesMax: Int = Revisions.mostBytes
        ) throws(DatabaseError) {
            try self.init(
                path, revisionsMax: revisionsMax, revisionBytesMax: revisionBytesMax,
                open: { () throws(DatabaseError) in try ReplayReader(path) }, identify: { FileIdentity(of: path) })
        }

        /// The files of a program's database, wherever their path leads by now; `nil` in memory.
        init?(of database: Database) throws(DatabaseError) {
            guard let path = database.path else { return nil }
            try self.init(
                path, revisionsMax: Revisions.most, revisionBytesMax: Revisions.mostBytes,
                open: { ReplayReader(filesOf: database)! }, identify: { nil })
        }

        private init(
            _ path: FilePath, revisionsMax: Int, revisionBytesMax: Int,
            open: @escaping @Sendable () throws(DatabaseError) -> ReplayReader,
            identify: @escaping @Sendable () -> FileIdentity?
        ) throws(DatabaseError) {
            self.path = path
            self.revisionsMax = revisionsMax
            self.revisionBytesMax = revisionBytesMax
            self.open = open
            self.identify = identify
            title = path.lexicallyNormalized().lastComponent?.string ?? "database"
            opened = identify()
            history = SharedHistory(try open())
        }

        /// Reads; where the files don't go on from what was seen, opens them again and reads once more.
        private func reading<Result: Sendable>(
            _ body: @escaping @Sendable (ReplayReader) throws -> Result
        ) async throws -> Result { try await asking { try await $0.reading(body) } }

        /// The same for what takes long.
        private func readingLong<Result: Sendable>(
            _ body: @escaping @Sendable (ReplayReader, _ isCancelled: () -> Bool) throws -> Result
        ) async throws -> Result { try await asking { try await $0.reading(body) } }

        /// The same with the cursors.
        private func asking<Result: Sendable>(_ body: (SharedHistory) async throws -> Result) async throws -> Result {
            let asked = history
            do {
                return try await body(asked)
            } catch let error as DatabaseError where Self.mayBeReplaced(error) {
                return try await askingAgain(insteadOf: asked, body)
            }
        }

        /// Reads once more: what others opened meanwhile, what is in the place of the directory, or the same with another reader.
        /// If that one can't read it either, nothing was exchanged, and what was kept stays.
        private func askingAgain<Result: Sendable>(
            insteadOf asked: SharedHistory, _ body: (SharedHistory) async throws -> Result
        ) async throws -> Result {
            if history !== asked { return try await body(history) }
            let found = identify()
            let other = SharedHistory(try open())
            if found != opened {
                replace(by: other, found)
                return try await body(other)
            }
            let result = try await body(other)
            // The same directory: what was kept of its commits holds.
            if history === asked { history = other }
            return result
        }

        private static func mayBeReplaced(_ error: DatabaseError) -> Bool {
            [.notFound, .notADatabase, .ioFailed, .corruptLog].contains(error.code)
        }

        private func reopen() throws {
            // Asked for first: one that comes in between is found the next time. So is one that is not complete yet.
            let found = identify()
            replace(by: SharedHistory(try open()), found)
        }

        private func replace(by other: SharedHistory, _ found: FileIdentity?) {
            history = other
            opened = found
            newestSeen = .zero
            replacements += 1
        }

        /// Which reader is asked, with what it has kept of the files.
        var readerIdentity: ObjectIdentifier { ObjectIdentifier(history) }

        func newest() async throws -> CommitNumber {
            // One that was moved away stays readable, and nothing else says so.
            if let found = identify(), found != opened { try reopen() }
            // Calls run beside each other: what others see meanwhile says nothing of this answer.
            let (seen, asked) = (newestSeen, history)
            var number = try await reading { try $0.newestCommitNumber() }
            if number < seen, history === asked {
                // The log has lost commits, or is another.
                try reopen()
                number = try await reading { try $0.newestCommitNumber() }
            }
            newestSeen = max(newestSeen, number)
            return number
        }

        func reach() async throws -> ClosedRange<CommitNumber> {
            let newest = try await newest()
            let oldest = try await reading { try $0.oldestReachableCommitNumber() }
            return min(oldest, newest)...newest
        }

        func known() async throws -> ClosedRange<CommitNumber>? {
            let newest = try await newest()
            guard let oldest = try await reading({ try $0.oldestCommitNumber() }), oldest <= newest else { return nil }
            return oldest...newest
        }

        func commitNumber(at position: LogPosition) async throws -> CommitNumber {
            try await reading { try $0.commitNumber(at: position) }
        }

        func entries(in range: ClosedRange<CommitNumber>) async throws -> [CommitIndex.Entry] {
            try await asking { history in
                let index = history.index
                return try await history.reading { _ in try index.entries(in: range) }
            }
        }

        func activity(
            in range: ClosedRange<CommitNumber>, slicesMax: Int, byTime: Bool
        ) async throws -> [CommitActivity] {
            try await asking { history in
                let index = history.index
                return try await history.reading { _, isCancelled in
                    let activity =
                        byTime
                        ? try index.activity(overTimeOf: range, slicesMax: slicesMax, unless: isCancelled)
                        : try index.activity(in: range, slicesMax: slicesMax, unless: isCancelled)
                    if isCancelled() { throw CancellationError() }
                    return activity
                }
            }
        }

        func step(to number: CommitNumber) async throws -> InspectedStep? {
            do {
                guard let step = try await asking({ try await $0.step(to: number, followingViews: false) }) else {
                    return nil
                }
                let changes = try await BlockingWork.run { cancellation in
                    Array(try ReplayChanges(from: step.before, to: step.after, checking: cancellation.check))
                }
                return InspectedStep(commit: step.commit, changes: changes, note: nil)
            } catch let error as DatabaseError
                where error.code == .commitOutOfReach || error.code == .corruptCheckpoint
            {
                // The state before is gone, or damaged; the commit itself may be there.
                let isGone = error.code == .commitOutOfReach
                let commit = try await reading { reader in
                    var commits = reader.commits(from: number, through: number).makeAsyncIterator()
                    return try commits.next()
                }
                return commit.map {
                    InspectedStep(
                        commit: $0, changes: nil,
                        note: isGone
                            ? "The state before this commit is out of reach, so its values can't be compared."
                            : "The state before this commit can't be read, so its values can't be compared. "
                                + error.message,
                        isDamaged: !isGone)
                }
            }
        }

        func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot {
            try await asking { try await $0.snapshot(at: number, followingViews: withViews) }
        }

        func snapshots(
            at first: CommitNumber, _ second: CommitNumber
        ) async throws -> (first: Snapshot, second: Snapshot) {
            try await asking { try await $0.snapshots(at: first, second, followingViews: false) }
        }

        func revisions(
            ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant
        ) async throws -> Revisions {
            let most = revisionsMax, mostBytes = revisionBytesMax
            return try await readingLong { reader, isCancelled in
                var found = Revisions(max: most, bytesMax: mostBytes)
                var last: ReplayRecord?
                var revisions = reader.history(ofKey: key, inCollectionNamed: collection).makeAsyncIterator()
                func isStopped() -> Bool { isCancelled() || ContinuousClock.now >= deadline }
                var isLate = false
                while !isLate, let revision = try revisions.next(unless: isStopped) {
                    let commit = revision.commit
                    // What was read keeps its whole commit, and most of it is what the revision before ended with.
                    let before = revision.before == last ? last : revision.before?.detached()
                    last = revision.after?.detached()
                    found.append(
                        .init(
                            number: commit.commitNumber, nanosecondsSince1970: commit.nanosecondsSince1970,
                            origin: commit.origin, before: before, after: last))
                    isLate = isStopped()
                }
                if isCancelled() { throw CancellationError() }
                found.finish(isLate: isLate || revisions.isStopped)
                return found
            }
        }

        func tags() async throws -> [LogTag] { try await reading { try $0.tags() } }

        func unreachable(
            around number: CommitNumber, after error: DatabaseError
        ) async throws -> ClosedRange<CommitNumber>? {
            try await reading { try $0.unreachableCommits(around: number, after: error) }
        }

        func checkpoints() async throws -> [CommitNumber] {
            try await reading { try $0.checkpointNumbers() }
        }

        func stateTag() async throws -> String {
            // Another directory may have as many commits.
            _ = try await newest()
            // Commits are given up, and others come into reach, with a checkpoint or without one.
            let state = try await reading { reader in
                let oldest = try reader.oldestCommitNumber().map(\.description) ?? "none"
                let checkpoints = try reader.checkpointNumbers().map(\.description).joined(separator: ",")
                return "\(try reader.oldestReachableCommitNumber()) \(oldest) \(checkpoints)"
            }
            return "\(replacements) \(state)"
        }

        func health() async throws -> [HealthPart] {
            // What was exchanged or put back is opened again; what is damaged says so in its part.
            _ = try? await newest()
            return try await reading { FileHealth.parts(of: $0) }
        }

        nonisolated func fork() -> Database? { nil }

        private func followed() async throws -> FollowedState {
            let number = try await newest()
            return FollowedState(newest: number, replacements: replacements)
        }

        nonisolated func follow() -> AsyncStream<FollowedState> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task {
                    var last: FollowedState?
                    while !Task.isCancelled {
                        // A directory that is away for a moment comes back.
                        if let state = try? await self.followed(), state != last {
                            last = state
                            continuation.yield(state)
                        }
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
#endif

#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakReplay

    /// The history that the files of a database have, also while a program writes them.
    ///
    /// Where the directory was replaced by another, it is opened again: what was kept of the old one is forgotten. So it is where
    /// commits are missing; files that were exchanged one by one, for a log with as many commits or more, are not noticed.
    actor FileHistory: InspectedHistory {
        nonisolated let path: FilePath?
        nonisolated let title: String
        private let directory: FilePath
        private var history: SharedHistory
        private var newestSeen = CommitNumber.zero
        /// Which directory was opened.
        private var opened: FileIdentity?

        /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
        init(_ path: FilePath) throws(DatabaseError) {
            self.path = path
            directory = path
            title = path.lexicallyNormalized().lastComponent?.string ?? "database"
            opened = FileIdentity(of: path)
            history = SharedHistory(try ReplayReader(path))
        }

        /// Reads; where the files don't go on from what was seen, opens them again and reads once more.
        private func reading<Result: Sendable>(
            _ body: @escaping @Sendable (ReplayReader) throws -> Result
        ) async throws -> Result {
            do {
                return try await history.reading(body)
            } catch let error as DatabaseError where Self.mayBeReplaced(error) {
                try reopen()
                return try await history.reading(body)
            }
        }

        /// The same for what takes long.
        private func readingLong<Result: Sendable>(
            _ body: @escaping @Sendable (ReplayReader, _ isCancelled: () -> Bool) throws -> Result
        ) async throws -> Result { try await asking { try await $0.reading(body) } }

        /// The same with the cursors.
        private func asking<Result: Sendable>(_ body: (SharedHistory) async throws -> Result) async throws -> Result {
            do {
                return try await body(history)
            } catch let error as DatabaseError where Self.mayBeReplaced(error) {
                try reopen()
                return try await body(history)
            }
        }

        private static func mayBeReplaced(_ error: DatabaseError) -> Bool {
            [.notFound, .notADatabase, .ioFailed, .corruptLog].contains(error.code)
        }

        private func reopen() throws {
            // Asked for first: one that comes in between is found the next time. So is one that is not complete yet.
            let found = FileIdentity(of: directory)
            history = SharedHistory(try ReplayReader(directory))
            opened = found
            newestSeen = .zero
        }

        func newest() async throws -> CommitNumber {
            // One that was moved away stays readable, and nothing else says so.
            if let found = FileIdentity(of: directory), found != opened { try reopen() }
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
                return try await history.reading { _ in
                    byTime
                        ? try index.activity(overTimeOf: range, slicesMax: slicesMax)
                        : try index.activity(in: range, slicesMax: slicesMax)
                }
            }
        }

        func step(to number: CommitNumber) async throws -> InspectedStep? {
            do {
                guard let step = try await asking({ try await $0.step(to: number, followingViews: false) }) else {
                    return nil
                }
                return InspectedStep(commit: step.commit, changes: Array(step.changes), note: nil)
            } catch let error as DatabaseError where error.code == .commitOutOfReach {
                // The state before is gone; the commit itself may be there.
                let commit = try await reading { reader in
                    var commits = reader.commits(from: number, through: number).makeAsyncIterator()
                    return try commits.next()
                }
                return commit.map {
                    InspectedStep(
                        commit: $0, changes: nil,
                        note: "The state before this commit is out of reach, so its values can't be compared.")
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
            try await readingLong { reader, isCancelled in
                var found = Revisions()
                var revisions = reader.history(ofKey: key, inCollection: collection).makeAsyncIterator()
                func isLate() -> Bool { isCancelled() || ContinuousClock.now >= deadline }
                while let revision = try revisions.next(unless: isLate) {
                    let commit = revision.commit
                    found.revisions.append(
                        .init(
                            number: commit.commitNumber, nanosecondsSince1970: commit.nanosecondsSince1970,
                            origin: commit.origin, before: revision.before, after: revision.after))
                    guard !isLate(), found.revisions.count < Revisions.most else {
                        found.isCut = true
                        break
                    }
                }
                if isCancelled() { throw CancellationError() }
                found.isCut = found.isCut || revisions.isStopped
                return found
            }
        }

        func tags() async throws -> [LogTag] { try await reading { try $0.tags() } }

        func checkpoints() async throws -> [CommitNumber] {
            try await reading { try $0.checkpointNumbers() }
        }

        func stateTag() async throws -> String {
            // Commits are given up, and others come into reach, with a checkpoint or without one.
            try await reading { reader in
                let oldest = try reader.oldestCommitNumber().map(\.description) ?? "none"
                let checkpoints = try reader.checkpointNumbers().map(\.description).joined(separator: ",")
                return "\(try reader.oldestReachableCommitNumber()) \(oldest) \(checkpoints)"
            }
        }

        func health() async throws -> [HealthPart] { try await reading { try FileHealth.parts(of: $0) } }

        nonisolated func fork() -> Database? { nil }

        nonisolated func follow() -> AsyncStream<CommitNumber> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task {
                    var last: CommitNumber?
                    while !Task.isCancelled {
                        // A directory that is away for a moment comes back.
                        if let number = try? await self.newest(), number != last {
                            last = number
                            continuation.yield(number)
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

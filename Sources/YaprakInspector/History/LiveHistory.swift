#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakReplay

    /// The history of a running program's database: its newest state with its own views, what its files have, and, in
    /// memory, the last commits.
    ///
    /// A database in memory has no log. So what it does is followed from when the inspector starts, and the last
    /// ``keptMax`` commits are kept, with the states that were met on the way. Keeping them costs what they don't share.
    actor LiveHistory: InspectedHistory {
        /// The most commits that are kept of a database in memory.
        static let keptMax = 1000

        private struct Kept {
            let changeset: Changeset
            /// The state after it; `nil` if the program had gone on already.
            var after: Snapshot?
        }

        nonisolated let title: String
        nonisolated let path: FilePath?
        private let database: Database
        private let files: FileHistory?
        /// Where the kept commits begin; `nil` where the files have them. A state that is held costs the program what it
        /// changes afterwards: nothing of it is used again.
        private var base: Snapshot?
        private var kept: [Kept] = []
        /// The commits from where the inspector began; `nil` once they are followed.
        private var start: ChangesetSequence?
        /// The types of the collections, the extensions and the reactions when the last tag was made, and how often they were
        /// others than before.
        private var registered: [any AnyObject & Sendable] = []
        private var registrations = 0
        /// Whether no more commits will be kept.
        private var hasEnded = false

        /// - Throws: errors of opening the files of the database for reading.
        init(_ database: Database) throws(DatabaseError) {
            self.database = database
            path = database.path
            files = try FileHistory(of: database)
            title = database.path?.lexicallyNormalized().lastComponent?.string ?? "in memory"
            start = database.path == nil ? database.changesets() : nil
            base = database.path == nil ? database.snapshot : nil
        }

        /// Follows what the program does, until the database closes or the task ends.
        func run() async throws {
            if files != nil { return }
            defer { hasEnded = true }
            while !Task.isCancelled {
                do {
                    var changesets = begin().makeAsyncIterator()
                    while let changeset = try await changesets.next() { keep(changeset) }
                    return
                } catch let error as DatabaseError where error.code == .laggedBehind {
                    // The program was faster for so long that commits are gone. What comes now is followed again.
                }
            }
        }

        /// The commits to follow: from where the inspector began, the first time, and from now on later.
        private func begin() -> ChangesetSequence {
            if let start {
                self.start = nil
                return start
            }
            kept = []
            let changesets = database.changesets()
            base = database.snapshot
            return changesets
        }

        private func keep(_ changeset: Changeset) {
            guard let base, changeset.commitNumber > base.commitNumber else { return }
            let newest = database.snapshot
            let isThere = newest.commitNumber == changeset.commitNumber
            kept.append(Kept(changeset: changeset, after: isThere ? newest : nil))
            guard kept.count > Self.keptMax else { return }
            let count = kept.count - Self.keptMax
            if let after = kept[..<count].last(where: { $0.after != nil })?.after { self.base = after }
            kept.removeFirst(count)
        }

        /// Waits until a commit is kept, in memory: that is a moment after it was made. Not forever.
        private func waitUntilKept(_ number: CommitNumber) async throws {
            guard files == nil else { return }
            for _ in 0..<2_000 where !hasEnded {
                if max(base?.commitNumber ?? .zero, kept.last?.changeset.commitNumber ?? .zero) >= number { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        // MARK: What there is

        func newest() async throws -> CommitNumber { database.commitNumber }

        func reach() async throws -> ClosedRange<CommitNumber> {
            if let files { return try await files.reach() }
            let newest = database.commitNumber
            return min(base?.commitNumber ?? newest, newest)...newest
        }

        func known() async throws -> ClosedRange<CommitNumber>? {
            if let files { return try await files.known() }
            guard let first = kept.first, let last = kept.last else { return nil }
            return first.changeset.commitNumber...last.changeset.commitNumber
        }

        func commitNumber(at position: LogPosition) async throws -> CommitNumber {
            if let files { return try await files.commitNumber(at: position) }
            // Numbers and distances from the newest; times and tags are the log's.
            if let number = position.number(newest: database.commitNumber) { return number }
            throw DatabaseError(
                .commitOutOfReach,
                "A database in memory has no tags and no log to look for a time. Give a number, or @~3.")
        }

        func entries(in range: ClosedRange<CommitNumber>) async throws -> [CommitIndex.Entry] {
            if let files { return try await files.entries(in: range) }
            return kept.map { CommitIndex.Entry($0.changeset) }.filter { range.contains($0.number) }
        }

        func activity(
            in range: ClosedRange<CommitNumber>, slicesMax: Int, byTime: Bool
        ) async throws -> [CommitActivity] {
            if let files { return try await files.activity(in: range, slicesMax: slicesMax, byTime: byTime) }
            let entries = try await entries(in: range)
            return byTime
                ? CommitActivity.slices(overTimeOf: entries, slicesMax: slicesMax)
                : CommitActivity.slices(of: entries, in: range, slicesMax: slicesMax)
        }

        func step(to number: CommitNumber) async throws -> InspectedStep? {
            if let files { return try await files.step(to: number) }
            guard let found = kept.first(where: { $0.changeset.commitNumber == number }) else {
                if number > database.commitNumber || number == .zero { return nil }
                throw notKept(number)
            }
            let changeset = found.changeset
            // The program's types encode them: not here, where commits are kept and other pages wait.
            let changes = try await BlockingWork.run { try changeset.untypedChanges(checking: $0.check) }
            return InspectedStep(
                commit: changeset, changes: changes,
                note: changeset.removesAll || changeset.changedCollections.contains { $0.isCleared }
                    ? "Records that a removal of everything took away are not listed one by one." : nil)
        }

        func current() async -> Snapshot? { database.snapshot }

        func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot {
            let newest = database.snapshot
            // The program's own views and indexes are in this one.
            if newest.commitNumber == number { return newest }
            if let files { return try await files.snapshot(at: number, withViews: withViews) }
            if let base, base.commitNumber == number { return base }
            if let after = kept.first(where: { $0.changeset.commitNumber == number })?.after { return after }
            throw notKept(number)
        }

        func snapshots(
            at first: CommitNumber, _ second: CommitNumber
        ) async throws -> (first: Snapshot, second: Snapshot) {
            if let files { return try await files.snapshots(at: first, second) }
            return (try await snapshot(at: first), try await snapshot(at: second))
        }

        private func notKept(_ number: CommitNumber) -> DatabaseError {
            let near = kept.filter { $0.after != nil }.map(\.changeset.commitNumber)
            let nearest = near.min { distance($0, number) < distance($1, number) }
            return DatabaseError(
                .commitOutOfReach,
                "The state of commit \(number) was not kept: a database in memory keeps no history, and the inspector the "
                    + "states it met since it started." + (nearest.map { " The nearest one is \($0)." } ?? ""),
                place: .init(commits: number...number))
        }

        private func distance(_ one: CommitNumber, _ other: CommitNumber) -> UInt64 {
            max(one, other).rawValue - min(one, other).rawValue
        }

        func revisions(
            ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant
        ) async throws -> Revisions {
            if let files { return try await files.revisions(ofKey: key, in: collection, until: deadline) }
            let changesets = kept.map(\.changeset), key = key.normalizedKey
            return try await BlockingWork.run { cancellation in
                var found = Revisions(), isLate = false
                for changeset in changesets {
                    try cancellation.check()
                    isLate = ContinuousClock.now >= deadline
                    if isLate { break }
                    guard let change = changeset.rawChange(ofKey: key, inCollection: collection) else { continue }
                    found.append(
                        .init(
                            number: changeset.commitNumber, nanosecondsSince1970: changeset.nanosecondsSince1970,
                            origin: changeset.origin, before: change.before.map { ReplayRecord($0) },
                            after: change.after.map { ReplayRecord($0) }))
                }
                found.finish(isLate: isLate)
                return found
            }
        }

        func tags() async throws -> [LogTag] { try await files?.tags() ?? [] }

        func checkpoints() async throws -> [CommitNumber] { try await files?.checkpoints() ?? [] }

        func stateTag() async throws -> String {
            // Of snapshots, for which nobody waits: the database may be in a long write.
            let snapshot = database.snapshot
            // A collection that gets a type, or another version of it, reads as that writes it, without a commit.
            var found: [any AnyObject & Sendable] = snapshot.bindings
            // Views come and go without a commit, too, and so do reactions, which decide what would be without a commit.
            found += snapshot.extensionIdentities as [any AnyObject & Sendable]
            found += snapshot.reactionIdentities as [any AnyObject & Sendable]
            if found.count != registered.count || !zip(found, registered).allSatisfy({ $0 === $1 }) {
                registered = found
                registrations += 1
            }
            var parts = ["\(registrations)"]
            // Commits in memory are known a moment after they are made, with or without their states.
            let states = kept.count { $0.after != nil }
            let first = kept.first?.changeset.commitNumber, last = kept.last?.changeset.commitNumber
            parts.append("\(base?.commitNumber ?? 0) \(first ?? 0) \(last ?? 0) \(states)")
            if let files { parts.append(try await files.stateTag()) }
            return parts.joined(separator: "\n")
        }

        func health() async throws -> [HealthPart] {
            let snapshot = database.snapshot
            let statistics = database.statistics
            let oldest = statistics.oldestHeldState.flatMap { $0.commitNumber < statistics.commitNumber ? $0 : nil }
            let time = oldest?.nanosecondsSince1970.map { " of \(Amount.time($0))" } ?? ""
            var parts = [
                HealthPart(
                    title: "Program",
                    rows: [
                        ("newest commit", snapshot.commitNumber.description, .good),
                        ("records", Amount.count(snapshot.count), .good),
                        ("writes that wait", "\(statistics.pendingWriteCount)", .good),
                        ("streams of changesets", "\(statistics.changesetStreamCount)", .good),
                        ("states in memory", "\(statistics.heldStateCount)", .good),
                        (
                            "the oldest of them",
                            oldest.map { "commit \($0.commitNumber)\(time)" } ?? "the newest", .good
                        ),
                        ("durability", "\(database.options.durability)", .good),
                        ("retention", "\(database.options.retention)", .good),
                    ], note: files == nil ? "The inspector holds states of the last commits itself." : nil)
            ]
            parts.append(held(newest: snapshot.commitNumber, statistics.heldStateCount))
            // Of the snapshot: the database may be in a long write.
            let extensions = snapshot.extensionNames.map { name -> HealthPart.Row in
                (name, "registered, version \(snapshot.versionTag(ofExtensionNamed: name) ?? "")", .good)
            }
            parts.append(
                HealthPart(
                    title: "Views and indexes", rows: extensions,
                    note: extensions.isEmpty ? "None is registered." : nil))
            if let report = database.recoveryReport {
                parts.append(
                    HealthPart(
                        title: "Recovery",
                        rows: [
                            ("checkpoint", report.checkpointCommitNumber.map { "commit \($0)" } ?? "none", .good),
                            ("commits replayed", Amount.count(report.replayedCommitCount), .good),
                            (
                                "bytes of a torn tail", "\(report.tornByteCount)",
                                report.tornByteCount == 0 ? .good : .notable
                            ),
                            (
                                "records set aside", "\(report.setAsideRecordCount)",
                                report.setAsideRecordCount == 0 ? .good : .notable
                            ),
                            ("took", "\(report.duration)", .good),
                            ("closed cleanly before", report.wasClosedCleanly ? "yes" : "no", .good),
                        ], note: report.notes.isEmpty ? nil : report.notes.joined(separator: " ")))
            }
            return parts + (try await files?.health() ?? [])
        }

        /// The states that something keeps in memory, by age: who forgets a snapshot finds it here.
        private func held(newest: CommitNumber, _ count: Int) -> HealthPart {
            let most = 20, now = database.options.clock()
            let states = database.oldestHeldStates(max: most)
            let rows = states.map { state -> (name: String, value: String, state: HealthPart.State) in
                let behind = newest.rawValue - min(newest.rawValue, state.commitNumber.rawValue)
                guard behind > 0 else { return ("commit \(state.commitNumber)", "the newest", .good) }
                let age =
                    state.nanosecondsSince1970.map { ", \(Amount.age(Int64(clamping: Int128(now) - Int128($0)))) old" }
                    ?? ""
                let commits = behind.counted("commit") + " behind the newest"
                return ("commit \(state.commitNumber)", commits + age, .good)
            }
            let rest = count > most ? " The oldest \(most) of \(Amount.count(count))." : ""
            return HealthPart(
                title: "States in memory, by age", rows: rows,
                note: "A snapshot, a connection, a cursor, a list or a fork holds each of them, this page included."
                    + rest)
        }

        nonisolated func fork() -> Database? {
            // The program's metrics and traces are not about what a page asks.
            var options = database.options
            options.instruments = []
            return database.fork(options: options)
        }

        nonisolated func follow() -> AsyncStream<FollowedState> {
            let database = database
            return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task {
                    for await snapshot in database.snapshots {
                        // A follower that is notified of a commit asks for it.
                        do { try await self.waitUntilKept(snapshot.commitNumber) } catch { break }
                        continuation.yield(FollowedState(newest: snapshot.commitNumber))
                        // A program that writes at full speed goes on alone meanwhile; the next one is the newest then.
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
#endif

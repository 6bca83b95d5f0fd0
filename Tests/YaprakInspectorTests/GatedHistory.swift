#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakLocks
    import YaprakReplay

    @testable import YaprakInspector

    /// A history whose states are not there before the gate opens: as those of a long log that is far from a checkpoint.
    final class GatedHistory: InspectedHistory {
        private let history: FileHistory
        /// How many more may pass.
        private let open = Mutex(0)
        private let reads = Mutex<[CommitNumber]>([])
        private let failure = Mutex<DatabaseError?>(nil)
        private let delay: Duration
        private let ignoresCancellation: Bool

        /// - Parameters:
        ///   - delay: how long each state takes, once the gate is open.
        ///   - ignoresCancellation: whether a task that is cancelled waits for the gate, too: as one that reads a large file.
        init(_ history: FileHistory, delay: Duration = .zero, ignoresCancellation: Bool = false) {
            self.history = history
            self.delay = delay
            self.ignoresCancellation = ignoresCancellation
        }

        /// How many states were asked for.
        var readCount: Int { reads.withLock { $0.count } }

        /// The states that were asked for one by one, in their order.
        var readNumbers: [CommitNumber] { reads.withLock { $0 } }

        /// Lets so many pass, and then none.
        func open(reads count: Int = .max) { open.withLock { $0 = count } }

        /// Throws an error in the place of each state from now on; `nil` for the states.
        func fail(_ error: DatabaseError?) { failure.withLock { $0 = error } }

        private func pass(_ number: CommitNumber) async throws {
            reads.withLock { $0.append(number) }
            let gate = ignoresCancellation ? Task.detached { try await self.wait() } : nil
            if let gate { try await gate.value } else { try await wait() }
            if delay > .zero { try await Task.sleep(for: delay) }
            if let error = failure.withLock({ $0 }) { throw error }
        }

        private func mayPass() -> Bool {
            open.withLock { count in
                guard count > 0 else { return false }
                if count < .max { count -= 1 }
                return true
            }
        }

        private func wait() async throws {
            while !mayPass() { try await Task.sleep(for: .milliseconds(2)) }
        }

        func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot {
            try await pass(number)
            return try await history.snapshot(at: number, withViews: withViews)
        }

        func snapshots(
            at first: CommitNumber, _ second: CommitNumber
        ) async throws -> (first: Snapshot, second: Snapshot) {
            try await pass(first)
            return try await history.snapshots(at: first, second)
        }

        var title: String { history.title }
        var path: FilePath? { history.path }
        func newest() async throws -> CommitNumber { try await history.newest() }
        func reach() async throws -> ClosedRange<CommitNumber> { try await history.reach() }
        func known() async throws -> ClosedRange<CommitNumber>? { try await history.known() }
        func commitNumber(at position: LogPosition) async throws -> CommitNumber {
            try await history.commitNumber(at: position)
        }
        func entries(in range: ClosedRange<CommitNumber>) async throws -> [CommitIndex.Entry] {
            try await history.entries(in: range)
        }
        func activity(
            in range: ClosedRange<CommitNumber>, slicesMax: Int, byTime: Bool
        ) async throws -> [CommitActivity] {
            try await history.activity(in: range, slicesMax: slicesMax, byTime: byTime)
        }
        func step(to number: CommitNumber) async throws -> InspectedStep? { try await history.step(to: number) }
        func revisions(
            ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant
        ) async throws -> Revisions {
            try await history.revisions(ofKey: key, in: collection, until: deadline)
        }
        func tags() async throws -> [LogTag] { try await history.tags() }
        func checkpoints() async throws -> [CommitNumber] { try await history.checkpoints() }
        func stateTag() async throws -> String { try await history.stateTag() }
        func health() async throws -> [HealthPart] { try await history.health() }
        func fork() -> Database? { history.fork() }
        func follow() -> AsyncStream<FollowedState> { history.follow() }
    }
#endif

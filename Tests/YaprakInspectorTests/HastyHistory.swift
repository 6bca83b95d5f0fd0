#if Inspector
    import SystemPackage
    import Yaprak
    import YaprakReplay

    @testable import YaprakInspector

    /// A history that has no time: what may be cut is cut after the first that is found.
    final class HastyHistory: InspectedHistory {
        private let history: FileHistory

        init(_ history: FileHistory) { self.history = history }

        func revisions(
            ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant
        ) async throws -> Revisions {
            try await history.revisions(ofKey: key, in: collection, until: .now - .seconds(1))
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
        func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot {
            try await history.snapshot(at: number, withViews: withViews)
        }
        func snapshots(
            at first: CommitNumber, _ second: CommitNumber
        ) async throws -> (first: Snapshot, second: Snapshot) { try await history.snapshots(at: first, second) }
        func tags() async throws -> [LogTag] { try await history.tags() }
        func checkpoints() async throws -> [CommitNumber] { try await history.checkpoints() }
        func stateTag() async throws -> String { try await history.stateTag() }
        func health() async throws -> [HealthPart] { try await history.health() }
        func fork() -> Database? { history.fork() }
        func follow() -> AsyncStream<FollowedState> { history.follow() }
    }
#endif

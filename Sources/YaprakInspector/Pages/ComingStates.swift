#if Inspector
    import Yaprak

    /// Reads states for pages that do not wait until they are there: far from a checkpoint a state takes seconds.
    ///
    ///     guard let result = await states.snapshot(at: number, within: .milliseconds(150)) else { return "being read" }
    ///
    /// A page that asks again while the state is read gets the same one. At most ``readingMax`` are read at a time: who
    /// slides through history leaves no queue of states behind that nobody waits for any more. An error that
    /// nobody waited for is kept for some seconds, and is the answer to the next question: to fail may take as long as to read.
    actor ComingStates {
        static let readingMax = 2

        private let read: @Sendable (CommitNumber) async throws -> Snapshot
        private var reading: [CommitNumber: Task<Snapshot, any Error>] = [:]
        /// Errors that nobody heard yet, and until when they are kept.
        private var failures: [CommitNumber: (error: any Error, end: ContinuousClock.Instant)] = [:]

        /// - Parameter read: reads the state as of a commit.
        init(_ read: @escaping @Sendable (CommitNumber) async throws -> Snapshot) { self.read = read }

        /// The state as of a commit; `nil` if it is not there within a time. It may be there later.
        func snapshot(at number: CommitNumber, within patience: Duration) async -> Result<Snapshot, any Error>? {
            failures = failures.filter { $0.value.end > .now }
            if let failure = failures.removeValue(forKey: number) { return .failure(failure.error) }
            if reading[number] == nil, reading.count < Self.readingMax {
                reading[number] = Task { try await state(at: number) }
            }
            guard let task = reading[number] else {
                try? await Task.sleep(for: patience)
                return nil
            }
            let answer = FirstAnswer<Result<Snapshot, any Error>?>()
            Task { await answer.give(task.result) }
            let timer = Task {
                try? await Task.sleep(for: patience)
                answer.give(nil)
            }
            defer { timer.cancel() }
            let result = await answer.value
            if result != nil { failures[number] = nil }
            return result
        }

        private func state(at number: CommitNumber) async throws -> Snapshot {
            defer { reading[number] = nil }
            do {
                return try await read(number)
            } catch {
                failures[number] = (error, .now + .seconds(10))
                throw error
            }
        }
    }
#endif

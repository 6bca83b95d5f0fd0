#if Inspector
    import Yaprak

    /// Reads states for pages that do not wait until they are there: far from a checkpoint a state takes seconds.
    ///
    ///     guard let result = await states.snapshot(at: number, within: .milliseconds(150)) else { return "being read" }
    ///
    /// A page that asks again while the state is read gets the same one. At most ``readingMax`` are read at a time: who
    /// slides through history leaves no queue of states behind that nobody waits for any more.
    actor ComingStates {
        static let readingMax = 2

        private let read: @Sendable (CommitNumber) async throws -> Snapshot
        private var reading: [CommitNumber: Task<Snapshot, any Error>] = [:]

        /// - Parameter read: reads the state as of a commit.
        init(_ read: @escaping @Sendable (CommitNumber) async throws -> Snapshot) { self.read = read }

        /// The state as of a commit; `nil` if it is not there within a time. It may be there later.
        func snapshot(at number: CommitNumber, within patience: Duration) async -> Result<Snapshot, any Error>? {
            if reading[number] == nil, reading.count < Self.readingMax {
                reading[number] = Task { [read] in try await read(number) }
            }
            guard let task = reading[number] else {
                try? await Task.sleep(for: patience)
                return nil
            }
            let answer = FirstAnswer<Result<Snapshot, any Error>?>()
            Task {
                await answer.give(task.result)
                self.forget(number)
            }
            let timer = Task {
                try? await Task.sleep(for: patience)
                answer.give(nil)
            }
            defer { timer.cancel() }
            return await answer.value
        }

        private func forget(_ number: CommitNumber) { reading[number] = nil }
    }
#endif

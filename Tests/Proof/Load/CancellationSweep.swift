internal import Synchronization
internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// Cancels a call of the public API at every step of its run, one after the other, while a writer is beside it.
///
/// Between any two steps of the scheduler lies every suspension of the call. Whatever was cancelled: the call ends, its error
/// is `CancellationError` or typed, what it did is done or not, the database goes on, closes, and opens again.
package struct CancellationSweep: Sendable {
    /// One call.
    package struct Call: Sendable {
        package let name: String
        let run: @Sendable (Database, MemoryFileSystem) async throws -> Void
    }

    /// How many runs there were, each with a cancellation.
    package private(set) var runs = 0
    /// What was broken first.
    package private(set) var failure: String?

    package init() {}

    /// Every call of the API that awaits.
    package static let calls: [Call] = [
        Call(name: "write") { database, _ in try await WritingOperation.put(database, 1) },
        Call(name: "write without changes") { database, _ in
            try await database.write { _ = $0[SimulatedRecord.items]["1"] }
        },
        Call(name: "bind") { database, _ in try await database.bind(RecordCollection<Int, NoMetadata>("more")) },
        Call(name: "register") { database, _ in try await database.register(Tally()) },
        Call(name: "register a primary one") { database, _ in try await database.register(Marks()) },
        Call(name: "unregister") { database, _ in
            try await database.register(Tally())
            try await database.unregister("tally")
        },
        Call(name: "checkpoint") { database, _ in try await database.checkpoint() },
        Call(name: "flush") { database, _ in try await database.flush() },
        Call(name: "drain") { database, _ in try await database.drain() },
        Call(name: "fork") { database, _ in
            try await database.register(Tally())
            let fork = database.fork()
            try await WritingOperation.put(fork, 2)
            try await fork.close()
        },
        Call(name: "restore") { database, _ in try await database.restore(database.snapshot) },
        Call(name: "backup") { database, disk in
            try await database.backup(nil, to: WritingOperation.target, fileSystem: disk)
        },
        Call(name: "next changeset") { database, _ in
            var iterator = database.changesets().makeAsyncIterator()
            _ = try await iterator.next()
        },
        Call(name: "next changeset of the log") { database, _ in
            var iterator = database.changesets(after: 1).makeAsyncIterator()
            for _ in 0..<3 { _ = try await iterator.next() }
        },
        Call(name: "next snapshot") { database, _ in
            var iterator = database.snapshots.makeAsyncIterator()
            for _ in 0..<3 { _ = await iterator.next() }
        },
        Call(name: "long-lived read") { database, _ in
            let connection = database.makeConnection()
            await connection.beginLongLivedRead()
            _ = await connection.advance()
        },
        Call(name: "open another") { database, disk in
            let other = try await WritingOperation.open(disk, database.options, at: "/other")
            try await other.close()
        },
        Call(name: "close") { database, _ in try await database.close() },
    ]

    /// Cancels a call at each of its steps.
    ///
    /// - Parameter seeds: orders in which the scheduler runs what can run.
    package mutating func sweep(_ call: Call, seeds: Range<UInt64>) {
        for seed in seeds {
            var step = 0
            while failure == nil {
                runs += 1
                let (text, isBehind) = run(call, seed, cancelledAt: step)
                if let text { failure = "\(call.name), seed \(seed), cancelled at step \(step): \(text)" }
                if isBehind { break }
                step += 1
            }
        }
    }

    /// - Returns: what was wrong, and whether the call ended before it was cancelled.
    private func run(_ call: Call, _ seed: UInt64, cancelledAt step: Int) -> (String?, Bool) {
        let disk = MemoryFileSystem()
        let scheduler = SeededScheduler(seed: seed)
        disk.observe { isChange in if isChange { scheduler.interrupt() } }
        let isDone = Atomic<Bool>(false)
        let wasLate = Atomic<Bool>(false)
        let state = States(isDone: isDone, wasLate: wasLate)
        var options = WritingOperation.options(scheduler)
        options.retention = .all
        let text = scheduler.run { [options] () -> String? in
            do {
                let database = try await WritingOperation.open(disk, options)
                for key in 0..<3 { try await WritingOperation.put(database, key + 4) }
                let task = Task(executorPreference: scheduler) {
                    defer { state.finish() }
                    try await call.run(database, disk)
                }
                scheduler.plan(inSteps: step) {
                    state.note()
                    task.cancel()
                }
                // A writer beside it: what follows commits has some to follow.
                for key in 10..<14 { try? await WritingOperation.put(database, key) }
                if case .failure(let error) = await task.result, !(error is CancellationError),
                    !(error is DatabaseError)
                {
                    return "it throws \(error)"
                }
                if call.name == "close" {
                    do {
                        try await WritingOperation.put(database, 20)
                        return "a write behind the close succeeded"
                    } catch {}
                } else {
                    try await WritingOperation.put(database, 20)
                    if let tally = try? database.snapshot.reader(of: Tally()),
                        tally.count != database.snapshot[SimulatedRecord.items].count
                    {
                        return "the tally is \(tally)"
                    }
                }
                let records = SimulationModel.records(of: database.snapshot)
                try await database.close()
                let again = try await WritingOperation.open(disk, options)
                let isSame = SimulationModel.records(of: again.snapshot) == records
                try await again.close()
                return isSame ? nil : "it opens with another state"
            } catch {
                return "it does not go on: \(error)"
            }
        }
        disk.observe(nil)
        guard let text else { return ("it hangs", true) }
        return (text, state.isLate)
    }

    private final class States: Sendable {
        private let isDone: Atomic<Bool>
        private let wasLate: Atomic<Bool>

        init(isDone: consuming Atomic<Bool>, wasLate: consuming Atomic<Bool>) {
            self.isDone = isDone
            self.wasLate = wasLate
        }

        func finish() { isDone.store(true, ordering: .relaxed) }
        func note() { wasLate.store(isDone.load(ordering: .relaxed), ordering: .relaxed) }
        var isLate: Bool { wasLate.load(ordering: .relaxed) }
    }
}

import Dispatch
import TestSupport
import Testing
import Yaprak
import YaprakLocks

/// An executor that keeps jobs while it is busy with something else.
private final class BusyExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "busy")
    private let held = Mutex<[UnownedJob]?>(nil)

    func beBusy() { held.withLock { $0 = $0 ?? [] } }

    func beFree() {
        let jobs = held.withLock { $0.take() }
        for job in jobs ?? [] { run(job) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = held.withLock { held in
            held?.append(job)
            return held != nil
        }
        if !isHeld { run(job) }
    }

    private func run(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}

/// An actor as the main actor is: it has other things to do while the engine commits its write.
private actor Screen {
    nonisolated let executor = BusyExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func write(to database: Database, _ log: Log) async throws {
        try await database.write { [executor] transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction.afterCommit { log.add("committed") }
            executor.beBusy()
        }
    }
}

@Suite(.bounded) struct BusyWriterTests {
    @Test func `Draining and closing wait for a write, and not for its callbacks`() async throws {
        let database = Database.inMemory()
        let log = Log(), screen = Screen()
        let writer = Task { try await screen.write(to: database, log) }
        while database.commitNumber < 1 { await Task.yield() }
        try await database.drain()
        #expect(log.lines.isEmpty)
        try await database.close()
        #expect(log.lines.isEmpty)
        screen.executor.beFree()
        try await writer.value
        #expect(log.lines == ["committed"])
    }
}

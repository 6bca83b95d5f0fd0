import Synchronization
import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakCore

/// An executor that keeps what it is given until the test has it run: a pool whose threads are all taken by others.
private final class BusyPool: TaskExecutor {
    private let held = YaprakLocks.Mutex<[UnownedJob]?>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = held.withLock { held in
            held?.append(job)
            return held != nil
        }
        if !isHeld { OwnThreads.shared.enqueue(ExecutorJob(job)) }
    }

    var count: Int { held.withLock { $0?.count ?? 0 } }

    /// Runs what it was given so far, and keeps what comes after.
    func runHeld() {
        let jobs = held.withLock { held in
            defer { held = held == nil ? nil : [] }
            return held ?? []
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs everything at once from here on.
    func open() {
        let jobs = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for job in jobs { OwnThreads.shared.enqueue(ExecutorJob(job)) }
    }
}

/// A writer that nobody runs must not hold up one that matters more. At first the turn was handed to a suspended task, and
/// one writer in the background made an urgent one 260 times slower where readers kept all threads busy.
@Suite(.bounded) struct WritePriorityTests {
    let database = Database.inMemory()

    private func write(_ key: String) async throws { try await database.write { $0[.books][key] = Book(title: key) } }

    /// A writer that has run up to where it waits in line behind the others, and no further.
    private func queueSlowWriter(
        on pool: BusyPool, priority: TaskPriority = .background, behind count: Int = 1
    ) async -> Task<Void, any Error> {
        let slow = Task(executorPreference: pool, priority: priority) { try await write("slow") }
        while database.pendingWriteCount < count + 1 {
            pool.runHeld()
            await Task.yield()
        }
        return slow
    }

    @Test func `A writer whose task does not run holds up none of higher priority`() async throws {
        let pool = BusyPool()
        let first = try await HeldTurn(of: database)
        let slow = await queueSlowWriter(on: pool)
        try await first.letGo()
        // It was offered the turn, and nobody runs it.
        while pool.count == 0 { await Task.yield() }
        for i in 0..<100 { try await Task(priority: .high) { try await write("urgent \(i)") }.value }
        #expect(database.snapshot[.books].count == 100)
        pool.open()
        try await slow.value
        #expect(database.snapshot[.books]["slow"] != nil)
        #expect(database.pendingWriteCount == 0)
    }

    @Test func `Writers that wait are not held up by one that was favored for its age and does not run`() async throws {
        let pool = BusyPool()
        let first = try await HeldTurn(of: database)
        let slow = await queueSlowWriter(on: pool)
        // More than may overtake it in a row, all of them in line before the first of them is served.
        let order = Log()
        let count = 3 * WriteTurns.overtakingsMax
        var urgent: [Task<Void, any Error>] = []
        for i in 0..<count {
            urgent.append(
                Task(priority: .high) { [database] in
                    try await database.write { transaction in
                        transaction[.books]["urgent \(i)"] = Book(title: "")
                        order.add("\(i)")
                    }
                })
            while database.pendingWriteCount < i + 3 { try await Task.sleep(for: .microseconds(50)) }
        }
        try await first.letGo()
        while pool.count == 0 { await Task.yield() }
        // One that comes meanwhile goes behind those of its own priority that wait.
        let last = Task(priority: .high) { [database] in try await database.write { _ in order.add("last") } }
        for task in urgent { try await task.value }
        try await last.value
        #expect(order.lines == (0..<count).map(String.init) + ["last"])
        pool.open()
        try await slow.value
        #expect(database.pendingWriteCount == 0)
    }

    @Test func `A writer in the background is served in time beside urgent ones that never stop`() async throws {
        let isDone = Flag()
        let urgent = (0..<3).map { index in
            Task(priority: .high) { [database] in
                var count = 0
                while !isDone.isSet {
                    count += 1
                    try await database.write { [count] in $0[.books]["\(index)"] = Book(title: "\(count)") }
                }
                return count
            }
        }
        let slow = Task(executorPreference: OwnThreads.shared, priority: .background) {
            for i in 0..<20 { try await write("slow \(i)") }
        }
        try await slow.value
        isDone.set()
        for task in urgent { _ = try await task.value }
        #expect(database.pendingWriteCount == 0)
    }

    @Test func `Closing waits for every write that was begun before, whatever its priority`() async throws {
        let first = try await HeldTurn(of: database)
        let slow = (0..<10).map { i in Task(priority: .background) { try await write("slow \(i)") } }
        while database.pendingWriteCount < 11 { await Task.yield() }
        // It waits for the actor, which the first write holds, and comes to the line before any of the ten is served.
        let closing = Task(priority: .high) { try await database.close() }
        for _ in 0..<100 { await Task.yield() }
        try await first.letGo()
        for task in slow { try await task.value }
        try await closing.value
        #expect(database.snapshot[.books].count == 10)
        await #expect(throws: DatabaseError.self) { try await write("late") }
    }

    /// A call that waits behind all that is in line, and has run up to there.
    private func queueEnd(
        closes: Bool = false, priority: TaskPriority, behind count: Int = 1
    ) async -> Task<Void, any Error> {
        let end = Task(executorPreference: OwnThreads.shared, priority: priority) { [database] in
            if closes { try await database.close() } else { try await database.drain() }
        }
        while database.pendingWriteCount < count + 1 { await Task.yield() }
        return end
    }

    // The first in line was offered the turn, and that is never one that closes or drains while others wait.
    @Test(arguments: [true, false], [TaskPriority.background, .high])
    func `Closing and draining wait for no later writer that does not run`(closes: Bool, priority: TaskPriority)
        async throws
    {
        let pool = BusyPool()
        // Not within a write, which would keep the actor that closing begins on.
        try await database.turns.take()
        let end = await queueEnd(closes: closes, priority: priority)
        let slow = await queueSlowWriter(on: pool, behind: 2)
        database.passTurn()
        try await end.value
        #expect(database.snapshot[.books].isEmpty)
        pool.open()
        if closes {
            await #expect(throws: DatabaseError.self) { try await slow.value }
        } else {
            try await slow.value
        }
        #expect(database.pendingWriteCount == 0)
    }

    // It waited until everybody had come back who was overtaken, also those that had come later.
    @Test func `Draining waits for no later writer that was overtaken and does not run`() async throws {
        let pool = BusyPool()
        try await database.turns.take()
        let end = await queueEnd(priority: .background)
        let slow = await queueSlowWriter(on: pool, priority: .medium, behind: 2)
        database.passTurn()
        // It goes before by its priority. It was offered the turn, and nobody runs it.
        while pool.count == 0 { await Task.yield() }
        #expect(database.pendingWriteCount == 2)
        try await Task(priority: .high) { try await write("urgent") }.value
        try await end.value
        #expect(database.snapshot[.books].map(\.key) == ["urgent"])
        pool.open()
        try await slow.value
        #expect(database.pendingWriteCount == 0)
    }

    @Test func `Draining goes on when what it waited for is cancelled, also beside a later writer that does not run`()
        async throws
    {
        let pool = BusyPool()
        try await database.turns.take()
        let earlier = Task(executorPreference: OwnThreads.shared, priority: .background) { try await write("earlier") }
        while database.pendingWriteCount < 2 { await Task.yield() }
        let end = await queueEnd(priority: .high, behind: 2)
        let slow = await queueSlowWriter(on: pool, priority: .medium, behind: 3)
        database.passTurn()
        while pool.count == 0 { await Task.yield() }
        #expect(database.pendingWriteCount == 3)
        earlier.cancel()
        await #expect(throws: CancellationError.self) { try await earlier.value }
        try await end.value
        #expect(database.snapshot[.books].isEmpty)
        pool.open()
        try await slow.value
        #expect(database.pendingWriteCount == 0)
    }

    @Test func `Work behind all goes before later writers of its priority, and behind those of a higher one`()
        async throws
    {
        let order = Log()
        try await database.turns.take()
        let end = Task(priority: .medium) { [database] in
            try await database.turns.take(isBehindAll: true)
            order.add("end")
            database.passTurn()
        }
        while database.pendingWriteCount < 2 { await Task.yield() }
        var writers: [Task<Void, any Error>] = []
        for (name, priority) in [("equal", TaskPriority.medium), ("higher", .high), ("lower", .background)] {
            writers.append(
                Task(priority: priority) { [database] in try await database.write { _ in order.add(name) } })
            while database.pendingWriteCount < writers.count + 2 { await Task.yield() }
        }
        database.passTurn()
        try await end.value
        for writer in writers { try await writer.value }
        #expect(order.lines == ["higher", "end", "equal", "lower"])
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `Writers that come, are cancelled and overtake each other all return, and none is lost`(seed: UInt64)
        async throws
    {
        var generator = SplitMix64(seed: seed)
        let priorities: [TaskPriority] = [.background, .low, .medium, .high]
        var tasks: [(Task<Void, any Error>, String)] = []
        var drains: [Task<Void, any Error>] = []
        for i in 0..<300 {
            let priority = priorities[generator.below(4)]
            let task =
                generator.chance(50)
                ? Task(priority: priority) { try await write("\(i)") }
                : Task(executorPreference: OwnThreads.shared, priority: priority) { try await write("\(i)") }
            tasks.append((task, "\(i)"))
            if generator.chance(10) {
                let priority = priorities[generator.below(4)]
                drains.append(Task(priority: priority) { [database] in try await database.drain() })
            }
            if generator.chance(30) { tasks[generator.below(tasks.count)].0.cancel() }
            if generator.chance(5), !drains.isEmpty { drains[generator.below(drains.count)].cancel() }
            if generator.chance(10) { await Task.yield() }
            if generator.chance(3) { try await database.drain() }
        }
        var written: Set<String> = []
        for (task, key) in tasks {
            do {
                try await task.value
                written.insert(key)
            } catch is CancellationError {
            }
        }
        for drain in drains { _ = await drain.result }
        #expect(Set(database.snapshot[.books].map(\.key)) == written, "seed \(seed)")
        #expect(database.pendingWriteCount == 0, "seed \(seed)")
    }

    @Test func `Cancelling a queue of writers is linear`() async throws {
        func seconds(_ count: Int) async throws -> Double {
            let first = try await HeldTurn(of: database)
            let line = (0..<count).map { i in Task { try await write("\(i)") } }
            while database.pendingWriteCount < count + 1 { await Task.yield() }
            let start = ThreadClock.seconds
            // The last first: a search from the front would look at all that are before it. A cancellation leaves the queue
            // on the thread that cancels.
            for task in line.reversed() { task.cancel() }
            let time = ThreadClock.seconds - start
            #expect(database.pendingWriteCount == 1)
            try await first.letGo()
            for task in line { _ = await task.result }
            return time
        }
        var small = Double.infinity, large = Double.infinity
        for _ in 0..<3 { small = min(small, try await seconds(500)) }
        for _ in 0..<2 { large = min(large, try await seconds(16_000)) }
        // 32 times the work, and colder memory. Quadratic is 1,024.
        #expect(large <= small * 250, "\(small) s for 500, \(large) s for 16,000")
    }
}

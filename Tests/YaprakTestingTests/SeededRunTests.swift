import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakTesting

/// One seed is one history; other seeds are others; and what escapes is noticed.
@Suite(.bounded) struct SeededRunTests {
    /// Where the database of a trial is.
    enum Place: Sendable, CaseIterable {
        case memory, disk
    }

    private static func open(_ place: Place, _ run: SeededRun) async throws -> Database {
        switch place {
        case .memory: Database.inMemory(checkingCoding: true, options: run.options)
        case .disk:
            try await Database.open(
                at: "/shop", on: run.disk,
                options: {
                    var options = run.options
                    options.checkpoints = .every(bytes: 400)
                    return options
                }(), collections: .books)
        }
    }

    /// Four writers with a counter; returns every commit as text, and where the disk ended.
    @Sendable private static func trial(_ place: Place, isBuggy: Bool, _ run: SeededRun) async throws -> [String] {
        let database = try await open(place, run)
        let changesets = database.changesets()
        async let commits = {
            var lines: [String] = []
            for try await changeset in changesets {
                let ranks = changeset.changes(in: .books).map { $0.after?.object.salesRank ?? -1 }
                lines.append("\(changeset.commitNumber) \(changeset.origin) \(changeset.nanosecondsSince1970) \(ranks)")
            }
            return lines
        }()
        try await database.write(origin: "start") { $0[.books]["a"] = Book(title: "a") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for _ in 0..<3 {
                        if isBuggy {
                            let rank = database.snapshot[.books]["a"]!.salesRank
                            await Task.yield()
                            try await database.write(origin: "\(writer)") { $0[.books]["a"]?.salesRank = rank + 1 }
                        } else {
                            try await database.write(origin: "\(writer)") { $0[.books]["a"]?.salesRank += 1 }
                        }
                        try await run.clock.sleep(for: .milliseconds(5))
                    }
                }
            }
            try await group.waitForAll()
        }
        let rank = database.snapshot[.books]["a"]!.salesRank
        try await database.close()
        return try await commits + ["rank \(rank)", "digest \(run.disk.digest)"]
    }

    private func lines(_ place: Place, seed: UInt64) async throws -> [String] {
        try await withSeed(seed) { try await Self.trial(place, isBuggy: false, $0) }
    }

    @Test(arguments: Place.allCases) func `A seed gives the same commits, byte for byte`(place: Place) async throws {
        for seed in UInt64(0)..<30 {
            let first = try await lines(place, seed: seed)
            let second = try await lines(place, seed: seed)
            #expect(first == second && first.count == 15, "seed \(seed)")
        }
    }

    @Test(arguments: Place.allCases) func `Seeds give different orders`(place: Place) async throws {
        var orders: Set<[String]> = []
        for seed in UInt64(0)..<30 { orders.insert(try await lines(place, seed: seed)) }
        #expect(orders.count > 20)
    }

    @Test(arguments: Place.allCases)
    func `A lost update is found by few seeds, with the seed in the failure`(place: Place) async {
        let found = Mutex<[UInt64]>([])
        let texts = await reports {
            let seed = await explore(seeds: 1_000) { run in
                let lines = try await Self.trial(place, isBuggy: true, run)
                #expect(lines.contains("rank 12"))
            }
            found.withLock { $0 += seed.map { [$0] } ?? [] }
        }
        let seeds = found.withLock { $0 }
        #expect(seeds.count == 1 && seeds[0] < 20)
        #expect(texts.contains { $0.contains("YAPRAK_SEED=\(seeds.first ?? 0) repeats it") }, "\(texts)")
    }

    @Test(arguments: Place.allCases) func `Code that is right raises no alarm`(place: Place) async {
        let seeds = Soak.volume(place == .memory ? 300 : 60, soak: 10_000)
        let failed = await explore(seeds: seeds) { run in
            let lines = try await Self.trial(place, isBuggy: false, run)
            #expect(lines.contains("rank 12"))
        }
        #expect(failed == nil)
    }

    @Test func `A body that throws fails with its seed`() async {
        struct Odd: Error {}
        let texts = await reports {
            await explore(seeds: 10) { run in if run.seed == 3 { throw Odd() } }
        }
        #expect(texts.count == 1 && texts[0].contains("YAPRAK_SEED=3") && texts[0].contains("Odd"))
    }

    @Test func `The seed after the largest number is 0`() async {
        let seeds = Mutex<[UInt64]>([])
        await explore(seeds: 3, from: .max - 1) { run in seeds.withLock { $0.append(run.seed) } }
        #expect(seeds.withLock { $0 } == [.max - 1, .max, 0])
    }

    @Test func `A task that escapes is reported`() async {
        let texts = await reports {
            await explore(seeds: 1) { run in
                let database = Database.inMemory(options: run.options)
                await Task.detached { _ = try? await database.write { $0[.books]["a"] = Book(title: "") } }.value
            }
        }
        #expect(texts.count == 1 && texts[0].contains("tasks that run elsewhere"), "\(texts)")
        // Long enough that the task waits before it is woken, on a busy machine, too.
        let slept = await reports { await explore(seeds: 1) { _ in try await Task.sleep(for: .milliseconds(300)) } }
        #expect(slept.count == 1 && slept[0].contains("sleep by run.clock"), "\(slept)")
    }

    @Test func `A run in which everybody waits ends, and fails`() async {
        let texts = await reports {
            await explore(seeds: 1) { _ in await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        #expect(texts.count == 1 && texts[0].contains("every task waits"), "\(texts)")
    }

    @Test func `Time passes without waiting`() async throws {
        let start = ContinuousClock.now
        let woken = try await withSeed(1) { run in
            let begin = run.clock.now
            try await run.clock.sleep(for: .seconds(3600))
            return begin.duration(to: run.clock.now)
        }
        #expect(woken >= .seconds(3600) && woken < .seconds(3601))
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test func `A slow disk takes the time of the run`() async throws {
        let duration = try await withSeed(1) { run in
            let database = try await Self.open(.disk, run)
            run.disk.plan(.slow(.seconds(10)))
            let begin = run.clock.now
            try await database.write { $0[.books]["a"] = Book(title: "") }
            return begin.duration(to: run.clock.now)
        }
        #expect(duration >= .seconds(10) && duration < .seconds(120))
    }

    // The scheduler had a time of its own: the log was never due, and time stood still until it had caught up.
    @Test func `The log of a run sees that a test moves the clock`() async throws {
        for seed in UInt64(0)..<10 {
            try await withSeed(seed) { run in
                var options = run.options
                options.durability = .interval(.seconds(1))
                let database = try await Database.open(
                    at: "/shop", on: run.disk, options: options, collections: .books)
                try await database.write { $0[.books]["a"] = Book(title: "a") }
                await run.clock.advance(by: .seconds(60))
                let left = run.disk.afterPowerCut()
                let again = try await Database.open(at: "/shop", on: left, options: options, collections: .books)
                #expect(again.snapshot[.books].count == 1, "seed \(seed)")
                let time = run.clock.now
                await Task.yield()
                #expect(run.clock.now > time, "seed \(seed)")
                try await database.close()
                try await again.close()
            }
        }
    }

    @Test(arguments: [Duration.seconds(8_000_000_000), .seconds(Int64.max)])
    func `A call that takes longer than there is time takes the rest of it`(duration: Duration) async throws {
        try await withSeed(1) { run in
            let database = try await Database.open(at: "/shop", on: run.disk, options: run.options, collections: .books)
            run.disk.plan(.slow(duration))
            try await database.write { $0[.books]["a"] = Book(title: "") }
            #expect(run.clock.now.nanosecondsSince1970 == .max)
            try await database.write { $0[.books]["b"] = Book(title: "") }
            #expect(database.snapshot[.books].count == 2)
            try await database.close()
        }
    }

    // MARK: The clock by itself

    /// The sum was judged by doubles, which are 2,048 ns apart there.
    @Test func `No time is later than the last, and none earlier than the first`() async {
        let clock = TestClock(nanosecondsSince1970: 3_714_694_114_607_899_885)
        let far = Duration.nanoseconds(5_508_677_922_246_875_957)
        #expect(clock.now.advanced(by: far).nanosecondsSince1970 == .max)
        let past = TestClock.Instant(nanosecondsSince1970: -clock.now.nanosecondsSince1970 - 1)
        #expect(past.advanced(by: .zero - far).nanosecondsSince1970 == .min)
        let last = TestClock.Instant(nanosecondsSince1970: .max)
        #expect(last.advanced(by: .nanoseconds(-1)).nanosecondsSince1970 == .max - 1)
        #expect(last.advanced(by: .seconds(Int64.min)).nanosecondsSince1970 == .min)
        #expect(last.advanced(by: .seconds(Int64.min) * 4).nanosecondsSince1970 == .min)
        await clock.advance(by: far)
        await clock.advance(by: .seconds(Int64.max) * 4)
        #expect(clock.now == last)
    }

    @Test func `A clock wakes sleepers in the order of their deadlines, and not before`() async throws {
        let clock = TestClock()
        let woken = Log()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.add("\(seconds)")
                }
            }
            while clock.sleeperCount < 3 { await Task.yield() }
            await clock.advance(by: .milliseconds(999))
            #expect(woken.lines == [])
            for count in 1...3 {
                await clock.advance(by: .seconds(1))
                while woken.lines.count < count { await Task.yield() }
            }
            try await group.waitForAll()
        }
        #expect(woken.lines == ["1", "2", "3"] && clock.sleeperCount == 0)
    }

    @Test func `A sleeper that is cancelled is woken with an error`() async {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        while clock.sleeperCount < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `Commits have the time of the clock`() async throws {
        let clock = TestClock()
        var options = DatabaseOptions()
        options.clock = clock.commitTime
        let database = try await Fixture.shelf.fork(options: options)
        let changes = database.changesets()
        await clock.advance(by: .seconds(60))
        try await database.write { $0[.books].removeAll() }
        for try await changeset in changes.prefix(1) {
            #expect(changeset.nanosecondsSince1970 == 1_356_998_460_000_000_000)
        }
    }

    // The engine woke the oldest of many writers by the clock of the machine, and counted that as the program's fault.
    @Test func `Writers of several priorities stay within a seeded run`() async throws {
        for seed in UInt64(0)..<5 {
            try await withSeed(seed) { run in
                let database = try await Self.open(.memory, run)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for n in 0..<4 {
                        group.addTask {
                            for i in 0..<5 {
                                try await database.write { $0[.books]["low \(n)"] = Book(title: "\(i)") }
                            }
                        }
                    }
                    for n in 0..<24 {
                        group.addTask(priority: .high) {
                            for i in 0..<12 {
                                try await database.write { $0[.books]["high \(n)"] = Book(title: "\(i)") }
                                // A program that computes between two writes.
                                usleep(500)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    // The list of logs was changed from their threads and from the run's own.
    @Test func `Tasks that escape and write to a log fail the run, and nothing else`() async {
        for seed in UInt64(0)..<4 {
            let escaped = await #expect(throws: (any Error).self, "seed \(seed)") {
                try await withSeed(seed) { run in
                    let database = try await Self.open(.disk, run)
                    let escaped = (0..<4).map { n in
                        Task.detached {
                            for i in 0..<100 {
                                try? await database.write { $0[.books]["e\(n)"] = Book(title: "\(i)") }
                            }
                        }
                    }
                    for i in 0..<100 { try await database.write { $0[.books]["m"] = Book(title: "\(i)") } }
                    for task in escaped { await task.value }
                }
            }
            #expect(escaped != nil)
        }
    }

    // All seeds ran, and the failure named none. In a process of its own: other tests would see what it reports.
    @Test func `Where there is no test, as in XCTest, seeds end with the first that has an issue, which names it`()
        async
    {
        await #expect(processExitsWith: .success) {
            let seeds = Log(), texts = Log()
            await Task.detached {
                await withKnownIssue {
                    let failed = await explore(seeds: 5) { run in
                        seeds.add("\(run.seed)")
                        let other = Database.inMemory()
                        if run.seed == 2 { try await other.write { $0[.books]["a"] = Book(title: "a") } }
                        expectNoDifference(other, Database.inMemory())
                    }
                    seeds.add("failed \(failed.map(String.init) ?? "none")")
                } matching: { issue in
                    texts.add(issue.comments.map(\.rawValue).joined())
                    return true
                }
            }.value
            precondition(seeds.lines == ["0", "1", "2", "failed 2"], "\(seeds.lines)")
            precondition(texts.lines.contains { $0.contains("YAPRAK_SEED=2") }, "\(texts.lines)")
        }
    }
}

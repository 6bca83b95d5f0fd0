import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks

private struct Visit: Codable, Sendable {
    var count: Int
}

extension RecordCollection where Object == Visit, Metadata == NoMetadata {
    fileprivate static var visits: Self { Self("visits") }
}

/// What instruments observe of writes, and what a database says of itself.
@Suite(.bounded) struct InstrumentTests {
    private final class Hearer: WriteInstrument {
        let heard = Mutex<[WriteReport]>([])
        let begun = Mutex(0)

        func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
            begun.withLock { $0 += 1 }
            return { report in self.heard.withLock { $0.append(report) } }
        }
    }

    private struct Refused: Error {}

    /// A clock that counts.
    private final class Ticks: Sendable {
        private let time = Atomic<Int64>(1000)
        func next() -> Int64 { time.add(1, ordering: .relaxed).newValue }
    }

    private func database(_ instruments: [any WriteInstrument]) -> Database {
        var options = DatabaseOptions()
        options.instruments = instruments
        return Database.inMemory(options: options)
    }

    @Test func `Each write is observed once, by all instruments, with its outcome`() async throws {
        let (one, other) = (Hearer(), Hearer())
        let database = database([one, other])
        try await database.write(origin: "a") { $0[.visits]["page"] = Visit(count: 1) }
        _ = try await database.write { $0[.visits]["page"]?.count }
        await #expect(throws: Refused.self) { try await database.write(origin: "b") { _ in throw Refused() } }
        for hearer in [one, other] {
            let reports = hearer.heard.withLock { $0 }
            #expect(hearer.begun.withLock { $0 } == 3)
            #expect(reports.map(\.origin) == ["a", "", "b"])
            #expect(reports.map(\.commitNumber) == [1, nil, nil])
            #expect(reports.map { $0.error is Refused } == [false, false, true])
            #expect(reports.allSatisfy { $0.waiting >= .zero && $0.transaction > .zero && $0.total >= $0.transaction })
        }
        #expect(other.heard.withLock { $0 }.count == 3)
    }

    @Test func `What runs after a commit is no part of the time that the log took`() async throws {
        let hearer = Hearer()
        let database = database([hearer])
        let began = ContinuousClock.now
        let ended = Mutex<ContinuousClock.Instant?>(nil)
        try await database.write { transaction in
            transaction[.visits]["page"] = Visit(count: 1)
            transaction.afterCommit {
                ended.withLock { $0 = .now }
                usleep(300_000)
            }
        }
        let report = try #require(hearer.heard.withLock { $0 }.first)
        let before = try #require(ended.withLock { $0 }) - began
        #expect(report.log <= before && report.total <= before)
    }

    @Test func `A write that is cancelled in line is observed, and the turn of others is not`() async throws {
        let hearer = Hearer()
        let database = database([hearer])
        let holder = try await HeldTurn(of: database) { $0[.visits]["page"] = Visit(count: 1) }
        let late = Task { try await database.write(origin: "late") { $0[.visits]["page"] = Visit(count: 2) } }
        while database.pendingWriteCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(hearer.heard.withLock { $0 }.map(\.origin) == ["late"])
        let report = try #require(hearer.heard.withLock { $0 }.first)
        #expect(report.error is CancellationError && report.transaction == .zero && report.commitNumber == nil)
        try await holder.letGo()
        #expect(hearer.heard.withLock { $0 }.map(\.commitNumber) == [nil, 1])
        #expect(database.snapshot[.visits]["page"]?.count == 1)
    }

    @Test func `An instrument may read the database and use its streams, and is not heard by a plain fork`()
        async throws
    {
        let hearer = Hearer()
        let database = database([hearer])
        try await database.write { $0[.visits]["page"] = Visit(count: 1) }
        let fork = database.fork()
        try await fork.write { $0[.visits]["page"] = Visit(count: 2) }
        #expect(hearer.heard.withLock { $0 }.count == 2)
        let silent = database.fork(options: DatabaseOptions())
        try await silent.write { $0[.visits]["page"] = Visit(count: 3) }
        #expect(hearer.heard.withLock { $0 }.count == 2)
    }

    @Test func `The oldest held state is the one that a snapshot holds, and goes with it`() async throws {
        var options = DatabaseOptions()
        let time = Ticks()
        options.clock = { time.next() }
        let database = Database.inMemory(options: options)
        for number in 1...3 { try await database.write { $0[.visits]["page"] = Visit(count: number) } }
        var held: Snapshot? = database.snapshot
        for number in 4...9 { try await database.write { $0[.visits]["page"] = Visit(count: number) } }
        var statistics = database.statistics
        #expect(statistics.commitNumber == 9 && statistics.log == nil && statistics.pendingWriteCount == 0)
        #expect(statistics.heldStateCount == 2)
        #expect(statistics.oldestHeldState?.commitNumber == 3)
        #expect(statistics.oldestHeldState?.nanosecondsSince1970 == 1_003)
        #expect(held?[.visits]["page"]?.count == 3)
        held = nil
        statistics = database.statistics
        #expect(statistics.heldStateCount == 1)
        #expect(statistics.oldestHeldState?.commitNumber == 9)
        var stream: ChangesetSequence? = database.changesets()
        #expect(database.statistics.changesetStreamCount == 1)
        withExtendedLifetime(stream) {}
        stream = nil
        #expect(database.statistics.changesetStreamCount == 0)
    }

    @Test func `A fork holds the state that it began with`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.visits]["page"] = Visit(count: 1) }
        var fork: Database? = database.fork()
        try await database.write { $0[.visits]["page"] = Visit(count: 2) }
        #expect(database.statistics.heldStateCount == 2)
        #expect(database.statistics.oldestHeldState?.commitNumber == 1)
        #expect(fork?.snapshot[.visits]["page"]?.count == 1)
        try await fork?.close()
        fork = nil
        for _ in 0..<20_000 where database.statistics.heldStateCount > 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(database.statistics.heldStateCount == 1)
    }

    @Test func `What the log has is counted from the opening on`() async throws {
        let directory = TemporaryDirectory()
        let database = try await Database.open(at: FilePath(directory.path), collections: .visits)
        for number in 1...5 { try await database.write { $0[.visits]["page"] = Visit(count: number) } }
        let log = try #require(database.statistics.log)
        #expect(log.commitCount == 5 && log.syncCount >= 5 && log.storedByteCount > 0 && log.rawByteCount > 0)
        try await database.checkpoint()
        #expect(database.statistics.log?.checkpointCount == log.checkpointCount + 1)
        try await database.close()
    }
}

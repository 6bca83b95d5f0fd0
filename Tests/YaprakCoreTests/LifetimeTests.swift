import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakStorage

@testable import YaprakCore
@testable import YaprakTrees

/// Counts where its instances end.
private final class Mourned: Codable, Sendable {
    static let ends = Atomic(0)
    /// Of those, on the thread that said it would be.
    static let endsHere = Atomic(0)
    static let here = ThreadFlag()

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
    deinit {
        Self.ends.wrappingAdd(1, ordering: .relaxed)
        if Self.here.isSet { Self.endsHere.wrappingAdd(1, ordering: .relaxed) }
    }
}

private struct Mortal: Codable, Sendable {
    var soul = Mourned()
}

extension RecordCollection where Object == Mortal, Metadata == NoMetadata {
    fileprivate static var mortals: Self { Self("mortals") }
}

private struct Other: Codable, Sendable {
    var unknown: String
}

/// Decodes unless it refuses to.
private struct Moody: Codable, Sendable {
    struct Refusal: Error {}
    static let refuses = Atomic(false)

    var text = "x"

    init() {}
    init(from decoder: any Decoder) throws {
        if Self.refuses.load(ordering: .relaxed) { throw Refusal() }
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension RecordCollection where Object == Moody, Metadata == NoMetadata {
    fileprivate static var moody: Self { Self("moody") }
}

/// Counts changesets that were delivered.
private enum Caught {
    static let up = Atomic(0)
}

/// Waits until every arena but those that live already is gone: what was let go of is freed by a task.
private func expectArenas(_ count: Int, after what: String = "") async {
    for _ in 0..<4_000 where Arena.liveCount > count { try? await Task.sleep(for: .milliseconds(5)) }
    precondition(Arena.liveCount <= count, "\(Arena.liveCount) arenas live \(what)")
}

/// Asks an iterator for the next commit.
private func expectNext(_ number: CommitNumber?, from iterator: inout ChangesetSequence.Iterator) async throws {
    let next = try await iterator.next()?.commitNumber
    precondition(next == number, "\(String(describing: next))")
}

/// Runs work on other threads, and keeps all that it was given: threads that take long to end do, too.
private final class Keeper: WorkScheduler {
    private let works = YaprakLocks.Mutex<[@Sendable () -> Void]>([])
    var count: Int { works.withLock { $0.count } }

    func run(_ work: @escaping @Sendable () -> Void) {
        works.withLock { $0.append(work) }
        DispatchQueue.global().async(execute: work)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    // A database in memory has no log, and none of these is asked.
    func logHasWork(_ turn: @escaping @Sendable () -> LogRest) { preconditionFailure("no log") }
    func wait(until isDone: () -> Bool) { preconditionFailure("no log") }
    func now() -> UInt64 { 0 }
    var isDriven: Bool { false }
    func noteUse() {}
}

/// Each in a process of its own, where nobody else makes databases.
@Suite(.bounded) struct LifetimeTests {
    @Test func `A thread that a call has used keeps no state when the call has returned`() async throws {
        let keeper = Keeper()
        var options = DatabaseOptions()
        options.store.scheduler = keeper
        let database = Database.inMemory(options: options)
        try await database.write { $0[.books]["a"] = Book(title: "first") }
        try await database.register(Counter())
        try await database.write { $0[.books]["b"] = Book(title: "second") }
        #expect(keeper.count > 0)
        #expect(database.timeline.pins.count == 1, "after an extension was registered")

        let folder = TemporaryDirectory()
        let path = FilePath(folder.path).appending("backup.yaprak")
        let works = keeper.count
        try await database.backup(to: path)
        try await database.write { $0[.books]["c"] = Book(title: "third") }
        #expect(keeper.count > works)
        #expect(database.timeline.pins.count == 1, "after a backup")

        await #expect(throws: DatabaseError.self) { try await database.backup(to: path) }
        try await database.write { $0[.books]["d"] = Book(title: "fourth") }
        #expect(database.timeline.pins.count == 1, "after a backup that failed")
    }

    @Test func `Streams from the log, replays, verifications and failed openings give back all they took`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryDirectory()
            let path = FilePath(folder.path).appending("shop.yaprak")
            var options = DatabaseOptions()
            options.retention = .all
            options.lagLimit = 10
            do {
                let database = try await Database.open(at: path, options: options, collections: .books)
                for i in 0..<20 {
                    try await database.write { transaction in
                        for k in 0..<50 { transaction[.books]["\(i)/\(k)"] = Book(title: "x") }
                    }
                }
                try await database.checkpoint()
                for i in 0..<40 { try await database.write { $0[.books]["0/\(i)"] = nil } }
                try await database.close()
            }
            await expectArenas(0, after: "after the database itself")
            for _ in 0..<20 {
                _ = try? await Database.replay(path, upTo: CommitNumber(99_999), collections: .books)
                _ = try? await Database.replay(path, collections: RecordCollection<Other, NoMetadata>("books"))
                _ = try? await Database.open(at: path, collections: RecordCollection<Other, NoMetadata>("books"))
                _ = try await Database.replay(path, collections: .books)
                _ = try await Database.open(at: path, collections: .books).snapshot
            }
            await expectArenas(0, after: "after openings and replays")
            let database = try await Database.open(at: path, options: options, collections: .books)
            for _ in 0..<30 {
                var count = 0
                for try await _ in database.changesets(after: CommitNumber(10)) {
                    count += 1
                    if count == 15 { break }
                }
                var all = 0
                for try await changeset in database.changesets(after: CommitNumber(5)) {
                    all += 1
                    if changeset.commitNumber == database.commitNumber { break }
                }
                precondition(all == 55, "\(all) commits")
                _ = try? await database.restore(from: "/nowhere")
            }
            await expectArenas(1, after: "after streams")
            try await database.close()
        }
    }

    @Test func `A chain of 20,000 forks is dropped without recursion, also on a stack of 512 KiB`() async {
        await #expect(processExitsWith: .success) {
            for isOnSmallStack in [false, true] {
                var last: Database? = Database.inMemory()
                try await last!.write { $0[.books]["x"] = Book(title: "0") }
                for i in 0..<20_000 {
                    let fork = last!.fork()
                    if i % 100 == 0 { try await fork.write { $0[.books]["x"] = Book(title: "\(i)") } }
                    last = fork
                }
                if isOnSmallStack {
                    nonisolated(unsafe) var dropped = last
                    last = nil
                    await withCheckedContinuation { continuation in
                        let thread = Thread {
                            precondition(dropped != nil)
                            dropped = nil
                            continuation.resume()
                        }
                        thread.stackSize = 512 << 10
                        thread.start()
                    }
                } else {
                    last = nil
                }
                await expectArenas(0)
            }
        }
    }

    @Test func `Who drops the last reference to a fork with a few writes frees it at once`() async {
        await #expect(processExitsWith: .success) {
            let database = Database.inMemory()
            try await database.write { for i in 0..<1_000 { $0[.mortals]["\(i)"] = Mortal() } }
            Mourned.ends.store(0, ordering: .relaxed)
            var fork: Database? = database.fork()
            try await fork!.write { for i in 0..<10 { $0[.mortals]["\(i * 99)"] = Mortal() } }
            nonisolated(unsafe) var snapshot = Optional(fork!.snapshot)
            fork = nil
            precondition(snapshot![.mortals].count == 1_000)
            await withCheckedContinuation { continuation in
                Thread {
                    _ = Mourned.here.unlessSet { snapshot = nil }
                    continuation.resume()
                }.start()
            }
            precondition(Mourned.endsHere.load(ordering: .relaxed) == 10, "not freed on the thread that dropped it")
            precondition(Mourned.ends.load(ordering: .relaxed) == 10)
            precondition(database.snapshot[.mortals].count == 1_000)
        }
    }

    @Test func `Who drops the last reference to a large tree frees none of it`() async {
        await #expect(processExitsWith: .success) {
            let count = 50_000
            for isClosed in [false, true] {
                Mourned.ends.store(0, ordering: .relaxed)
                var database: Database? = Database.inMemory()
                try await database!.write { for i in 0..<count { $0[.mortals]["\(i)"] = Mortal() } }
                if isClosed { try await database!.close() }
                nonisolated(unsafe) var snapshot = Optional(database!.snapshot)
                database = nil
                precondition(snapshot![.mortals].count == count)
                await withCheckedContinuation { continuation in
                    Thread {
                        _ = Mourned.here.unlessSet { snapshot = nil }
                        continuation.resume()
                    }.start()
                }
                precondition(Mourned.endsHere.load(ordering: .relaxed) == 0, "freed on the thread that dropped it")
                await expectArenas(0)
                precondition(Mourned.ends.load(ordering: .relaxed) == count)
            }
        }
    }

    @Test func `10,000 databases, forks, streams and lists of changes leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let database = Database.inMemory()
            try await database.write { for i in 0..<100 { $0[.books]["\(i)"] = Book(title: "x") } }
            for i in 0..<10_000 {
                let fork = database.fork()
                if i % 10 == 0 { try await fork.write { $0[.books]["\(i)"] = Book(title: "y") } }
                _ = database.changesets().makeAsyncIterator()
                _ = database.makeConnection(named: "reader")
                if i % 100 == 0 { try await Database.inMemory().write { $0[.books]["a"] = Book(title: "z") } }
            }
            await expectArenas(1)
            precondition(database.publication.streamCount == 0)
            let arena = database.timeline.arena
            for _ in 0..<1_000 where arena.counts.rows > 100 { try await Task.sleep(for: .milliseconds(5)) }
            precondition(arena.counts.rows == 100, "\(arena.counts)")
        }
    }

    @Test func `A consumer that has caught up from the log and waits keeps no copy of the database`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryDirectory()
            var options = DatabaseOptions()
            options.retention = .all
            let database = try await Database.open(
                at: FilePath(folder.path).appending("shop.yaprak"), options: options, collections: .books)
            for index in 0..<20 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
            let consumer = Task {
                for try await _ in database.changesets(after: 0) { Caught.up.wrappingAdd(1, ordering: .relaxed) }
            }
            for _ in 0..<2_000 where Caught.up.load(ordering: .relaxed) < 20 {
                try await Task.sleep(for: .milliseconds(5))
            }
            precondition(Caught.up.load(ordering: .relaxed) == 20)
            await expectArenas(1, after: "while a consumer waits")
            consumer.cancel()
            try await database.close()
        }
    }

    // It kept the copy for as long as somebody kept the iterator.
    @Test func `An iterator whose task was cancelled between two calls keeps no copy of the database`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryDirectory()
            var options = DatabaseOptions()
            options.retention = .all
            let database = try await Database.open(
                at: FilePath(folder.path).appending("shop.yaprak"), options: options, collections: .books)
            for index in 0..<20 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
            let consumer = Task {
                var iterator = database.changesets(after: 0).makeAsyncIterator()
                try await expectNext(1, from: &iterator)
                precondition(Arena.liveCount > 1, "no copy, nothing to let go of")
                withUnsafeCurrentTask { $0?.cancel() }
                try await expectNext(nil, from: &iterator)
                // In a task that is not cancelled, and can sleep.
                await Task { await expectArenas(1, after: "beside an iterator that has ended") }.value
                try await expectNext(nil, from: &iterator)
            }
            try await consumer.value
            try await database.close()
        }
    }

    // Of a commit that can't be delivered it had applied what it could.
    @Test func `An iterator whose call has thrown keeps no copy of the database, and begins again`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryDirectory()
            var options = DatabaseOptions()
            options.retention = .all
            let database = try await Database.open(
                at: FilePath(folder.path).appending("shop.yaprak"), options: options, collections: .moody)
            for key in ["a", "b", "c"] { try await database.write { $0[.moody][key] = Moody() } }
            var iterator = database.changesets(after: 0).makeAsyncIterator()
            try await expectNext(1, from: &iterator)
            precondition(Arena.liveCount > 1, "no copy, nothing to let go of")
            Moody.refuses.store(true, ordering: .relaxed)
            for _ in 0..<2 {
                do {
                    _ = try await iterator.next()
                    preconditionFailure("it was delivered")
                } catch let error as DatabaseError {
                    precondition(error.code == .undecodableRecord, "\(error)")
                }
                await expectArenas(1, after: "beside an iterator that has thrown")
            }
            Moody.refuses.store(false, ordering: .relaxed)
            try await expectNext(2, from: &iterator)
            try await expectNext(3, from: &iterator)
            try await database.close()
        }
    }

    @Test func `What is let go of after a registration that took steps is freed without a write`() async {
        await #expect(processExitsWith: .success) {
            let database = Database.inMemory()
            try await database.write { transaction in
                transaction[.mortals]["a"] = Mortal()
                transaction[.books]["a"] = Book(title: "a")
            }
            nonisolated(unsafe) var held: Snapshot? = database.snapshot
            try await database.write { $0[.mortals].remove("a") }
            try await database.register(ReviewTests.Arrivals())
            precondition(held != nil && database.snapshot[ReviewTests.Arrivals()] == ["a"])
            held = nil
            for _ in 0..<2_000 where Mourned.ends.load(ordering: .relaxed) == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            precondition(Mourned.ends.load(ordering: .relaxed) == 1)
        }
    }
}

import TestSupport
import Testing
import Yaprak

/// The ten anomalies of Hermitage (Martin Kleppmann, github.com/ept/hermitage): none can be made.
///
/// There, a client holds several transactions open and takes steps in them by turns. Here a transaction is a closure: what
/// overlaps is a second writer that comes while the first is in its closure, and readers that read meanwhile. A writer waits
/// for its turn, so its steps come behind those of the first.
@Suite(.bounded) struct HermitageTests {
    static let test = RecordCollection<Int, NoMetadata>("test")

    /// A database with the records 1 → 10 and 2 → 20.
    static func database() async throws -> Database {
        let database = Database.inMemory()
        try await database.write {
            $0[test]["1"] = 10
            $0[test]["2"] = 20
        }
        return database
    }

    /// Runs `first`, whose second half waits until `second` has come and whatever it can do without a turn is done.
    static func overlap<A: Sendable, B: Sendable>(
        _ database: Database,
        first: @escaping @Sendable (inout WriteTransaction, _ pause: () -> Void) throws -> A,
        meanwhile: @escaping @Sendable (Snapshot) -> Void = { _ in },
        second: @escaping @Sendable (inout WriteTransaction) throws -> B
    ) async throws -> (Result<A, any Error>, Result<B, any Error>) {
        let started = Flag()
        let goOn = Flag()
        let one = Task(executorPreference: OwnThreads.shared) {
            try await database.write { transaction in
                try first(&transaction) {
                    started.set()
                    goOn.wait()
                }
            }
        }
        let two = Task(executorPreference: OwnThreads.shared) {
            started.wait()
            return try await database.write { try second(&$0) }
        }
        let watcher = Task(executorPreference: OwnThreads.shared) {
            started.wait()
            while database.pendingWriteCount < 2 { await Task.yield() }
            meanwhile(database.snapshot)
            goOn.set()
        }
        await watcher.value
        return (await one.result, await two.result)
    }

    static func values(_ snapshot: Snapshot) -> [Int] { snapshot[test].map(\.object) }

    @Test func `G0, write cycles: writes of two transactions don't mix`() async throws {
        let database = try await Self.database()
        _ = try await Self.overlap(database) { transaction, pause in
            transaction[Self.test]["1"] = 11
            pause()
            transaction[Self.test]["2"] = 21
        } second: { transaction in
            transaction[Self.test]["1"] = 12
            transaction[Self.test]["2"] = 22
        }
        #expect(Self.values(database.snapshot) == [12, 22])
    }

    @Test func `G1a, aborted reads: what is undone was never seen`() async throws {
        struct Abort: Error {}
        let database = try await Self.database()
        let (_, seen) = try await Self.overlap(database) { transaction, pause in
            transaction[Self.test]["1"] = 101
            pause()
            throw Abort()
        } meanwhile: {
            #expect(Self.values($0) == [10, 20])
        } second: {
            $0[Self.test]["1"]
        }
        #expect(try seen.get() == 10)
        #expect(Self.values(database.snapshot) == [10, 20])
    }

    @Test func `G1b, intermediate reads: only the last value of a transaction is seen`() async throws {
        let database = try await Self.database()
        let (_, seen) = try await Self.overlap(database) { transaction, pause in
            transaction[Self.test]["1"] = 101
            pause()
            transaction[Self.test]["1"] = 11
        } meanwhile: {
            #expect(Self.values($0) == [10, 20])
        } second: {
            $0[Self.test]["1"]
        }
        #expect(try seen.get() == 11)
    }

    @Test func `G1c, circular information flow: of two writers one does not see the other`() async throws {
        let database = try await Self.database()
        let (one, two) = try await Self.overlap(database) { transaction, pause in
            transaction[Self.test]["1"] = 11
            pause()
            return transaction[Self.test]["2"]
        } second: { transaction in
            transaction[Self.test]["2"] = 22
            return transaction[Self.test]["1"]
        }
        #expect(try one.get() == 20)
        #expect(try two.get() == 11)
    }

    @Test func `OTV, observed transactions don't vanish: a reader sees all of a transaction from then on`() async throws
    {
        let database = try await Self.database()
        _ = try await Self.overlap(database) { transaction, pause in
            transaction[Self.test]["1"] = 11
            pause()
            transaction[Self.test]["2"] = 19
        } meanwhile: {
            #expect(Self.values($0) == [10, 20])
        } second: { transaction in
            #expect(Self.values(transaction.before) == [11, 19])
            transaction[Self.test]["1"] = 12
            transaction[Self.test]["2"] = 18
        }
        #expect(Self.values(database.snapshot) == [12, 18])
    }

    @Test func `PMP, predicate-many-preceders: a predicate gives the same answer throughout`() async throws {
        let database = try await Self.database()
        let snapshot = database.snapshot
        #expect(!Self.values(snapshot).contains(30))
        try await database.write { $0[Self.test]["3"] = 30 }
        #expect(!Self.values(snapshot).contains { $0 % 3 == 0 })
        // Of two writers the second finds what the first left: it removes 20, which was 10 when it came.
        _ = try await Self.overlap(database) { transaction, pause in
            pause()
            for key in ["1", "2", "3"] { transaction[Self.test][key]! += 10 }
        } second: { transaction in
            for row in transaction[Self.test].rows where row.object == 20 { transaction[Self.test][row.key] = nil }
        }
        #expect(Self.values(database.snapshot) == [30, 40])
    }

    @Test func `P4, lost update: an increment that overlaps another counts`() async throws {
        let database = try await Self.database()
        _ = try await Self.overlap(database) { transaction, pause in
            let seen = transaction[Self.test]["1"]!
            pause()
            transaction[Self.test]["1"] = seen + 1
        } second: { transaction in
            transaction[Self.test]["1"] = transaction[Self.test]["1"]! + 1
        }
        #expect(database.snapshot[Self.test]["1"] == 12)
    }

    @Test func `G-single, read skew: what is read together is of one commit`() async throws {
        let database = try await Self.database()
        let snapshot = database.snapshot
        let one = snapshot[Self.test]["1"]
        try await database.write {
            $0[Self.test]["1"] = 12
            $0[Self.test]["2"] = 18
        }
        #expect(one == 10 && snapshot[Self.test]["2"] == 20)
        let (seen, _) = try await Self.overlap(database) { transaction, pause in
            let one = transaction[Self.test]["1"]!
            pause()
            return one + transaction[Self.test]["2"]!
        } second: { transaction in
            transaction[Self.test]["1"] = 0
            transaction[Self.test]["2"] = 0
        }
        #expect(try seen.get() == 30)
    }

    @Test func `G2-item, write skew: each of two writers sees what the other did, or comes first`() async throws {
        let database = try await Self.database()
        _ = try await Self.overlap(database) { transaction, pause in
            let sum = transaction[Self.test]["1"]! + transaction[Self.test]["2"]!
            pause()
            if sum >= 30 { transaction[Self.test]["1"]! -= 30 }
        } second: { transaction in
            let sum = transaction[Self.test]["1"]! + transaction[Self.test]["2"]!
            if sum >= 30 { transaction[Self.test]["2"]! -= 30 }
        }
        #expect(Self.values(database.snapshot) == [-20, 20], "the sum never falls below zero")
    }

    @Test func `G2, anti-dependency cycles: a predicate that found nothing found nothing`() async throws {
        let database = try await Self.database()
        let (one, two) = try await Self.overlap(database) { transaction, pause in
            let found = transaction[Self.test].rows.count { $0.object % 3 == 0 }
            pause()
            transaction[Self.test]["3"] = 30
            return found
        } second: { transaction in
            let found = transaction[Self.test].rows.count { $0.object % 3 == 0 }
            transaction[Self.test]["4"] = 42
            return found
        }
        #expect(try one.get() == 0)
        #expect(try two.get() == 1)
    }
}

import TestSupport
import Testing
import Yaprak

@testable import YaprakCore

@Suite(.bounded) struct StreamCostTests {
    @Test func `Making a stream costs the same beside 20,000 others as beside none`() async throws {
        let database = Database.inMemory()
        func seconds() -> Double {
            var best = Double.infinity
            for _ in 0..<9 {
                let start = ContinuousClock.now
                for _ in 0..<300 { _ = database.changesets().makeAsyncIterator() }
                best = min(best, (ContinuousClock.now - start) / .seconds(1))
            }
            return best
        }
        let alone = seconds()
        let live = (0..<20_000).map { _ in database.changesets().makeAsyncIterator() }
        let beside = seconds()
        #expect(database.publication.streamCount == live.count)
        // It looked at every live stream before: 20,000 looks each, thousands of times the cost.
        #expect(beside <= alone * 100, "\(alone) s alone, \(beside) s beside 20,000")
    }

    @Test func `A writer does not wake 5,000 followers itself`() async throws {
        let database = Database.inMemory()
        func seconds(beside followers: Int) async throws -> Double {
            var best = Double.infinity
            for number in 0..<5 {
                while database.publication.waiterCount < followers { await Task.yield() }
                let start = ContinuousClock.now
                try await database.write { $0[.books]["a"] = Book(title: "\(number)") }
                best = min(best, (ContinuousClock.now - start) / .seconds(1))
            }
            return best
        }
        let alone = try await seconds(beside: 0)
        let beside = try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5_000 { group.addTask { for await _ in database.snapshots {} } }
            defer { group.cancelAll() }
            return try await seconds(beside: 5_000)
        }
        // Waking them one after the other takes over a thousand times as long.
        #expect(beside <= alone * 300, "\(alone) s alone, \(beside) s beside 5,000")
    }

    @Test func `A stream that sleeps keeps no more than its limit of bytes`() async throws {
        var options = DatabaseOptions()
        options.lagBytesLimit = 1 << 20
        let database = Database.inMemory(checkingCoding: true, options: options)
        var sleeper = database.changesets().makeAsyncIterator()
        // 100 commits of 64 KiB: far from the limit of commits.
        for i in 0..<100 {
            try await database.write { $0[.books]["a"] = Book(title: String(repeating: "\(i % 10)", count: 64 << 10)) }
        }
        await #expect(throws: DatabaseError.self) { while try await sleeper.next() != nil {} }
        // One that keeps up has lost nothing.
        var reader = database.changesets().makeAsyncIterator()
        for i in 0..<100 {
            try await database.write { $0[.books]["a"] = Book(title: String(repeating: "\(i % 10)", count: 64 << 10)) }
            #expect(try await reader.next()?.commitNumber == database.commitNumber)
        }
    }

    // Operators keep their sequence as long as they run, and so does a variable: what the iterator had read was kept as well.
    @Test func `A sequence that is kept keeps no place in memory once it is iterated`() async throws {
        let database = Database.inMemory()
        let changesets = database.changesets()
        #expect(database.publication.streamCount == 1)
        var first = changesets.makeAsyncIterator()
        #expect(database.publication.streamCount == 1)
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        // The first has not gone on, so the commit is in memory.
        var second = changesets.makeAsyncIterator()
        #expect(try await first.next()?.commitNumber == 1)
        #expect(try await second.next()?.commitNumber == 1)
        var third = changesets.makeAsyncIterator()
        let error = await #expect(throws: DatabaseError.self) { _ = try await third.next() }
        #expect(error?.code == .laggedBehind)
    }
}

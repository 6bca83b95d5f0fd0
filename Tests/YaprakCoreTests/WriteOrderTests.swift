import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakCore

/// Whose turn it is, and what readers see meanwhile. A write that waits inside has a thread of its own.
@Suite(.boundedInPool) struct WriteOrderTests {
    let database = Database.inMemory()

    @Test func `Writers of equal priority are served first come, first served, and urgent ones before`() async throws {
        let order = Log()
        let first = try await HeldTurn(of: database) { $0[.books]["gate"] = Book(title: "gate") }
        var writers: [Task<Void, any Error>] = []
        for index in 0..<20 {
            let priority: TaskPriority = index.isMultiple(of: 2) ? .background : .high
            writers.append(
                Task.detached(priority: priority) { [database] in
                    try await database.write { transaction in
                        transaction[.books]["\(index)"] = Book(title: "x")
                        order.add("\(index)")
                    }
                })
            while database.pendingWriteCount < index + 2 { try await Task.sleep(for: .microseconds(50)) }
        }
        try await first.letGo()
        for writer in writers { try await writer.value }
        let urgent = stride(from: 1, to: 20, by: 2), others = stride(from: 0, to: 20, by: 2)
        #expect(order.lines == (Array(urgent) + Array(others)).map(String.init))
    }

    @Test func `A writer that is cancelled in line leaves it, and the others go on`() async throws {
        let first = try await HeldTurn(of: database)
        let doomed = Task.detached { [database] in try await database.write { $0[.books]["doomed"] = Book(title: "x") }
        }
        while database.pendingWriteCount < 2 { await Task.yield() }
        let last = Task.detached { [database] in try await database.write { $0[.books]["last"] = Book(title: "x") } }
        while database.pendingWriteCount < 3 { await Task.yield() }
        doomed.cancel()
        await #expect(throws: CancellationError.self) { try await doomed.value }
        try await first.letGo()
        try await last.value
        #expect(database.snapshot[.books].map(\.key) == ["last"])
    }

    @Test func `Closing in a cancelled task waits for its turn and closes`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        for isCancelledBefore in [true, false] {
            let database = try await Database.open(at: path, collections: .books)
            try await database.write { $0[.books]["\(isCancelledBefore)"] = Book(title: "x") }
            try await database.turns.take()  // as work does that holds the turn while it waits
            let closing = Task.detached {
                if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                try await database.close()
            }
            while database.pendingWriteCount < 2 { await Task.yield() }
            closing.cancel()
            for _ in 0..<100 { await Task.yield() }
            #expect(database.pendingWriteCount == 2)
            database.passTurn()
            try await closing.value
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.books]["late"] = Book(title: "x") }
            }
            #expect(error?.code == .closed)
        }
        let database = try await Database.open(at: path, collections: .books)
        #expect(database.snapshot[.books].map(\.key) == ["false", "true"])
        try await database.close()
    }

    @Test func `A reader never waits for a writer that is busy`() async throws {
        try await database.write { $0[.books]["a"] = Book(title: "before") }
        let isReading = Flag(), wasRead = Flag()
        let writer = Task.detached(executorPreference: OwnThreads.shared) { [database] in
            try await database.write { transaction in
                transaction[.books]["a"] = Book(title: "after")
                isReading.set()
                // The write ends only when a read has been answered while it ran.
                wasRead.wait()
            }
        }
        while !isReading.isSet { await Task.yield() }
        let seen = database.snapshot[.books]["a"]?.title
        wasRead.set()
        try await writer.value
        #expect(seen == "before")
        #expect(database.snapshot[.books]["a"]?.title == "after")
    }

    @Test func `Readers see whole commits only, whatever the writers do`() async throws {
        // Each commit moves an amount from one account to another: the sum shows a torn state.
        try await database.write { transaction in
            for index in 0..<64 { transaction[.books]["\(index)"] = Book(title: "", salesRank: 100) }
            transaction[.authors]["sum"] = Author(name: "6400")
        }
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [database] in
                    var random = SplitMix64(seed: UInt64(writer))
                    for step in 0..<300 {
                        let from = "\(random.below(64))"
                        let to = "\(random.below(64))"
                        try await database.write { transaction in
                            transaction[.books][from]?.salesRank -= 7
                            transaction[.books][to]?.salesRank += 7
                            transaction[.authors]["step"] = Author(name: "\(writer) \(step)")
                        }
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask { [database] in
                    var last: CommitNumber = 0
                    while !isDone.isSet {
                        let snapshot = database.snapshot
                        #expect(snapshot[.books].objects.reduce(0) { $0 + $1.salesRank } == 6400)
                        #expect(snapshot.commitNumber >= last)
                        last = snapshot.commitNumber
                        await Task.yield()
                    }
                }
            }
            for _ in 0..<4 { try await group.next() }
            isDone.set()
            try await group.waitForAll()
        }
        #expect(database.commitNumber == 1201)
    }

    @Test func `A write started inside a write comes after it`() async throws {
        let order = Log()
        let inner = Mutex<Task<Void, any Error>?>(nil)
        try await database.write { [database] transaction in
            inner.withLock {
                $0 = Task {
                    try await database.write { transaction in
                        order.add("inner sees \(transaction[.books].count)")
                        transaction[.books]["b"] = Book(title: "b")
                    }
                }
            }
            transaction[.books]["a"] = Book(title: "a")
            order.add("outer")
        }
        try await inner.withLock { $0 }?.value
        #expect(order.lines == ["outer", "inner sees 1"])
    }
}

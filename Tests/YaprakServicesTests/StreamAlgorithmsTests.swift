#if Lifecycle
    import AsyncAlgorithms
    import Synchronization
    import TestSupport
    import Testing
    import Yaprak

    /// A value that is counted while it is in memory.
    private struct Counted: Codable, Sendable {
        final class Token: Codable, Sendable {
            private static let count = Atomic(0)
            static var live: Int { count.load(ordering: .relaxed) }

            init() { Self.count.wrappingAdd(1, ordering: .relaxed) }
            convenience init(from decoder: any Decoder) throws { self.init() }
            func encode(to encoder: any Encoder) throws {}
            deinit { Self.count.wrappingSubtract(1, ordering: .relaxed) }
        }

        var token = Token()
    }

    /// What a database publishes goes through swift-async-algorithms.
    @Suite(.bounded) struct StreamAlgorithmsTests {
        /// What was sent or drawn.
        private actor Log {
            private(set) var numbers: [CommitNumber] = []
            private(set) var count = 0

            func send(_ batch: [CommitNumber]) {
                numbers += batch
                count += 1
            }

            func draw(_ visits: Int, at number: CommitNumber) {
                numbers.append(number)
                count = visits
            }
        }

        private func visit(_ count: Int, _ database: Database) async throws {
            for number in 1...count { try await database.write { $0[.visits]["\(number)"] = Visit(count: number) } }
        }

        @Test func `A debounced sequence of snapshots ends up with the newest`() async throws {
            let database = Database.inMemory(), page = Log()
            let drawing = Task {
                // snippet: services-debounce
                for await snapshot in database.snapshots.debounce(for: .milliseconds(50)) {
                    await page.draw(snapshot[.visits].count, at: snapshot.commitNumber)
                }
                // end
            }
            try await visit(500, database)
            while await page.numbers.last != 500 { try await Task.sleep(for: .milliseconds(1)) }
            drawing.cancel()
            await drawing.value
            let drawn = await page.numbers
            #expect(await page.count == 500)
            #expect(drawn == Array(Set(drawn)).sorted() && drawn.count < 500, "\(drawn)")
        }

        @Test func `Changesets in chunks by time leave no commit out`() async throws {
            let database = Database.inMemory(), feed = Log()
            let changes = database.changesets()
            let sending = Task {
                for try await batch in changes.chunked(by: .repeating(every: .milliseconds(5))) {
                    await feed.send(batch.map(\.commitNumber))
                }
            }
            try await visit(500, database)
            while await feed.numbers.last != 500 { try await Task.sleep(for: .milliseconds(1)) }
            sending.cancel()
            _ = await sending.result
            #expect(await feed.numbers == (1...500).map { CommitNumber($0) })
        }

        // The operator keeps the sequence, which kept what it had sent, up to the limits.
        @Test func `Changesets that went through an operator are released`() async throws {
            let database = Database.inMemory(), feed = Log(), counted = RecordCollection<Counted, NoMetadata>("counted")
            let changes = database.changesets()
            let sending = Task {
                for try await batch in changes.chunked(by: .repeating(every: .milliseconds(5))) {
                    await feed.send(batch.map(\.commitNumber))
                }
            }
            func write(_ count: Int) async throws {
                for _ in 0..<count { try await database.write { $0[counted]["a"] = Counted() } }
                let last = database.commitNumber
                while await feed.numbers.last != last { try await Task.sleep(for: .milliseconds(1)) }
            }
            try await write(10_000)
            // The last batch is released with the next one.
            try await write(1)
            for _ in 0..<5_000 where Counted.Token.live >= 1_000 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(Counted.Token.live < 1_000)
            #expect(database.statistics.changesetStreamCount == 1)
            sending.cancel()
            _ = await sending.result
        }

        @Test func `The feed of the page sends what is written while it runs`() async throws {
            let database = Database.inMemory(), feed = Log()
            let sending = Task {
                // snippet: services-chunks
                for try await batch in database.changesets().chunked(by: .repeating(every: .milliseconds(100))) {
                    await feed.send(batch.map(\.commitNumber))
                }
                // end
            }
            while await feed.numbers.isEmpty { try await visit(1, database) }
            sending.cancel()
            _ = await sending.result
            let sent = await feed.numbers
            #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.next() == $1 }, "\(sent)")
        }

        @Test func `Changesets of two databases merge, each in its order`() async throws {
            let first = Database.inMemory(), second = Database.inMemory()
            let merged = merge(
                first.changesets().map { (0, $0.commitNumber) }, second.changesets().map { (1, $0.commitNumber) })
            async let writing: Void = visit(200, first)
            async let alsoWriting: Void = visit(200, second)
            var seen: [[CommitNumber]] = [[], []]
            for try await (index, number) in merged {
                seen[index].append(number)
                if seen[0].count + seen[1].count == 400 { break }
            }
            _ = try await (writing, alsoWriting)
            let all = (1...200).map { CommitNumber($0) }
            #expect(seen == [all, all])
        }
    }
#endif

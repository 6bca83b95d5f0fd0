import HTTPTypes
import Hummingbird
import Testing
import Yaprak
import YaprakTesting

@testable import Inventory

/// Feeds whose clients take what is sent when the test does.
@Suite(.database(.stock), .timeLimit(.minutes(1))) struct ChangeFeedTests {
    private static let connected = ": connected\n\n"

    private func write(_ count: Int, _ database: Database) async throws {
        try await database.write(origin: "test") { $0[.items]["c"]?.count = count }
    }

    /// What a feed says that has to begin again.
    private func reset(_ database: Database) -> String { "id: \(database.commitNumber)\nevent: reset\ndata: []\n\n" }

    // It began at the commit that the request found, and ended at once where another was made before it began.
    @Test func `A commit between a request and its feed is no reason to read the items again`() async throws {
        let database = Database.current.fork()
        let response = ChangeFeeds(database).response(after: nil)
        try await write(1, database)
        var client = FeedClient(response)
        #expect(await client.next() == Self.connected)
        try await write(2, database)
        #expect(await client.next()?.hasPrefix("id: \(database.commitNumber)\nevent: test\n") == true)
        client.leave()
    }

    // While it says that it is connected, a commit may be made. That one is in memory.
    @Test func `A client that comes back with the newest commit misses none, however many feeds read the log`()
        async throws
    {
        let database = Database.current.fork()
        var client = FeedClient(ChangeFeeds(database, logReadersMax: 0).response(after: database.commitNumber))
        #expect(await client.next() == Self.connected)
        try await write(1, database)
        #expect(await client.next()?.hasPrefix("id: \(database.commitNumber)\nevent: test\n") == true)
        client.leave()
    }

    // Each held a copy of the whole database until its client had read all of it.
    @Test func `So many feeds read the log at once, and the clients of the others read the items again`() async throws {
        let database = try await Database.current.fork(on: SimulatedDisk())
        let start = database.commitNumber
        for count in 1...3 { try await write(count, database) }
        let feeds = ChangeFeeds(database, logReadersMax: 1)
        var first = FeedClient(feeds.response(after: start))
        #expect(await first.next() == Self.connected)
        #expect(await first.next()?.hasPrefix("id: \(start.next())\n") == true)
        var second = FeedClient(feeds.response(after: start))
        #expect(await second.rest() == Self.connected + reset(database))
        // One that has caught up lets the next one read.
        _ = await first.next()
        #expect(await first.next()?.hasPrefix("id: \(database.commitNumber)\n") == true)
        first.take()
        while feeds.logReaderCount > 0 { await Task.yield() }
        var third = FeedClient(feeds.response(after: start))
        #expect(await third.next() == Self.connected)
        #expect(await third.next()?.hasPrefix("id: \(start.next())\n") == true)
        // So does one that leaves.
        third.leave()
        while feeds.logReaderCount > 0 { await Task.yield() }
        first.leave()
    }

    @Test func `A client that is far behind reads the items again, when it comes back and while it listens`()
        async throws
    {
        let database = try await Database.current.fork(on: SimulatedDisk())
        let start = database.commitNumber
        for count in 1...3 { try await write(count, database) }
        let feeds = ChangeFeeds(database, commitsBehindMax: 2)
        var far = FeedClient(feeds.response(after: start))
        #expect(await far.rest() == Self.connected + reset(database))
        var near = FeedClient(feeds.response(after: start.next()))
        #expect(await near.next() == Self.connected)
        #expect(await near.next()?.hasPrefix("id: \(start.next().next())\n") == true)
        for count in 4...6 { try await write(count, database) }
        #expect(await near.rest() == reset(database))
        #expect(feeds.logReaderCount == 0)
    }
}

/// A client of a feed. The feed waits until the client has taken what was sent, as for a socket that is full.
struct FeedClient {
    private var sent: AsyncStream<String>.Iterator
    private let taken: AsyncStream<Void>.Continuation
    private let feed: Task<Void, any Error>
    private var hasMore = false

    init(_ response: Response) {
        let (texts, sending) = AsyncStream.makeStream(of: String.self)
        let (takings, taken) = AsyncStream.makeStream(of: Void.self)
        sent = texts.makeAsyncIterator()
        self.taken = taken
        feed = Task { try await response.body.write(Writer(sending: sending, takings: takings.makeAsyncIterator())) }
    }

    /// What was sent next; `nil` at the end. What came before is taken.
    mutating func next() async -> String? {
        if hasMore { take() }
        hasMore = true
        return await sent.next()
    }

    /// All that is sent from here to the end.
    mutating func rest() async -> String {
        var rest = ""
        while let text = await next() { rest += text }
        return rest
    }

    /// Takes what was sent last.
    func take() { taken.yield() }

    /// Closes the connection.
    func leave() { feed.cancel() }

    struct Writer: ResponseBodyWriter {
        let sending: AsyncStream<String>.Continuation
        var takings: AsyncStream<Void>.Iterator

        mutating func write(_ buffer: ByteBuffer) async throws {
            sending.yield(String(buffer: buffer))
            _ = await takings.next()
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { sending.finish() }
    }
}

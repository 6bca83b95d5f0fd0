import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks

/// Does something once, when one is next encoded or decoded, and counts how many are decoded.
private struct Fuse: Codable, Sendable {
    static let action = Mutex<(@Sendable () -> Void)?>(nil)
    static let decoded = Mutex(0)

    var text = String(repeating: "x", count: 200)

    init() {}
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        Self.decoded.withLock { $0 += 1 }
        Self.burn()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
        Self.burn()
    }

    private static func burn() {
        let action = action.withLock { $0.take() }
        action?()
    }
}

extension RecordCollection where Object == Fuse, Metadata == NoMetadata {
    fileprivate static var fuses: Self { Self("fuses") }
}

/// Tasks that are cancelled while a thread works for them.
@Suite(.bounded, .serialized) struct CancellationTests {
    let directory = TemporaryDirectory()
    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    /// The result of a task that is cancelled when the next fuse is encoded or decoded.
    private func cancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let known = Mutex<Task<Value, any Error>?>(nil)
        Fuse.action.withLock { $0 = { known.withLock { $0 }?.cancel() } }
        // Who cancels it finds it known.
        let task = known.withLock { known in
            let task = Task { try await body() }
            known = task
            return task
        }
        return await task.result
    }

    @Test func `A backup that is cancelled while it is written ends, and nothing is left of it`() async throws {
        let database = Database.inMemory()
        try await database.write { for number in 0..<2_000 { $0[.fuses]["\(number)"] = Fuse() } }
        let target = path("backup.yaprak")
        let result = await cancelled { try await database.backup(to: target) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        try await database.backup(to: target)
        let copy = try await Database.open(at: target, collections: .fuses)
        #expect(copy.snapshot[.fuses].count == 2_000)
        try await copy.close()
    }

    @Test func `A checkpoint that is cancelled while it is written ends, and nothing is left of it`() async throws {
        let database = try await Database.open(at: path("shop.yaprak"), collections: .fuses)
        try await database.write { for number in 0..<2_000 { $0[.fuses]["\(number)"] = Fuse() } }
        let before = directory.files(in: "shop.yaprak/ckpt")
        let result = await cancelled { try await database.checkpoint() }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(directory.files(in: "shop.yaprak/ckpt") == before)
        try await database.write { $0[.fuses]["more"] = Fuse() }
        #expect(try await database.checkpoint() == 2)
        try await database.close()
        let reopened = try await Database.open(at: path("shop.yaprak"), collections: .fuses)
        #expect(reopened.recoveryReport?.checkpointCommitNumber == 2 && reopened.snapshot[.fuses].count == 2_001)
        try await reopened.close()
    }

    @Test func `A restore from a directory by a cancelled task changes nothing`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let copy = path("copy.yaprak")
        try await database.backup(to: copy)
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await database.restore(from: copy)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.commitNumber == 2 && database.snapshot[.books].count == 2)
        #expect(try await database.restore(from: copy) == 3)
    }

    /// It got a changeset, and went on with it.
    @Test func `A task that is cancelled while its stream reads the log gets nothing`() async throws {
        let file = path("shop.yaprak")
        let database = try await Database.open(at: file, collections: .fuses)
        for number in 0..<3 { try await database.write { $0[.fuses]["\(number)"] = Fuse() } }
        let result = await cancelled {
            var iterator = database.changesets(after: 0).makeAsyncIterator()
            return try await iterator.next()?.commitNumber
        }
        #expect(try result.get() == nil)
        var iterator = database.changesets(after: 0).makeAsyncIterator()
        #expect(try await iterator.next()?.commitNumber == 1)
        try await database.close()
    }

    // What does not decode is not counted: all records were decoded for it at once, whether or not anybody waited.
    @Test func `A task that is cancelled while a removal of everything is counted in the log does not wait for it`()
        async throws
    {
        let lenient = RecordCollection<Fuse, NoMetadata>.fuses.configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path("shop.yaprak"), collections: lenient)
        try await database.write { for number in 0..<10_000 { $0[.fuses]["\(number)"] = Fuse() } }
        try await database.write { $0[.fuses].removeAll() }
        // Nothing is left to be encoded.
        try await database.flush()
        let before = Fuse.decoded.withLock { $0 }
        let result = await cancelled {
            var iterator = database.changesets(after: 1).makeAsyncIterator()
            return try await iterator.next()?.commitNumber
        }
        #expect(try result.get() == nil)
        #expect(1...2_048 ~= Fuse.decoded.withLock { $0 } - before)
        var iterator = database.changesets(after: 1).makeAsyncIterator()
        #expect(try await iterator.next()?.changes(in: .fuses).removedAllCount == 10_000)
        try await database.close()
    }
}

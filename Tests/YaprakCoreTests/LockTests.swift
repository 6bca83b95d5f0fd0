import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakCore

/// Reads the database when its last reference goes, as an observed model or a cache may.
private final class Watcher: Codable, Sendable {
    static let database = Mutex<Database?>(nil)

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
    deinit {
        // In a debug build each of these traps if the thread holds any lock of the engine's.
        guard let database = Self.database.withLock({ $0 }) else { return }
        _ = database.commitNumber
        _ = database.snapshot.collectionNames
        _ = database.pendingWriteCount
        _ = database.changesets()
    }
}

private struct Watched: Codable, Sendable {
    var watcher = Watcher()
}

extension RecordCollection where Object == Watched, Metadata == NoMetadata {
    fileprivate static var watched: Self { Self("watched") }
}

@Suite(.bounded) struct LockTests {
    #if DEBUG
        @Test func `A lock taken against the order of the ranks stops a debug build`() async {
            await #expect(processExitsWith: .failure) {
                let low = Mutex(0, rank: .publication), high = Mutex(0, rank: .timeline)
                high.withLock { _ in low.withLock { _ in } }
            }
            await #expect(processExitsWith: .failure) {
                let one = Mutex(0), other = Mutex(0)
                one.withLock { _ in other.withLock { _ in } }
            }
            await #expect(processExitsWith: .success) {
                let low = Mutex(0, rank: .publication), high = Mutex(0, rank: .timeline)
                for _ in 0..<3 { low.withLock { _ in high.withLock { _ in } } }
            }
        }
    #endif

    @Test func `A history that is moved from within its own decoding stops with a sentence`() async {
        await #expect(processExitsWith: .failure) {
            let object = Exclusive([1, 2, 3])
            object.use { _ in object.use { _ in } }
        }
    }

    @Test func `A value whose deinit uses the database may go anywhere`() async {
        await #expect(processExitsWith: .success) {
            let database = Database.inMemory()
            Watcher.database.withLock { $0 = database }
            await withTaskGroup(of: Void.self) { group in
                // Streams that hold the last reference to a changeset are made, advanced and dropped beside the writers.
                for task in 0..<2 {
                    group.addTask {
                        for round in 0..<300 {
                            var iterator: ChangesetSequence.Iterator? = database.changesets().makeAsyncIterator()
                            try? await database.write { $0[.watched]["\(task)"] = Watched() }
                            if round % 3 == 0 { _ = try? await iterator?.next() }
                            try? await database.write { $0[.watched]["\(task)"] = Watched() }
                            iterator = nil
                        }
                    }
                }
                group.addTask { for _ in 0..<2_000 { _ = database.changesets() } }
                group.addTask {
                    let connection = database.makeConnection(named: "reader")
                    for _ in 0..<300 { _ = await connection.advance() }
                }
                group.addTask {
                    for round in 0..<50 {
                        let fork = database.fork()
                        try? await fork.write { $0[.watched]["fork"] = Watched() }
                        if round % 2 == 0 { try? await fork.close() }
                    }
                }
            }
            try? await database.write { $0[.watched].removeAll() }
            try? await database.close()
            Watcher.database.withLock { $0 = nil }
        }
    }
}

import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// Holds a database, as an extension of a user may.
private final class Held: Sendable { let database = YaprakLocks.Mutex<Database?>(nil) }

private struct Keeper: DatabaseExtension {
    let name = "keeper"
    let held: Held
    func makeRoot() -> Int { 0 }
    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? { nil }
}

/// The first that is released on the log's thread keeps it for a while.
private final class SlowInfo: Codable, Sendable {
    static let began = Flag(), goOn = Flag()
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(0)
    }
    deinit {
        Self.began.set()
        Self.goOn.wait()
    }
}

/// What runs on the log's thread, and what must not run elsewhere.
@Suite(.bounded) struct LogThreadTests {
    private static func prepared() async throws -> (disk: MemoryFileSystem, database: Database) {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        options.store.attestAfter = .zero
        let disk = MemoryFileSystem()
        let database = try await Database.open(at: "/db", options: options, fileSystem: disk, collections: .books)
        for i in 0..<2 {
            try await database.write { $0[.books]["\(i)"] = Book(title: "x") }
            try await database.checkpoint()
        }
        try await database.write { $0[.books]["2"] = Book(title: "x") }
        return (disk, database)
    }

    // The commits that were queued were refused on the checkpoint's thread, while those before them were completed on the
    // log's: a writer in between came upon a precondition.
    @Test func `A sync that fails while segments are removed makes the database read-only, and no more`() async throws {
        let (dry, other) = try await Self.prepared()
        let before = dry.calls(.syncDirectory)
        try await other.checkpoint()
        // The last sync of a directory in a third checkpoint is the one after segments were removed.
        let last = dry.calls(.syncDirectory) - before
        try await other.close()
        for _ in 0..<5 {
            let (disk, database) = try await Self.prepared()
            disk.fail(.syncDirectory, nth: last, errno: .ioError)
            disk.delayCalls { usleep(2_000) }
            let isOver = Flag()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for n in 0..<32 {
                    group.addTask {
                        var written = 0
                        while !isOver.isSet {
                            do {
                                let title = "\(written)"
                                try await database.write { $0[.books]["w\(n)"] = Book(title: title) }
                                written += 1
                            } catch let error as DatabaseError {
                                #expect([.readOnly, .abandoned, .syncFailed].contains(error.code), "\(error)")
                                try await Task.sleep(for: .milliseconds(1))
                            }
                        }
                        // What was acknowledged is there.
                        let last = written == 0 ? nil : "\(written - 1)"
                        #expect(database.snapshot[.books]["w\(n)"]?.title == last)
                        return written
                    }
                }
                group.addTask {
                    try await database.checkpoint()
                    try await Task.sleep(for: .milliseconds(100))
                    isOver.set()
                    return 0
                }
                try await group.waitForAll()
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.books]["z"] = Book(title: "z") }
            }
            #expect(error?.code == .readOnly)
            disk.delayCalls(nil)
            try? await database.close()
        }
    }

    private static func use(_ disk: MemoryFileSystem) async throws {
        let database = try await Database.open(
            at: "/db", options: DatabaseOptions(), fileSystem: disk, collections: .books)
        let held = Held()
        held.database.withLock { $0 = database }
        _ = try await database.register(Keeper(held: held))
        let (isBusy, mayGoOn) = (Flag(), Flag())
        disk.delayCalls {
            isBusy.set()
            mayGoOn.wait()
        }
        let log = try #require(database.files).store.logThread
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.write { $0[.books]["0"] = Book(title: "0") } }
            // The log is busy meanwhile: the next two are one group.
            while !isBusy.isSet { try await Task.sleep(for: .milliseconds(1)) }
            for key in ["a", "b"] {
                group.addTask {
                    try await database.write {
                        $0[.books][key] = Book(title: key)
                        $0.setInfo(SlowInfo())
                    }
                }
            }
            while log.queue.withLock({ $0.entries.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
            mayGoOn.set()
            try await group.waitForAll()
        }
        while !SlowInfo.began.isSet { try await Task.sleep(for: .milliseconds(1)) }
        disk.delayCalls(nil)
        _ = try await database.unregister("keeper")
    }

    // It waited for itself, forever, with the lock of the directory.
    @Test func `A database that the log's thread is the last to let go of closes its files`() async throws {
        let disk = MemoryFileSystem()
        try await Self.use(disk)
        try await Task.sleep(for: .milliseconds(50))
        SlowInfo.goOn.set()
        var again: Database?
        for _ in 0..<3_000 {
            again = try? await Database.open(
                at: "/db", options: DatabaseOptions(), fileSystem: disk, collections: .books)
            if again != nil { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        let opened = try #require(again, "the log's thread waits for itself, and the lock is never released")
        #expect(opened.snapshot[.books].count == 3)
        try await opened.close()
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore

/// What is promised where two features meet: records set aside and restores, names and shelves, limits and removals.
@Suite(.boundedInPool) struct EdgeTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    /// Opens a database in which the record `bad` is set aside, and `good` is not.
    private func openWithBadRecord() async throws -> Database {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for key in ["bad", "good"] { $0[.books][key] = Book(title: key) } }
        try await database.close()
        return try await Database.open(at: path, collections: ReviewTests.lenient)
    }

    // The typed rows came back, and the bytes set aside did not.
    @Test func `A restore that can't bring back what was set aside changes nothing and says so`() async throws {
        let database = try await openWithBadRecord()
        let before = database.snapshot
        #expect(before.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.write { $0[ReviewTests.strict]["good"]?.title = "better" }
        // Still there: only what differs is restored.
        try await database.restore(before)
        #expect(database.snapshot[ReviewTests.strict]["good"]?.title == "good")
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        let mended = database.snapshot
        try await database.write { $0[ReviewTests.strict].removeAll() }
        let number = database.commitNumber
        let error = await #expect(throws: DatabaseError.self) { try await database.restore(mended) }
        #expect(error?.code == .undecodableRecord && error?.place.key == "bad")
        #expect(database.commitNumber == number && database.snapshot[ReviewTests.strict].isEmpty)
        // From there on nothing is set aside, and a restore is one again.
        try await database.write { $0[ReviewTests.strict]["new"] = .init(title: "new") }
        let after = database.snapshot
        try await database.write { $0[ReviewTests.strict].removeAll() }
        try await database.restore(after)
        #expect(database.snapshot[ReviewTests.strict].map(\.key) == ["new"])
        try await database.close()
    }

    // Its state was taken off the shelf, and the next checkpoint was without it.
    @Test func `Primary state that waits for its extension is not lost to a derived one of its name`() async throws {
        let database = Database.inMemory()
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        try await database.unregister("pins")
        let error = await #expect(throws: DatabaseError.self) {
            try await database.register(Counter(name: "pins"))
        }
        #expect(error?.code == .nameTaken)
        try await database.register(Pins())
        #expect(database.snapshot[Pins()] == ["a"])
    }

    @Test func `Info of another type is nil in memory, and the stream goes on`() async throws {
        let database = Database.inMemory()
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0.setInfo("text") }
        let changeset = try #require(await connection.advance().first)
        #expect(try changeset.info(as: Int.self) == nil)
        #expect(try changeset.info(as: String.self) == "text")
    }

    @Test func `A key over the limit that has no record is no error, and one that has can go`() async throws {
        var low = DatabaseOptions()
        low.limits.keyBytesMax = 100
        let long = String(repeating: "k", count: 101)
        let database = Database.inMemory(options: low)
        let removed = try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "x")
            transaction[.books].touchObject(for: long)
            transaction[.books][long] = nil
            return transaction[.books].remove(long) != nil
        }
        #expect(!removed && database.snapshot[.books].count == 1)
        let origin = Database.inMemory()
        let empty = origin.snapshot
        try await origin.write { $0[.books][long] = Book(title: "x") }
        let full = origin.snapshot
        let fork = origin.fork(options: low)
        try await fork.write { $0[.books][long]?.title = "y" }
        #expect(fork.snapshot[.books][long]?.title == "y")
        try await fork.write { $0[.books].remove(long) }
        #expect(fork.snapshot[.books].isEmpty)
        var error = await #expect(throws: DatabaseError.self) {
            try await fork.write { $0[.books][long] = Book(title: "z") }
        }
        #expect(error?.code == .keyTooLong)
        error = await #expect(throws: DatabaseError.self) { try await fork.restore(full) }
        #expect(error?.code == .keyTooLong && fork.snapshot[.books].isEmpty)
        let other = origin.fork(options: low)
        try await other.restore(empty)
        #expect(other.snapshot[.books].isEmpty)
    }

    // The row went into the hidden collection, and the next launch took that for a program's.
    @Test func `Collections of the engine's own can't be written untyped`() async throws {
        let database = try await openWithBadRecord()
        let hidden = try #require(database.snapshot.state.directory.bindings.first { $0.isHidden }).name
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.setUntyped(["title": "x"], for: "x", inCollectionNamed: hidden) }
        }
        #expect(error?.code == .invalidName)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.close()
    }

    // What was set aside since came back with a type that decodes it.
    @Test func `A restore takes away what was set aside since`() async throws {
        let database = try await openWithBadRecord()
        let fork = database.fork()
        try await fork.write { $0[ReviewTests.strict].remove("bad") }
        try await database.restore(fork.snapshot)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.snapshot[ReviewTests.strict].map(\.key) == ["good"])
        try await database.close()
        let again = try await Database.open(at: path, collections: .books)
        #expect(again.snapshot[.books].map(\.key) == ["good"])
        try await again.close()
    }

    @Test func `A restore from a backup takes away what was set aside since`() async throws {
        let first = try await Database.open(at: path, collections: .books)
        try await first.write { $0[.books]["good"] = Book(title: "good") }
        let copy = FilePath(directory.appending("copy.yaprak"))
        try await first.backup(to: copy)
        try await first.write { $0[.books]["bad"] = Book(title: "bad") }
        try await first.close()
        let database = try await Database.open(at: path, collections: ReviewTests.lenient)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.restore(from: copy)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await database.close()
    }

    @Test func `Removing a record that is set aside says that there was one`() async throws {
        let database = try await openWithBadRecord()
        let removed = try await database.write { transaction in
            ["bad", "good", "none"].map { transaction.removeUntyped($0, inCollectionNamed: "books") }
        }
        #expect(removed == [true, true, false])
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await database.close()
    }

    // They threw `abandoned` until somebody wrote, with every commit that was published on disk.
    @Test(arguments: [true, false], [true, false])
    func `A disk that has room again takes a flush and a checkpoint`(flushesFirst: Bool, closes: Bool) async throws {
        let files = MemoryFileSystem()
        func open() async throws -> Database {
            try await Database.open(at: "/shop", options: .init(), fileSystem: files, collections: .books)
        }
        let database = try await open()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        files.setCapacity(files.usedBytes)
        var random = SplitMix64(seed: 1)
        let title = String(decoding: (0..<600_000).map { _ in UInt8(48 + random.below(10)) }, as: UTF8.self)
        var code: DatabaseError.Code?
        for index in 0..<12 where code == nil {
            do {
                try await database.write { $0[.books]["\(index)"] = Book(title: title) }
            } catch let error as DatabaseError {
                code = error.code
            }
        }
        #expect(code == .diskFull)
        files.setCapacity(nil)
        if flushesFirst { try await database.flush() }
        if closes {
            // Whichever is first, both end.
            async let checkpoint = try? database.checkpoint()
            async let flush: Void? = try? database.flush()
            try await database.close()
            _ = await (checkpoint, flush)
            return
        }
        #expect(try await database.checkpoint() == database.commitNumber)
        try await database.flush()
        let count = database.snapshot[.books].count
        try await database.write { $0[.books]["more"] = Book(title: "more") }
        try await database.close()
        let again = try await open()
        #expect(again.snapshot[.books].count == count + 1)
        try await again.close()
    }

    // The log has no changes of extensions: those of commits that were read from it were left out.
    @Test func `A slow consumer of an extension's changes learns that it is behind, with a file, too`() async throws {
        var options = DatabaseOptions()
        options.lagLimit = 10
        options.durability = .relaxed
        let database = try await Database.open(at: path, options: options, collections: .books)
        let counter = Counter()
        let host = try await database.register(counter)
        var slow = host.changes(of: counter).makeAsyncIterator()
        for index in 0..<600 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
        let error = await #expect(throws: DatabaseError.self) { while try await slow.next() != nil {} }
        #expect(error?.code == .laggedBehind)
        // One that keeps up gets them all.
        var quick = host.changes(of: counter).makeAsyncIterator()
        for index in 0..<8 { try await database.write { $0[.books]["more \(index)"] = Book(title: "x") } }
        try await database.close()
        var count = 0
        while try await quick.next() != nil { count += 1 }
        #expect(count == 8)
    }

    /// Encodes while it is empty, and throws afterwards.
    private struct Poison: PrimaryExtension {
        struct Refusal: Error {}
        let name = "poison"
        let tries = TryCount()
        func makeRoot() -> [String] { [] }
        func apply(_ operation: String, to root: inout [String]) -> Never? {
            root.append(operation)
            return nil
        }
        func encode(_ root: [String]) throws -> [UInt8]? {
            if root.isEmpty { return [0x80] }
            tries.add()
            throw Refusal()
        }
        func decode(_ bytes: [UInt8]) throws -> [String] { [] }
    }

    private final class TryCount: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    // It was logged as one that failed, with the advice to open the database again.
    @Test func `A checkpoint that begins after the database was closed is none that failed`() async throws {
        var options = DatabaseOptions()
        options.checkpoints = .every(bytes: 1)
        let database = try await Database.open(at: path, options: options, collections: .books)
        let files = try #require(database.files)
        // The write begins none, as another is under way.
        #expect(files.checkpoints.takeIfFree())
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        files.checkpoints.pass()
        try await database.close()
        #expect(files.isCheckpointDue)
        try await database.checkpointIfDue()
        #expect(files.checkpoints.failedAt.bytes == 0 && !files.checkpoints.isTaken)
    }

    // It was tried again after every commit: each try wrote all records up to what failed.
    @Test func `A checkpoint that fails is tried again when the log has grown as much again`() async throws {
        var options = DatabaseOptions()
        options.checkpoints = .every(bytes: 20_000)
        let database = try await Database.open(at: path, options: options, collections: .books)
        let poison = Poison()
        try await database.register(poison)
        try await database.write { try $0.perform("x", on: poison) }
        try await database.write { transaction in
            for index in 0..<2_000 { transaction[.books]["\(index)"] = Book(title: "title \(index)") }
        }
        for _ in 0..<2_000 where poison.tries.count == 0 {
            try await database.write { $0[.books]["a"] = Book(title: "first") }
            try await Task.sleep(for: .milliseconds(1))
        }
        let first = poison.tries.count
        #expect(first > 0)
        for index in 0..<40 {
            try await database.write { $0[.books]["a"] = Book(title: "\(index)") }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(poison.tries.count <= first + 2)
        try await database.write { transaction in
            for index in 0..<20_000 {
                transaction[.books]["more \(index)"] = Book(title: "title \(index * 7919 % 20_000)")
            }
        }
        for _ in 0..<2_000 where poison.tries.count == first {
            try await database.write { $0[.books]["a"] = Book(title: "last") }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(poison.tries.count > first)
        try await database.close()
    }

    // It was said to be missing, with the remedy to make it.
    @Test func `A parent directory that refuses to be opened is not taken for a missing one`() async throws {
        let files = MemoryFileSystem()
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        files.plan(.openDirectory, nth: 1, .error(.permissionDenied))
        let refused = await #expect(throws: DatabaseError.self) {
            try await database.backup(nil, to: "/copy", fileSystem: files)
        }
        #expect(refused?.code == .permissionDenied)
        files.healFaults()
        // The directory itself is not there yet; then comes its parent.
        files.plan(.openDirectory, nth: 2, .error(.permissionDenied))
        let unopened = await #expect(throws: DatabaseError.self) {
            try await Database.open(at: "/shop", options: .init(), fileSystem: files, collections: .books)
        }
        #expect(unopened?.code == .permissionDenied)
        files.healFaults()
        let missing = await #expect(throws: DatabaseError.self) {
            try await database.backup(nil, to: "/none/copy", fileSystem: files)
        }
        #expect(missing?.code == .notFound)
        try await database.backup(nil, to: "/copy", fileSystem: files)
    }
}

import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// What closing throws: the comment listed errors of writing, which it throws only where the files were removed.
@Suite(.bounded) struct ClosingErrorTests {
    private let disk = MemoryFileSystem()

    private func open() async throws -> Database {
        var options = CrashTests.options
        options.durability = .relaxed
        return try await Database.open(
            at: "/db", options: options, bindings: [TypedBinding(.books)], fileSystem: disk)
    }

    @Test(arguments: [Errno.noSpace, .ioError, .readOnlyFileSystem])
    func `Closing does not fail because of writes, and loses nothing`(errno: Errno) async throws {
        let database = try await open()
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        disk.fail(.write, nth: 1, errno: errno, forever: true)
        try await database.close()
        disk.healFaults()
        let again = try await open()
        #expect(again.snapshot[.books].count == 1)
        try await again.close()
    }

    @Test func `Flushing and closing report that the files were removed, and a backup still succeeds`() async throws {
        let database = try await open()
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
        let flushing = await #expect(throws: DatabaseError.self) { try await database.flush() }
        #expect(flushing?.code == .writeFailed)
        try await database.backup(nil, to: "/elsewhere", fileSystem: disk)
        let closing = await #expect(throws: DatabaseError.self) { try await database.close() }
        #expect(closing?.code == .writeFailed)
        let again = try await Database.open(
            at: "/elsewhere", options: CrashTests.options, bindings: [TypedBinding(.books)], fileSystem: disk)
        #expect(again.snapshot[.books].count == 1)
        try await again.close()
    }

    @Test func `Closing reports a sync that fails, and leaves the directory free`() async throws {
        let database = try await open()
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        disk.fail(.syncData, nth: 1, errno: .ioError, forever: true)
        let error = await #expect(throws: DatabaseError.self) { try await database.close() }
        #expect(error?.code == .syncFailed)
        disk.healFaults()
        let again = try await open()
        try await again.close()
    }
}

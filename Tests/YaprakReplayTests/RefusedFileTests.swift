import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore

/// What calls throw that read files, where the file system refuses: the codes in their comments.
///
/// Most comments had `ioFailed` only, and a program that asked its user for rights never did.
@Suite(.bounded) struct RefusedFileTests {
    private let disk = MemoryFileSystem()

    /// A database of three commits, two of them in a checkpoint.
    private func make() async throws {
        var options = DatabaseOptions()
        options.retention = .all
        options.store.preallocationBytes = 4 << 10
        let database = try await Database.open(
            at: "/shop", options: options, bindings: [TypedBinding(.books)], fileSystem: disk)
        for number in 1...3 {
            try await database.write { $0[.books]["a"] = Book(title: "\(number)") }
            if number == 2 { try await database.checkpoint() }
        }
        try await database.close()
    }

    private static let calls: [(name: String, call: @Sendable (ReplayReader) throws -> Void)] = [
        ("newestCommitNumber", { _ = try $0.newestCommitNumber() }),
        ("snapshot", { _ = try $0.snapshot() }),
        ("statistics", { _ = try $0.statistics() }),
        ("segments", { _ = try $0.segments() }),
        ("checkpoints", { _ = try $0.checkpoints() }),
        ("commitsBackwards", { _ = try $0.commitsBackwards() }),
        ("cursor", { _ = try $0.cursor() }),
        ("changes", { _ = try $0.changes(from: 1, to: 3) }),
        ("views", { _ = try $0.views() }),
        ("index", { _ = try CommitIndex($0).entries(in: 1...3) }),
        (
            "commits",
            { reader in
                var commits = reader.commits().makeAsyncIterator()
                _ = try commits.next()
            }
        ),
    ]

    @Test(arguments: [
        (DiskError.Operation.open, Errno.permissionDenied, DatabaseError.Code.permissionDenied),
        (.list, .fileTooLarge, .overLimit),
    ])
    func `A file that is refused and a folder with too many names have codes of their own`(
        operation: DiskError.Operation, errno: Errno, code: DatabaseError.Code
    ) async throws {
        try await make()
        for (name, call) in Self.calls {
            let reader = try ReplayReader("/shop", fileSystem: disk)
            disk.fail(operation, nth: 1, errno: errno, forever: true)
            let error = #expect(throws: DatabaseError.self, "\(name)") { try call(reader) }
            #expect(error?.code == code, "\(name)")
            disk.healFaults()
            #expect(throws: Never.self, "\(name)") { try call(reader) }
        }
    }
}

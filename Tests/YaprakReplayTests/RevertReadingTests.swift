import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakStorage

@testable import YaprakReplay

/// A revert reads files before its turn: nobody waits for the disk, and what is compared is what is newest in the turn.
@Suite(.bounded) struct RevertReadingTests {
    let directory = TemporaryDirectory()
    private var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    /// Commit 2 is the one to revert.
    private func prepare(_ options: DatabaseOptions = replayable()) async throws -> Database {
        let database = try await Database.open(at: path, options: options, collections: .books)
        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune", rank: 5)
            transaction[.books]["emma"] = Book(title: "Emma", rank: 7)
        }
        try await database.write { transaction in
            transaction[.books]["dune"]?.rank = 3
            transaction[.books]["emma"]?.rank = 2
        }
        return database
    }

    /// Everything, and choices that are read in other ways.
    private static func choices() throws -> [ReplayRevert.Choice] {
        var ofKey = ReplayRevert.Choice(), ofField = ofKey, withCondition = ofKey
        ofKey.key = "dune"
        ofField.fields = ["rank"]
        withCondition.condition = try ReplayExpression("before.rank == 5", about: .change)
        return [.init(), ofKey, ofField, withCondition]
    }

    /// A revert of commit 2 that has begun to read and waits for its disk.
    private func held(
        _ database: Database, _ choice: ReplayRevert.Choice, by disk: HeldFileSystem
    ) async throws -> Task<ReplayRevert, any Error> {
        let path = path
        let revert = Task {
            try await database.revert(
                2...2, choosing: choice, overwritesConflicts: false, origin: "revert",
                by: { try ReplayReader(path, fileSystem: disk) })
        }
        while !disk.isReached.isSet { try await Task.sleep(for: .microseconds(200)) }
        return revert
    }

    // It read in its turn: all other writers, and who closes, waited for the disk.
    @Test(arguments: 0..<4)
    func `Another write ends while a revert reads, and what it changed is a conflict`(choice: Int) async throws {
        let database = try await prepare()
        let disk = HeldFileSystem()
        // A revert that reads in its turn would hold the write below forever.
        let rescue = Task { if (try? await Task.sleep(for: .seconds(60))) != nil { disk.letGo.set() } }
        defer { rescue.cancel() }
        let revert = try await held(database, try Self.choices()[choice], by: disk)
        try await database.write { $0[.books]["dune"]?.rank = 9 }
        #expect(!disk.letGo.isSet)
        #expect(!disk.wasInTask.isSet, "files are read on a thread that no task waits for")
        disk.letGo.set()
        let conflict = await #expect(throws: ReplayRevertConflict.self) { try await revert.value }
        #expect(conflict?.revert.conflicts.map(\.key) == ["dune"])
        #expect(database.snapshot[.books]["emma"]?.rank == 2 && database.commitNumber == 3)
        try await database.close()
    }

    @Test(arguments: 0..<4)
    func `A revert beside writes of other records is the same as one alone`(choice: Int) async throws {
        let database = try await prepare()
        let disk = HeldFileSystem()
        let chosen = try Self.choices()[choice]
        let alone = try ReplayReader(path).revert(of: 2...2, in: database.snapshot, choosing: chosen)
        let revert = try await held(database, chosen, by: disk)
        try await database.write { $0[.books]["other"] = Book(title: "Other") }
        disk.letGo.set()
        let done = try await revert.value
        #expect(done.changes == alone.changes && done.conflicts.isEmpty && !done.changes.isEmpty)
        #expect(done.coverage.reverted == alone.coverage.reverted && done.coverage.partly == alone.coverage.partly)
        #expect(database.snapshot[.books]["dune"]?.rank == 5 && database.snapshot[.books]["other"] != nil)
        #expect(database.commitNumber == 4)
        try await database.close()
    }

    // It opened the path, and took what another database has there for what the records had been.
    @Test func `A revert reads the directory that is open, wherever its path leads by now`() async throws {
        let database = try await prepare()
        try FileManager.default.moveItem(atPath: path.string, toPath: directory.appending("moved.yaprak"))
        let other = try await Database.open(at: path, options: replayable(), collections: .books)
        for rank in 20...22 { try await other.write { $0[.books]["dune"] = Book(title: "Dune", rank: rank) } }
        try await database.revert(2...2)
        #expect(database.snapshot[.books]["dune"]?.rank == 5 && database.snapshot[.books]["emma"]?.rank == 7)
        try await database.close()
        try await other.close()
    }

    @Test func `A revert that is cancelled while it reads writes nothing`() async throws {
        let database = try await prepare()
        let disk = HeldFileSystem()
        let revert = try await held(database, .init(), by: disk)
        revert.cancel()
        disk.letGo.set()
        await #expect(throws: CancellationError.self) { try await revert.value }
        #expect(database.commitNumber == 2)
        try await database.close()
    }

    // It asked once for each commit, whatever a condition looked through for each of its changes.
    @Test func `A revert that nobody waits for any more ends while it asks a condition`() async throws {
        let database = try await prepare()
        try await database.write { for number in 0..<500 { $0[.books]["\(number)"] = Book(title: "Other") } }
        var choice = ReplayRevert.Choice()
        choice.condition = try ReplayExpression("all(books, all(books, .title != 'Ulysses'))", about: .change)
        let reader = try ReplayReader(path)
        var asked = 0
        func isCancelled() -> Bool {
            asked += 1
            return asked > 100
        }
        let revert = Result {
            try reader.revert(of: 3...3, in: database.snapshot, choosing: choice, unless: isCancelled)
        }
        #expect(throws: CancellationError.self) { try revert.get() }
        #expect(asked < 110)
        try await database.close()
    }

    @Test(arguments: 0..<4)
    func `Commits that are pruned before they are read are out of reach, and afterwards nothing is missed`(
        choice: Int
    ) async throws {
        var options = replayable()
        options.store.segmentBytesMax = 4 << 10
        options.store.preallocationBytes = 0
        options.retention = .checkpoints(1)
        let database = try await prepare(options)
        let chosen = try Self.choices()[choice]
        let logged = try ReplayRevert.LoggedChanges(of: 2...2, chosen, ReplayReader(path), in: database.snapshot)
        let expected = logged.revert(in: database.snapshot)
        let disk = HeldFileSystem()
        let revert = try await held(database, chosen, by: disk)
        for number in 1...45 {
            let noise = (0..<20).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
            try await database.write { $0[.books]["\(number)"] = Book(title: noise) }
            if number.isMultiple(of: 15) { try await database.checkpoint() }
        }
        try #require(try ReplayReader(path).oldestCommitNumber() ?? 1000 > 2)
        disk.letGo.set()
        let error = await #expect(throws: DatabaseError.self) { try await revert.value }
        #expect(error?.code == .commitOutOfReach, "\(String(describing: error))")
        #expect(database.commitNumber == 47)
        // What was read before is all that a revert needs.
        #expect(logged.revert(in: database.snapshot).changes == expected.changes)
        #expect(logged.revert(in: database.snapshot).coverage.reverted == [2])
        try await database.close()
    }
}

/// A disk whose first listing waits until it is let go.
private final class HeldFileSystem: FileSystem {
    let isReached = Flag()
    let letGo = Flag()
    /// Whether a task waited for a call: then its thread was one that tasks share.
    let wasInTask = Flag()

    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        note()
        return HeldDirectory(try PosixFileSystem().openDirectory(path), self)
    }

    func note() { if withUnsafeCurrentTask(body: { $0 != nil }) { wasInTask.set() } }

    func pass() {
        note()
        isReached.set()
        letGo.wait()
    }
}

private final class HeldDirectory: ReadOnlyDirectory {
    private let base: any Directory
    private let system: HeldFileSystem

    init(_ base: any Directory, _ system: HeldFileSystem) {
        self.base = base
        self.system = system
    }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        HeldDirectory(try base.openDirectory(name), system)
    }
    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        system.note()
        return try base.open(name, mode)
    }
    func list(limit: Int) throws(DiskError) -> [String] {
        system.pass()
        return try base.list(limit: limit)
    }
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        try base.link(source, to: target, in: directory)
    }
}

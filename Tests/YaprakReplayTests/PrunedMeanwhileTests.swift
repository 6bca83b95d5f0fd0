import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay
import YaprakStorage

/// Who asks for the newest commit gets one, whatever a writer prunes between two calls to the disk.
@Suite(.bounded) struct PrunedMeanwhileTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    /// A directory, and what a writer makes of it: nothing in the second leads to the newest commit of the first, which
    /// is some commits behind a checkpoint.
    private func prepare(behindCheckpoint count: Int = 5) async throws -> (old: CommitNumber, new: CommitNumber) {
        var options = replayable()
        options.store.segmentBytesMax = 4 << 10
        options.store.preallocationBytes = 0
        options.retention = .checkpoints(1)
        let database = try await Database.open(at: path("new"), options: options, collections: .books, .notes)
        try await database.register(
            AutoView(
                "titles", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)
        )
        func write(_ commits: Int) async throws {
            for _ in 1...commits {
                let number = database.commitNumber.rawValue + 1
                try await database.write { transaction in
                    transaction[.notes]["last"] = "commit \(number)"
                    transaction[.books]["\(number % 7)"] = Book(title: "commit \(number)")
                }
            }
        }
        try await write(20)
        try await database.checkpoint()
        if count > 0 { try await write(count) }
        let old = database.commitNumber
        try await database.flush()
        try FileManager.default.copyItem(atPath: path("new").string, toPath: path("old").string)
        for _ in 1...3 {
            try await write(60)
            try await database.checkpoint()
        }
        let new = database.commitNumber
        try await database.close()
        #expect(throws: DatabaseError.self) { try ReplayReader(self.path("new")).snapshot(at: old) }
        return (old, new)
    }

    /// Runs `body` with the writer at work behind the first call to the disk, then behind the second, and so on.
    private func sweep(_ body: (ReplayReader) throws -> CommitNumber) async throws -> Set<CommitNumber> {
        var answers: Set<CommitNumber> = []
        for calls in 0... {
            let disk = TurningFileSystem(PosixFileSystem(), to: path("new"), after: calls)
            let reader = try ReplayReader(path("old"), fileSystem: disk)
            do {
                answers.insert(try body(reader))
            } catch {
                Issue.record("after \(calls) calls: \(error)")
            }
            if !disk.hasTurned { break }
        }
        return answers
    }

    private func isWhole(_ snapshot: Snapshot) -> Bool {
        snapshot.untyped("notes")["last"]?.object == .text("commit \(snapshot.commitNumber)")
    }

    @Test func `The newest snapshot is read beside a writer that prunes`() async throws {
        let numbers = try await prepare()
        let answers = try await sweep { reader in
            let snapshot = try reader.snapshot()
            #expect(isWhole(snapshot))
            return snapshot.commitNumber
        }
        #expect(answers == [numbers.old, numbers.new])
    }

    @Test func `A cursor begins at the newest commit beside a writer that prunes`() async throws {
        let numbers = try await prepare()
        let answers = try await sweep { reader in
            let cursor = try reader.cursor()
            #expect(isWhole(cursor.snapshot))
            return cursor.commitNumber
        }
        #expect(answers == [numbers.old, numbers.new])
    }

    @Test func `A cursor that went back goes on to the end beside a writer that prunes`() async throws {
        let numbers = try await prepare()
        let answers = try await sweep { reader in
            let cursor = try reader.cursor()
            try cursor.step(-3)
            try cursor.step(1000)
            #expect(isWhole(cursor.snapshot))
            return cursor.commitNumber
        }
        #expect(answers == [numbers.old, numbers.new])
    }

    @Test func `The newest commit is forked beside a writer that prunes`() async throws {
        let numbers = try await prepare()
        let fork = path("fork")
        let answers = try await sweep { reader in
            defer { try? FileManager.default.removeItem(atPath: fork.string) }
            let report = try reader.fork(to: fork)
            let forked = try ReplayReader(fork).snapshot()
            #expect(isWhole(forked))
            return report.commitNumber
        }
        #expect(answers == [numbers.old, numbers.new])
    }

    @Test func `A view as of the newest commit is read beside a writer that prunes`() async throws {
        // Its rows are in checkpoints alone.
        _ = try await prepare(behindCheckpoint: 0)
        _ = try await sweep { reader in
            let groups = try reader.view("titles").groupNames
            #expect(!groups.isEmpty)
            return 0
        }
    }
}

/// A disk on which a directory becomes another one at a certain call.
private final class TurningFileSystem: FileSystem {
    private let base: any FileSystem
    private let other: FilePath
    private let callsLeft: Mutex<Int>

    init(_ base: any FileSystem, to other: FilePath, after calls: Int) {
        self.base = base
        self.other = other
        callsLeft = Mutex(calls)
    }

    var hasTurned: Bool { callsLeft.withLock { $0 < 0 } }

    /// Counts a call; whether it meets the other directory.
    func meetsOther() -> Bool {
        callsLeft.withLock { calls in
            calls = max(calls - 1, -1)
            return calls < 0
        }
    }

    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        TurningDirectory(try base.openDirectory(path), try base.openDirectory(other), self)
    }
}

private final class TurningDirectory: ReadOnlyDirectory {
    private let first: any Directory
    private let second: any Directory
    private let system: TurningFileSystem

    init(_ first: any Directory, _ second: any Directory, _ system: TurningFileSystem) {
        self.first = first
        self.second = second
        self.system = system
    }

    private var present: any Directory { system.meetsOther() ? second : first }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        TurningDirectory(try first.openDirectory(name), try second.openDirectory(name), system)
    }
    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File { try present.open(name, mode) }
    func list(limit: Int) throws(DiskError) -> [String] { try present.list(limit: limit) }
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        try present.link(source, to: target, in: directory)
    }
}

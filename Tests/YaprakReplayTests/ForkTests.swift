import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay
import YaprakStorage

/// A fork on disk is its source up to a commit, and neither can harm the other.
@Suite(.bounded) struct ForkTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    /// Small segments, so that there are many.
    private func options() -> DatabaseOptions {
        var options = replayable()
        options.store.segmentBytesMax = 8 << 10
        options.store.preallocationBytes = 4 << 10
        return options
    }

    private func open(_ path: FilePath) async throws -> Database {
        try await Database.open(at: path, options: options(), collections: .books, .notes)
    }

    private func write(_ database: Database, _ numbers: ClosedRange<Int>, _ word: String) async throws {
        for number in numbers {
            try await database.write { transaction in
                transaction[.notes]["last"] = "\(word) \(number)"
                transaction[.books]["\(number % 23)"] = Book(title: "\(word) \(number)", rank: number)
                if number % 7 == 0 { transaction[.books].remove("\(number % 11)") }
            }
        }
    }

    @Test func `A fork at the last numbers there are is out of reach`() async throws {
        let database = try await open(path("source"))
        try await write(database, 1...3, "source")
        let reader = try ReplayReader(path("source"))
        for number in [.max, .max - 1, UInt64(Int64.max)] as [UInt64] {
            let error = #expect(throws: DatabaseError.self) {
                try reader.fork(at: CommitNumber(number), to: path("fork"))
            }
            #expect(error?.code == .commitOutOfReach)
        }
        try await database.close()
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `A fork at any commit holds its state and history, verifies, and goes on`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let source = path("source")
        // Three openings, a checkpoint in each, tails that are sealed and tails that are in use.
        for opening in 0..<3 {
            let database = try await open(source)
            let first = Int(database.commitNumber.rawValue) + 1
            try await write(database, first...first + 40 + random.below(40), "source")
            try await database.checkpoint()
            let next = Int(database.commitNumber.rawValue) + 1
            try await write(database, next...next + 30, "source")
            if opening < 2 { try await database.close() } else { try await forkAll(database, source, seed) }
        }
    }

    private func forkAll(_ database: Database, _ source: FilePath, _ seed: UInt64) async throws {
        let newest = database.commitNumber.rawValue
        try ReplayReader(source).setTag(LogTag.Name("early")!, to: 20)
        for number in (0...newest) where number < 4 || number % 9 == 0 || number > newest - 3 {
            let number = CommitNumber(number)
            let fork = path("fork-\(number)")
            let report = try ReplayReader(source).fork(at: number, to: fork)
            #expect(report.commitNumber == number && report.tagCount == (number >= 20 ? 1 : 0))
            #expect(report.reasonForCopies == nil)
            let tags = try ReplayReader(fork).tags()
            #expect(tags.count == report.tagCount && tags.allSatisfy { $0.number == 20 })
            let before = try contents(source, at: number)
            #expect(try contents(fork) == before, "seed \(seed), commit \(number)")
            let verified = try ReplayReader(fork).verify(.replay)
            #expect(
                verified.findings.isEmpty && verified.newestCommitNumber == number,
                "seed \(seed), \(number): \(verified.findings)")
            #expect(
                try ReplayReader(fork).snapshot(at: number.rawValue / 2 == 0 ? 0 : CommitNumber(number.rawValue / 2))
                    .commitNumber.rawValue == number.rawValue / 2)
            // Nothing of later commits is anywhere in the files.
            let copy = try await open(fork)
            #expect(copy.commitNumber == number && copy.recoveryReport?.tornByteCount == 0)
            try await write(copy, Int(number.rawValue) + 1...Int(number.rawValue) + 5, "fork")
            try await copy.checkpoint()
            try await write(copy, Int(number.rawValue) + 6...Int(number.rawValue) + 8, "fork")
            try await copy.close()
            let after = try ReplayReader(fork).verify(.replay)
            #expect(
                after.findings.isEmpty && after.newestCommitNumber == CommitNumber(number.rawValue + 8),
                "\(number): \(after.findings)")
            #expect(try contents(fork, at: number) == before)
        }
        #expect(try ReplayReader(source).verify(.replay).findings.isEmpty)
        try await database.close()
    }

    @Test func `A fork of a fork knows all its ancestors`() async throws {
        var database = try await open(path("0"))
        try await write(database, 1...60, "zero")
        try await database.close()
        for generation in 1...5 {
            let number = CommitNumber(UInt64(60 + generation * 10 - 15))
            try ReplayReader(path("\(generation - 1)")).fork(at: number, to: path("\(generation)"))
            database = try await open(path("\(generation)"))
            try await write(database, Int(number.rawValue) + 1...60 + generation * 10, "\(generation)")
            try await database.checkpoint()
            try await database.close()
            let report = try ReplayReader(path("\(generation)")).verify(.replay)
            #expect(
                report.findings.isEmpty && report.newestCommitNumber.rawValue == UInt64(60 + generation * 10),
                "\(report.findings)")
        }
        let ids = try Set((0...5).map { try ReplayReader(path("\($0)")).statistics().databaseID })
        #expect(ids.count == 6)
    }

    @Test func `Source and fork write, checkpoint and prune at the same time, and both are whole`() async throws {
        let source = try await open(path("source"))
        try await write(source, 1...100, "source")
        try await source.checkpoint()
        try await write(source, 101...130, "source")
        try ReplayReader(path("source")).fork(at: 115, to: path("fork"))
        var options = options()
        options.retention = .checkpoints(2)
        let fork = try await Database.open(at: path("fork"), options: options, collections: .books, .notes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<6 {
                    try await write(source, 131 + round * 20...150 + round * 20, "source")
                    try await source.checkpoint()
                }
            }
            group.addTask {
                for round in 0..<6 {
                    try await write(fork, 116 + round * 20...135 + round * 20, "fork")
                    try await fork.checkpoint()
                }
            }
            try await group.waitForAll()
        }
        #expect(source.snapshot[.notes]["last"] == "source 250" && fork.snapshot[.notes]["last"] == "fork 235")
        try await source.close()
        try await fork.close()
        // The fork has pruned all that it shared; the source has all its history.
        #expect(try ReplayReader(path("fork")).oldestCommitNumber() ?? 0 > 115)
        #expect(try ReplayReader(path("source")).oldestCommitNumber() == 1)
        for name in ["source", "fork"] {
            let report = try ReplayReader(path(name)).verify(.replay)
            #expect(report.findings.isEmpty, "\(name): \(report.findings)")
        }
        #expect(try contents(path("source"), at: 115).contains { $0.contains("source 115") })
    }

    @Test func `A fork takes a path given as a string, and a URL`() async throws {
        let source = try await open(path("source"))
        try await write(source, 1...10, "source")
        try await source.close()
        let reader = try ReplayReader(path("source"))
        let folder = URL(filePath: directory.path)
        #expect(try reader.fork(at: 4, to: "\(directory.path)/text").commitNumber == 4)
        #expect(try reader.fork(to: folder.appending(path: "url")).commitNumber == 10)
        #expect(try contents(path("text"), at: 4) == contents(path("source"), at: 4))
        #expect(try contents(path("url"), at: 10) == contents(path("source"), at: 10))
        let error = #expect(throws: DatabaseError.self) { try reader.fork(to: URL(string: "https://example.org/a")!) }
        #expect(error?.code == .notADatabase)
    }

    @Test func `What is pruned at the source stays with the fork`() async throws {
        let source = try await open(path("source"))
        try await write(source, 1...100, "source")
        try await source.checkpoint()
        try await source.close()
        let before = try contents(path("source"), at: 50)
        try ReplayReader(path("source")).fork(to: path("fork"))
        try FileManager.default.removeItem(atPath: path("source").string)
        #expect(try contents(path("fork"), at: 50) == before)
        #expect(try ReplayReader(path("fork")).verify(.replay).findings.isEmpty)
    }

    /// The inodes of the files of a directory, by name.
    private func inodes(_ path: FilePath) throws -> [UInt64: String] {
        var found: [UInt64: String] = [:]
        for folder in ["wal", "ckpt"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)") {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(folder)/\(name)")
                found[(attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0] = "\(folder)/\(name)"
            }
        }
        return found
    }

    @Test func `No file that a program still writes to is shared`() async throws {
        let source = try await open(path("source"))
        for round in 0..<20 {
            let first = round * 15 + 1
            try await write(source, first...first + 14, "source")
            if round % 6 == 5 { try await source.checkpoint() }
            let (fork, before) = (path("fork-\(round)"), try files(path("source")))
            try ReplayReader(path("source")).fork(to: fork)
            let shared = try Set(inodes(fork).keys).intersection(inodes(path("source")).keys)
            let newest = try #require(before.keys.filter { $0.hasPrefix("wal/") }.max())
            let names = try inodes(path("source"))
            #expect(shared.allSatisfy { names[$0] != newest }, "round \(round)")
            if round > 5 { #expect(!shared.isEmpty) }
            // What is shared never changes again, whatever both write from here.
            let bytes = try files(fork)
            let copy = try await open(fork)
            try await write(copy, first + 15...first + 50, "fork")
            try await copy.checkpoint()
            try await copy.close()
            try await write(source, first + 15...first + 20, "again")
            for inode in shared {
                let name = try #require(names[inode])
                let now = try Data(contentsOf: URL(fileURLWithPath: "\(path("source"))/\(name)"))
                #expect(bytes[name] == now, "round \(round): \(name)")
            }
        }
        try await source.close()
    }

    private func files(_ path: FilePath) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try inodes(path).values {
            found[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        return found
    }

    @Test func `Files of the source that came after the fork are refused in the fork`() async throws {
        let source = try await open(path("source"))
        try await write(source, 1...40, "source")
        try ReplayReader(path("source")).fork(at: 30, to: path("fork"))
        try await source.checkpoint()
        try await source.close()
        let fork = try await open(path("fork"))
        try await write(fork, 31...50, "fork")
        try await fork.close()
        let before = try contents(path("fork"))
        // A copy of one directory over the other, as a backup script may do it.
        for folder in ["wal", "ckpt"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(path("source"))/\(folder)") {
                let target = "\(path("fork"))/\(folder)/\(name)"
                guard !FileManager.default.fileExists(atPath: target) else { continue }
                try FileManager.default.copyItem(atPath: "\(path("source"))/\(folder)/\(name)", toPath: target)
            }
        }
        #expect(try ReplayReader(path("fork")).verify(.replay).severity == .corrupt)
        // Refused, or the state of the fork; never that of the source.
        if let after = try? contents(path("fork"), at: 50) { #expect(after == before) }
        await #expect(throws: DatabaseError.self) { try await open(path("fork")) }
    }

    @Test func `A fork replaces nothing, and makes nothing where it can't be made`() async throws {
        let source = try await open(path("source"))
        try await write(source, 1...5, "source")
        try await source.close()
        func code(_ number: CommitNumber, _ target: String) -> DatabaseError.Code? {
            do {
                try ReplayReader(path("source")).fork(at: number, to: path(target))
                return nil
            } catch {
                return error.code
            }
        }
        try FileManager.default.createDirectory(atPath: path("taken").string, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: path("file").string))
        #expect(code(3, "taken") == .alreadyExists)
        #expect(code(3, "file") == .alreadyExists)
        #expect(code(3, "nowhere/fork") == .notFound)
        #expect(code(6, "later") == .commitOutOfReach)
        #expect(Set(directory.files(in: "")) == ["source", "taken", "file"])
        #expect(directory.files(in: "taken").isEmpty)
    }

    @Test func `A database that is written at full speed is forked while it is`() async throws {
        var options = options()
        options.retention = .checkpoints(2)
        let source = try await Database.open(at: path("source"), options: options, collections: .books, .notes)
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1... {
                    if isDone.isSet { break }
                    try await write(source, number...number, "source")
                    if number % 60 == 0 { try await source.checkpoint() }
                }
            }
            group.addTask {
                defer { isDone.set() }
                for round in 0..<20 {
                    let fork = path("fork-\(round)")
                    let report = try ReplayReader(path("source")).fork(to: fork)
                    let verified = try ReplayReader(fork).verify(.replay)
                    #expect(
                        verified.findings.isEmpty && verified.newestCommitNumber == report.commitNumber,
                        "\(verified.findings)")
                    let last = try ReplayReader(fork).snapshot().untyped("notes")["last"]
                    #expect(report.commitNumber == 0 || last?.object == .text("source \(report.commitNumber)"))
                    try FileManager.default.removeItem(atPath: fork.string)
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            try await group.waitForAll()
        }
        try await source.close()
    }
}

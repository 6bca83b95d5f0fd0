import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCore
import YaprakReplay
import YaprakSimulator
import YaprakStorage

/// Checkpoints and pruning without the program's types.
@Suite(.bounded) struct MaintenanceTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }
    private let pins = ManualView("pins", of: .books)
    private let titles = AutoView(
        "titles", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)

    /// 60 commits, checkpoints at 10, 20 … 50, a secret that is deleted, a view and pinned rows.
    private func prepare() async throws {
        var options = replayable()
        options.store.segmentBytesMax = 4 << 10
        let database = try await Database.open(at: path, options: options, collections: .books, .notes)
        try await database.register(titles)
        try await database.register(pins)
        for number in 1...60 {
            try await database.write { [pins] transaction in
                transaction[.books]["\(number % 7)"] = Book(title: "commit \(number)")
                if number == 5 {
                    transaction[.notes]["secret"] = "Rosebud and more, so that nothing compresses it away"
                }
                if number == 15 { transaction[.notes].remove("secret") }
                if number % 20 == 3 { try transaction.append("3", to: "all", in: pins) }
            }
            if number % 10 == 0, number < 60 { try await database.checkpoint() }
        }
        try await database.close()
    }

    private func contents(at number: CommitNumber? = nil) throws -> [String] {
        let snapshot = try ReplayReader(path).snapshot(at: number)
        return snapshot.collectionNames.flatMap { name in
            snapshot.untyped(name).map { "\(name) \($0.key) \($0.object)" }
        }
    }

    private func files() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for folder in ["wal", "ckpt"] {
            for file in directory.files(in: "shop.yaprak/\(folder)") {
                found["\(folder)/\(file)"] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(folder)/\(file)"))
            }
        }
        return found
    }

    /// Opens it with its types, looks at records, views and pinned rows, writes, closes.
    private func goesOn() async throws {
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(titles)
        try await database.register(pins)
        #expect(database.snapshot[titles]["sci-fi"].count == 7)
        #expect(database.snapshot[pins]["all"].count == 1)
        try await database.write { $0[.notes]["last"] = "after" }
        try await database.checkpoint()
        try await database.close()
        let report = try ReplayReader(path).verify(.replay)
        #expect(report.severity == .clean, "\(report.findings)")
    }

    @Test func `A checkpoint without the types holds the records and the primary state`() async throws {
        try await prepare()
        let before = try contents()
        let outcome = try ReplayMaintenance(path).checkpoint()
        #expect(outcome.commitNumber == 60 && outcome.writesCheckpoint && outcome.viewsWithoutState == ["titles"])
        #expect(outcome.removedFiles.isEmpty)
        #expect(try contents() == before)
        #expect(try ReplayReader(path).statistics().checkpoints.last?.commitNumber == 60)
        #expect(try ReplayReader(path).verify(.replay).findings.isEmpty)
        let again = try ReplayMaintenance(path).checkpoint()
        #expect(!again.writesCheckpoint && again.viewsWithoutState.isEmpty)
        try await goesOn()
    }

    @Test func `Maintenance takes a path given as a string, and a URL`() async throws {
        try await prepare()
        let url = URL(filePath: directory.path).appending(path: "shop.yaprak")
        #expect(try ReplayMaintenance(url).checkpoint().writesCheckpoint)
        #expect(try !ReplayMaintenance("\(directory.path)/shop.yaprak").checkpoint().writesCheckpoint)
        let error = #expect(throws: DatabaseError.self) { try ReplayMaintenance(URL(string: "https://example.org/a")!) }
        #expect(error?.code == .notADatabase)
    }

    @Test(arguments: [Retention.commits(15), .checkpoints(3), .all, .age(.seconds(1_000_000_000))])
    func `Compacting removes what the rule gives up, and a dry run reports it before`(retention: Retention) async throws
    {
        try await prepare()
        let before = try files()
        let state = try contents()
        let dry = try ReplayMaintenance(path).compact(keeping: retention, isDryRun: true)
        #expect(try files() == before)
        let outcome = try ReplayMaintenance(path).compact(keeping: retention)
        #expect(outcome == dry && outcome.writesCheckpoint)
        let after = try files()
        #expect(Set(outcome.removedFiles) == Set(before.keys).subtracting(after.keys))
        #expect(outcome.removedByteCount == outcome.removedFiles.reduce(0) { $0 + UInt64(before[$1]?.count ?? 0) })
        let expected: CommitNumber =
            switch retention {
            case .commits: 40
            case .checkpoints: 40
            default: 0
            }
        #expect(outcome.oldestReachableCommitNumber == expected)
        #expect(try contents() == state)
        #expect(try ReplayReader(path).snapshot(at: expected).commitNumber == expected)
        if expected > 0 {
            #expect(throws: DatabaseError.self) {
                try ReplayReader(path).snapshot(at: CommitNumber(expected.rawValue - 1))
            }
        }
        #expect(try ReplayReader(path).verify(.replay).findings.isEmpty)
        try await goesOn()
    }

    @Test func `After a purge nothing of what was deleted is in any file, and a bad file costs nothing`() async throws {
        try await prepare()
        let state = try contents()
        let dry = try ReplayMaintenance(path).purgeHistory(isDryRun: true)
        #expect(try files().values.contains { $0.range(of: Data("Rosebud".utf8)) != nil })
        let outcome = try ReplayMaintenance(path).purgeHistory()
        #expect(Set(dry.removedFiles).isSubset(of: outcome.removedFiles) && outcome.oldestReachableCommitNumber == 60)
        let after = try files()
        #expect(!after.values.contains { $0.range(of: Data("Rosebud".utf8)) != nil })
        #expect(after.keys.count { $0.hasPrefix("ckpt") } == 2 && after.keys.count { $0.hasPrefix("wal") } == 1)
        #expect(try contents() == state)
        #expect(try ReplayReader(path).verify(.replay).findings.isEmpty)
        for name in after.keys where name.hasPrefix("ckpt") {
            var bytes = try #require(after[name])
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
            let database = try await Database.open(at: path, collections: .books, .notes)
            #expect(database.commitNumber == 60 && database.snapshot[.books].count == 7)
            try await database.close()
            try after[name]?.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        try await goesOn()
    }

    // It was a fork first, and that had its last name: killed before the purge, it had everything that was deleted.
    @Test func `A copy without history never has a file with what was deleted, wherever making it stops`() async throws
    {
        try await prepare()
        let reader = try StoreReader.open(path)
        func make(on disk: MemoryFileSystem) throws {
            _ = try Maintenance.writeState(of: reader, to: "/copy", fileSystem: disk) { _ in [] }
        }
        let whole = MemoryFileSystem()
        try make(on: whole)
        for cut in 0...whole.changes {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            try? make(on: disk)
            let image = disk.afterKill()
            for name in image.names("/") {
                let root = FilePath("/").appending(name)
                if image.names(root).contains("wal") { #expect(image.names(root.appending("wal")).isEmpty) }
                guard image.names(root).contains("ckpt") else { continue }
                for file in image.names(root.appending("ckpt")) {
                    let bytes = try #require(image.contents(root.appending("ckpt").appending(file)))
                    #expect(Data(bytes).range(of: Data("Rosebud".utf8)) == nil, "after \(cut) changes")
                }
            }
            guard image.names("/").contains("copy") else { continue }
            let copy = try ReplayReader("/copy", fileSystem: image)
            #expect(try copy.newestCommitNumber() == 60 && copy.verify(.replay).findings.isEmpty)
        }
    }

    @Test func `A copy without history has the newest state, primary state and tags, also of a database in use`()
        async throws
    {
        try await prepare()
        try ReplayReader(path).setTag(LogTag.Name("early")!, to: 20)
        let before = try files()
        let target = FilePath(directory.appending("state.yaprak"))
        let outcome = try ReplayReader(path).writeState(to: target)
        #expect(outcome.commitNumber == 60 && outcome.oldestReachableCommitNumber == 60 && outcome.removedFiles.isEmpty)
        #expect(outcome.viewsWithoutState == ["titles"])
        #expect(try files() == before)
        #expect(directory.files(in: "state.yaprak/ckpt").count == 1 && directory.files(in: "state.yaprak/wal").isEmpty)
        #expect(try ReplayReader(target).verify(.replay).findings.isEmpty)
        #expect(try ReplayReader(target).tags().map(\.number) == [20])
        let error = #expect(throws: DatabaseError.self) { try ReplayReader(path).writeState(to: target) }
        #expect(error?.code == .alreadyExists)
        let copy = try await Database.open(at: target, options: replayable(), collections: .books, .notes)
        try await copy.register(titles)
        try await copy.register(pins)
        #expect(copy.commitNumber == 60 && copy.snapshot[titles]["sci-fi"].count == 7)
        #expect(copy.snapshot[pins]["all"].count == 1)
        try await copy.close()
        // Where there is a checkpoint of the newest commit, what it has of views comes along.
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(titles)
        try await database.register(pins)
        try await database.write { $0[.notes]["last"] = "after" }
        try await database.checkpoint()
        let second = try ReplayReader(path).writeState(to: FilePath(directory.appending("second.yaprak")))
        #expect(second.commitNumber == 61 && second.viewsWithoutState.isEmpty)
        try await database.close()
    }

    @Test func `A purge of what was purged, and of a new database, changes nothing of the state`() async throws {
        try await Database.open(at: path, options: replayable(), collections: .books).close()
        #expect(try ReplayMaintenance(path).purgeHistory().removedFiles.isEmpty)
        try FileManager.default.removeItem(atPath: path.string)
        try await prepare()
        let state = try contents()
        for _ in 0..<3 {
            try ReplayMaintenance(path).purgeHistory()
            #expect(try contents() == state)
            #expect(try files().keys.count { $0.hasPrefix("ckpt") } == 2)
            #expect(try ReplayReader(path).verify(.replay).findings.isEmpty)
        }
        try await goesOn()
    }

    @Test func `A database in use is left alone`() async throws {
        try await prepare()
        let database = try await Database.open(at: path, collections: .books)
        let before = try files()
        for body in [
            { _ = try ReplayMaintenance(path).checkpoint() }, { _ = try ReplayMaintenance(path).purgeHistory() },
            { _ = try ReplayMaintenance(path).compact(keeping: .checkpoints(2)) },
        ] as [() throws -> Void] {
            let error = #expect(throws: DatabaseError.self) { try body() }
            #expect(error?.code == .alreadyOpen)
        }
        #expect(try files() == before)
        try await database.close()
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

// snippet: backup-make
struct BadBackup: Error { var message: String }

/// Backs a database up into a folder, and keeps the newest backups.
func backUp(_ database: Database, into folder: URL, keeping count: Int) async throws {
    let files = FileManager.default
    let snapshot = database.snapshot
    let digits = String(snapshot.commitNumber.rawValue)
    let name = "shop-" + String(repeating: "0", count: 20 - digits.count) + digits  // names sort by commit
    let backup = folder.appending(path: name), new = folder.appending(path: "new")
    if files.fileExists(atPath: backup.path) { return }  // nothing was committed since
    try? files.removeItem(at: new)  // of a run that was ended before it had checked it
    try await database.backup(snapshot, to: new)
    let report = try await SharedHistory(ReplayReader(new)).reading { try $0.verify() }
    guard report.severity == .clean else { throw BadBackup(message: report.findings.first?.message ?? "") }
    try files.moveItem(at: new, to: backup)
    let names = try files.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("shop-") }.sorted()
    for name in names.dropLast(count) { try files.removeItem(at: folder.appending(path: name)) }
}
// end

/// The programs of the page on backups.
@Suite(.bounded) struct BackupsPageTests {
    let directory = TemporaryDirectory()

    private var folder: URL { URL(filePath: directory.path) }

    private func makeShop() async throws -> Database {
        let database = try await Database.open(at: FilePath(directory.appending("shop.yaprak")), collections: .books)
        for number in 1...3 {
            try await database.write { $0[.books]["abc"] = Book(title: "Dune", rank: number) }
        }
        return database
    }

    @Test func `Backups are made while the program writes, and the newest stay`() async throws {
        let database = try await makeShop()
        let backups = folder.appending(path: "backups")
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
        for number in 4...7 {
            try await backUp(database, into: backups, keeping: 2)
            try await backUp(database, into: backups, keeping: 2)
            try await database.write { $0[.books]["abc"]?.rank = number }
        }
        #expect(directory.files(in: "backups") == ["shop-00000000000000000005", "shop-00000000000000000006"])

        let backup = backups.appending(path: "shop-00000000000000000005")
        // snippet: backup-restore
        try await database.restore(from: backup)  // one commit; the history keeps what was there
        // end
        #expect(database.snapshot[.books]["abc"]?.rank == 5 && database.commitNumber == 8)
        try await database.close()
    }

    @Test func `A backup that was cut off does not verify`() async throws {
        let database = try await makeShop()
        let path = FilePath(directory.appending("one"))
        try await database.backup(to: path)
        try await database.close()
        let name = try #require(directory.files(in: "one/ckpt").first)
        let file = URL(filePath: directory.appending("one/ckpt/\(name)"))
        try Data(contentsOf: file).dropLast().write(to: file)
        let report = try await SharedHistory(ReplayReader(path)).reading { try $0.verify() }
        #expect(report.severity == .corrupt && report.findings.contains { $0.place.file == "ckpt/\(name)" })
    }

    @Test func `A directory that is lost begins again from a backup`() async throws {
        var database = try await makeShop()
        let backup = FilePath(directory.appending("backup")), path = FilePath(directory.appending("shop.yaprak"))
        try await database.backup(to: backup)
        try await database.write { $0[.books]["abc"]?.rank = 4 }
        try await database.close()
        let damaged = URL(filePath: directory.appending("damaged"))
        // snippet: backup-replace
        try FileManager.default.moveItem(atPath: path.string, toPath: damaged.path)
        try ReplayReader(backup).fork(to: path)
        database = try await Database.open(at: path, collections: .books)
        // end
        #expect(database.snapshot[.books]["abc"]?.rank == 3)
        try await database.write { $0[.books]["abc"]?.rank = 5 }
        #expect(try ReplayReader(backup).snapshot().untyped("books")["abc"]?.object(as: Book.self).rank == 3)
        let again = folder.appending(path: "again")
        try FileManager.default.createDirectory(at: again, withIntermediateDirectories: true)
        try await backUp(database, into: again, keeping: 1)
        #expect(directory.files(in: "again") == ["shop-00000000000000000004"], "the number of a commit that was lost")
        let copy = FilePath(directory.appending("copy"))
        // snippet: backup-history
        try ReplayReader(path).fork(to: copy)
        // end
        var commits = try ReplayReader(copy).commits(from: 4).makeAsyncIterator()
        #expect(try await commits.next()?.commitNumber == 4, "the log has come along")
        try await database.close()
    }
}

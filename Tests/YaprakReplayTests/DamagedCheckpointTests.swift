import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay
import YaprakStorage

/// A commit that a damaged checkpoint would lead to is damaged, not out of reach: raising the retention would not help.
@Suite(.bounded) struct DamagedCheckpointTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    private func options() -> DatabaseOptions {
        var options = replayable()
        options.store.segmentBytesMax = 4 << 10
        options.store.preallocationBytes = 0
        options.retention = .checkpoints(2)
        return options
    }

    /// 60 commits with checkpoints at 20 and 40, and no log before those.
    private func prepare(_ name: String) async throws -> ReplayReader {
        let database = try await Database.open(at: path(name), options: options(), collections: .books, .notes)
        var random = SystemRandomNumberGenerator()
        for number in 1...60 {
            let noise = (0..<20).map { _ in String(random.next(), radix: 16) }.joined()
            try await database.write { transaction in
                transaction[.notes]["last"] = "commit \(number)"
                transaction[.books]["\(number % 7)"] = Book(title: noise)
            }
            if number == 20 || number == 40 { try await database.checkpoint() }
        }
        try await database.close()
        let reader = try ReplayReader(path(name))
        #expect(try reader.checkpointNumbers() == [20, 40])
        let oldest = try #require(try reader.oldestCommitNumber())
        try #require((2...21).contains(oldest))
        return reader
    }

    /// Changes a bit of the records of a checkpoint; returns the file.
    @discardableResult
    private func damage(_ name: String, checkpointOf number: Int) throws -> String {
        let file = try #require(directory.files(in: "\(name)/ckpt").first { commit(of: $0) == number })
        let url = URL(fileURLWithPath: directory.appending("\(name)/ckpt/\(file)"))
        var bytes = try Data(contentsOf: url)
        bytes[4200] ^= 2
        try bytes.write(to: url)
        return "ckpt/\(file)"
    }

    private func commit(of file: String) -> Int? { file.split(separator: "-").first.flatMap { Int($0) } }

    private func expectDamage(_ file: String, _ what: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: DatabaseError.self, "\(what)") { try await body() }
        #expect(error?.code == .corruptCheckpoint && error?.place.file == file, "\(what): \(String(describing: error))")
        #expect(error?.message.hasSuffix("Run `yaprak verify`.") == true, "\(what): \(String(describing: error))")
    }

    private func expectOutOfReach(_ what: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: DatabaseError.self, "\(what)") { try await body() }
        #expect(error?.code == .commitOutOfReach, "\(what): \(String(describing: error))")
    }

    // It was "There is no log. Read the checkpoint.", as if retention had removed what the backup has.
    @Test func `A backup whose checkpoint is damaged is said to be, by everything that reads it`() async throws {
        let source = Database.inMemory()
        try await source.write { transaction in
            for number in 0..<50 { transaction[.books]["\(number)"] = Book(title: "title \(number)") }
        }
        let backup = path("backup"), number = source.commitNumber
        try await source.backup(to: backup)
        let file = try damage("backup", checkpointOf: Int(number.rawValue))
        let reader = try ReplayReader(backup), typed = try ReplayReader(backup, collections: .books)
        let before = source.snapshot
        await expectDamage(file, "restore") { try await source.restore(from: backup) }
        #expect(source.snapshot.isIdentical(to: before))
        await expectDamage(file, "snapshot") { _ = try reader.snapshot() }
        await expectDamage(file, "snapshot at") { _ = try reader.snapshot(at: number) }
        await expectDamage(file, "with types") { _ = try typed.snapshot() }
        await expectDamage(file, "cursor") { _ = try reader.cursor() }
        await expectDamage(file, "cursor at") { _ = try typed.cursor(at: number) }
        await expectDamage(file, "changes") { _ = try reader.changes(from: number, to: number) }
        await expectDamage(file, "replay") { _ = try await Database.replay(backup, collections: .books) }
        // Nothing would lead to a commit that was never made.
        await expectOutOfReach("later") { _ = try reader.snapshot(at: number.next()) }
        await expectOutOfReach("cursor at a later one") { _ = try reader.cursor(at: number.next()) }
        await expectOutOfReach("replay of a later one") {
            _ = try await Database.replay(backup, upTo: number.next(), collections: .books)
        }
    }

    @Test func `Between two checkpoints the damage of the first is said, and what is pruned stays out of reach`()
        async throws
    {
        let reader = try await prepare("shop")
        let whole = try reader.snapshot().digest
        let file = try damage("shop", checkpointOf: 20)
        await expectDamage(file, "snapshot") { _ = try reader.snapshot(at: 30) }
        await expectDamage(file, "of the checkpoint") { _ = try reader.snapshot(at: 20) }
        await expectDamage(file, "cursor") { _ = try reader.cursor(at: 39) }
        await expectDamage(file, "replay") {
            _ = try await Database.replay(path("shop"), upTo: 30, collections: .books)
        }
        let cursor = try reader.cursor(at: 40)
        await expectDamage(file, "seek") { try cursor.seek(to: 30) }
        await expectDamage(file, "step back") { _ = try cursor.previous() }
        await expectDamage(file, "steps back") { try cursor.step(-5) }
        #expect(cursor.commitNumber == 40)
        // The second leads on, and nothing ever led to what is older than the first, or not there yet.
        #expect(try cursor.step(1000) == 20)
        #expect(try reader.snapshot().digest == whole)
        #expect(try await Database.replay(path("shop"), collections: .books, .notes).commitNumber == 60)
        for number in [5, 19, 61, 1000] as [CommitNumber] {
            await expectOutOfReach("\(number)") { _ = try reader.snapshot(at: number) }
            await expectOutOfReach("cursor at \(number)") { try reader.cursor(at: 40).seek(to: number) }
            await expectOutOfReach("replay \(number)") {
                _ = try await Database.replay(path("shop"), upTo: number, collections: .books)
            }
        }
        // The program itself does not need it; who reads on from before does.
        let database = try await Database.open(at: path("shop"), options: options(), collections: .books, .notes)
        await expectDamage(file, "changesets") {
            var changesets = database.changesets(after: 30).makeAsyncIterator()
            _ = try await changesets.next()
        }
        try await database.close()
    }

    @Test func `Where an older checkpoint or the whole log leads there, a damaged one is skipped`() async throws {
        let reader = try await prepare("shop")
        let whole = try reader.snapshot().digest
        try damage("shop", checkpointOf: 40)
        #expect(try reader.snapshot().digest == whole)
        #expect(try reader.cursor(at: 40).commitNumber == 40)
        let replayed = try await Database.replay(path("shop"), collections: .books, .notes)
        #expect(replayed.snapshot.digest == whole)
        let file = try damage("shop", checkpointOf: 20)
        await expectDamage(file, "first") { _ = try reader.snapshot(at: 39) }
        let last = try #require(directory.files(in: "shop/ckpt").last)
        await expectDamage("ckpt/\(last)", "both") { _ = try reader.snapshot() }
        try await writeShop(at: path("log"), commits: 30, seed: 1, checkpointsAt: [10])
        let complete = try ReplayReader(path("log")), digest = try complete.snapshot().digest
        try damage("log", checkpointOf: 10)
        #expect(try complete.snapshot().digest == digest)
        await expectOutOfReach("later") { _ = try complete.snapshot(at: 31) }
    }

    // The replay went no further than the log behind the oldest checkpoint, and called all the rest out of reach.
    @Test(arguments: [false, true]) func `Behind a gap in the log, a replay starts once more from a good checkpoint`(
        damages: Bool
    ) async throws {
        var options = options()
        options.retention = .all
        // Each commit by itself, and so large that a segment has a few.
        options.durability = .always
        let database = try await Database.open(at: path("shop"), options: options, collections: .books, .notes)
        var random = SystemRandomNumberGenerator()
        for number in 1...40 {
            let noise = (0..<60).map { _ in String(random.next(), radix: 16) }.joined()
            try await database.write { $0[.books]["\(number % 7)"] = Book(title: noise) }
            if number % 10 == 0, number < 40 { try await database.checkpoint() }
        }
        let digest = database.snapshot.digest
        try await database.close()
        let segments = directory.files(in: "shop/wal").compactMap { file in commit(of: file).map { ($0, file) } }
        for (first, file) in segments where first <= 12 {
            try FileManager.default.removeItem(atPath: directory.appending("shop/wal/\(file)"))
        }
        let oldest = try #require(segments.map(\.0).filter { $0 > 12 }.min())
        try #require(oldest <= 20)
        let file = damages ? try damage("shop", checkpointOf: 20) : nil
        for last in [nil, 40, 30] as [CommitNumber?] {
            let replayed = try await Database.replay(path("shop"), upTo: last, collections: .books, .notes)
            #expect(replayed.commitNumber == last ?? 40)
            if last != 30 { #expect(replayed.snapshot.digest == digest) }
        }
        #expect(try await Database.replay(path("shop"), upTo: 10, collections: .books, .notes).commitNumber == 10)
        await expectOutOfReach("in the gap") {
            _ = try await Database.replay(path("shop"), upTo: 11, collections: .books, .notes)
        }
        guard let file else {
            // It was out of reach here alone: a cursor and each of the two states found the way.
            let reader = try ReplayReader(path("shop"))
            for (from, to) in [(10, 25), (25, 10)] as [(CommitNumber, CommitNumber)] {
                let changes = try reader.changes(from: from, to: to).map(\.key)
                let direct = ReplayChanges(from: try reader.snapshot(at: from), to: try reader.snapshot(at: to))
                #expect(!changes.isEmpty && changes == direct.map(\.key))
            }
            return
        }
        await expectDamage(file, "behind the gap") {
            _ = try await Database.replay(path("shop"), upTo: 25, collections: .books, .notes)
        }
    }
}

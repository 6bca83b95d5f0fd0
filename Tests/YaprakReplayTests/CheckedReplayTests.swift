import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A log leads to one state, and the checkpoints on its way are that state.
@Suite(.bounded) struct CheckedReplayTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    @Test func `A replayed database is the one that wrote, and goes on by itself`() async throws {
        let path = path("shop.yaprak")
        let twin = Database.inMemory()
        try await writeShop(at: path, commits: 300, seed: 7, checkpointsAt: [1, 120, 300], alsoInto: twin)
        let replayed = try await Database.replay(path, collections: .books, .notes)
        #expect(replayed.commitNumber == 300 && replayed.path == nil)
        #expect(contents(replayed.snapshot) == contents(twin.snapshot))
        try await replayed.write { $0[.books].removeAll() }
        #expect(replayed.commitNumber == 301)
        #expect(try ReplayReader(path).newestCommitNumber() == 300)
        let earlier = try await Database.replay(path, upTo: 150, collections: .books, .notes)
        #expect(earlier.commitNumber == 150 && earlier.snapshot[.notes]["last"] == "commit 150")
    }

    @Test func `A commit that is not there is out of reach`() async throws {
        let path = path("shop.yaprak")
        try await writeShop(at: path, commits: 10, seed: 1)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.replay(path, upTo: 11, collections: .books)
        }
        #expect(error?.code == .commitOutOfReach)
    }

    @Test func `A checkpoint that is not what the log leads to is named with commits, collection and key`() async throws
    {
        let (good, other) = (path("good.yaprak"), path("other.yaprak"))
        try await writeShop(at: good, commits: 29, seed: 3, checkpointsAt: [20])
        try FileManager.default.copyItem(atPath: good.string, toPath: other.string)
        let further = try await Database.open(at: good, options: replayable(), collections: .books, .notes)
        for number in 30...40 { try await further.write { $0[.notes]["last"] = "commit \(number)" } }
        try await further.close()
        let database = try await Database.open(at: other, options: replayable(), collections: .books, .notes)
        let added = RecordCollection<String, NoMetadata>("added")
        try await database.write { $0[added]["planted"] = "never written" }
        try await database.checkpoint()
        try await database.close()
        let name = try FileManager.default.contentsOfDirectory(atPath: "\(other)/ckpt")
            .filter { $0.contains("30") }[0]
        try FileManager.default.copyItem(atPath: "\(other)/ckpt/\(name)", toPath: "\(good)/ckpt/\(name)")
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.replay(good, collections: .books, .notes)
        }
        #expect(error?.code == .stateDiffers)
        #expect(error?.place.commits == 21...30)
        #expect(error?.place.collectionName == "added" && error?.place.key == "planted")
        // Up to the commit before it, nothing is wrong.
        #expect(try await Database.replay(good, upTo: 29, collections: .books, .notes).commitNumber == 29)
    }

    @Test func `Records that were migrated or set aside meet their checkpoint`() async throws {
        let path = path("shop.yaprak")
        try await writeShop(at: path, commits: 30, seed: 5, checkpointsAt: [10])
        // The titles become notes of a newer form, and books don't decode as numbers.
        let books = RecordCollection<Int, Int>("books").configured { $0.undecodable = .setAside }
        let notes = RecordCollection<[String], NoMetadata>("notes").configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { $0.object = .array([$0.object]) }
        }
        let database = try await Database.open(at: path, options: replayable(), collections: books, notes)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty == false)
        try await database.write { $0[books]["number"] = 31 }
        try await database.checkpoint()
        try await database.close()
        let replayed = try await Database.replay(path, collections: books, notes)
        #expect(replayed.snapshot[notes]["last"] == ["commit 30"])
        #expect(replayed.snapshot[books]["number"] == 31)
    }
}

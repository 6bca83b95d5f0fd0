import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A manual relationship that is registered again: by another version of the program, between other collections.
@Suite(.bounded) struct ManualRelationshipReopeningTests {
    typealias Names = RecordCollection<String, NoMetadata>
    typealias Links = ManualRelationship<String, NoMetadata, String, NoMetadata>

    /// Where the edges are when the database is opened.
    enum Place: CaseIterable { case log, checkpoint, checkpointWithoutTheRelationship }

    /// What versions make of edges which name no collections: they skip such a name, and write none.
    private struct EarlierLikes: PrimaryExtension {
        struct Operation: Codable, Sendable {
            var kind: String
            var key: String
            var target: String?
        }

        let name = "likes"
        func makeRoot() -> [String] { [] }

        func apply(_ operation: Operation, to root: inout [String]) -> Never? {
            root += [operation.key, operation.target ?? ""]
            return nil
        }

        func encode(_ root: [String]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
        func decode(_ bytes: [UInt8]) throws -> [String] { try CBORDecoder().decode([String].self, from: bytes) }
    }

    let directory = TemporaryDirectory()
    private let people = Names("people")
    private let songs = Names("songs")
    private let albums = Names("albums")

    private var path: FilePath { FilePath(directory.appending("db")) }
    private var likes: Links { Links("likes", from: people, to: songs) }
    /// Another end, both ends exchanged, another beginning.
    private var others: [Links] {
        [
            Links("likes", from: people, to: albums), Links("likes", from: songs, to: people),
            Links("likes", from: albums, to: songs),
        ]
    }

    private func open() async throws -> Database {
        try await Database.open(at: path, options: replayable(), collections: people, songs, albums)
    }

    /// Commit 1: records under the same keys in all collections, and an edge.
    private func fill(_ place: Place) async throws {
        let database = try await open()
        try await database.register(likes)
        try await database.write { [people, songs, albums, likes] transaction in
            for collection in [people, songs, albums] {
                for key in ["1", "2"] { transaction[collection][key] = "\(collection.name) \(key)" }
            }
            try transaction.connect("1", to: "2", in: likes)
        }
        if place == .checkpoint { try await database.checkpoint() }
        try await database.close()
        if place == .checkpointWithoutTheRelationship {
            let unaware = try await open()
            try await unaware.checkpoint()
            try await unaware.close()
        }
    }

    private func expectRefusal(
        of relationship: Links, by database: Database, naming ends: String = #""people" → "songs""#
    ) async {
        let error = await #expect(throws: DatabaseError.self) { try await database.register(relationship) }
        #expect(error?.code == .extensionFailed && error?.message.contains(ends) == true)
    }

    private func expectRefusal(_ body: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self) { try body() }
        #expect(error?.code == .extensionFailed)
    }

    // The edges were edges of the other collections then: a rule removed records that had nothing to do with each other.
    @Test(arguments: Place.allCases)
    func `Edges are not registered as edges between other collections, and stay`(place: Place) async throws {
        try await fill(place)
        let database = try await open()
        for other in others { await expectRefusal(of: other, by: database) }
        #expect(await database.unclaimedExtensionNames == ["likes"])
        try await database.register(likes)
        #expect(database.snapshot[likes].targetKeys(of: "1") == ["2"])
        // The same in one run, and in a fork of it.
        try await database.unregister("likes")
        let fork = database.fork()
        for copy in [database, fork] {
            for other in others { await expectRefusal(of: other, by: copy) }
            try await copy.register(likes)
            #expect(copy.snapshot[likes].targetKeys(of: "1") == ["2"])
            try await copy.close()
        }
    }

    @Test(arguments: Place.allCases)
    func `Where no edges are left, the next ones are between any collections`(place: Place) async throws {
        try await fill(place)
        let other = others[0]
        var database = try await open()
        try await database.register(likes)
        try await database.write { [likes] transaction in
            _ = try transaction.disconnect("1", from: "2", in: likes)
        }
        if place == .checkpoint { try await database.checkpoint() }
        try await database.close()
        database = try await open()
        try await database.register(other)
        #expect(database.snapshot[other].count == 0)
        try await database.write { transaction in _ = try transaction.connect("2", to: "1", in: other) }
        try await database.close()
        database = try await open()
        await expectRefusal(of: likes, by: database, naming: #""people" → "albums""#)
        try await database.register(other)
        #expect(database.snapshot[other].targetKeys(of: "2") == ["1"])
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `Edges of an earlier version are taken, and name their collections from the next checkpoint on`(
        hasCheckpoint: Bool
    ) async throws {
        var database = try await open()
        try await database.register(EarlierLikes())
        try await database.write { [people, songs] transaction in
            transaction[people]["1"] = "Ada"
            for key in ["1", "2"] { transaction[songs][key] = "Song \(key)" }
            let step = EarlierLikes.Operation(kind: "add", key: "1", target: "2")
            try transaction.perform(step, on: EarlierLikes())
        }
        if hasCheckpoint { try await database.checkpoint() }
        try await database.close()
        // Nothing says what they are edges of.
        database = try await open()
        try await database.register(others[0])
        #expect(database.snapshot[others[0]].targetKeys(of: "1") == ["2"])
        try await database.close()
        database = try await open()
        try await database.register(likes)
        try await database.write { [likes] transaction in _ = try transaction.connect("1", to: "1", in: likes) }
        try await database.checkpoint()
        try await database.close()
        database = try await open()
        for other in others { await expectRefusal(of: other, by: database) }
        try await database.register(likes)
        #expect(database.snapshot[likes].targetKeys(of: "1") == ["1", "2"])
        try await database.close()
    }

    @Test(arguments: Place.allCases)
    func `An earlier version reads edges that name their collections`(place: Place) async throws {
        try await fill(place)
        let database = try await open()
        try await database.register(EarlierLikes())
        #expect(database.snapshot[EarlierLikes()] == ["1", "2"])
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `Replays refuse the commits whose edges are edges between other collections`(hasCheckpoints: Bool) async throws
    {
        // Commit 1: an edge to a song. 2: none. 3: an edge to an album.
        try await fill(hasCheckpoints ? .checkpoint : .log)
        let later = others[0]
        let database = try await open()
        try await database.register(likes)
        try await database.write { [likes] transaction in
            _ = try transaction.disconnect("1", from: "2", in: likes)
        }
        if hasCheckpoints { try await database.checkpoint() }
        try await database.unregister("likes")
        try await database.register(later)
        try await database.write { transaction in _ = try transaction.connect("2", to: "1", in: later) }
        if hasCheckpoints { try await database.checkpoint() }
        #expect(database.commitNumber == 3)
        try await database.close()

        let early = try ReplayReader(path, collections: people, songs, albums, extensions: likes)
        let late = try ReplayReader(path, collections: people, songs, albums, extensions: later)
        #expect(try early.snapshot(at: 1)[likes].targetKeys(of: "1") == ["2"])
        #expect(try early.snapshot(at: 2)[likes].count == 0)
        expectRefusal { _ = try early.snapshot(at: 3) }
        expectRefusal { _ = try late.snapshot(at: 1) }
        #expect(try late.snapshot(at: 2)[later].count == 0)
        #expect(try late.snapshot(at: 3)[later].targetKeys(of: "2") == ["1"])

        // Commit by commit, each step alone.
        let cursor = try early.cursor(at: 0)
        for count in [1, 0] {
            _ = try cursor.next()
            #expect(cursor.snapshot[likes].count == count)
        }
        expectRefusal { _ = try cursor.next() }
        #expect(cursor.commitNumber == 2)
        let first = try late.cursor(at: 0)
        expectRefusal { _ = try first.next() }
        #expect(first.commitNumber == 0)

        // Behind them it stands, with the state there alone, and goes on and back as far as there are no others.
        try first.seek(to: 3)
        for cursor in [first, try late.cursor(at: 3)] {
            #expect(cursor.snapshot[later].targetKeys(of: "2") == ["1"])
            #expect(try cursor.previous()?.commit.commitNumber == 3)
            #expect(cursor.commitNumber == 2 && cursor.snapshot[later].count == 0)
            expectRefusal { _ = try cursor.previous() }
            #expect(try cursor.next()?.commit.commitNumber == 3)
            expectRefusal { try cursor.seek(to: 1) }
            #expect(cursor.commitNumber == 3)
            #expect(try cursor.next() == nil, "it goes on from where it stands")
            #expect(cursor.snapshot[later].targetKeys(of: "2") == ["1"])
        }
        let changes = try late.changes(from: 0, to: 3)
        #expect(changes.count == 6 && changes.before[later].count == 0)
        #expect(changes.after[later].targetKeys(of: "2") == ["1"])

        for (number, edges) in [(1, ["2"]), (2, [])] as [(CommitNumber, [String])] {
            let replayed = try await Database.replay(path, upTo: number, collections: people, songs, albums)
            if !edges.isEmpty { await expectRefusal(of: later, by: replayed) }
            try await replayed.register(likes)
            #expect(replayed.snapshot[likes].targetKeys(of: "1") == edges)
            try await replayed.close()
        }
    }

    // Between two states that were read one without the other, times of writing were compared.
    @Test func `Changes over commits that a relationship can't follow say what changed`() async throws {
        let later = others[0]
        let database = try await open()
        try await database.register(likes)
        try await database.write { [people, songs, albums] transaction in
            for collection in [people, songs, albums] {
                for key in ["1", "2"] { transaction[collection][key] = "\(collection.name) \(key)" }
            }
        }
        try await database.write { [likes] transaction in _ = try transaction.connect("1", to: "2", in: likes) }
        try await database.write { [likes] transaction in _ = try transaction.disconnect("1", from: "2", in: likes) }
        try await database.unregister("likes")
        try await database.register(later)
        try await database.write { [people] transaction in
            _ = try transaction.connect("2", to: "1", in: later)
            transaction[people]["1"] = "Anna"
        }
        try await database.close()
        let late = try ReplayReader(path, collections: people, songs, albums, extensions: later)
        let changes = try late.changes(from: 1, to: 4)
        #expect(changes.map(\.key) == ["1"])
        #expect(changes.first?.kinds == [.objectChanged] as ChangeKinds)
    }
}

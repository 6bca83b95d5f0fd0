import SystemPackage
import TestSupport
import Testing
import YaprakCBOR
import YaprakModel
import YaprakSimulator

@testable import Yaprak
@testable import YaprakCore
@testable import YaprakStorage

/// Collections that are named when a database is opened become values while the checkpoint is read; those that are bound
/// later were bytes until then. Nobody may be able to tell.
@Suite(.bounded) struct OpeningTests {
    /// A book that not every book decodes as.
    private struct Strict: Codable, Sendable {
        var title: String
        var salesRank: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
            salesRank = try container.decode(Int.self, forKey: .salesRank)
            if salesRank == 13 {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "nobody wants rank 13"))
            }
        }
    }

    /// What a way of opening came to.
    private struct Outcome: Equatable {
        var rows: [String] = []
        var aside: [[String]] = []
        var failure: DatabaseError.Code?
        var recordsSetAside: Int?
    }

    private let files = MemoryFileSystem()
    private let path: FilePath = "/shop.yaprak"

    /// It was 0 until the opening wrote a checkpoint of its own. The automatic policy then wrote one for each 64 MiB of log,
    /// however large the database was.
    @Test func `The size of the newest checkpoint is known after a reopen`() async throws {
        func open() async throws -> Database {
            var options = DatabaseOptions()
            options.checkpoints = .manual
            return try await Database.open(
                at: path, options: options, bindings: [TypedBinding(RecordCollection.books)], fileSystem: files)
        }
        var sizes: [UInt64] = []
        for count in [10, 1000, 100] {
            var database = try await open()
            #expect(database.files?.checkpoints.lastSize == sizes.last ?? 0)
            try await database.write { transaction in
                transaction[.books].removeAll()
                for index in 0..<count { transaction[.books]["\(index)"] = Book(title: "\(index)") }
            }
            try await database.checkpoint()
            sizes.append(try #require(database.files?.checkpoints.lastSize))
            try await database.close()
            database = try await open()
            #expect(database.files?.checkpoints.lastSize == sizes.last)
            try await database.close()
        }
        #expect(sizes[0] > 0 && sizes[1] > 50 * sizes[0] && sizes[2] < sizes[1] / 5)
    }

    /// A history with a checkpoint somewhere in it.
    private func write(_ random: inout SplitMix64) async throws -> ReferenceDatabase.State {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        let bindings = ReferenceDatabase.collections.map { TypedBinding($0) }
        let database = try await Database.open(
            at: path, options: options, bindings: bindings, fileSystem: files)
        var state: ReferenceDatabase.State = [:]
        let commits = 2 + random.below(12)
        let checkpoint = random.below(commits)
        for commit in 0..<commits {
            let operations = (0..<(1 + random.below(20))).map { _ in RandomOperation.random(&random, keys: 12) }
            for operation in operations { _ = operation.apply(to: &state) }
            try await database.write { for operation in operations { operation.apply(to: &$0) } }
            if commit == checkpoint { try await database.checkpoint() }
        }
        try await database.close()
        return state
    }

    /// Opens with the bindings, or binds them when it is open.
    private func open(_ bindings: [CollectionBinding], atOnce: Bool) async throws -> Database {
        let database = try await Database.open(
            at: path, options: DatabaseOptions(), bindings: atOnce ? bindings : [], fileSystem: files)
        guard !atOnce else { return database }
        do {
            try await database.bind(bindings)
        } catch {
            try await database.close()
            throw error
        }
        return database
    }

    private func outcome(
        _ collections: [RecordCollection<Strict, Shelf>], atOnce: Bool
    ) async throws -> Outcome {
        var outcome = Outcome()
        do {
            let database = try await open(collections.map { TypedBinding($0) }, atOnce: atOnce)
            for collection in collections {
                for row in database.snapshot[collection] {
                    outcome.rows.append("\(row.key) \(row.object) \(String(describing: row.metadata))")
                }
                outcome.aside.append(database.snapshot.setAsideKeys(inCollectionNamed: collection.name))
            }
            outcome.recordsSetAside = database.recoveryReport?.setAsideRecordCount
            try await database.close()
        } catch let error as DatabaseError {
            outcome.failure = error.code
        }
        return outcome
    }

    @Test(arguments: 0..<100)
    func `Named at once or bound later, the records are the same`(seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let state = try await write(&random)
        let bindings = ReferenceDatabase.collections.map { TypedBinding($0) }
        for atOnce in [true, false] {
            let database = try await open(bindings, atOnce: atOnce)
            try #require(ReferenceDatabase.state(of: database.snapshot) == state, "seed \(seed), at once: \(atOnce)")
            // What was adopted goes on like any other database.
            try await database.write { $0[ReferenceDatabase.collections[0]]["one more"] = Book(title: "x") }
            try #require(
                database.snapshot[ReferenceDatabase.collections[0]].count == (state["alpha"]?.count ?? 0) + 1,
                "seed \(seed), at once: \(atOnce)")
            try await database.write { $0[ReferenceDatabase.collections[0]].remove("one more") }
            try await database.close()
        }
    }

    @Test(arguments: 0..<100, [UndecodablePolicy.refuse, .setAside])
    func `Records that do not decode are refused or set aside, in the checkpoint or after it`(
        seed: Int, policy: UndecodablePolicy
    ) async throws {
        var random = SplitMix64(seed: UInt64(1000 + seed))
        _ = try await write(&random)
        let collections = ReferenceDatabase.collections.map {
            RecordCollection<Strict, Shelf>($0.name).configured { $0.undecodable = policy }
        }
        let atOnce = try await outcome(collections, atOnce: true)
        let later = try await outcome(collections, atOnce: false)
        try #require(atOnce == later, "seed \(seed), \(policy)")
    }

    @Test func `Records of an older form are migrated, whether they lie in the checkpoint or behind it`() async throws {
        let first = RecordCollection<Book, NoMetadata>("books")
        let second = RecordCollection<Book, NoMetadata>("books").configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { record in record.object["genre"] = "migrated" }
        }
        for late in [false, true] {
            let files = MemoryFileSystem()
            func open(_ collection: RecordCollection<Book, NoMetadata>) async throws -> Database {
                try await Database.open(
                    at: path, options: DatabaseOptions(), bindings: [TypedBinding(collection)], fileSystem: files)
            }
            var database = try await open(first)
            if late { try await database.checkpoint() }
            try await database.write { $0[first]["a"] = Book(title: "a") }
            if !late { try await database.checkpoint() }
            try await database.close()
            database = try await open(second)
            #expect(database.snapshot[second]["a"]?.genre == "migrated", "late: \(late)")
            try await database.write { $0[second]["b"] = Book(title: "b", genre: "own") }
            try await database.close()
            database = try await open(second)
            #expect(database.snapshot[second].map(\.object.genre) == ["migrated", "own"], "late: \(late)")
            try await database.close()
        }
    }
}

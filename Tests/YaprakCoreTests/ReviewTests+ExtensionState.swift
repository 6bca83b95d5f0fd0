import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// The state of extensions that a launch finds in the files.
extension ReviewTests {
    // Rows that were replayed had the stamps of those in the checkpoint, so that a change looked like a touch.
    @Test func `An extension that is adopted learns what kinds of changes it missed`() async throws {
        struct Kinds: DatabaseExtension {
            let name = "kinds"
            func makeRoot() -> [String: UInt8] { [:] }
            func update(_ root: inout [String: UInt8], for changes: NetChanges, in context: ExtensionContext) -> Never?
            {
                for name in changes.collectionNames {
                    for (key, kinds) in changes.keys(inCollectionNamed: name) { root[key] = kinds.rawValue }
                }
                return nil
            }
            func encode(_ root: [String: UInt8]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
            func decode(_ bytes: [UInt8]) throws -> [String: UInt8] {
                try CBORDecoder().decode([String: UInt8].self, from: bytes)
            }
        }
        var database = try await Database.open(at: path, collections: .shelved)
        try await database.register(Kinds())
        try await database.write { for key in ["o", "m", "t"] { $0[.shelved][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.write { transaction in
            transaction[.shelved]["o"]?.title = "new"
            transaction[.shelved].replaceMetadata(Shelf(room: "1"), for: "m")
            transaction[.shelved].touchRow(for: "t")
        }
        try await database.close()
        database = try await Database.open(at: path, collections: .shelved)
        let host = try await database.register(Kinds())
        #expect(await host.origin == .adopted)
        let kinds = database.snapshot[Kinds()].mapValues { ChangeKinds(rawValue: $0) }
        #expect(kinds == ["o": .objectChanged, "m": .metadataChanged, "t": [.objectTouched, .metadataTouched]])
        try await database.close()
    }

    // A root that counts records which this launch does not decode was adopted as it was.
    @Test func `A root is not adopted where records of its time do not decode any more`() async throws {
        var database = try await Database.open(at: path, collections: .books)
        try await database.register(Counter())
        try await database.write { for key in ["bad", "good"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, collections: Self.lenient)
        let host = try await database.register(Counter())
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Counter()] == ["books": 1])
        try await database.close()
    }

    /// Takes what ``Strict`` refuses.
    struct Mended: Codable, Sendable { var title: String }

    // They were there at the checkpoint and are there now, so that no change brought them: the root lacked them for good.
    @Test(arguments: [["bad"], ["bad", "good"]])
    func `A root is not adopted where records that were set aside in its time decode again`(
        keys: [String]
    ) async throws {
        try await withBadRecords(keys)
        var database = try await Database.open(at: path, collections: Self.lenient)
        try await database.register(Counter())
        try await database.register(
            AutoView(
                "titles", versionTag: "1", of: Self.lenient, groupedBy: .everything(in: "all"), sortedBy: \.title,
                persistence: .checkpoints))
        try await database.checkpoint()
        try await database.close()
        let mended = RecordCollection<Mended, NoMetadata>("books")
        let view = AutoView(
            "titles", versionTag: "1", of: mended, groupedBy: .everything(in: "all"), sortedBy: \.title,
            persistence: .checkpoints)
        database = try await Database.open(at: path, collections: mended)
        let hosts = [try await database.register(Counter()), try await database.register(view)]
        for host in hosts { #expect(await host.origin == .populated, "\(host.name)") }
        #expect(database.snapshot[Counter()] == ["books": keys.count])
        #expect(database.snapshot[view]["all"].map(\.key) == keys)
        try await database.close()
    }

    // The same with migrations: the root was made of other values.
    @Test func `A root is not adopted where records were migrated since`() async throws {
        struct Titles: DatabaseExtension {
            let name = "titles"
            func makeRoot() -> [String: String] { [:] }
            func update(_ root: inout [String: String], for changes: NetChanges, in context: ExtensionContext) -> Never?
            {
                for change in changes.changes(in: .books) { root[change.key] = change.after?.object.title }
                return nil
            }
            func encode(_ root: [String: String]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
            func decode(_ bytes: [UInt8]) throws -> [String: String] {
                try CBORDecoder().decode([String: String].self, from: bytes)
            }
        }
        var database = try await Database.open(at: path, collections: .books)
        try await database.register(Titles())
        try await database.write { $0[.books]["a"] = Book(title: "old") }
        try await database.checkpoint()
        try await database.close()
        let migrating = RecordCollection.books.configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) {
                $0.object = .map([
                    .init("title", .text("new")), .init("genre", .text("")), .init("salesRank", .integer(1)),
                ])
            }
        }
        database = try await Database.open(at: path, collections: migrating)
        try await database.register(Titles())
        #expect(database.snapshot[Titles()] == ["a": "new"])
        try await database.close()
    }

    // An extension that looks at the records before the changes met a collection that had no types yet.
    @Test func `While a collection is bound, what was before has its types and none of its records`() async throws {
        struct Before: DatabaseExtension {
            let name = "before"
            func makeRoot() -> [Int] { [] }
            func update(_ root: inout [Int], for changes: NetChanges, in context: ExtensionContext) -> Never? {
                if changes.collectionNames.contains("books") { root.append(context.before[.books].count) }
                return nil
            }
        }
        try await withBadRecords(["a", "b"])
        let database = try await Database.open(at: path, collections: .authors)
        try await database.register(Before())
        try await database.bind(.books)
        #expect(database.snapshot[Before()] == [0])
        try await database.write { $0[.books]["c"] = Book(title: "c") }
        #expect(database.snapshot[Before()] == [0, 2])
        try await database.close()
    }

    /// Remembers keys in the order in which records came: state not derivable from records.
    struct Arrivals: PrimaryExtension {
        let name = "arrivals"
        func makeRoot() -> [String] { [] }
        func apply(_ operation: String, to root: inout [String]) -> Never? {
            root.append(operation)
            return nil
        }
        func operations(following changes: NetChanges, root: [String], in context: ExtensionContext) -> [String] {
            changes.keys(inCollectionNamed: "books").filter { $0.kinds.contains(.inserted) }.map(\.key)
        }
        func encode(_ root: [String]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
        func decode(_ bytes: [UInt8]) throws -> [String] { try CBORDecoder().decode([String].self, from: bytes) }
    }

    // Steps that a primary extension took while it was populated were in memory and not in the log: after a launch only
    // those of later commits were there.
    @Test func `Steps that a primary extension takes for records that are there survive a launch`() async throws {
        var database = try await Database.open(at: path, collections: .books)
        try await database.write { for key in ["a", "b"] { $0[.books][key] = Book(title: key) } }
        try await database.register(Arrivals())
        try await database.write { $0[.books]["0"] = Book(title: "0") }
        #expect(database.snapshot[Arrivals()] == ["a", "b", "0"])
        try await database.close()
        database = try await Database.open(at: path, collections: .books)
        try await database.register(Arrivals())
        #expect(database.snapshot[Arrivals()] == ["a", "b", "0"])
        #expect(database.commitNumber == 3)
        try await database.close()
    }

    // What extensions in the files are good for had types by then that the collection did not get.
    @Test func `A bind whose commit the log refuses can be tried again`() async throws {
        let disk = MemoryFileSystem()
        func open(_ bindings: [CollectionBinding]) async throws -> Database {
            try await Database.open(at: "/db", options: DatabaseOptions(), bindings: bindings, fileSystem: disk)
        }
        var database = try await open([TypedBinding(.books)])
        try await database.register(Counter())
        try await database.register(Arrivals())
        try await database.write { for key in ["a", "b"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.write { $0[.books]["c"] = Book(title: "c") }
        try await database.close()

        database = try await open([])
        // It takes steps as it gets to see the records, so that the bind is a commit.
        try await database.register(Arrivals())
        disk.fail(.write, nth: 1, errno: .noSpace)
        await #expect(throws: DatabaseError.self) { try await database.bind(.books) }
        disk.healFaults()
        #expect(database.commitNumber == 2)
        try await database.bind(.books)
        #expect(database.commitNumber == 3)
        let host = try await database.register(Counter())
        #expect(await host.origin == .adopted)
        #expect(database.snapshot[Counter()] == ["books": 3])
        #expect(database.snapshot[.books].map(\.object.title) == ["a", "b", "c"])
        #expect(database.snapshot[Arrivals()] == ["a", "b", "c", "a", "b", "c"])
        try await database.close()
    }

    // The state that waits on the shelf stood in the backup behind the one the snapshot has, and won.
    @Test func `A backup has the primary state as the snapshot has it`() async throws {
        let database = Database.inMemory()
        try await database.bind(.books)
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        let then = database.snapshot
        try await database.write { try $0.perform(.pin("b"), on: Pins()) }
        try await database.unregister("pins")
        try await database.backup(then, to: path)
        let copy = try await Database.open(at: path, collections: .books)
        try await copy.register(Pins())
        #expect(copy.snapshot[Pins()] == ["a"])
        try await copy.close()
    }
}

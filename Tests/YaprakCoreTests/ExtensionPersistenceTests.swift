import SystemPackage
import TestSupport
import Testing
import Yaprak

/// Extensions and launches: derived state is adopted or recomputed, primary state is never lost.
@Suite(.bounded) struct ExtensionPersistenceTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    private func open() async throws -> Database {
        try await Database.open(at: path, collections: .books, .authors)
    }

    /// A database with a checkpoint at commit 2 and two more commits after it.
    private func prepare(_ counter: Counter = Counter()) async throws {
        let database = try await open()
        try await database.register(counter)
        try await database.write { for index in 0..<100 { $0[.books]["\(index)"] = Book(title: "x") } }
        try await database.write { $0[.authors]["a"] = Author(name: "a") }
        try await database.checkpoint()
        try await database.write { transaction in
            transaction[.books]["new"] = Book(title: "x")
            transaction[.books].remove("7")
            transaction[.books].remove("8")
        }
        try await database.write { $0[.authors].removeAll() }
        try await database.close()
    }

    @Test func `A persisted root is adopted, and what changed since is replayed`() async throws {
        try await prepare()
        let database = try await open()
        #expect(await database.unclaimedExtensionNames == ["counter"])
        let offered = Log()
        let host = try await database.register(Counter()) { offered.add("\($0)") }
        #expect(await host.origin == .adopted)
        #expect(offered.lines.isEmpty, "no record was put in one by one")
        #expect(database.snapshot[Counter()] == ["books": 99])
        #expect(await database.unclaimedExtensionNames.isEmpty)
        try await database.close()
    }

    @Test func `It is adopted also when it is registered late`() async throws {
        try await prepare()
        let database = try await open()
        try await database.write { $0[.books]["later"] = Book(title: "x") }
        try await database.write { $0[.books].remove("9") }
        try await database.write { $0[.authors]["late"] = Author(name: "x") }
        let host = try await database.register(Counter())
        #expect(await host.origin == .adopted)
        #expect(database.snapshot[Counter()] == ["books": 99, "authors": 1])
        try await database.close()
    }

    @Test func `It is adopted also when its collections are bound late`() async throws {
        try await prepare()
        let database = try await Database.open(at: path, collections: .authors)
        try await database.bind(.books)
        let host = try await database.register(Counter())
        #expect(await host.origin == .adopted)
        #expect(database.snapshot[Counter()] == ["books": 99])
        try await database.close()
    }

    @Test func `Records of a collection that is bound after the extension reach it`() async throws {
        try await prepare()
        let database = try await Database.open(at: path, collections: .authors)
        try await database.register(Counter())
        #expect(database.snapshot[Counter()] == [:])
        try await database.bind(.books)
        #expect(database.snapshot[Counter()] == ["books": 99])
        try await database.close()
    }

    @Test func `Another version tag recomputes it`() async throws {
        try await prepare()
        let database = try await open()
        let host = try await database.register(Counter(versionTag: "2"))
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Counter()] == ["books": 99])
        try await database.close()
    }

    @Test func `A root that does not decode is recomputed`() async throws {
        struct Broken: DatabaseExtension {
            let name = "counter"
            let versionTag = "1"
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
                root += changes.collectionNames.reduce(0) { $0 + changes.countDifference(inCollectionNamed: $1) }
                return nil
            }
            func decode(_ bytes: [UInt8]) throws -> Int { throw CancellationError() }
        }
        try await prepare()
        let database = try await open()
        let host = try await database.register(Broken())
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Broken()] == 99)
        try await database.close()
    }

    @Test func `Primary state survives without a checkpoint and without its code`() async throws {
        let pins = Pins()
        var database = try await open()
        try await database.register(pins)
        try await database.write { transaction in
            for key in ["a", "b", "c"] { transaction[.books][key] = Book(title: key) }
            try transaction.perform(.pin("a"), on: pins)
        }
        try await database.write { try $0.perform(.pin("b"), on: pins) }
        try await database.close()

        // A launch that knows nothing of pins, and writes a checkpoint.
        database = try await open()
        try await database.write { $0[.books]["d"] = Book(title: "d") }
        try await database.checkpoint()
        try await database.write { $0[.books]["e"] = Book(title: "e") }
        try await database.close()

        database = try await open()
        try await database.register(pins)
        #expect(database.snapshot[pins] == ["a", "b"])
        try await database.write { try $0.perform(.unpin("a"), on: pins) }
        try await database.write { $0[.books].remove("b") }
        try await database.checkpoint()
        try await database.write { try $0.perform(.pin("c"), on: pins) }
        try await database.close()

        database = try await open()
        try await database.register(pins)
        #expect(database.snapshot[pins] == ["c"])
        try await database.close()
    }
}

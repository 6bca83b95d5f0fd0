import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore

/// Extension state whose extension is not registered at the moment: in snapshots, backups, forks, and when it is adopted.
@Suite(.boundedInPool) struct WaitingStateTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    private func pins(in path: FilePath) async throws -> [String] {
        let database = try await Database.open(at: path, collections: .books)
        try await database.register(Pins())
        let pins = database.snapshot[Pins()]
        try await database.close()
        return pins
    }

    // It was written as it was at the time of the backup: not at all if its extension was registered meanwhile, and with what
    // came later if it was not.
    @Test func `A backup has the primary state that waited in its snapshot, as it was then`() async throws {
        let database = Database.inMemory()
        try await database.bind(.books)
        let before = database.snapshot
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        let registered = database.snapshot
        try await database.unregister("pins")
        let waiting = database.snapshot
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("b"), on: Pins()) }
        try await database.unregister("pins")
        for (name, snapshot, expected) in [
            ("before", before, []), ("registered", registered, ["a"]), ("waiting", waiting, ["a"]),
            ("now", database.snapshot, ["a", "b"]),
        ] {
            try await database.backup(snapshot, to: path(name))
            #expect(try await pins(in: path(name)) == expected, "\(name)")
        }
    }

    @Test func `A fork has the primary state that waits in its snapshot`() async throws {
        let database = Database.inMemory()
        try await database.bind(.books)
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        try await database.unregister("pins")
        let fork = database.fork()
        #expect(await fork.unclaimedExtensionNames == ["pins"])
        try await fork.backup(to: path("fork"))
        #expect(try await pins(in: path("fork")) == ["a"])
        try await fork.register(Pins())
        try await fork.write { try $0.perform(.pin("b"), on: Pins()) }
        #expect(fork.snapshot[Pins()] == ["a", "b"])
        #expect(await fork.unclaimedExtensionNames.isEmpty)
        let grandchild = fork.fork()
        #expect(grandchild.snapshot[Pins()] == ["a", "b"])
        try await database.register(Pins())
        #expect(database.snapshot[Pins()] == ["a"])
    }

    @Test func `State that waits survives launches, checkpoints and backups without its extension`() async throws {
        var database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Pins())
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        try await database.checkpoint()
        try await database.write { try $0.perform(.pin("b"), on: Pins()) }
        try await database.close()
        for round in 0..<3 {
            database = try await Database.open(at: path("shop"), collections: .books)
            #expect(await database.unclaimedExtensionNames == ["pins"])
            try await database.write { $0[.books]["\(round)"] = Book(title: "t") }
            try await database.checkpoint()
            try await database.backup(to: path("backup \(round)"))
            try await database.close()
            #expect(try await pins(in: path("backup \(round)")) == ["a", "b"])
        }
        #expect(try await pins(in: path("shop")) == ["a", "b"])
    }

    // What was stored under the name was taken for its own, and did not decode: it could not be registered.
    @Test func `A primary extension begins with nothing under a name that a derived one has left`() async throws {
        var database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Counter(name: "pins"))
        try await database.write { for key in ["a", "b"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path("shop"), collections: .books)
        let host = try await database.register(Pins())
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Pins()] == [])
        try await database.write { try $0.perform(.pin("a"), on: Pins()) }
        try await database.close()
        #expect(try await pins(in: path("shop")) == ["a"])
    }

    // They were kept with its bytes, and no code reads the two together.
    @Test(arguments: [false, true])
    func `Steps are not those of a derived extension that had the name before`(hasCheckpoint: Bool) async throws {
        var database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Counter(name: "pins"))
        try await database.write { for key in ["a", "b"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.unregister("pins")
        try await database.register(Pins())
        for key in ["b", "a"] { try await database.write { try $0.perform(.pin(key), on: Pins()) } }
        try await database.close()
        if hasCheckpoint {
            // A launch that knows of neither.
            database = try await Database.open(at: path("shop"), collections: .books)
            try await database.checkpoint()
            try await database.close()
        }
        #expect(try await pins(in: path("shop")) == ["b", "a"])
        let replayed = try await Database.replay(path("shop"), collections: .books)
        try await replayed.register(Pins())
        #expect(replayed.snapshot[Pins()] == ["b", "a"])
    }

    // All records were reported as inserted, and written to the log once more.
    @Test func `Steps that follow from binding a collection are a commit of the steps alone`() async throws {
        var database = try await Database.open(at: path("shop"), collections: .books, .authors)
        try await database.write { for key in ["a", "b"] { $0[.books][key] = Book(title: key) } }
        try await database.close()
        database = try await Database.open(at: path("shop"))
        try await database.register(ReviewTests.Arrivals())
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.bind(.books, .authors)
        let changesets = await connection.advance()
        #expect(changesets.count == 1 && changesets[0].changes(in: .books).isEmpty)
        #expect(database.snapshot[ReviewTests.Arrivals()] == ["a", "b"])
        try await database.write { $0[.books]["c"] = Book(title: "c") }
        try await database.close()
        database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(ReviewTests.Arrivals())
        #expect(database.snapshot[ReviewTests.Arrivals()] == ["a", "b", "c"])
        #expect(database.snapshot[.books].count == 3 && database.commitNumber == 3)
        try await database.close()
    }

    /// The sum of what a parent counts.
    private struct Sum: DatabaseExtension {
        let name = "sum"
        let counter: Counter
        var dependencies: [String] { [counter.name] }
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
            if !changes.isEmpty { root = try context.after.reader(of: counter).values.reduce(0, +) }
            return nil
        }
        func encode(_ root: Int) throws -> [UInt8]? { try CBOREncoder().encode(root) }
        func decode(_ bytes: [UInt8]) throws -> Int { try CBORDecoder().decode(Int.self, from: bytes) }
    }

    // Parents were compared by their names.
    @Test func `A root that was computed over another parent is not adopted`() async throws {
        var database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Counter())
        try await database.register(Sum(counter: Counter()))
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Counter())
        try await database.unregister("counter")
        let other = Counter(versionTag: "2", collectionNames: ["authors"])
        try await database.register(other)
        let host = try await database.register(Sum(counter: other))
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Sum(counter: other)] == 0)
        try await database.close()
        // The same parent is adopted, and so is what reads it.
        database = try await Database.open(at: path("shop"), collections: .books)
        try await database.register(Counter())
        let same = try await database.register(Sum(counter: Counter()))
        #expect(await same.origin == .adopted && database.snapshot[Sum(counter: Counter())] == 3)
        try await database.close()
    }

    @Test func `What was populated over a parent that was replaced meanwhile is populated once more`() async throws {
        let database = try await Database.open(at: path("shop"), collections: .books)
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.register(Counter())
        let (isPopulated, gate) = (Flag(), Flag())
        defer { gate.set() }
        let registering = Task.detached(executorPreference: OwnThreads.shared) {
            defer { isPopulated.set() }
            return try await database.register(Sum(counter: Counter())) { _ in
                isPopulated.set()
                gate.wait()
            }
        }
        while !isPopulated.isSet { try await Task.sleep(for: .milliseconds(1)) }
        try await database.unregister("counter")
        let other = Counter(versionTag: "2", collectionNames: ["authors"])
        try await database.register(other)
        gate.set()
        let host = try await registering.value
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Sum(counter: other)] == 0)
        try await database.close()
    }

    /// Counts records; what it left in the files decodes when the gate is open.
    private struct Gated: DatabaseExtension {
        let name: String
        var gate: Flag?
        var isDecoding: Flag?
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
            root += changes.collectionNames.reduce(0) { $0 + changes.countDifference(inCollectionNamed: $1) }
            return nil
        }
        func encode(_ root: Int) throws -> [UInt8]? { try CBOREncoder().encode(root) }
        func decode(_ bytes: [UInt8]) throws -> Int {
            isDecoding?.set()
            gate?.wait()
            return try CBORDecoder().decode(Int.self, from: bytes)
        }
    }

    /// Twice what another counts.
    private struct Twice: DatabaseExtension {
        let parent: Gated
        var name: String { "twice \(parent.name)" }
        var dependencies: [String] { [parent.name] }
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
            if !changes.isEmpty { root = try 2 * context.after.reader(of: parent) }
            return nil
        }
        func encode(_ root: Int) throws -> [UInt8]? { try CBOREncoder().encode(root) }
        func decode(_ bytes: [UInt8]) throws -> Int { try CBORDecoder().decode(Int.self, from: bytes) }
    }

    // The one that took its turn last put the moment of the checkpoint, as it was when it began, in place of the one that the
    // other was part of: what reads the other was computed once more from all records.
    @Test func `Of two extensions that are adopted at once, each is there for those that read it`() async throws {
        let (one, other) = (Gated(name: "one"), Gated(name: "other"))
        var database = try await Database.open(at: path("shop"), collections: .books)
        for counter in [one, other] {
            try await database.register(counter)
            try await database.register(Twice(parent: counter))
        }
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path("shop"), collections: .books)
        let slow = Gated(name: "one", gate: Flag(), isDecoding: Flag())
        defer { slow.gate!.set() }
        let isOver = Flag()
        let registering = Task { [database] in
            defer { isOver.set() }
            return try await database.register(slow)
        }
        while !slow.isDecoding!.isSet, !isOver.isSet { try await Task.sleep(for: .milliseconds(1)) }
        var hosts = [try await database.register(other)]
        slow.gate!.set()
        hosts.append(try await registering.value)
        for counter in [one, other] { hosts.append(try await database.register(Twice(parent: counter))) }
        for host in hosts { #expect(await host.origin == .adopted, "\(host.name)") }
        for counter in [one, other] { #expect(database.snapshot[Twice(parent: counter)] == 6) }
        try await database.write { $0[.books].remove("a") }
        for counter in [one, other] { #expect(database.snapshot[Twice(parent: counter)] == 4) }
        try await database.close()
    }
}

import TestSupport
import Testing
import Yaprak

/// Extensions in memory: in step with the records, in the same commit, parents first.
@Suite(.boundedInPool) struct ExtensionTests {
    let database = Database.inMemory()
    let counter = Counter()

    @Test func `An extension follows in the same commit`() async throws {
        try await database.register(counter)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction[.authors]["a"] = Author(name: "a")
        }
        let snapshot = database.snapshot
        #expect(snapshot[counter] == ["books": 1, "authors": 1])
        try await database.write { $0[.books].removeAll() }
        #expect(database.snapshot[counter] == ["authors": 1])
        #expect(snapshot[counter] == ["books": 1, "authors": 1])
    }

    @Test func `Registering counts what is there, and reports its progress`() async throws {
        try await database.write { for index in 0..<5000 { $0[.books]["\(index)"] = Book(title: "x") } }
        let progress = Log()
        let host = try await database.register(counter) { progress.add("\($0)") }
        #expect(database.snapshot[counter] == ["books": 5000])
        #expect(progress.lines.last == "5000 of 5000 records" && progress.lines.count == 5)
        #expect(await host.status == .registered)
        #expect(await host.origin == .populated)
        #expect(database.commitNumber == 1, "registering makes no commit")
    }

    @Test func `A write sees its own changes through an extension`() async throws {
        try await database.register(counter)
        let total = Total(counter: counter)
        try await database.register(total)
        try await database.write { [counter] transaction in
            transaction[.books]["a"] = Book(title: "a")
            let one = try transaction.reader(of: counter)
            transaction[.books]["b"] = Book(title: "b")
            transaction[.authors]["b"] = Author(name: "b")
            let three = try transaction.reader(of: total)
            #expect(one == ["books": 1] && three == 3)
            transaction[.books].remove("a")
            let frozen = try transaction.snapshot()
            #expect(frozen[counter] == ["books": 1, "authors": 1] && frozen[total] == 2)
        }
        #expect(database.snapshot[total] == 2)
    }

    @Test func `What an extension changed is in the changeset`() async throws {
        let host = try await database.register(counter)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        let stream: ExtensionChangesSequence<Counter> = host.changes(of: counter)
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.write { $0[.books]["a"] = Book(title: "b") }
        try await database.write { $0[.books].remove("a") }
        let changes = await connection.advance().map { $0.changes(of: counter) }
        #expect(changes == [[.init(differences: ["books": 1])], [], [.init(differences: ["books": -1])]])
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next()?.commitNumber == 1)
        #expect(try await iterator.next()?.commitNumber == 3)
    }

    @Test func `An extension that throws undoes the write`() async throws {
        struct Picky: DatabaseExtension {
            struct No: Error {}
            let name = "picky"
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
                if changes.keys(inCollectionNamed: "books").contains(where: { $0.key == "bad" }) { throw No() }
                root += 1
                return nil
            }
        }
        try await database.register(Picky())
        try await database.write { $0[.books]["good"] = Book(title: "x") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                transaction[.books]["good"] = nil
                transaction[.books]["bad"] = Book(title: "x")
            }
        }
        #expect(error?.code == .extensionFailed && error?.cause is Picky.No)
        #expect(database.snapshot[.books].map(\.key) == ["good"] && database.snapshot[Picky()] == 1)
        try await database.unregister("picky")
        try await database.write { $0[.books]["bad"] = Book(title: "x") }
        let late = await #expect(throws: DatabaseError.self) { try await database.register(Picky()) }
        #expect(late?.code == .extensionFailed)
        #expect(!database.snapshot.isRegistered("picky"))
    }

    @Test func `A root may be declared as a protocol, or as what may be missing`() async throws {
        struct Shapeless: DatabaseExtension {
            let name = "shapeless"
            func makeRoot() -> any Sendable & CustomStringConvertible { 0 }
            func update(
                _ root: inout any Sendable & CustomStringConvertible, for changes: NetChanges,
                in context: ExtensionContext
            ) -> Never? {
                root = root is Int ? "\(root) and text" : 7
                return nil
            }
        }
        struct Latest: DatabaseExtension {
            let name = "latest"
            func makeRoot() -> String? { nil }
            func update(_ root: inout String?, for changes: NetChanges, in context: ExtensionContext) -> Never? {
                root = changes.keys(inCollectionNamed: "books").first?.key
                return nil
            }
        }
        try await database.register(Shapeless())
        try await database.register(Latest())
        #expect(database.snapshot[Latest()] == nil)
        var seen: [String] = []
        for key in ["a", "b", "c"] {
            try await database.write { $0[.books][key] = Book(title: "x") }
            seen.append("\(database.snapshot[Shapeless()]) \(database.snapshot[Latest()] ?? "none")")
        }
        #expect(seen == ["0 and text a", "7 b", "7 and text c"])
    }

    @Test func `Names are taken once, parents come first and take their dependants with them`() async throws {
        let total = Total(counter: counter)
        #expect(
            await #expect(throws: DatabaseError.self) { try await database.register(total) }?.code == .missingExtension)
        try await database.register(counter)
        try await database.register(total)
        #expect(await #expect(throws: DatabaseError.self) { try await database.register(counter) }?.code == .nameTaken)
        #expect(database.snapshot.extensionNames == ["counter", "total"])
        #expect(database.snapshot.versionTag(ofExtensionNamed: "counter") == "1")
        let before = database.snapshot
        #expect(try await database.unregister("counter") == ["total", "counter"])
        #expect(database.snapshot.extensionNames.isEmpty)
        #expect(before[total] == 0, "a snapshot keeps the extensions it has")
        #expect(throws: DatabaseError.self) { try database.snapshot.reader(of: counter) }
        try await database.register(counter)
    }

    @Test func `A snapshot from before does not have the extension, and says so`() async throws {
        let before = database.snapshot
        try await database.register(counter)
        let error = #expect(throws: DatabaseError.self) { try before.reader(of: counter) }
        #expect(error?.code == .extensionNotRegistered)
    }

    @Test func `Cancelling a population registers nothing`() async throws {
        try await database.write { for index in 0..<20_000 { $0[.books]["\(index)"] = Book(title: "x") } }
        let task = Task { [database, counter] in
            try await database.register(counter) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!database.snapshot.isRegistered("counter"))
        try await database.register(counter)
        #expect(database.snapshot[counter]["books"] == 20_000)
    }

    @Test func `Writes go on while an extension is populated, and nothing is missed`() async throws {
        try await database.write { for index in 0..<20_000 { $0[.books]["\(index)"] = Book(title: "x") } }
        let isDone = Flag()
        let writer = Task { [database] in
            var count = 0
            while !isDone.isSet {
                let key = "new \(count)"
                let gone = "\(count)"
                try await database.write {
                    $0[.books][key] = Book(title: "y")
                    $0[.books].remove(gone)
                    $0[.authors][key] = Author(name: "z")
                }
                count += 1
                await Task.yield()
            }
            return count
        }
        try await database.register(counter) { _ in }
        isDone.set()
        _ = try await writer.value
        let snapshot = database.snapshot
        #expect(snapshot[counter]["books"] == snapshot[.books].count)
        #expect(snapshot[counter]["authors"] ?? 0 == snapshot[.authors].count)
    }

    @Test func `Collections outside of its list don't reach an extension`() async throws {
        struct Narrow: DatabaseExtension {
            let name = "narrow"
            let collectionNames: [String]? = ["authors"]
            let called: @Sendable () -> Void
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
                called()
                return nil
            }
        }
        let log = Log()
        try await database.register(Narrow { log.add("called") })
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        #expect(log.lines.isEmpty)
        try await database.write { $0[.authors]["a"] = Author(name: "a") }
        #expect(log.lines.count == 1)
    }

    @Test func `A primary extension that can't be encoded is refused`() async throws {
        struct Forgetful: PrimaryExtension {
            let name = "forgetful"
            func makeRoot() -> Int { 0 }
            func apply(_ operation: Int, to root: inout Int) -> Never? { nil }
        }
        let error = await #expect(throws: DatabaseError.self) { try await database.register(Forgetful()) }
        #expect(error?.code == .extensionFailed && !database.snapshot.isRegistered("forgetful"))
    }

    @Test func `An operation that does not encode undoes the write`() async throws {
        struct Unwritable: Codable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "never"))
            }
        }
        struct Counting: PrimaryExtension {
            let name = "counting"
            func makeRoot() -> Int { 0 }
            func apply(_ operation: Unwritable, to root: inout Int) -> Never? {
                root += 1
                return nil
            }
            func encode(_ root: Int) -> [UInt8]? { [] }
            func decode(_ bytes: [UInt8]) -> Int { 0 }
        }
        try await database.register(Counting())
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                transaction[.books]["a"] = Book(title: "a")
                try transaction.perform(Unwritable(), on: Counting())
            }
        }
        #expect(error?.code == .encodingFailed && error?.cause is EncodingError)
        #expect(database.snapshot[Counting()] == 0 && database.snapshot[.books].isEmpty)
    }

    @Test func `Primary state is part of the commit, and goes with what it belongs to`() async throws {
        let pins = Pins()
        try await database.register(pins)
        try await database.write { transaction in
            for key in ["a", "b", "c"] { transaction[.books][key] = Book(title: key) }
            try transaction.perform(.pin("b"), on: pins)
            try transaction.perform(.pin("a"), on: pins)
        }
        #expect(database.snapshot[pins] == ["b", "a"])
        try await database.write { try $0.perform(.pin("c"), on: pins) }
        #expect(database.commitNumber == 2, "a step alone makes a commit")
        try await database.write { $0[.books].remove("a") }
        #expect(database.snapshot[pins] == ["b", "c"])
        _ = try? await database.write { transaction in
            try transaction.perform(.unpin("b"), on: pins)
            throw CancellationError()
        }
        #expect(database.snapshot[pins] == ["b", "c"])
        try await database.unregister("pins")
        #expect(await database.unclaimedExtensionNames == ["pins"])
        try await database.register(pins)
        #expect(database.snapshot[pins] == ["b", "c"], "what was put in by hand is kept")
    }
}

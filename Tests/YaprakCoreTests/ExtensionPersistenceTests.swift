import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks

/// A value with an identity, so that its end can be seen.
private final class Soul: Codable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
}

private struct Being: Codable, Sendable { var soul: Soul }

extension RecordCollection where Object == Being, Metadata == NoMetadata {
    fileprivate static var beings: Self { Self("beings") }
}

/// Makes a fork of what was there before, when it is adopted or brought up to date.
private struct Forking: DatabaseExtension {
    let name: String
    var dependencies: [String] = []
    let fork: @Sendable (Snapshot) -> Void

    func makeRoot() -> Int { 0 }
    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        fork(context.before)
        return nil
    }
    func encode(_ root: Int) throws -> [UInt8]? { [1] }
    func decode(_ bytes: [UInt8]) throws -> Int { 1 }
}

/// Keeps the records as a write leaves them, before other extensions have followed it.
private struct Keeping: DatabaseExtension {
    let name = "keeping"
    let keep: @Sendable (Snapshot) -> Void

    func makeRoot() -> Int { 0 }
    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        keep(context.after)
        return nil
    }
}

/// What a user notes: state of a program's own, with any tag.
private struct Notes: PrimaryExtension {
    let name = "notes"
    let versionTag: String

    func makeRoot() -> [String] { [] }
    func apply(_ operation: String, to root: inout [String]) -> Never? {
        root.append(operation)
        return nil
    }
    func encode(_ root: [String]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
    func decode(_ bytes: [UInt8]) throws -> [String] { try CBORDecoder().decode([String].self, from: bytes) }
}

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

    // It was adopted as if it had all of them, and lacked those for good.
    @Test func `A root that was stored while records had no type is not adopted`() async throws {
        let writers = Counter(name: "writers", collectionNames: ["authors"])
        try await prepare()
        var database = try await Database.open(at: path, collections: .authors)
        try await database.register(Counter())
        try await database.register(writers)
        #expect(database.snapshot[Counter()] == [:])
        try await database.checkpoint()
        try await database.close()

        database = try await open()
        #expect(await database.unclaimedExtensionNames == ["counter", "writers"])
        let host = try await database.register(Counter())
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Counter()] == ["books": 99])
        let other = try await database.register(writers)
        #expect(await other.origin == .adopted, "it had all that it looks at")
        try await database.write { $0[.authors]["b"] = Author(name: "b") }
        try await database.checkpoint()
        try await database.close()

        database = try await open()
        let again = try await database.register(Counter())
        #expect(await again.origin == .adopted, "this time it had all")
        #expect(database.snapshot[Counter()] == ["books": 99, "authors": 1])
        try await database.close()
    }

    @Test func `A root of a backup that was made while records had no type is not adopted`() async throws {
        let copies = [FilePath(directory.appending("backup.yaprak")), FilePath(directory.appending("written.yaprak"))]
        try await prepare()
        let database = try await Database.open(at: path, collections: .authors)
        try await database.register(Counter())
        try await database.backup(to: copies[0])
        try database.fork().snapshot.write(to: copies[1])
        try await database.close()
        for copy in copies {
            let database = try await Database.open(at: copy, collections: .books, .authors)
            let host = try await database.register(Counter())
            #expect(await host.origin == .populated)
            #expect(database.snapshot[Counter()] == ["books": 99])
            try await database.close()
        }
    }

    // The counter was written as it was before the write, and adopted as if it had followed it.
    @Test func `What an extension kept of a write is written without the roots of before`() async throws {
        let copies = ["copy", "fork", "later"].map { FilePath(directory.appending("\($0).yaprak")) }
        let kept = Mutex<Snapshot?>(nil)
        var database = Database.inMemory()
        try await database.register(Keeping { snapshot in kept.withLock { $0 = snapshot } })
        try await database.register(Counter())
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let after = try #require(kept.withLock { $0.take() })
        #expect(after[.books].count == 1 && after[Counter()] == [:])
        try after.write(to: copies[0])
        // The fork's counter has missed the first book for good.
        let fork = database.fork(from: after)
        try fork.snapshot.write(to: copies[1])
        try await fork.write { $0[.books]["b"] = Book(title: "b") }
        #expect(fork.snapshot[Counter()] == ["books": 1])
        try await fork.backup(to: copies[2])

        for (copy, count) in zip(copies, [1, 1, 2]) {
            database = try await Database.open(at: copy, collections: .books)
            let host = try await database.register(Counter())
            #expect(await host.origin == .populated)
            #expect(database.snapshot[Counter()] == ["books": count])
            try await database.close()
        }
        // One that is registered again has all.
        let again = FilePath(directory.appending("again.yaprak"))
        try await fork.unregister("counter")
        try await fork.register(Counter())
        try await fork.backup(to: again)
        database = try await Database.open(at: again, collections: .books)
        let host = try await database.register(Counter())
        #expect(await host.origin == .adopted)
        #expect(database.snapshot[Counter()] == ["books": 2])
        try await database.close()
    }

    // The planner took the index, which had missed the record.
    @Test func `A query in a fork of what an extension kept reads no index that has missed changes`() async throws {
        let kept = Mutex<Snapshot?>(nil)
        let database = Database.inMemory()
        let titles = RecordIndex("titles", of: .books, \.title)
        try await database.register(Keeping { snapshot in kept.withLock { $0 = snapshot } })
        try await database.register(titles)
        try await database.write { $0[.books]["a"] = Book(title: "Dune") }
        let fork = database.fork(from: try #require(kept.withLock { $0.take() }))
        let query = RecordQuery(.books, where: #Predicate { $0.title == "Dune" })
        #expect(fork.snapshot[query].map(\.key) == ["a"])
        try await fork.unregister("titles")
        try await fork.register(titles)
        #expect(fork.snapshot[query].map(\.key) == ["a"])
    }

    @Test func `Another version tag recomputes it`() async throws {
        try await prepare()
        let database = try await open()
        let host = try await database.register(Counter(versionTag: "2"))
        #expect(await host.origin == .populated)
        #expect(database.snapshot[Counter()] == ["books": 99])
        try await database.close()
    }

    // No checkpoint could be written any more, and no backup.
    @Test(arguments: [65_000, 70_000])
    func `Checkpoints and backups are written whatever the length of a version tag`(length: Int) async throws {
        let tag = String(repeating: "t", count: length)
        let counter = Counter(versionTag: tag)
        let notes = Notes(versionTag: tag)
        let copy = FilePath(directory.appending("copy.yaprak"))
        var database = try await open()
        try await database.register(counter)
        try await database.register(notes)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "a")
            try transaction.perform("one", on: notes)
        }
        try await database.checkpoint()
        try await database.backup(to: copy)
        // What waits for its extension has a tag, too.
        try await database.unregister(notes.name)
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        try await database.checkpoint()
        try await database.close()

        let expected: ExtensionHost.Origin = length == 65_000 ? .adopted : .populated
        for (file, count) in [(copy, 1), (path, 2)] {
            database = try await Database.open(at: file, collections: .books)
            let host = try await database.register(counter)
            #expect(await host.origin == expected)
            #expect(database.snapshot[counter] == ["books": count])
            try await database.register(notes)
            #expect(database.snapshot[notes] == ["one"])
            try await database.close()
        }
    }

    // A tag that is cut must not be one that somebody registers.
    @Test func `A root whose tag is too long for a checkpoint is adopted under no tag`() async throws {
        try await prepare(Counter(versionTag: String(repeating: "t", count: 70_000)))
        for tag in ["", String(repeating: "t", count: 1_000) + "…"] {
            let database = try await open()
            #expect(await database.unclaimedExtensionNames == ["counter"])
            let host = try await database.register(Counter(versionTag: tag))
            #expect(await host.origin == .populated)
            try await database.close()
        }
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

    /// What is kept of a fork of the state that a persisted root was adopted with.
    enum Kept: CaseIterable, Sendable { case fork, writtenFork, snapshot, snapshotOfWrittenFork, forkOfSnapshot }

    @Test(arguments: Kept.allCases, [false, true])
    func `A fork of what was before an adoption has the records of the checkpoint as long as it lives`(
        kept: Kept, dependsOnAdopted: Bool
    ) async throws {
        let parent = Forking(name: "parent") { _ in }
        @Sendable func forking(_ fork: @escaping @Sendable (Snapshot) -> Void) -> Forking {
            Forking(name: "forking", dependencies: dependsOnAdopted ? [parent.name] : [], fork: fork)
        }
        @Sendable func name(_ index: Int, _ round: String) -> String { "\(round) \(index)" }
        let count = 300
        do {
            let database = try await Database.open(at: path, collections: .beings, .books)
            try await database.register(parent)
            try await database.register(forking { _ in })
            try await database.write { transaction in
                for index in 0..<count {
                    transaction[.beings]["\(index)"] = Being(soul: Soul(name(index, "old")))
                    transaction[.books]["\(index)"] = Book(title: name(index, "old"))
                }
            }
            try await database.checkpoint()
            try await database.write { transaction in
                for index in 0..<count {
                    transaction[.beings]["\(index)"] = Being(soul: Soul(name(index, "new")))
                    transaction[.books]["\(index)"] = Book(title: name(index, "new"))
                }
            }
            try await database.close()
        }

        // Two collections get their types one after the other: what was before is made once more each time.
        let database = try await Database.open(at: path)
        try await database.bind(.beings, .books)
        let forks = Mutex<[Database]?>([])
        try await database.register(parent)
        let host = try await database.register(
            forking { before in
                let fork = database.fork(from: before)
                forks.withLock { $0?.append(fork) }
            })
        #expect(await host.origin == .adopted)
        var fork: Database? = try #require(forks.withLock { $0.take() }?.first)
        var snapshot: Snapshot?
        switch kept {
        case .fork: break
        case .writtenFork:
            try await fork!.write { $0[.books]["more"] = Book(title: "more") }
        case .snapshot:
            snapshot = fork!.snapshot
            fork = nil
        case .snapshotOfWrittenFork:
            try await fork!.write { $0[.books]["more"] = Book(title: "more") }
            snapshot = fork!.snapshot
            fork = nil
        case .forkOfSnapshot:
            try await fork!.write { $0[.books]["more"] = Book(title: "more") }
            fork = fork!.fork()
        }
        weak let soul: Soul? = (snapshot ?? fork!.snapshot)[.beings]["7"]?.soul
        // Each write frees some of what no version needs.
        for round in 0..<50 {
            try await database.write { transaction in
                for index in 0..<20 { transaction[.books]["\(index)"] = Book(title: "\(round)") }
            }
            await Task.yield()
        }
        try #require(soul != nil, "the rows of the checkpoint are gone")
        do {
            let snapshot = snapshot ?? fork!.snapshot
            for index in 0..<count {
                #expect(snapshot[.beings]["\(index)"]?.soul.name == name(index, "old"))
                #expect(snapshot[.books]["\(index)"]?.title == name(index, "old"))
            }
        }
        snapshot = nil
        fork = nil
        for _ in 0..<4_000 where soul != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(soul == nil, "nothing needs them any more")
        #expect(database.snapshot[.beings]["7"]?.soul.name == name(7, "new"))
        try await database.close()
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// Faults that a review found: what happened is at the head of each test.
@Suite(.boundedInPool) struct ReviewTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    /// Refuses titles that begin with "bad".
    struct Strict: Codable, Sendable, Equatable {
        var title: String
        init(title: String) { self.title = title }
        init(from decoder: any Decoder) throws {
            title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
            if title.hasPrefix("bad") {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: title))
            }
        }
        enum CodingKeys: CodingKey { case title }
    }
    static let strict = RecordCollection<Strict, NoMetadata>("books")
    static let lenient = strict.configured { $0.undecodable = .setAside }

    /// Whether `flag` is set within a minute: on a busy machine a few seconds may be too few.
    private func happens(_ flag: Flag) async throws -> Bool {
        for _ in 0..<60_000 {
            if flag.isSet { return true }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    func withBadRecords(_ keys: [String]) async throws {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for key in keys { $0[.books][key] = Book(title: key) } }
        try await database.close()
    }

    // A ticket kept one waiter. A writer waits for its ticket, and so do drain, close and bind for the newest one: the
    // second to come took the place of the first, which waited forever.
    @Test func `Everybody who waits for a commit goes on`() async throws {
        let ticket = CommitTicket()
        let done = [Flag(), Flag(), Flag()]
        for flag in done {
            Task.detached {
                try await ticket.wait()
                flag.set()
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        ticket.resolve(.success(()))
        for flag in done { #expect(try await happens(flag)) }
    }

    @Test func `A write and those who drain meanwhile all return`() async throws {
        let database = try await Database.open(at: path, collections: .books)
        let done = Flag()
        Task.detached {
            for index in 0..<50 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
                    for _ in 0..<3 { group.addTask { try await database.drain() } }
                    try await group.waitForAll()
                }
            }
            done.set()
        }
        #expect(try await happens(done))
    }

    // An extension that threw in the middle of a write was asked again at its end, and those before it followed twice.
    @Test func `A write whose extension threw is undone, also if the closure swallows the error`() async throws {
        struct Picky: DatabaseExtension {
            let name = "picky"
            struct No: Error {}
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
                if context.after[.books].count == 1 { throw No() }
                return nil
            }
        }
        let database = Database.inMemory()
        try await database.register(Counter())
        try await database.register(Picky())
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                transaction[.books]["a"] = Book(title: "a")
                _ = try? transaction.snapshot()
                transaction[.books]["b"] = Book(title: "b")
            }
        }
        #expect(error?.code == .extensionFailed)
        #expect(database.commitNumber == 0 && database.snapshot[Counter()] == [:])
    }

    // What `prepare` changed beside the value that was set was in memory, and neither in the log nor in the changeset.
    @Test func `What prepare changes is logged, whichever verb was used`() async throws {
        let prepared = RecordCollection.shelved.configured {
            $0.prepare { _, book, shelf in
                book.genre = shelf?.room ?? "none"
                shelf = Shelf(room: book.title)
            }
        }
        var database = try await Database.open(at: path, collections: prepared)
        try await database.write { $0[.shelved]["a"] = Book(title: "one") }
        try await database.write { $0[.shelved]["a"] = Book(title: "two") }
        try await database.write { $0[.shelved]["b"] = Book(title: "one") }
        try await database.write { $0[.shelved].replaceMetadata(Shelf(room: "x"), for: "b") }
        let before = database.snapshot[.shelved].map { [$0.key, $0.object.title, $0.object.genre, $0.metadata?.room] }
        try await database.close()
        database = try await Database.open(at: path, collections: .shelved)
        #expect(
            database.snapshot[.shelved].map { [$0.key, $0.object.title, $0.object.genre, $0.metadata?.room] } == before)
        try await database.close()
    }

    // What was removed one by one before everything was, was reported twice; read back from the log it was a change of a
    // record that is neither before nor after, and stopped the program.
    @Test func `Removals before the removal of everything are part of it`() async throws {
        let database = try await Database.open(at: path, collections: .books, .authors)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction[.authors]["a"] = Author(name: "a")
        }
        let live = database.changesets()
        try await database.write { transaction in
            transaction[.books].remove("a")
            _ = try transaction.snapshot()
            transaction.removeAll()
        }
        for isFromLog in [false, true] {
            if isFromLog { database.detachStreams() }
            var iterator = (isFromLog ? database.changesets(after: 1) : live).makeAsyncIterator()
            let changeset = try #require(try await iterator.next())
            #expect(changeset.isFromLog == isFromLog)
            #expect(changeset.changes(in: .books).map(\.key).isEmpty)
            #expect(changeset.changes(in: .books).removedAllCount == 1 && changeset.didRemoveAll)
        }
        try await database.close()
    }

    // The checkpoint of a database that was closed went on writing, renaming and pruning in a directory that somebody
    // else may have opened.
    @Test func `Nothing is written to the files once they are closed`() async throws {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for index in 0..<30_000 { $0[.books]["\(index)"] = Book(title: "\(index)") } }
        let checkpoint = Task.detached { try? await database.checkpoint() }
        while directory.files(in: "shop.yaprak/ckpt").isEmpty { try await Task.sleep(for: .microseconds(100)) }
        try await database.close()
        let files = directory.files(in: "shop.yaprak/ckpt")
        _ = await checkpoint.value
        #expect(directory.files(in: "shop.yaprak/ckpt") == files)
        #expect(files.allSatisfy { !$0.contains("tmp") })
    }

    // A commit that was too large for the log counted as a failure of the log: commits that waited were taken back in
    // memory and written all the same.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["YAPRAK_SOAK"] != nil, "fills a quarter of a gigabyte"))
    func `A commit too large for the log takes nothing else back`() async throws {
        var options = DatabaseOptions()
        options.limits.valueBytesMax = 1 << 30
        let blobs = RecordCollection<Data, NoMetadata>("blobs")
        let disk = MemoryFileSystem()
        let database = try await Database.open(
            at: "/db", options: options, bindings: [TypedBinding(blobs), TypedBinding(.books)], fileSystem: disk)
        let large = Data(count: 100 << 20)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { for key in ["a", "b", "c"] { $0[blobs][key] = large } }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(database.files?.health.failure == nil)
        try await database.write { $0[.books]["a"] = Book(title: "x") }
        #expect(database.commitNumber == 1)
        try await database.close()
    }

    // A version that does not fit in 32 bits was written, and the log could not be read again.
    @Test func `Any positive version can be read again`() async throws {
        let dated = RecordCollection.books.configured { $0.version = 2026_01_31_1200 }
        var database = try await Database.open(at: path, collections: dated)
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.checkpoint()
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        try await database.close()
        database = try await Database.open(at: path, collections: dated)
        #expect(database.snapshot[.books].count == 2)
        try await database.close()
    }

    // Many commits are added up by halves: each is looked at a logarithmic number of times, not once for each after it.
    @Test func `Many small changes add up to what they are together`() async throws {
        let database = Database.inMemory()
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        for index in 0..<4000 { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
        for index in 0..<1000 { try await database.write { $0[.books].remove("\(index * 2)") } }
        let changes = await connection.advance()
        #expect(changes.netChanges.countDifference(inCollectionNamed: "books") == 3000)
        #expect(changes.netChanges.changes(in: .books).allSatisfy { $0.kinds == .inserted })
    }

    // A fork may bind a name to other types; its rows went into a tree of this database, as what they are not.
    @Test func `Restoring a collection that has other types there stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            let fork = database.fork()
            try await fork.write { $0[RecordCollection<Author, NoMetadata>("books")]["a"] = Author(name: "x") }
            try await database.write { $0[.books]["b"] = Book(title: "x") }
            try await database.restore(fork.snapshot)
            if database.snapshot[.books].count == 2 { exit(0) }
        }
    }

    // Commits that failed behind the first were reported after a writer had dealt with that, and took back what came
    // after it: commits were lost in memory that the log wrote, and numbers were used twice, which traps.
    @Test func `Writers who try again at once when the log fails lose nothing and nobody`() async throws {
        let disk = MemoryFileSystem()
        let database = try await Database.open(
            at: "/db", options: DatabaseOptions(), bindings: [TypedBinding(.books)], fileSystem: disk)
        let hasFailed = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<200 {
                group.addTask {
                    for index in 0..<10 {
                        while true {
                            do {
                                try await database.write { $0[.books]["\(writer)/\(index)"] = Book(title: "x") }
                                break
                            } catch let error as DatabaseError where [.diskFull, .abandoned].contains(error.code) {
                                hasFailed.set()
                            }
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    disk.fail(.write, nth: 1, errno: .noSpace)
                    try await Task.sleep(for: .microseconds(300))
                }
            }
            try await group.waitForAll()
        }
        disk.healFaults()
        #expect(hasFailed.isSet)
        #expect(database.snapshot[.books].count == 2000 && database.commitNumber == 2000)
        try await database.close()
        let again = try await Database.open(
            at: "/db", options: DatabaseOptions(), bindings: [TypedBinding(.books)], fileSystem: disk)
        #expect(again.snapshot[.books].count == 2000)
        try await again.close()
    }

    @Test(arguments: [true, false])
    func `A compaction that can't remove a file says so, and another one ends it`(forever: Bool) async throws {
        let disk = MemoryFileSystem()
        var options = DatabaseOptions()
        options.retention = .all
        options.checkpoints = .manual
        options.store.segmentBytesMax = 4 << 10
        let database = try await Database.open(at: "/db", options: options, fileSystem: disk, collections: .books)
        for number in 1...60 {
            try await database.write {
                $0[.books]["\(number)"] = Book(title: String(repeating: "a\(number)", count: 99))
            }
            if number.isMultiple(of: 20) { try await database.checkpoint() }
        }
        try await database.close()
        disk.fail(.unlink, nth: 1, errno: .permissionDenied, forever: forever)
        let maintenance = Maintenance("/db", fileSystem: disk)
        let error = #expect(throws: DatabaseError.self) {
            try maintenance.compact(.checkpoints(2), isDryRun: false)
        }
        #expect(error?.code == .writeFailed && error?.place.file?.hasPrefix("ckpt/") == true, "\(error as Any)")
        disk.healFaults()
        let outcome = try maintenance.compact(.checkpoints(2), isDryRun: false)
        #expect(!outcome.pruned.checkpoints.isEmpty && !outcome.pruned.segments.isEmpty)
        #expect(try maintenance.compact(.checkpoints(2), isDryRun: true).pruned.segments.isEmpty)
    }
}

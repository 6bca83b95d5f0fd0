import Synchronization
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore
@testable import YaprakTrees

/// One object serves all transactions of a database: what it notes of one must not reach the next.
@Suite(.bounded) struct DraftTests {
    /// What a transaction may leave behind.
    private enum Kind: CaseIterable {
        case write, remove, nothing, clear, clearAll, newCollection, info, callback, look, step, stepAndClear, restore
        case error, errorAfterLook, longKey, tooMuch, refused, refusedByExtension, unencodable
        case bind, register, react
    }

    private struct Refusal: Error {}

    /// A record of this type does not encode if it says so.
    private struct Moody: Codable, Sendable {
        var encodes = true
        init(encodes: Bool = true) { self.encodes = encodes }
        func encode(to encoder: any Encoder) throws {
            if !encodes { throw Refusal() }
            var container = encoder.singleValueContainer()
            try container.encode(encodes)
        }
        init(from decoder: any Decoder) throws { encodes = try decoder.singleValueContainer().decode(Bool.self) }
    }

    private static let moods = RecordCollection<Moody, NoMetadata>("moods")

    /// Refuses an author that is called no.
    private struct Judge: DatabaseExtension {
        let name = "judge"
        var collectionNames: [String]? { ["authors"] }
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
            for change in changes.changes(in: .authors) where change.after?.object.name == "no" { throw Refusal() }
            root += 1
            return nil
        }
    }

    /// A database with all that follows a transaction.
    private static func shop(in path: FilePath?) async throws -> Database {
        var options = DatabaseOptions()
        options.limits.operationsMax = 40
        let database: Database
        if let path {
            database = try await .open(at: path, options: options, collections: .books, .authors, moods)
        } else {
            database = try .inMemory(checkingCoding: true, options: options, collections: .books, .authors, moods)
        }
        try await database.register(Counter())
        try await database.register(Total(counter: Counter()))
        try await database.register(Pins())
        try await database.register(Judge())
        try await database.register(
            RecordReaction("stamp", to: .books) { change, transaction in
                if change.key == "refused" { throw Refusal() }
                if change.key == "answered" {
                    transaction[.authors]["answer"] = Author(name: change.after?.object.title ?? "")
                }
            })
        return database
    }

    /// Does something; whether it fails is its own business.
    private static func perform(
        _ kind: Kind, _ database: Database, _ first: Snapshot, _ number: Int, _ random: inout SplitMix64
    ) async throws {
        let key = "k\(random.next() % 12)"
        let title = "\(number)"
        switch kind {
        case .write: try await database.write(origin: "writer") { $0[.books][key] = Book(title: title) }
        case .remove: try await database.write { $0[.books].remove(key) }
        case .nothing: try await database.write { _ = $0[.books][key] }
        case .clear: try await database.write { $0[.books].removeAll() }
        case .clearAll:
            try await database.write {
                $0[.books]["answered"] = Book(title: title)
                $0.removeAll()
            }
        case .newCollection:
            let new = RecordCollection<Author, NoMetadata>("new \(number)")
            try await database.write { $0[new][key] = Author(name: title) }
        case .info:
            try await database.write {
                $0.setInfo("info \(title)")
                $0[.books][key] = Book(title: title)
            }
        case .callback:
            let calls = Atomic(0)
            try await database.write { transaction in
                transaction[.books][key] = Book(title: title)
                transaction.afterCommit { calls.wrappingAdd(1, ordering: .relaxed) }
            }
            #expect(calls.load(ordering: .relaxed) == 1)
        case .look:
            try await database.write { transaction in
                transaction[.books][key] = Book(title: title)
                _ = try transaction.reader(of: Counter())
                transaction[.authors][key] = Author(name: title)
                _ = transaction[.books].rows
            }
        case .step: try await database.write { try $0.perform(.pin(key), on: Pins()) }
        case .stepAndClear:
            try await database.write {
                try $0.perform(.pin(key), on: Pins())
                $0[.books].removeAll()
            }
        case .restore: try await database.restore(first)
        case .error:
            try await database.write {
                $0[.books][key] = nil
                $0.setInfo("lost")
                throw Refusal()
            }
        case .errorAfterLook:
            try await database.write {
                $0[.books][key] = Book(title: title)
                _ = try $0.snapshot()
                $0.removeAll()
                throw Refusal()
            }
        case .longKey:
            try await database.write { $0[.books][String(repeating: "x", count: 5_000)] = Book(title: title) }
        case .tooMuch:
            try await database.write { for i in 0..<41 { $0[.books]["\(i)"] = Book(title: title) } }
        case .refused: try await database.write { $0[.books]["refused"] = Book(title: title) }
        case .refusedByExtension: try await database.write { $0[.authors][key] = Author(name: "no") }
        case .unencodable: try await database.write { $0[moods][key] = Moody(encodes: false) }
        case .bind: try await database.bind(RecordCollection<Author, NoMetadata>("bound \(number)"))
        case .register:
            try await database.register(Counter(name: "another"))
            try await database.unregister("another")
        case .react: try await database.write { $0[.books]["answered"] = Book(title: title) }
        }
    }

    /// A plain write of forty records, one of them a reaction's, and everything that comes of it.
    private static func probe(_ database: Database, _ number: Int) async throws -> String {
        var commits = database.changesets().makeAsyncIterator()
        try await database.write(origin: "probe") { transaction in
            transaction[.books]["answered"] = Book(title: "probe \(number)")
            for i in 0..<38 { transaction[.books]["k\(i)"] = Book(title: "\(number)", salesRank: i) }
        }
        let commit = try #require(try await commits.next())
        var lines = ["\(commit.commitNumber) \(commit.origin) \(try commit.info(as: String.self) ?? "no info")"]
        for name in commit.changedCollectionNames {
            lines.append(
                "\(name): \(commit.netChanges.keys(inCollectionNamed: name).map { "\($0.key) \($0.kinds.rawValue)" })")
        }
        lines.append("\(commit.changes(of: Counter()).map { $0.differences.sorted { $0.key < $1.key } })")
        lines.append("\(commit.changes(of: Pins()))")
        let snapshot = database.snapshot
        lines.append("\(snapshot[.books].map { "\($0.key) \($0.object)" })")
        lines.append("\(snapshot[.authors].map { "\($0.key) \($0.object)" })")
        lines.append(
            "\(snapshot[Counter()].sorted { $0.key < $1.key }) \(snapshot[Total(counter: Counter())]) \(snapshot[Pins()])"
        )
        // The limit holds, and refuses what it should.
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { for i in 0..<41 { $0[.authors]["\(i)"] = Author(name: "\(number)") } }
        }
        lines.append("\(error?.code.rawValue ?? "none")")
        return lines.joined(separator: "\n")
    }

    /// In a fork, the draft is a new one.
    @Test(arguments: [UInt64](1...6)) func `A write is the same whatever transactions came before it`(seed: UInt64)
        async throws
    {
        var random = SplitMix64(seed: seed)
        let folder = TemporaryDirectory()
        let database = try await Self.shop(in: seed % 2 == 0 ? FilePath(folder.path).appending("shop.yaprak") : nil)
        try await database.write { $0[.books]["k1"] = Book(title: "first") }
        let first = database.snapshot
        // All of them in some order, and then more.
        let kinds =
            Kind.allCases.shuffled(using: &random) + (0..<20).map { _ in Kind.allCases.randomElement(using: &random)! }
        for (number, kind) in kinds.enumerated() {
            do {
                try await Self.perform(kind, database, first, number, &random)
            } catch {
                #expect(error is Refusal || error is DatabaseError, "seed \(seed), step \(number), \(kind): \(error)")
            }
            // The first snapshot and the newest: the draft keeps none between them. The log's thread may be on its way out.
            for _ in 0..<20_000 where database.timeline.pins.count > 2 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(database.timeline.pins.count <= 2, "seed \(seed), step \(number), after \(kind)")
            let fork = database.fork(checkingCoding: true)
            let expected = try await Self.probe(fork, number)
            let found = try await Self.probe(database, number)
            #expect(found == expected, "seed \(seed), step \(number), after \(kind)")
        }
        try await database.close()
    }

    /// Keeps the contexts that it is given, as no extension should.
    private final class Hoarder: DatabaseExtension, Sendable {
        let name = "hoarder"
        nonisolated(unsafe) static var contexts: [ExtensionContext] = []
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? {
            root += 1
            Self.contexts.append(context)
            return nil
        }
    }

    @Test func `What an extension keeps of a write it keeps for itself, and the next write is not in it`() async throws
    {
        let database = Database.inMemory()
        try await database.register(Hoarder())
        for i in 0..<20 {
            try await database.write { $0[.books]["\(i)"] = Book(title: "\(i)") }
            #expect(database.snapshot[.books].count == i + 1)
        }
        #expect(Hoarder.contexts.map { $0.before[.books].count } == Array(0..<20))
        #expect(database.snapshot[Hoarder()] == 20)
        Hoarder.contexts = []
        try await database.write { $0[.books]["0"] = nil }
        #expect(database.timeline.pins.count == 2, "the newest, and the one that the last context has")
        try await database.unregister("hoarder")
        try await database.write { $0[.books]["1"] = nil }
        #expect(database.timeline.pins.count == 2, "the same")
        Hoarder.contexts = []
        #expect(database.timeline.pins.count == 1)
    }

    @Test func `A context that was kept has no state after the write, even when the database is gone`() async {
        await #expect(processExitsWith: .failure) {
            do {
                let database = Database.inMemory()
                try await database.register(Hoarder())
                try await database.write { $0[.books]["a"] = Book(title: "a") }
            }
            precondition(Hoarder.contexts.count == 1 && Hoarder.contexts[0].before[.books].isEmpty)
            _ = Hoarder.contexts[0].after
        }
    }
}

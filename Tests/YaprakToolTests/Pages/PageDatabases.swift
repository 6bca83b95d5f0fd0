import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Yaprak
import YaprakLocks
import YaprakReplay
import YaprakStorage

@testable import DeparturesBoard

/// The databases that pages use, by the names they have there. Each page gets copies of its own.
///
/// Times, identities and sums are the same each time: clock and random bits are given.
enum PageDatabases {
    /// What makes each of them, at a path.
    static let makers: [String: @Sendable (String) async throws -> Void] = [
        "old.sqlite": makeOldDatabase,
        "shop.yaprak": makeBookshop,
        "departures.yaprak": makeDepartures,
        "bisect.yaprak": { try await Tutorial.make(at: FilePath($0), Timetable(fixture("departures-2013-01"))) },
        "damaged.yaprak": { try await makeDamaged(at: $0, commit: 6) },
        "early.yaprak": { try await makeDamaged(at: $0, commit: 2) },
    ]

    /// What time it is on the pages: five minutes after the last commit to the shop.
    static let now: Int64 = 1_767_261_600_000_000_000  // 2026-01-01T10:00:00Z

    private static let templates = Templates()

    /// Puts the databases that `words` name into a folder.
    static func provide(for words: [String], in folder: Folder) async throws {
        for (name, make) in makers where words.contains(where: { $0 == name || $0.hasPrefix(name + "/") }) {
            guard !FileManager.default.fileExists(atPath: folder(name)) else { continue }
            let template = try await templates.path(of: name, make)
            try FileManager.default.copyItem(atPath: template, toPath: folder(name))
        }
    }

    /// Options that make the same bytes each time.
    static func options(_ clock: PageClock, seed: UInt64) -> DatabaseOptions {
        let random = Mutex(SplitMix64(seed: seed))
        var options = DatabaseOptions()
        options.clock = { clock.now }
        options.retention = .all
        options.durability = .relaxed
        options.checkpoints = .manual
        options.store.random = { random.withLock { $0.next() } }
        return options
    }

    // MARK: The shop

    /// A bookshop's first hour: eight commits on the first of January 2026, 09:00 to 09:55.
    private static func makeBookshop(at path: String) async throws {
        let clock = PageClock("2026-01-01 09:00")
        let database = try await Database.open(
            at: FilePath(path), options: options(clock, seed: 1), collections: .shopBooks, .orders)
        try await database.write(origin: "till") { transaction in
            transaction[.shopBooks]["dune"] = ShopBook(title: "Dune", rank: 3)
            transaction[.shopBooks]["emma"] = ShopBook(title: "Emma", rank: 7)
            transaction.setInfo("opening day")
        }
        clock.set("2026-01-01 09:05")
        try await database.write(origin: "till") { transaction in
            transaction[.shopBooks]["ulysses"] = ShopBook(title: "Ulysses", rank: 9)
            transaction[.orders]["1001"] = ShopOrder(book: "dune", copies: 2, note: nil)
        }
        clock.set("2026-01-01 09:20")
        try await database.write(origin: "ranking") { transaction in
            transaction[.shopBooks]["dune"]?.rank = 1
            transaction[.shopBooks]["emma"]?.rank = 4
            transaction[.shopBooks]["ulysses"]?.rank = 5
        }
        clock.set("2026-01-01 09:30")
        try await database.write(origin: "till") { transaction in
            transaction[.orders]["1002"] = ShopOrder(book: "emma", copies: 1, note: "gift")
        }
        try await database.checkpoint()
        clock.set("2026-01-01 09:31")
        try await database.write(origin: "till") { transaction in
            transaction[.orders]["1001"]?.copies = 3
        }
        clock.set("2026-01-01 09:40")
        try await database.write(origin: "import") { transaction in
            for (key, title, rank) in [
                ("iliad", "Iliad", 12), ("odyssey", "Odyssey", 13), ("persuasion", "Persuasion", 8),
            ] {
                transaction[.shopBooks][key] = ShopBook(title: title, rank: rank)
            }
            transaction.setInfo("classics.csv")
        }
        clock.set("2026-01-01 09:50")
        try await database.write(origin: "ranking") { transaction in
            transaction[.shopBooks]["dune"]?.rank = 2
            transaction[.shopBooks]["emma"]?.rank = 1
        }
        clock.set("2026-01-01 09:55")
        try await database.write(origin: "till") { transaction in
            transaction[.shopBooks]["ulysses"] = nil
            transaction[.orders]["1002"] = nil
        }
        try await database.close()
    }

    /// The bookshop with a bit of a commit changed: behind its checkpoint, or before it.
    private static func makeDamaged(at path: String, commit: CommitNumber) async throws {
        try await makeBookshop(at: path)
        let reader = try ReplayReader(FilePath(path))
        var commits = reader.commits(from: commit, through: commit).makeAsyncIterator()
        let place = try await commits.next()!.place
        let file = URL(fileURLWithPath: path + "/" + place.file!)
        var bytes = try Data(contentsOf: file)
        bytes[Int(place.offset!) + 100] ^= 1
        try bytes.write(to: file)
    }

    // MARK: YapDatabase

    /// What an app of 2019 left: books as property lists with a date each, authors as keyed archives, and a few odd rows.
    @Sendable private static func makeOldDatabase(at path: String) async throws {
        #if SQLite
            let old = try OldDatabase(at: path), encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            for (key, title, rank) in [("dune", "Dune", 3), ("emma", "Emma", 7), ("ulysses", "Ulysses", 9)] {
                let added = Date(timeIntervalSince1970: 1_500_000_000 + Double(rank))
                let stamp = withUnsafeBytes(of: added.timeIntervalSinceReferenceDate.bitPattern.littleEndian) {
                    Data($0)
                }
                try old.insert("books", key, try encoder.encode(ShopBook(title: title, rank: rank)), stamp)
            }
            let author: NSDictionary = ["name": "Frank Herbert"]
            let archive = try NSKeyedArchiver.archivedData(withRootObject: author, requiringSecureCoding: false)
            try old.insert("authors", "herbert", archive)
            try old.insert("authors", "torn", archive.prefix(100))
            try old.insert("covers", "dune", Data([0xff, 0xd8, 0xff, 0xe0]))
        #endif
    }

    // MARK: Departures

    /// The board of the departures from New York on 1 January 2013 until noon, with its views; a commit for each minute.
    private static func makeDepartures(at path: String) async throws {
        let clock = PageClock("2013-01-01 00:00")
        let database = try await Database.open(
            at: FilePath(path), options: options(clock, seed: 2), collections: .flights, .clock)
        _ = try await BoardViews.register(in: database)
        var playback = Playback(database: database, until: Minute("2013-01-01 12:00"), checkpointDays: 0)
        playback.willCommit = { minute in
            clock.set(minute.description)
            if minute.count % 360 == 0 { try await database.checkpoint() }
        }
        _ = try await playback.run(Timetable(fixture("departures-2013-01")))
        try await database.close()
    }
}

/// A clock that stands where it was set.
final class PageClock: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    /// A clock at a time such as `2013-01-01 00:00`, UTC.
    init(_ time: String) { set(time) }

    var now: Int64 { nanoseconds.load(ordering: .relaxed) }

    /// Sets it.
    func set(_ time: String) {
        let date = try! Date(time.replacing(" ", with: "T") + ":00Z", strategy: .iso8601)
        nanoseconds.store(Int64(date.timeIntervalSince1970) * 1_000_000_000, ordering: .relaxed)
    }
}

struct ShopOrder: Codable, Sendable, Hashable {
    var book: String
    var copies: Int
    var note: String?
}

extension RecordCollection where Object == ShopOrder, Metadata == NoMetadata {
    static var orders: Self { Self("orders") }
}

/// Databases that were made once, to be copied.
private actor Templates {
    private let folder = try! Folder()
    private var made: [String: Task<String, any Error>] = [:]

    func path(of name: String, _ make: @escaping @Sendable (String) async throws -> Void) async throws -> String {
        let path = folder(name)
        let task =
            made[name]
            ?? Task {
                try await make(path)
                return path
            }
        made[name] = task
        return try await task.value
    }
}

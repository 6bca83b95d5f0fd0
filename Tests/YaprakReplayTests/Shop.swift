import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Yaprak
import YaprakReplay

struct Book: Codable, Sendable, Hashable {
    var title: String
    var genre = "sci-fi"
    var rank = 0
}

extension RecordCollection where Object == Book, Metadata == Int {
    static var books: Self { Self("books") }
}

extension RecordCollection where Object == String, Metadata == NoMetadata {
    static var notes: Self { Self("notes") }
}

/// Options under which a log keeps everything and says when its commits were made: a second apart, from 2026 on.
func replayable() -> DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = .relaxed
    options.retention = .all
    options.checkpoints = .manual
    let ticks = Ticks()
    options.clock = { ticks.next() }
    return options
}

private final class Ticks: Sendable {
    private let nanoseconds = Atomic<Int64>(1_767_225_600_000_000_000)
    func next() -> Int64 { nanoseconds.add(1_000_000_000, ordering: .relaxed).newValue }
}

/// Writes `commits` random commits, with a checkpoint wherever `checkpointsAt` says.
func writeShop(
    at path: FilePath, commits: Int, seed: UInt64, checkpointsAt: Set<Int> = [], alsoInto twin: Database? = nil
) async throws {
    let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
    for number in 1...commits {
        let draw = seed &+ UInt64(number)
        for database in [database] + (twin.map { [$0] } ?? []) {
            try await database.write(origin: "writer \(number % 3)") { transaction in
                randomStep(&transaction, number, SplitMix64(seed: draw))
            }
        }
        if checkpointsAt.contains(number) { try await database.checkpoint() }
    }
    try await database.close()
}

/// A few changes of all kinds; at least one changes something.
func randomStep(_ transaction: inout WriteTransaction, _ number: Int, _ source: SplitMix64) {
    var random = source
    if random.below(60) == 0 { transaction[.books].removeAll() }
    if random.below(200) == 0 { transaction.removeAll() }
    for _ in 0...random.below(4) {
        let key = "book \(random.below(40))"
        switch random.below(6) {
        case 0: transaction[.books].remove(key)
        case 1: transaction[.books].set(Book(title: "é \(number)", rank: random.below(9)), metadata: number, for: key)
        case 2: transaction[.books][key]?.rank += 1
        case 3 where transaction[.books].contains(key: key):
            transaction[.books].replaceMetadata(nil, for: key)
        case 4: transaction[.books].touchObject(for: key)
        default: transaction[.books][key] = Book(title: "title \(number)", genre: ["sci-fi", "crime"][random.below(2)])
        }
    }
    transaction[.notes]["last"] = "commit \(number)"
}

extension Book {
    var isRanked: Bool { rank > 3 }
}

/// The records of a snapshot, a line each.
func contents(_ snapshot: Snapshot) -> [String] {
    snapshot.collectionNames.flatMap { name in
        snapshot.untyped(name).map { "\(name) \($0.key) \($0.object) \(String(describing: $0.metadata))" }
    }
}

/// The records as of a commit, or the newest, in the files of a database.
func contents(_ path: FilePath, at number: CommitNumber? = nil) throws -> [String] {
    contents(try ReplayReader(path).snapshot(at: number))
}

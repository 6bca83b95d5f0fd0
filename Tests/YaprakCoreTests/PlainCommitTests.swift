import TestSupport
import Testing
import Yaprak

@testable import YaprakCore

/// A commit in memory that changes records of one collection, and concerns no extension, makes its changeset only if somebody
/// follows. What it reports is what a commit on the longer way reports.
@Suite(.bounded) struct PlainCommitTests {
    private struct Refused: Error {}

    private enum Step: Sendable {
        case set(String, String)
        case setMetadata(String, Int)
        case touch(String)
        case remove(String)
        case removeAll

        func perform(in books: borrowing MutableRecords<Book, Int>) {
            switch self {
            case .set(let key, let title): books[key] = Book(title: title)
            case .setMetadata(let key, let number): books.replaceMetadata(number, for: key)
            case .touch(let key): books.touchObject(for: key)
            case .remove(let key): books.remove(key)
            case .removeAll: books.removeAll()
            }
        }
    }

    private static let books = RecordCollection<Book, Int>("books")

    private static func steps(_ random: inout SplitMix64, _ title: String) -> [Step] {
        (0..<[1, 1, 1, 2, 3, 12][random.below(6)]).map { number in
            let key = "key \(random.below(8))"
            return switch random.below(20) {
            case 0: .removeAll
            case 1..<5: .remove(key)
            case 5..<7: .touch(key)
            case 7..<9: .setMetadata(key, number)
            default: .set(key, "\(title) \(number)")
            }
        }
    }

    /// What a changeset says, a line for each record.
    private static func lines(_ changeset: Changeset) -> [String] {
        func text(_ record: Record<Book, Int>?) -> String {
            record.map { "\($0.object.title) \($0.metadata ?? -1)" } ?? "none"
        }
        let changes = changeset.changes(in: books)
        return ["removed all: \(changes.didRemoveAll), \(changes.removedAllCount)"]
            + changes.map { "\($0.key): \(text($0.before)), \(text($0.after)), \($0.kinds)" }
    }

    @Test func `An update is ended the short way, also where no record has metadata, and what needs more is not`()
        async throws
    {
        let database = Database.inMemory()
        func isPlain(_ body: @Sendable (inout WriteTransaction) throws -> Void) async throws -> Bool {
            try await database.write { transaction in
                try body(&transaction)
                return transaction.draft.isPlain
            }
        }
        // The first value shows what its type can hold.
        _ = try await isPlain { $0[Self.books]["a"] = Book(title: "one") }
        #expect(try await isPlain { $0[Self.books]["a"] = Book(title: "two") })
        #expect(try await isPlain { $0[Self.books]["b"] = Book(title: "new") })
        #expect(try await isPlain { $0[Self.books].remove("b") })
        #expect(try await !isPlain { transaction in for _ in 0..<2 { transaction[Self.books]["a"]?.title += "!" } })
        #expect(
            try await !isPlain { transaction in
                transaction[Self.books]["a"]?.title = "three"
                transaction[RecordCollection<Book, Int>("others")]["a"] = Book(title: "three")
            })
        #expect(
            try await !isPlain { transaction in
                transaction[Self.books]["a"]?.title = "four"
                try transaction.setInfo("why")
            })
        #expect(try await !isPlain { _ in })
    }

    @Test(arguments: 1...UInt64(Soak.volume(20, soak: 500)))
    func `A commit that nobody need follow reports the same as one with info, with followers that come and go`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let plain = Database.inMemory(), other = Database.inMemory()
        // It concerns another collection.
        try await plain.register(
            AutoView("shelf", of: RecordCollection<Book, NoMetadata>("other"), groupedBy: \.title, sortedBy: \.title))
        var follower: (plain: Connection, other: Connection)?
        for round in 0..<80 {
            let comment: Comment = "seed \(seed), round \(round)"
            if random.chance(20) {
                follower = random.chance(50) ? nil : (plain.makeConnection(), other.makeConnection())
                await follower?.plain.beginLongLivedRead()
                await follower?.other.beginLongLivedRead()
            }
            let steps = Self.steps(&random, "\(round)")
            let isRefused = random.chance(10)
            for database in [plain, other] {
                let isPlain = database === plain
                do {
                    try await database.write(origin: "round \(round)") { transaction in
                        for step in steps { step.perform(in: transaction[Self.books]) }
                        if !isPlain, !isRefused { transaction.setInfo(round) }
                        if isRefused { throw Refused() }
                    }
                } catch is Refused {}
            }
            let now = [plain, other].map { $0.snapshot[Self.books].map { "\($0.key) \($0.object.title)" } }
            #expect(now[0] == now[1], comment)
            guard let follower else { continue }
            let seen = await follower.plain.advance()
            // Info alone is a commit, too.
            let expected = await follower.other.advance().filter { $0.hasChange(in: Self.books) }
            #expect(seen.map(Self.lines) == expected.map(Self.lines), comment)
            #expect(
                seen.allSatisfy { $0.origin == "round \(round)" && $0.commitNumber == plain.commitNumber }, comment)
        }
    }
}

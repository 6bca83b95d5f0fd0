import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakTrees

@testable import YaprakCore
@testable import YaprakExtensions

/// Closures that have another answer each time they are asked: rows may stand wrong, and nothing else may be.
@Suite(.bounded) struct ConfusedClosureTests {
    /// Random numbers that all closures of a test draw from.
    final class Dice: Sendable {
        private let random: Mutex<SplitMix64>
        init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }
        func roll(_ sides: Int) -> Int { random.withLock { $0.below(sides) } }
    }

    /// A number that compares as badly as numbers do: NaN is neither less nor greater than anything.
    struct Measure: Comparable, Sendable {
        var value: Double
        static func < (a: Measure, b: Measure) -> Bool { a.value < b.value }
    }

    /// A value that is less than another by chance.
    struct Mood: Comparable, Sendable {
        var dice: Dice
        static func < (a: Mood, b: Mood) -> Bool { a.dice.roll(2) == 0 }
        static func == (a: Mood, b: Mood) -> Bool { a.dice.roll(2) == 0 }
    }

    static func views(_ dice: Dice) -> [AutoView<BookRow>] {
        @Sendable func number(_ book: Book) -> Double { book.rank % 3 == 0 ? .nan : Double(book.rank) }
        return [
            AutoView(
                "random group", of: .books, groupedBy: .byObject { _ in ["a", "b", nil][dice.roll(3)] },
                sortedBy: .byKey),
            AutoView("random value", of: .books, groupedBy: \.genre, sortedBy: .byObject { _ in dice.roll(10) }),
            AutoView(
                "random groups", of: .books, groupedBy: .byEachObject { $0.tags.filter { _ in dice.roll(2) == 0 } },
                sortedBy: .byObject { _ in dice.roll(10) }),
            AutoView(
                "random order", of: .books, groupedBy: \.genre,
                sortedBy: .comparingObjects { _, _ in dice.roll(2) == 0 }),
            AutoView("mood", of: .books, groupedBy: \.genre, sortedBy: .byObject { _ in Mood(dice: dice) }),
            AutoView("always", of: .books, groupedBy: \.genre, sortedBy: .comparingObjects { _, _ in true }),
            AutoView("NaN", of: .books, groupedBy: \.genre, sortedBy: .byObject { number($0) }),
            AutoView(
                "not a measure", of: .books, groupedBy: \.genre, sortedBy: .byObject { Measure(value: number($0)) }),
            AutoView("clock", of: .books, groupedBy: \.genre, sortedBy: .byObject { _ in ContinuousClock.now }),
        ]
    }

    /// A message that denies its owner once that is hidden.
    private struct Message: Codable, Sendable {
        static let isHidden = Flag()
        var ownerID: String?
        var ownerKey: String? {
            get { Self.isHidden.isSet ? nil : ownerID }
            set { ownerID = newValue }
        }
    }

    @Test func `A record that is gone restricts no removal, though it denied what it referred to`() async throws {
        let database = Database.inMemory()
        let messages = RecordCollection<Message, NoMetadata>("messages")
        let owner = Relationship("owner", from: messages, \.ownerKey, to: .books, onDelete: .restrict)
        try await database.register(owner)
        try await database.write { transaction in
            transaction[.books]["ada"] = Book()
            transaction[messages]["m1"] = Message(ownerID: "ada")
        }
        await #expect(throws: DatabaseError.self) { try await database.write { _ = $0[.books].remove("ada") } }
        Message.isHidden.set()
        try await database.write { _ = $0[messages].remove("m1") }
        try await database.write { _ = $0[.books].remove("ada") }
        #expect(database.snapshot[.books].isEmpty)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `Rows stand wrong at worst`(seed: UInt64) async throws {
        let dice = Dice(seed: seed)
        let views = Self.views(dice)
        let database = Database.inMemory()
        var random = SplitMix64(seed: seed)
        for rank in 0..<50 { try await database.write { $0[.books]["\(rank)"] = Book(rank: rank, tags: ["x", "y"]) } }
        for view in views { try await database.register(view) }
        let filters = views.map { view in
            FilteredView("filter of \(view.name)", of: view, where: .byObject { _ in dice.roll(2) == 0 })
        }
        for filter in filters { try await database.register(filter) }
        var held: [Snapshot] = []
        for step in 0..<60 {
            let base = random
            random = try await database.write { transaction in
                var random = base
                for _ in 0..<(1 + random.below(6)) {
                    let key = "\(random.below(120))"
                    switch random.below(8) {
                    case 0, 1: transaction[.books].remove(key)
                    case 2: transaction[.books].touchObject(for: key)
                    default:
                        let genre = ["crime", "fantasy"][random.below(2)]
                        transaction[.books][key] = Book(genre: genre, rank: random.below(9), tags: ["x", "y", "z"])
                    }
                }
                return random
            }
            if step % 6 == 0 { held.append(database.snapshot) }
            for view in views {
                let report = database.snapshot[view].state.verify(askingClosures: false)
                try #require(report.isIntact, "seed \(seed), step \(step), \(view.name): \(report)")
                if view.name == "NaN" { #expect(report.isSound, "numbers have a total order here") }
            }
            for filter in filters {
                let report = database.snapshot[filter].state.verify(askingClosures: false)
                try #require(report.isIntact, "seed \(seed), step \(step), \(filter.name): \(report)")
            }
        }
        for view in views {
            for (old, new) in zip(held, held.dropFirst().reversed()) {
                let (old, new) = (old[view].state, new[view].state)
                for group in Set(old.groupNames + new.groupNames) {
                    let x = (0..<old.count(ofGroup: group)).map { old.placement(inGroup: group, at: $0) }
                    let y = (0..<new.count(ofGroup: group)).map { new.placement(inGroup: group, at: $0) }
                    let place = "seed \(seed), \(view.name), \(group)"
                    try ModelTests.check(new.difference(from: old, ofGroup: group), x, y, place)
                    try ModelTests.check(old.difference(from: new, ofGroup: group), y, x, place)
                }
            }
        }
        try await database.write { transaction in
            for key in try transaction.snapshot()[.books].map(\.key) { transaction[.books].remove(key) }
        }
        for view in views { #expect(database.snapshot[view].isEmpty && database.snapshot[view].groupNames.isEmpty) }
        for filter in filters { #expect(database.snapshot[filter].isEmpty) }
    }
}

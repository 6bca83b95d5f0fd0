import SystemPackage
import TestSupport
import Yaprak

/// A program with views of all kinds, which does anything to them.
struct Library {
    /// What it saw at a commit.
    struct Moment {
        let snapshot: Snapshot
        /// By view, the keys of each group; without the views that were not registered.
        let groups: [String: [String: [String]]]
        var isCheckpoint = false
        /// Views that were registered again since the commit before.
        var renewed: Set<String> = []
    }

    static let genre = AutoView(
        "genre", versionTag: "1", of: .books, groupedBy: { $0.genre.isEmpty ? nil : $0.genre }, sortedBy: \.rank,
        persistence: .everyCommit)
    static let tags = AutoView(
        "tags", versionTag: "1", of: .books, groupedByEach: { Set($0.title.split(separator: " ")).sorted() },
        sortedBy: \.title, order: .descending, persistence: .everyCommit)
    static let mixed = AutoView(
        "mixed", versionTag: "1", of: .books, .notes, groupedBy: .byObject { $0.genre },
        .byObject { $0.isEmpty ? nil : "crime" }, sortedBy: .byObject { $0.title }, .byObject { $0 },
        persistence: .everyCommit)
    static let plain = AutoView(
        "plain", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)
    static let hand = ManualView("hand", of: .books)
    static let names = ["genre", "tags", "mixed", "plain", "hand"]

    var random: SplitMix64
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Writes commits, and remembers what it saw at each.
    mutating func write(_ count: Int, at path: FilePath) async throws -> [CommitNumber: Moment] {
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await register(in: database, Self.names)
        var past: [CommitNumber: Moment] = [:]
        for number in 1...count {
            var renewed: Set<String> = []
            if random.chance(4) {
                // What is registered again is logged as a whole again.
                let name = Self.names[random.below(3)]
                try await database.unregister(name)
                if random.chance(50) { try await database.write { $0[.notes]["gap"] = "\(number)" } }
                past[database.commitNumber] = past[database.commitNumber] ?? moment(of: database.snapshot)
                try await register(in: database, [name])
                renewed = [name]
            }
            let source = random
            _ = random.next()
            try await database.write { transaction in
                var random = source
                transaction[.notes]["last"] = "commit \(number)"
                for _ in 0...random.below(6) { try Self.change(&transaction, &random) }
                if random.chance(6) { try Self.exchange(&transaction, number, &random) }
            }
            past[database.commitNumber] = moment(of: database.snapshot)
            past[database.commitNumber]?.renewed = renewed
            if random.chance(10) {
                try await database.checkpoint()
                past[database.commitNumber]?.isCheckpoint = true
            }
        }
        try await database.close()
        return past
    }

    private func register(in database: Database, _ names: [String]) async throws {
        for name in names {
            switch name {
            case "genre": try await database.register(Self.genre)
            case "tags": try await database.register(Self.tags)
            case "mixed": try await database.register(Self.mixed)
            case "plain": try await database.register(Self.plain)
            default: try await database.register(Self.hand)
            }
        }
    }

    private static func change(_ transaction: inout WriteTransaction, _ random: inout SplitMix64) throws {
        let key = "book \(random.below(24))"
        let words = ["red", "green", "blue"]
        let book = Book(
            title: words.prefix(1 + random.below(3)).joined(separator: " "),
            genre: ["sci-fi", "crime", "", "horror"][random.below(4)], rank: random.below(9))
        switch random.below(16) {
        case 0: transaction[.books].remove(key)
        case 1: transaction[.books][key]?.rank = random.below(9)
        case 2: transaction[.books][key]?.genre = book.genre
        case 3: transaction[.books].touchObject(for: key)
        case 4 where transaction[.books].contains(key: key): transaction[.books].replaceMetadata(7, for: key)
        case 5: try transaction.touchRow(key, in: genre)
        case 6 where random.chance(20): transaction[.books].removeAll()
        case 7 where random.chance(10): transaction.removeAll()
        case 8: transaction[.notes]["note \(random.below(5))"] = ["", "a", "red"][random.below(3)]
        case 9, 10: try transaction.insert(key, at: random.below(6), of: words[random.below(2)], in: hand)
        case 11: try transaction.move(key, to: random.below(6), of: words[random.below(2)], in: hand)
        case 12 where random.chance(20): try transaction.removeAll(of: "red", from: hand)
        default: transaction[.books][key] = book
        }
    }

    private static func exchange(
        _ transaction: inout WriteTransaction, _ number: Int, _ random: inout SplitMix64
    ) throws {
        switch random.below(3) {
        case 0:
            try transaction.setSorting(
                of: genre, sortedBy: .byObject { $0.title }, order: .descending, versionTag: "sorted \(number)")
        case 1:
            try transaction.setGrouping(
                of: genre, groupedBy: .byObject { $0.rank > 4 ? "high" : "low" }, versionTag: "grouped \(number)")
        default:
            try transaction.setGrouping(
                of: tags, groupedBy: .byObject { $0.genre.isEmpty ? nil : $0.genre }, versionTag: "plain \(number)")
        }
    }

    private func moment(of snapshot: Snapshot) -> Moment {
        var groups: [String: [String: [String]]] = [:]
        if let view = try? snapshot.reader(of: Self.genre) { groups["genre"] = contents(of: view) }
        if let view = try? snapshot.reader(of: Self.tags) { groups["tags"] = contents(of: view) }
        if let view = try? snapshot.reader(of: Self.mixed) { groups["mixed"] = contents(of: view) }
        if let view = try? snapshot.reader(of: Self.plain) { groups["plain"] = contents(of: view) }
        if let view = try? snapshot.reader(of: Self.hand) {
            // One in which nothing was ever done is not in the files.
            if !view.isEmpty { groups["hand"] = contents(of: view) }
        }
        return Moment(snapshot: snapshot, groups: groups)
    }

    /// What a list of a view would get.
    static func changes(of name: String, from old: Snapshot, to new: Snapshot) throws -> ListChanges {
        switch name {
        case "genre": try dress(ViewMappings(genre)).changes(from: old, to: new)
        case "tags": try dress(ViewMappings(tags)).changes(from: old, to: new)
        default: try dress(ViewMappings(mixed)).changes(from: old, to: new)
        }
    }

    /// A list with some options.
    static func dress<View: OrderedView>(_ mappings: ViewMappings<View>) -> ViewMappings<View> {
        var mappings = mappings
        mappings.setRange(.fixed(length: 5, from: .beginning), for: "sci-fi")
        mappings.setReversed(true, for: "crime")
        mappings.setDrawingDependencies([-1], for: "red")
        return mappings
    }
}

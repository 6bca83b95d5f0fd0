import TestSupport
import Testing
import Yaprak

/// A view made of the records that are there is the one that followed every write.
@Suite(.bounded) struct PopulationTests {
    /// Views of every kind of sorting, over one group and several.
    private static func views(_ prefix: String) -> [AutoView<Record<Book, Shelf>>] {
        func views<Value>(_ name: String, _ sorting: Sorting<Book, Shelf, Value>) -> [AutoView<Record<Book, Shelf>>] {
            [ViewOrder.ascending, .descending].flatMap { order in
                [
                    AutoView(
                        "\(prefix) \(name) \(order)", of: .books, groupedBy: .byObject(\.genre), sortedBy: sorting,
                        order: order),
                    AutoView(
                        "\(prefix) \(name) \(order), each", of: .books, groupedBy: .byEachObject(\.tags),
                        sortedBy: sorting, order: order),
                ]
            }
        }
        return views("key", .byKey)
            + views("compared keys", .comparingKeys { $0.reversed().lexicographicallyPrecedes($1.reversed()) })
            + views("compared", .comparingObjects { ($0.title, $0.rank) < ($1.title, $1.rank) })
            + views("rank", .byObject(\.rank))
            + views("title", .byObject(\.title))
            + views("duration", .byObject { Duration.seconds($0.rank) })
            + views("pair", .byObject { ($0.title, $0.rank) })
            + views("missing", .byMetadata { $0?.room })
    }

    private static func write(_ random: inout SplitMix64, to database: Database) async throws {
        let base = random
        random = try await database.write { transaction in
            var random = base
            for _ in 0..<20 {
                // Keys and titles that differ behind their first eight bytes only.
                let key = "the same prefix \(random.below(90))"
                if random.chance(20) {
                    transaction[.books][key] = nil
                    continue
                }
                let book = Book(
                    title: "the title of \(random.below(5))", genre: "genre \(random.below(3))", rank: random.below(6),
                    tags: (0..<random.below(4)).map { _ in "tag \(random.below(4))" })
                let shelf = random.chance(50) ? Shelf(room: "\(random.below(3))") : nil
                transaction[.books].set(book, metadata: shelf, for: key)
            }
            return random
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `A view of records that are there is the one that followed each write`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: seed)
        let (followed, populated) = (Self.views("followed"), Self.views("populated"))
        for view in followed { try await database.register(view) }
        for _ in 0..<20 { try await Self.write(&random, to: database) }
        for view in populated { try await database.register(view) }
        for round in 0..<4 {
            let snapshot = database.snapshot
            for (old, new) in zip(followed, populated) {
                let (a, b) = (snapshot[old], snapshot[new])
                #expect(a.groupNames == b.groupNames && a.count == b.count, "seed \(seed), round \(round), \(new.name)")
                for name in a.groupNames {
                    #expect(
                        a[name].map(\.key) == b[name].map(\.key), "seed \(seed), round \(round), \(new.name), \(name)")
                    for (index, row) in a[name].enumerated() {
                        #expect(
                            b.places(of: row.key).contains { $0 == (name, index) },
                            "seed \(seed), round \(round), \(new.name), \(row.key)")
                    }
                }
            }
            try await Self.write(&random, to: database)
        }
    }
}

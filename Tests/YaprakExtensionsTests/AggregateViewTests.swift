import TestSupport
import Testing
import Yaprak

@testable import YaprakExtensions

@Suite(.bounded) struct AggregateViewTests {
    typealias Parent = AutoView<BookRow>

    /// What a row says of a group.
    struct Total: Codable, Sendable, Equatable {
        var first: String
        var last: String
        var count: Int
        var ranks: Int
    }

    /// A genre's rank, so that rows move; a book may be in several groups.
    static let byTag = AutoView(
        "by tag", of: .books, groupedBy: .byEachObject { $0.tags }, sortedBy: .byObject { $0.rank })
    static let some = FilteredView("some", of: byTag, where: .byObject { $0.rank % 4 != 0 })

    static func view<P: OrderedView>(_ name: String, of parent: P) -> AggregateView<P, Total>
    where P.Element == BookRow {
        AggregateView(
            name, of: parent, sums: [{ $0.object.rank }, { _ in 1 }],
            row: { group in
                #expect(group.totals[1] == group.count)
                return Total(
                    first: group.first.object.title, last: group.last.object.title, count: group.count,
                    ranks: Int(group.totals[0]))
            },
            groupedBy: { $0.object.count > 2 ? "large" : "small" },
            sortedBy: { $0.object.ranks }, order: .descending)
    }

    static let all = view("totals", of: byTag)
    static let ofSome = view("totals of some", of: some)

    /// The rows by looking at every record.
    static func expected(
        _ snapshot: Snapshot, isAscending: Bool, where isIncluded: (Book) -> Bool
    ) -> [String: [String: Total]] {
        var tagged: [String: [BookRow]] = [:]
        for book in snapshot[.books] where isIncluded(book.object) {
            for tag in Set(book.object.tags) { tagged[tag, default: []].append(book) }
        }
        var groups: [String: [String: Total]] = [:]
        for (tag, books) in tagged {
            // Equals stand in the order of their keys, also in a descending order.
            let sign = isAscending ? 1 : -1
            let sorted = books.sorted { (sign * $0.object.rank, $0.key) < (sign * $1.object.rank, $1.key) }
            let total = Total(
                first: sorted.first!.object.title, last: sorted.last!.object.title, count: books.count,
                ranks: books.reduce(0) { $0 + $1.object.rank })
            groups[total.count > 2 ? "large" : "small", default: [:]][tag] = total
        }
        return groups
    }

    static func check<P>(
        _ snapshot: Snapshot, _ view: AggregateView<P, Total>, _ expected: [String: [String: Total]], _ context: String
    ) throws {
        let reader = snapshot[view]
        try #require(Set(reader.groupNames) == Set(expected.keys), "\(context)")
        for name in reader.groupNames {
            let rows = Array(reader[name])
            try #require(
                Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.object) }) == expected[name]!, "\(context)")
            let sorted = rows.sorted { (-$0.object.ranks, $0.key) < (-$1.object.ranks, $1.key) }
            try #require(rows.map(\.key) == sorted.map(\.key), "\(context)")
        }
        let report = reader.state.verify()
        try #require(report.isSound, "\(context): \(report)")
    }

    @Test(arguments: 1...UInt64(Soak.volume(30, soak: 1000)))
    func `An aggregate view is what its parent's groups say, and lists get from each state to the next`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let folder = TemporaryDirectory()
        let hasFile = random.chance(30)
        func open() async throws -> Database {
            let database =
                hasFile
                ? try await Database.open(at: folder.appending("db"), collections: .books) : Database.inMemory()
            try await database.register(Self.byTag)
            try await database.register(Self.some)
            try await database.register(Self.all)
            try await database.register(Self.ofSome)
            return database
        }
        var isAscending = true
        func check(_ snapshot: Snapshot, _ context: String) throws {
            try Self.check(
                snapshot, Self.all, Self.expected(snapshot, isAscending: isAscending) { _ in true }, "\(context), all")
            try Self.check(
                snapshot, Self.ofSome, Self.expected(snapshot, isAscending: isAscending) { $0.rank % 4 != 0 },
                "\(context), some")
        }
        var database = try await open()
        var sections = ViewMappings(Self.all, groups: ["large", "small"])
        var shown = database.snapshot
        try sections.update(to: shown)
        var past: (Snapshot, Bool)?
        for step in 0..<60 {
            let context = "seed \(seed), step \(step)"
            let writes = (0...random.below(4)).map { _ in (random.below(20), "\(random.below(12))", random.below(30)) }
            let turns = random.chance(5)
            let order: ViewOrder = isAscending ? .descending : .ascending
            do {
                try await database.write { transaction in
                    for (what, key, number) in writes {
                        switch what {
                        case 0..<9:
                            let tags = (0..<number % 4).map { "t\((number + $0 * 3) % 7)" }
                            transaction[.books][key] = Book(title: "\(key)-\(number)", rank: number - 10, tags: tags)
                        case 9..<13: transaction[.books].remove(key)
                        case 13: if number < 3 { transaction[.books].removeAll() }
                        case 14: if number < 3 { throw CancellationError() }
                        case 15: transaction[.books].touchRow(for: key)
                        default: transaction[.books][key]?.rank = number - 10
                        }
                    }
                    if turns {
                        try transaction.setSorting(
                            of: Self.byTag, sortedBy: .byObject { $0.rank }, order: order,
                            versionTag: "\(step)")
                    }
                }
                if turns { isAscending.toggle() }
            } catch is CancellationError {}
            let snapshot = database.snapshot
            try check(snapshot, context)
            let old = shown.sections(of: sections).map { $0.map(\.key) }
            let changes = try sections.advance(from: shown, to: snapshot)
            let new = snapshot.sections(of: sections).map { $0.map(\.key) }
            try #require(JoinedViewTests.apply(changes, to: old) == new, "\(context)")
            // A row that stayed has an update if it says something else, and only then.
            let reported = Set(changes.rowChanges.map(\.key))
            for key in Set(old.joined()).intersection(new.joined()) {
                let (was, now) = (Self.row(key, shown)!, Self.row(key, snapshot)!)
                if !reported.contains(key) { try #require(was == now, "\(context): \(key)") }
                let isUpdated = changes.rowChanges.contains {
                    if case .update = $0.kind { $0.key == key } else { false }
                }
                if isUpdated { try #require(was != now, "\(context): \(key)") }
            }
            shown = snapshot
            switch random.below(30) {
            case 0 where hasFile:
                if random.chance(50) { try await database.checkpoint() }
                try await database.close()
                database = try await open()
                isAscending = true
                sections = ViewMappings(Self.all, groups: ["large", "small"])
                shown = database.snapshot
                try sections.update(to: shown)
                past = nil
                try check(shown, "\(context), reopened")
            case 1:
                let fork = database.fork()
                try await fork.write { $0[.books]["fork"] = Book(title: "fork", rank: 3, tags: ["t1", "t9"]) }
                try check(fork.snapshot, "\(context), fork")
                try await fork.unregister("totals of some")
                try await fork.register(Self.ofSome)
                try check(fork.snapshot, "\(context), registered again")
                try check(database.snapshot, "\(context), beside a fork")
            case 2: past = (database.snapshot, isAscending)
            case 3:
                // The order of a view is no part of what is restored.
                guard let (past, wasAscending) = past, wasAscending == isAscending else { break }
                try await database.restore(past)
                try check(database.snapshot, "\(context), restored")
                _ = try sections.advance(from: shown, to: database.snapshot)
                shown = database.snapshot
            default: break
            }
        }
        try await database.close()
    }

    static func row(_ key: String, _ snapshot: Snapshot) -> Total? {
        let reader = snapshot[all]
        return reader.place(of: key).map { reader[$0.group][$0.index].object }
    }

    @Test func `A change evaluates the sums of its rows, and makes rows of their groups alone`() async throws {
        let calls = Calls()
        let totals = AggregateView(
            "totals", of: Self.byTag,
            sums: [
                {
                    calls.count("sum")
                    return $0.object.rank
                }
            ],
            row: { group in
                calls.count("row")
                return Int(group.totals[0])
            }, sortedBy: { $0.key })
        let database = Database.inMemory()
        try await database.register(Self.byTag)
        try await database.register(totals)
        try await database.write { transaction in
            for key in 0..<2_000 {
                transaction[.books]["\(key)"] = Book(rank: key, tags: ["t\(key % 100)"])
            }
        }
        _ = calls.take()
        try await database.write { $0[.books]["7"]?.rank = 5_000 }
        #expect(calls.take() == ["sum": 2, "row": 1])
        #expect(database.snapshot[totals]["all"].count == 100)
        let row = database.snapshot[totals]["all"].first { $0.key == "t7" }!
        #expect(row.object == (0..<20).reduce(0) { $0 + $1 * 100 + 7 } - 7 + 5_000)
        #expect(row.collectionName == "totals")
    }

    @Test func `A row that went to another summary and back is no update, in a write or over several`() async throws {
        let database = Database.inMemory()
        let kept = FilteredView("kept", of: Self.all, where: .byObject { $0.count < 9 })
        try await database.register(Self.byTag)
        try await database.register(Self.all)
        try await database.register(kept)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "A", rank: 5, tags: ["x"])
            transaction[.books]["b"] = Book(title: "B", rank: 7, tags: ["y"])
        }
        var rows = ViewMappings(Self.all, groups: ["small"]), keptRows = ViewMappings(kept, groups: ["small"])
        var shown = database.snapshot
        try rows.update(to: shown)
        try keptRows.update(to: shown)
        func advance() throws -> [ListChanges] {
            let now = database.snapshot
            defer { shown = now }
            return [try rows.advance(from: shown, to: now), try keptRows.advance(from: shown, to: now)]
        }
        try await database.write { transaction in
            transaction[.books]["a"]?.rank = 6
            let between = try transaction.reader(of: Self.all)["small"].map(\.object.ranks)
            #expect(between == [7, 6])
            transaction[.books]["a"]?.rank = 5
        }
        #expect(try advance().allSatisfy { !$0.hasChanges })
        for rank in [9, 5] { try await database.write { $0[.books]["a"]?.rank = rank } }
        #expect(try advance().allSatisfy { !$0.hasChanges })
        for rank in [9, 6] { try await database.write { $0[.books]["a"]?.rank = rank } }
        #expect(try advance().allSatisfy { $0.rowChanges.map(\.key) == ["x"] })
    }

    @Test func `Views of every kind explain where a row is, and why it is not there`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.byTag)
        try await database.register(Self.all)
        let kept = FilteredView("kept", of: Self.all, where: .byObject { $0.count > 1 })
        try await database.register(kept)
        let namesake = RecordCollection<String, NoMetadata>("totals")
        let one = Relationship("one", from: .children, \.one, to: .parents)
        let joined = JoinedView(
            "joined", of: one, groupedBy: { _, parent in parent?.key }, sortedBy: { child, _ in child.object.must })
        try await database.register(one)
        try await database.register(joined)
        try await database.write { transaction in
            transaction[.books]["b"] = Book(title: "B", rank: 7, tags: ["x"])
            transaction[.children]["c"] = Node()
            // Of the name of a view, and nothing to do with it.
            transaction[namesake]["x"] = "no row"
        }
        let snapshot = database.snapshot
        #expect(
            snapshot.explain("x", in: Self.all).description
                == #""x" is in group "small" at 0 of 1, sorted by 7, in view "totals"."#)
        #expect(
            snapshot.explain("y", in: Self.all).description
                == #""y" is not in view "totals": view "by tag" has no group of that name."#)
        // A row was said to be that record, also for a record that is not there.
        for key in ["x", "y"] {
            #expect(
                snapshot.explain(key, of: namesake, in: Self.all).description
                    == #""\#(key)" is not in view "totals": its rows are not records of "totals"."#)
            #expect(snapshot[Self.all].place(of: key, in: namesake) == nil)
            #expect(snapshot[kept].place(of: key, in: namesake) == nil)
        }
        #expect(
            snapshot.explain("x", in: kept).description
                == #""x" is not in view "kept": its filter, which reads the object, rejects its row of view "totals"."#)
        #expect(
            snapshot.explain("c", in: joined).description
                == #""c" is not in view "joined": its grouping, which reads the record and the one it refers to, puts the "#
                + "record into no group.")
        #expect(
            snapshot.explain("nobody", in: joined).description
                == #""nobody" is not in view "joined": there is no record of that key in "children"."#)
    }
}

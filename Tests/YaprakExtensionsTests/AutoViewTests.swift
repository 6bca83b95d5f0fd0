import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakExtensions

@Suite(.bounded) struct AutoViewTests {
    let database = Database.inMemory()

    // They were put in the order of their names, and back with the next change of the record.
    @Test func `The first group of a row stays the first, whatever its view is sorted by`() async throws {
        let database = Database.inMemory()
        let view = AutoView("tags", of: .books, groupedByEach: \.tags, sortedBy: \.title)
        try await database.register(view)
        try await database.write { $0[.books]["a"] = Book(title: "A", tags: ["y", "x"]) }
        #expect(database.snapshot[view].places(of: "a").map(\.group) == ["y", "x"])
        try await database.write {
            try $0.setSorting(of: view, sortedBy: .byObject { $0.rank }, versionTag: "rank")
        }
        let rebuilt = AutoView("rebuilt", of: .books, groupedByEach: \.tags, sortedBy: \.rank)
        try await database.register(rebuilt)
        let snapshot = database.snapshot
        #expect(snapshot[rebuilt].places(of: "a").map(\.group) == ["y", "x"])
        #expect(snapshot[view].places(of: "a").map(\.group) == ["y", "x"])
        #expect(snapshot[view].group(of: "a") == snapshot[rebuilt].group(of: "a"))
    }

    // Groups were compared as Swift does, and looked up by their bytes: the first such edit stopped the program.
    @Test(arguments: [
        ["각", "\u{ac00}\u{11a8}", "\u{1100}\u{1161}\u{11a8}"],
        ["\u{ccb}", "\u{cca}\u{cd5}", "\u{cc6}\u{cc2}\u{cd5}"],
    ])
    func `Texts that Swift calls equal are one group, in whatever form they are written`(forms: [String]) async throws {
        let view = AutoView("genres", of: .books, groupedBy: \.genre, sortedBy: \.title)
        let index = RecordIndex("genre", of: .books, \.genre)
        try await database.register(view)
        try await database.register(index)
        for (number, form) in (forms + forms.reversed()).enumerated() {
            try await database.write {
                $0[.books]["a"] = Book(title: "A", genre: form)
                $0[.books]["b\(number)"] = Book(title: "B", genre: forms[number % 3])
            }
            #expect(database.snapshot[view].groupNames.count == 1 && database.snapshot[view].count == number + 2)
            for form in forms {
                #expect(database.snapshot[view][form].count == number + 2)
                #expect(try database.snapshot[index].equal(form).count == number + 2)
            }
        }
        try await database.write { $0[.books].removeAll() }
        #expect(database.snapshot[view].groupNames.isEmpty)
    }

    @Test func `Rows stand in their groups, in order, in the same commit`() async throws {
        let view = AutoView("ranks", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)
        try await database.write { transaction in
            for rank in 0..<200 {
                transaction[.books]["\(rank)"] = Book(genre: rank % 3 == 0 ? "fantasy" : "sci-fi", rank: -rank)
            }
        }
        try await database.register(view)
        let before = database.snapshot
        #expect(before[view].groupNames == ["fantasy", "sci-fi"])
        #expect(before[view]["fantasy"].map(\.key) == stride(from: 198, through: 0, by: -3).map { "\($0)" })
        #expect(before[view]["sci-fi"].count == 133 && before[view].count == 200 && before[view]["nothing"].isEmpty)
        try await database.write { transaction in
            transaction[.books]["0"]?.rank = -1000
            transaction[.books]["1"]?.genre = "crime"
            transaction[.books]["3"] = nil
        }
        let after = database.snapshot[view]
        #expect(after["fantasy"].first?.key == "0" && after["fantasy"].count == 66)
        #expect(after["crime"].map(\.key) == ["1"])
        #expect(after.place(of: "0")! == ("fantasy", 0))
        #expect(after.place(of: "3") == nil && after.group(of: "2") == "sci-fi")
        #expect(before[view]["fantasy"].last?.key == "0")
        #expect(after.state.namesOfDifferingGroups(from: before[view].state) == ["crime", "fantasy", "sci-fi"])
    }

    @Test func `A row of any view says which collection its record is in`() async throws {
        let byGenre = AutoView("by genre", of: .books, groupedBy: { $0.genre }, sortedBy: { $0.title })
        let cheap = FilteredView("cheap", of: byGenre, where: .byObject { $0.rank < 10 })
        let picked = ManualView("picked", of: .books)
        for name in ["a", "b"] { try await database.write { $0[.books][name] = Book(title: name, genre: "x") } }
        try await database.register(byGenre)
        try await database.register(cheap)
        try await database.register(picked)
        try await database.write { transaction in
            try transaction.append("a", to: "shelf", in: picked)
        }
        func names(of group: ViewGroup<some ViewRow>) -> [String] { group.map(\.collectionName) }
        let snapshot = database.snapshot
        #expect(names(of: snapshot[byGenre]["x"]) == ["books", "books"])
        #expect(names(of: snapshot[cheap]["x"]) == ["books", "books"])
        #expect(names(of: snapshot[picked]["shelf"]) == ["books"])
        #expect(snapshot[byGenre]["x"][1].collectionName == "books")
    }

    @Test func `A view over collections of different types is read without casts of Any`() async throws {
        let bond = AutoView(
            "bond", of: .movies, .actors, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
            sortedBy: .byObject { $0.year }, .byObject { $0.since })
        try await database.register(bond)
        try await database.write { transaction in
            transaction[.movies]["goldfinger"] = Movie(title: "Goldfinger", agent: "007", year: 1964)
            transaction[.movies]["skyfall"] = Movie(title: "Skyfall", agent: "007", year: 2012)
            transaction[.movies]["dune"] = Movie(title: "Dune", year: 1984)
            transaction[.actors]["craig"] = Actor(name: "Craig", agent: "007", since: 2006)
        }
        let rows = database.snapshot[bond]["007"]
        #expect(rows.map(\.key) == ["goldfinger", "craig", "skyfall"])
        #expect(rows.compactMap { $0.as(.movies)?.object.title } == ["Goldfinger", "Skyfall"])
        #expect(rows[1].as(.actors)?.object.name == "Craig" && rows[1].collectionName == "actors")
        #expect(database.snapshot[bond].place(of: "craig", in: .actors)! == ("007", 1))
        #expect(database.snapshot[bond].place(of: "craig", in: .movies) == nil)
        let before = database.snapshot
        for _ in 0..<2 {
            try await database.write { transaction in
                try transaction.setSorting(
                    of: bond, .movies, .actors, sortedBy: .byObject { $0.title }, .byObject { $0.name },
                    order: .descending,
                    versionTag: "by name")
            }
        }
        #expect(database.snapshot[bond]["007"].map(\.key) == ["skyfall", "goldfinger", "craig"])
        #expect(before[bond]["007"].map(\.key) == ["goldfinger", "craig", "skyfall"])
        #expect(database.commitNumber == 2, "the same tag does nothing")
        try await database.write { $0[.movies]["dr no"] = Movie(title: "Dr. No", agent: "007", year: 1962) }
        #expect(database.snapshot[bond]["007"].map(\.key) == ["skyfall", "goldfinger", "dr no", "craig"])
    }

    @Test func `A record stands in several groups where that was declared`() async throws {
        let view = AutoView("tags", of: .books, groupedByEach: \.tags, sortedBy: \.title)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "A", tags: ["x", "y", "x"])
            transaction[.books]["b"] = Book(title: "B", tags: ["y"])
            transaction[.books]["c"] = Book(title: "C")
        }
        #expect(database.snapshot[view].keys == ["x": ["a"], "y": ["a", "b"]])
        #expect(database.snapshot[view].places(of: "a").map(\.group) == ["x", "y"])
        try await database.write { $0[.books]["a"]?.tags = ["y", "z"] }
        #expect(database.snapshot[view].keys == ["y": ["a", "b"], "z": ["a"]])
        try await database.write { $0[.books]["a"] = nil }
        #expect(database.snapshot[view].keys == ["y": ["b"]])
        try await database.write { $0[.books].removeAll() }
        #expect(database.snapshot[view].groupNames.isEmpty)
    }

    @Test func `A stored view is adopted if its tag is the same and its order holds`() async throws {
        let directory = TemporaryDirectory()
        func view(_ tag: String, _ sign: Int) -> AutoView<BookRow> {
            AutoView(
                "view", versionTag: tag, of: .books, groupedBy: \.genre, sortedBy: { sign * $0.rank },
                persistence: .checkpoints)
        }
        func open() async throws -> Database {
            try await Database.open(at: FilePath("\(directory.path)/db"), collections: .books)
        }
        var database = try await open()
        #expect(try await database.register(view("1", 1)).origin == .populated)
        try await database.write { transaction in
            for rank in 0..<50 { transaction[.books]["k\(rank)"] = Book(genre: rank % 2 == 0 ? "a" : "b", rank: rank) }
        }
        try await database.checkpoint()
        try await database.write { $0[.books]["k1"]?.rank = 100 }
        try await database.close()

        // The same code, another tag, and the same tag with code that has other answers.
        for (tag, sign, origin) in [
            ("1", 1, ExtensionHost.Origin.adopted), ("2", 1, .populated), ("1", -1, .populated),
        ] {
            database = try await open()
            let view = view(tag, sign)
            let host = try await database.register(view)
            #expect(await host.origin == origin, "tag \(tag), sign \(sign)")
            let keys = database.snapshot[view]["b"].map(\.key)
            let expected = stride(from: 3, to: 50, by: 2).map { "k\($0)" } + ["k1"]
            #expect(keys == (sign == 1 ? expected : expected.reversed()))
            #expect(database.snapshot[view].state.verify().isSound)
            try await database.close()
        }
    }

    // What is stored are groups in the order of their names, and a row had them in that order after a launch.
    @Test func `A row in several groups has the same first place in a view that was restored or computed`() async throws
    {
        let directory = TemporaryDirectory()
        let path = directory.appending("db")
        let tags = AutoView(
            "tags", versionTag: "1", of: .books, groupedByEach: \.tags, sortedBy: \.rank, persistence: .checkpoints)
        var database = try await Database.open(at: path, collections: .books)
        try await database.register(tags)
        try await database.write { transaction in
            transaction[.books]["a"] = Book(tags: ["z", "m", "b"])
            transaction[.books]["b"] = Book(tags: ["b", "z"])
            transaction[.books]["c"] = Book(tags: ["m"])
        }
        let keys = ["a", "b", "c"]
        let places = keys.map { database.snapshot[tags].places(of: $0).map(\.group) }
        #expect(places == [["z", "m", "b"], ["b", "z"], ["m"]])
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, collections: .books)
        #expect(try await database.register(tags).origin == .adopted)
        #expect(keys.map { database.snapshot[tags].places(of: $0).map(\.group) } == places)
        #expect(database.snapshot[tags].group(of: "a") == "z")
        #expect(database.snapshot[tags].state.verify().isSound)
        try await database.close()
    }

    @Test func `Sort values of every kind stand in their own order`() async throws {
        func check<Value: Comparable & Sendable>(
            _ kind: String, _ values: [Value], _ isSame: (Value, Value) -> Bool = { $0 == $1 }
        ) async throws {
            for order in [ViewOrder.ascending, .descending] {
                let database = Database.inMemory()
                let view = AutoView(
                    "view", of: .books, groupedBy: .everything(in: "all"), sortedBy: .byObject { values[$0.rank] },
                    order: order)
                try await database.register(view)
                for index in values.indices.shuffled() {
                    try await database.write { $0[.books]["k\(1000 + index)"] = Book(rank: index) }
                }
                let rows = database.snapshot[view]["all"].map(\.object.rank)
                let sorted = values.indices.sorted {
                    let (x, y) = (values[$0], values[$1])
                    return isSame(x, y) ? $0 < $1 : (x < y) == (order == .ascending)
                }
                #expect(rows == sorted, "\(kind), \(order)")
            }
        }
        try await check("Int", [3, -1, Int.max, Int.min, 0, 7, -1])
        try await check("Int8", [3, -1, Int8.max, .min, 0])
        try await check("UInt", [3, 1, UInt.max, 0])
        try await check("UInt8", [3, 1, UInt8.max, 0])
        try await check("Double", [0.5, -0.0, 0.0, -.infinity, .infinity, 1e300, -1e-300, 2, 0.5])
        try await check("Float", [0.5 as Float, -0.0, 0.0, -.infinity, 3.25, -3.25])
        try await check(
            "String",
            [
                "", "a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgh\0", "é", "e\u{301}", "e", "f", "z", "Z", "日本",
                "ı", "i", "👩‍👩‍👧", "\u{1F4}",
            ])
        try await check("tuple-like", [[1, 2], [1], [0, 9], [1, 2, 0]].map { Path(parts: $0) })
    }

    struct Path: Comparable, Sendable {
        var parts: [Int]
        static func < (a: Path, b: Path) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
    }
}

import TestSupport
import Testing
import Yaprak
import YaprakExtensions
import YaprakTrees

@Suite(.bounded) struct ManualViewTests {
    let database = Database.inMemory()
    let view = ManualView("favourites", of: .books)

    @Test func `Rows stand where they were put`() async throws {
        try await database.register(view)
        try await database.write { [view] transaction in
            for key in ["a", "b", "c", "d"] { transaction[.books][key] = Book(title: key) }
            try transaction.append("b", to: "x", in: view)
            try transaction.append("a", to: "x", in: view)
            try transaction.insert("c", at: 1, of: "x", in: view)
            #expect(try !transaction.append("a", to: "y", in: view))
            #expect(try !transaction.append("nobody", to: "y", in: view))
            #expect(try transaction.reader(of: view).keys == ["x": ["b", "c", "a"]])
        }
        #expect(database.snapshot[view].keys == ["x": ["b", "c", "a"]])
        try await database.write { [view] transaction in
            transaction[.books]["c"] = nil
            transaction[.books]["b"]?.rank = 7
            try transaction.append("d", to: "x", in: view)
        }
        #expect(database.snapshot[view].keys == ["x": ["b", "a", "d"]])
        #expect(database.snapshot[view]["x"][0].object.rank == 7)
        try await database.write { [view] transaction in
            try transaction.move("d", to: 0, of: "x", in: view)
            try transaction.removeRow(at: 1, of: "x", from: view)
        }
        #expect(database.snapshot[view].keys == ["x": ["d", "a"]])
        try await database.write { [view] in try $0.removeAll(of: "x", from: view) }
        #expect(database.snapshot[view].groupNames.isEmpty)
    }

    @Test func `There is room between two rows for as many as one likes`() async throws {
        try await database.register(view)
        try await database.write { [view] transaction in
            for number in 0..<300 { transaction[.books]["\(number)"] = Book() }
            try transaction.append("0", to: "x", in: view)
            try transaction.append("1", to: "x", in: view)
            for number in 2..<300 { try transaction.insert("\(number)", at: 1, of: "x", in: view) }
        }
        let expected = ["0"] + (2..<300).reversed().map { "\($0)" } + ["1"]
        #expect(database.snapshot[view]["x"].map(\.key) == expected)
        #expect(database.snapshot[view].place(of: "299")! == ("x", 1))
    }

    @Test(arguments: [2, 500, 4000], 0..<4)
    func `Rows put at one place again and again move few of the others' numbers, however many there are`(
        count: Int, place: Int
    ) async throws {
        try await database.register(view)
        let inserted = 400
        try await database.write { [view] transaction in
            for number in 0..<count + inserted { transaction[.books]["\(number)"] = Book() }
            for number in 0..<count { try transaction.append("\(number)", to: "x", in: view) }
        }
        var expected = (0..<count).map { "\($0)" }
        var boxes: Set<ObjectIdentifier> = []
        var replaced = 0
        for number in count..<count + inserted {
            let position = [count / 2, count / 2 + (number - count) / 2, count / 2 + number - count, 1][place]
            try await database.write { [view] in _ = try $0.insert("\(number)", at: position, of: "x", in: view) }
            expected.insert("\(number)", at: position)
            var now: Set<ObjectIdentifier> = []
            let snapshot = database.snapshot
            snapshot[view].state.root.places[0].forEach { now.insert(ObjectIdentifier($0)) }
            // The first insertions find the room that the rows were given at first.
            if number > count { replaced += now.subtracting(boxes).count - 1 }
            boxes = now
        }
        #expect(database.snapshot[view]["x"].map(\.key) == expected)
        #expect(replaced <= 6 * inserted, "\(replaced) of \(count) rows for \(inserted)")
    }

    // Each removal went through all rows of its group.
    @Test func `A launch applies the steps of a manual view in less than their number times its rows`() async throws {
        let view = ManualView("order", of: .books)
        let clock = ProcessorClock()
        try await expectGrowth("replay of moves", 1_000) { count in
            let folder = TemporaryDirectory()
            let path = FilePath(folder.path).appending("db")
            var options = DatabaseOptions()
            options.durability = .relaxed
            let first = try await Database.open(at: path, options: options, collections: .books)
            try await first.register(view)
            try await first.write { transaction in
                for number in 0..<count {
                    transaction[.books]["\(number)"] = Book()
                    try transaction.append("\(number)", to: "g", in: view)
                }
            }
            try await first.write { transaction in
                for number in 0..<count { try transaction.move("\(number)", to: number * 7 % count, of: "g", in: view) }
            }
            let keys = first.snapshot[view]["g"].map(\.key)
            try await first.close()
            let again = try await Database.open(at: path, options: options, collections: .books)
            let time = try await clock.measure { try await again.register(view) }
            #expect(again.snapshot[view]["g"].map(\.key) == keys)
            try await again.close()
            return time
        }
    }

    @Test func `In a view of two collections the one whose record is meant can be said`() async throws {
        let database = Database.inMemory()
        let view = ManualView("mixed", of: .movies, .actors)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.movies]["1"] = Movie()
            transaction[.actors]["1"] = Actor()
            try transaction.append("1", of: .movies, to: "g", in: view)
            try transaction.append("1", of: .actors, to: "g", in: view)
            let moved = try ["1", "2"].map { try transaction.move($0, of: .actors, to: 0, of: "h", in: view) }
            #expect(moved == [true, false])
        }
        #expect(database.snapshot[view].place(of: "1", in: .movies)?.group == "g")
        #expect(database.snapshot[view].place(of: "1", in: .actors)?.group == "h")
        try await database.write { transaction in
            let removed = try ["1", "1"].map { try transaction.remove($0, of: .actors, from: view) }
            #expect(removed == [true, false])
        }
        #expect(database.snapshot[view].place(of: "1", in: .actors) == nil)
        #expect(database.snapshot[view]["g"].count == 1)
    }
    // Rows were numbered by one and named by the other: another row went, or none could be put any more.
    @Test func `A view is arranged through any handle of its name, whatever that says of its collections`() async throws
    {
        let database = Database.inMemory()
        let view = ManualView("mixed", of: .movies, .actors, .books)
        let other = ManualView("mixed", of: .actors, .movies)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.movies]["1"] = Movie()
            transaction[.actors]["1"] = Actor()
            transaction[.books]["2"] = Book()
            try transaction.append("1", of: .movies, to: "g", in: other)
            try transaction.append("1", of: .actors, to: "g", in: other)
            try transaction.append("2", of: .books, to: "g", in: view)
        }
        func rows(_ group: String) -> [String] {
            database.snapshot[view][group].map { "\($0.collectionName) \($0.key)" }
        }
        #expect(rows("g") == ["movies 1", "actors 1", "books 2"])
        try await database.write { transaction in
            let isMoved = try transaction.move("1", of: .movies, to: 0, of: "h", in: other)
            let isAdded = try transaction.append("1", of: .movies, to: "g", in: other)
            #expect(isMoved && !isAdded)
        }
        #expect(rows("h") == ["movies 1"] && rows("g") == ["actors 1", "books 2"])
        try await database.write { transaction in
            // Of the first collection that has the key, as the view is registered.
            try transaction.move("1", to: 0, of: "g", in: other)
            try transaction.removeRow(at: 0, of: "g", from: other)
        }
        #expect(rows("h") == [] && rows("g") == ["actors 1", "books 2"])
        try await database.write { transaction in
            let movie = try transaction.remove("1", of: .movies, from: other)
            let actor = try transaction.remove("1", of: .actors, from: other)
            let book = try transaction.remove("2", from: other)
            #expect(!movie && actor && book)
        }
        #expect(database.snapshot[view].isEmpty)
        #expect(database.snapshot[.movies].count == 1 && database.snapshot[.actors].count == 1)
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

/// A manual view that is not always registered, over records that go on changing.
@Suite(.bounded) struct ManualViewReopeningTests {
    let directory = TemporaryDirectory()
    private let view = ManualView("favourites", of: RecordCollection<Book, Int>.books)

    private var path: FilePath { FilePath(directory.appending("db")) }

    private func open(registered: Bool = true) async throws -> Database {
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        if registered { try await database.register(view) }
        return database
    }

    private func keys(_ snapshot: Snapshot) -> [String] { snapshot[view]["x"].map(\.key) }

    /// Commit 1: a, b, c and their rows.
    private func fill() async throws {
        let database = try await open()
        try await database.write { [view] transaction in
            for key in ["a", "b", "c"] {
                transaction[.books][key] = Book(title: key)
                try transaction.append(key, to: "x", in: view)
            }
        }
        try await database.close()
    }

    @Test func `A view registered over records without a type is refused, and keeps its rows`() async throws {
        try await fill()
        let untyped = try await Database.open(at: path, options: replayable())
        let error = await #expect(throws: DatabaseError.self) { try await untyped.register(view) }
        #expect(error?.code == .extensionFailed && error?.message.contains("\"books\"") == true)
        try await untyped.checkpoint()
        try await untyped.close()
        let database = try await open()
        #expect(keys(database.snapshot) == ["a", "b", "c"])
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `A row whose record went meanwhile stays gone, whatever is written under its key later`(
        hasCheckpoints: Bool
    ) async throws {
        try await fill()
        var database = try await open(registered: false)
        try await database.write { $0[.books]["b"] = nil }
        if hasCheckpoints { try await database.checkpoint() }
        try await database.close()
        database = try await open()
        #expect(keys(database.snapshot) == ["a", "c"])
        try await database.write { $0[.books]["b"] = Book(title: "another") }
        let last = database.commitNumber
        #expect(keys(database.snapshot) == ["a", "c"])
        if hasCheckpoints { try await database.checkpoint() }
        try await database.close()
        database = try await open()
        #expect(keys(database.snapshot) == ["a", "c"] && database.snapshot[.books].count == 3)
        try await database.close()
        let typed = try ReplayReader(path, collections: .books, extensions: view)
        #expect(keys(try typed.snapshot(at: last)) == ["a", "c"])
    }

    @Test func `History with types has no row of a record that went while nobody looked`() async throws {
        try await fill()
        let database = try await open(registered: false)
        try await database.write { $0[.books]["b"] = nil }
        try await database.write { $0[.books]["d"] = Book(title: "d") }
        try await database.close()
        let cursor = try ReplayReader(path, collections: .books, extensions: view).cursor(at: 0)
        var seen: [[String]] = []
        while try cursor.next() != nil { seen.append(keys(cursor.snapshot)) }
        #expect(seen == [["a", "b", "c"], ["a", "c"], ["a", "c"]])
        for (number, expected) in seen.enumerated().reversed() {
            #expect(keys(cursor.snapshot) == expected, "commit \(number + 1), backwards")
            _ = try cursor.previous()
        }
    }

    // It began with the rows of that view, of which the log says nothing: they depended on the checkpoint that one began with.
    @Test(arguments: [ViewPersistence.checkpoints, .everyCommit])
    func `A view begins empty under a name that a stored automatic view has left`(
        persistence: ViewPersistence
    ) async throws {
        var database = try await open(registered: false)
        try await database.register(
            AutoView(
                view.name, versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title,
                persistence: persistence))
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.checkpoint()
        try await database.close()

        database = try await open(registered: false)
        let host = try await database.register(view)
        #expect(await host.origin == .populated)
        #expect(database.snapshot[view].groupNames.isEmpty)
        for key in ["c", "a"] { try await database.write { [view] in try $0.append(key, to: "x", in: view) } }
        try await database.close()
        database = try await open()
        #expect(keys(database.snapshot) == ["c", "a"] && database.snapshot[view].groupNames == ["x"])
        try await database.close()

        let typed = try ReplayReader(path, collections: .books, extensions: view)
        let untyped = try ReplayReader(path)
        let expected: [CommitNumber: [String: [String]]] = [
            1: ["sci-fi": ["books/a", "books/b", "books/c"]], 2: ["x": ["books/c"]], 3: ["x": ["books/c", "books/a"]],
        ]
        let views = try untyped.views()
        #expect(views.map(\.kind) == [.manual] && views.map(\.commits) == [[1...3]])
        let cursor = try untyped.cursor(at: 1, followingViews: true)
        for (number, groups) in expected.sorted(by: { $0.key < $1.key }) {
            #expect(contents(of: try untyped.view(view.name, at: number)) == groups, "commit \(number)")
            try cursor.seek(to: number)
            #expect(cursor.snapshot.untypedView(view.name)?.groupNames == groups.keys.sorted(), "commit \(number)")
            let then = contents(of: try typed.snapshot(at: number)[view])
            #expect(then == (number == 1 ? [:] : groups), "commit \(number), with types")
        }
    }

    // MARK: Records that are set aside

    /// A book in a program that can't read those whose titles begin with "b".
    private struct Picky: Codable, Sendable {
        private let book: Book

        init(_ title: String) { book = Book(title: title) }

        init(from decoder: any Decoder) throws {
            book = try Book(from: decoder)
            if book.title.hasPrefix("b") {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: book.title))
            }
        }

        func encode(to encoder: any Encoder) throws { try book.encode(to: encoder) }
    }

    private static let picky = RecordCollection<Picky, Int>("books").configured { $0.undecodable = .setAside }
    private let pickyView = ManualView("favourites", of: RecordCollection<Picky, Int>("books"))

    private func openPicky() async throws -> Database {
        let database = try await Database.open(at: path, options: replayable(), collections: Self.picky)
        try await database.register(pickyView)
        return database
    }

    private func pickyKeys(_ snapshot: Snapshot) -> [String] { snapshot[pickyView]["x"].map(\.key) }

    // Registering the view removed the row, in the files, too.
    @Test(arguments: [false, true])
    func `A row whose record is set aside is back in its place when the record decodes again`(
        hasCheckpoints: Bool
    ) async throws {
        try await fill()
        for _ in 0..<2 {
            let picky = try await openPicky()
            #expect(pickyKeys(picky.snapshot) == ["a", "c"] && picky.commitNumber == 1)
            #expect(picky.snapshot.setAsideKeys(inCollectionNamed: "books") == ["b"])
            if hasCheckpoints { try await picky.checkpoint() }
            try await picky.close()
        }
        let picky = try await openPicky()
        try await picky.unregister("favourites")
        try await picky.register(pickyView)
        #expect(pickyKeys(picky.snapshot) == ["a", "c"] && pickyKeys(picky.fork().snapshot) == ["a", "c"])
        if hasCheckpoints { try await picky.checkpoint() }
        try await picky.close()
        let database = try await open()
        #expect(keys(database.snapshot) == ["a", "b", "c"] && database.commitNumber == 1)
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `What is arranged around a hidden row stands around it when it is back`(hasCheckpoints: Bool) async throws {
        try await fill()
        let picky = try await openPicky()
        try await picky.write { [pickyView] transaction in
            for key in ["d", "e", "f"] { transaction[Self.picky][key] = Picky(key) }
            try transaction.append("d", to: "x", in: pickyView)
            try transaction.insert("e", at: 1, of: "x", in: pickyView)
        }
        #expect(pickyKeys(picky.snapshot) == ["a", "e", "c", "d"])
        if hasCheckpoints { try await picky.checkpoint() }
        try await picky.write { [pickyView] transaction in
            try transaction.remove("a", from: pickyView)
            try transaction.insert("f", at: 0, of: "x", in: pickyView)
            try transaction.move("c", to: 1, of: "x", in: pickyView)
            let isPut = try transaction.append("b", to: "x", in: pickyView)
            #expect(!isPut)
        }
        let shown = ["f", "c", "e", "d"], all = ["b", "f", "c", "e", "d"]
        #expect(pickyKeys(picky.snapshot) == shown)
        let last = picky.commitNumber
        try await picky.close()
        let database = try await open()
        #expect(keys(database.snapshot) == all && database.commitNumber == last)
        try await database.close()
        let typed = try ReplayReader(path, collections: .books, extensions: view)
        #expect(keys(try typed.snapshot(at: last)) == all)
        let untyped = try ReplayReader(path).cursor(at: last, followingViews: true)
        #expect(untyped.snapshot.untypedView("favourites")?.rows(ofGroup: "x", at: 0..<9).map(\.key) == all)
        let reader = try ReplayReader(path, collections: Self.picky, extensions: pickyView)
        #expect(pickyKeys(try reader.snapshot(at: last)) == shown)
    }

    @Test(arguments: [false, true])
    func `What is written in place of a record that is set aside is shown in its place`(
        hasCheckpoints: Bool
    ) async throws {
        try await fill()
        let picky = try await openPicky()
        if hasCheckpoints { try await picky.checkpoint() }
        try await picky.write { $0[Self.picky]["b"] = Picky("new") }
        #expect(pickyKeys(picky.snapshot) == ["a", "b", "c"])
        try await picky.close()
        let database = try await open()
        #expect(keys(database.snapshot) == ["a", "b", "c"])
        try await database.write { $0[.books]["b"] = Book(title: "bad") }
        try await database.write { $0[.books]["b"] = Book(title: "fine") }
        try await database.write { transaction in
            transaction[.books].removeAll()
            transaction[.books]["b"] = Book(title: "bad")
        }
        try await database.write { $0[.books]["b"] = Book(title: "fine") }
        #expect(keys(database.snapshot) == ["b"])
        try await database.close()
        // In history, records are set aside with the commits that wrote them.
        let cursor = try ReplayReader(path, collections: Self.picky, extensions: pickyView).cursor(at: 0)
        var seen: [[String]] = []
        while try cursor.next() != nil { seen.append(pickyKeys(cursor.snapshot)) }
        #expect(seen == [["a", "c"], ["a", "b", "c"], ["a", "c"], ["a", "b", "c"], [], ["b"]])
        for (number, expected) in seen.enumerated().reversed() {
            #expect(pickyKeys(cursor.snapshot) == expected, "commit \(number + 1), backwards")
            _ = try cursor.previous()
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `A hidden row goes with its record`(all: Bool, hasCheckpoints: Bool) async throws {
        try await fill()
        let picky = try await openPicky()
        try await picky.write { transaction in
            if all { transaction[Self.picky].removeAll() }
            transaction[Self.picky].remove("b")
        }
        if hasCheckpoints { try await picky.checkpoint() }
        try await picky.write { $0[Self.picky]["b"] = Picky("new") }
        let left = all ? [] : ["a", "c"]
        #expect(pickyKeys(picky.snapshot) == left)
        try await picky.close()
        let database = try await open()
        #expect(keys(database.snapshot) == left)
        try await database.close()
        let untyped = try ReplayReader(path).cursor(at: 3, followingViews: true)
        #expect(untyped.snapshot.untypedView("favourites")?.rows(ofGroup: "x", at: 0..<9).map(\.key) == left)
    }

    @Test func `A hidden row can be taken out, and is not moved`() async throws {
        try await fill()
        var picky = try await openPicky()
        try await picky.write { [pickyView] transaction in
            let isMoved = try transaction.move("b", to: 0, of: "x", in: pickyView)
            let isTaken = [
                try transaction.remove("b", from: pickyView), try transaction.remove("b", from: pickyView),
            ]
            #expect(!isMoved && isTaken == [true, false])
        }
        try await picky.close()
        var database = try await open()
        #expect(keys(database.snapshot) == ["a", "c"])
        try await database.write { [view] transaction in
            try transaction.removeAll(of: "x", from: view)
            try transaction.append("b", to: "x", in: view)
        }
        try await database.close()
        picky = try await openPicky()
        #expect(picky.snapshot[pickyView].groupNames.isEmpty)
        try await picky.checkpoint()
        try await picky.close()
        picky = try await openPicky()
        try await picky.write { [pickyView] in try $0.removeAll(of: "x", from: pickyView) }
        try await picky.close()
        database = try await open()
        #expect(database.snapshot[view].groupNames.isEmpty && database.snapshot[.books].count == 3)
        try await database.close()
    }

    @Test func `Any history around hidden rows leads to what it shows, and to all rows where all can be read`()
        async throws
    {
        for seed in UInt64(1)...8 {
            var random = SplitMix64(seed: seed)
            let path = FilePath(directory.appending("history \(seed)"))
            // All rows of each group.
            var rows: [String: [String]] = [:]
            var asides: Set<String> = []
            func shown(_ group: String) -> [String] { rows[group, default: []].filter { !asides.contains($0) } }
            func put(_ key: String, _ index: Int, _ group: String) {
                let visible = shown(group)
                var all = rows[group, default: []]
                all.insert(key, at: index < visible.count ? all.firstIndex(of: visible[index])! : all.count)
                rows[group] = all
            }
            let first = try await Database.open(at: path, options: replayable(), collections: .books)
            try await first.register(view)
            for number in 0..<12 {
                let key = "k\(number)", group = ["x", "y"][random.below(2)], isBad = random.below(2) == 0
                try await first.write { [view] transaction in
                    transaction[.books][key] = Book(title: isBad ? "b" : "good")
                    try transaction.append(key, to: group, in: view)
                }
                rows[group, default: []].append(key)
                if isBad { asides.insert(key) }
            }
            try await first.close()
            let picky = try await Database.open(at: path, options: replayable(), collections: Self.picky)
            try await picky.register(pickyView)
            for step in 0..<40 {
                let group = ["x", "y"][random.below(2)], target = ["x", "y"][random.below(2)], index = random.below(8)
                switch random.below(7) {
                case 0, 1:
                    let key = "n\(step)"
                    try await picky.write { [pickyView] transaction in
                        transaction[Self.picky][key] = Picky("new")
                        try transaction.insert(key, at: index, of: group, in: pickyView)
                    }
                    put(key, index, group)
                case 2:
                    guard let key = shown(group).randomElement(using: &random) else { continue }
                    try await picky.write { [pickyView] transaction in
                        try transaction.remove(key, from: pickyView)
                    }
                    rows[group]?.removeAll { $0 == key }
                case 3:
                    guard let key = shown(group).randomElement(using: &random) else { continue }
                    try await picky.write { [pickyView] transaction in
                        try transaction.move(key, to: index, of: target, in: pickyView)
                    }
                    rows[group]?.removeAll { $0 == key }
                    put(key, index, target)
                case 4:
                    guard let key = rows[group, default: []].randomElement(using: &random) else { continue }
                    try await picky.write { _ = $0[Self.picky].remove(key) }
                    rows[group]?.removeAll { $0 == key }
                    asides.remove(key)
                case 5:
                    guard let key = asides.sorted().randomElement(using: &random) else { continue }
                    try await picky.write { $0[Self.picky][key] = Picky("fine") }
                    asides.remove(key)
                default: try await picky.checkpoint()
                }
                for group in ["x", "y"] {
                    let keys = picky.snapshot[pickyView][group].map(\.key)
                    #expect(keys == shown(group), "seed \(seed), step \(step), group \(group)")
                }
            }
            let last = picky.commitNumber
            try await picky.close()
            let database = try await Database.open(at: path, options: replayable(), collections: .books)
            try await database.register(view)
            let typed = try ReplayReader(path, collections: .books, extensions: view).snapshot(at: last)
            let partial = try ReplayReader(path, collections: Self.picky, extensions: pickyView).snapshot(at: last)
            let untyped = try ReplayReader(path).cursor(at: last, followingViews: true)
            for group in ["x", "y"] {
                let all = rows[group, default: []]
                #expect(database.snapshot[view][group].map(\.key) == all, "seed \(seed), group \(group)")
                #expect(typed[view][group].map(\.key) == all, "seed \(seed), group \(group), in history")
                #expect(partial[pickyView][group].map(\.key) == shown(group), "seed \(seed), group \(group)")
                let found = untyped.snapshot.untypedView("favourites")?.rows(ofGroup: group, at: 0..<100)
                #expect(found?.map(\.key) == all, "seed \(seed), group \(group), without types")
            }
            try await database.close()
        }
    }

    @Test func `Many rows that go at once are read back in a time that grows with their number`() async throws {
        func seconds(_ count: Int, _ round: Int) async throws -> Double {
            let path = FilePath(directory.appending("many \(count) \(round)"))
            var database = try await Database.open(at: path, options: replayable(), collections: .books)
            try await database.register(view)
            try await database.write { [view] transaction in
                for number in 0..<count {
                    transaction[.books]["\(number)"] = Book(title: "")
                    try transaction.append("\(number)", to: "x", in: view)
                }
            }
            try await database.write { $0[.books].removeAll() }
            try await database.close()
            database = try await Database.open(at: path, options: replayable(), collections: .books)
            let start = ContinuousClock.now
            try await database.register(view)
            let time = start.duration(to: .now)
            #expect(database.snapshot[view].groupNames.isEmpty)
            try await database.close()
            return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        }
        // Sixteen times the rows: 256 times the time if each looked through all the others. A machine has slow seconds: so
        // the least of up to five each.
        var (few, many) = (Double.infinity, Double.infinity)
        for round in 0..<5 where !(many < 100 * max(few, 0.001)) {
            few = min(few, try await seconds(1_000, round))
            many = min(many, try await seconds(16_000, round))
        }
        #expect(many < 100 * max(few, 0.001), "\(many) s, and \(few) s for a sixteenth")
    }
}

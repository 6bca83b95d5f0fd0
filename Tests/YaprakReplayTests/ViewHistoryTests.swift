import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

/// Whatever a program writes, its views are shown without its types as the program had them.
@Suite(.bounded) struct ViewHistoryTests {
    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
    func `Views are as the program had them, at every commit that says so`(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var library = Library(seed: seed)
        let past = try await library.write(60, at: path)
        let reader = try ReplayReader(path)
        let views = try reader.views()
        for number in past.keys.sorted() where number > .zero {
            for name in Library.names {
                let shown = views.first { $0.name == name }?.canBeShown(at: number) ?? false
                let expected = past[number]?.groups[name]
                let isTold = name != "plain" && expected != nil || past[number]?.isCheckpoint == true && expected != nil
                if isTold { #expect(shown, "seed \(seed), commit \(number), \(name)") }
                if expected == nil, name != "hand" { #expect(!shown, "seed \(seed), commit \(number), \(name)") }
                guard shown else { continue }
                let then = try reader.view(name, at: number)
                #expect(contents(of: then) == expected ?? [:], "seed \(seed), commit \(number), \(name)")
                guard let row = then.groups.first(where: { _ in true })?.last else { continue }
                let record = try reader.snapshot(at: number).untyped(row.collectionName)[row.key]
                #expect(row.record == record, "seed \(seed), commit \(number), \(name), \(row.key)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `A list gets the changes that the program's own list got`(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var library = Library(seed: seed)
        let past = try await library.write(50, at: path)
        let reader = try ReplayReader(path)
        let numbers = past.keys.sorted()
        for (old, new) in zip(numbers, numbers.dropFirst()) {
            guard let before = past[old], let after = past[new] else { continue }
            for (from, to) in [(before, after), (after, before)] {
                // What is registered again is logged as a whole, without which of two rows passed the other.
                for name in ["genre", "tags", "mixed"]
                where before.groups[name] != nil && after.groups[name] != nil && !after.renewed.contains(name) {
                    let typed = try Library.changes(of: name, from: from.snapshot, to: to.snapshot)
                    let untyped = try reader.update(
                        of: Library.dress(ViewMappings(StoredView(name))), from: from.snapshot.commitNumber,
                        to: to.snapshot.commitNumber)
                    #expect(untyped.sectionChanges == typed.sectionChanges, "seed \(seed), \(old)–\(new), \(name)")
                    #expect(untyped.rowChanges == typed.rowChanges, "seed \(seed), \(old)–\(new), \(name)")
                }
            }
        }
    }

    @Test func `A commit that does not tell of a view ends what can be shown`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        func open() async throws -> Database {
            try await Database.open(at: path, options: replayable(), collections: .books)
        }
        let first = try await open()
        try await first.register(Library.genre)
        for number in 1...4 { try await first.write { $0[.books]["\(number)"] = Book(title: "t", rank: number) } }
        try await first.checkpoint()
        try await first.close()
        // A program without the view.
        let second = try await open()
        for number in 5...6 { try await second.write { $0[.books]["\(number)"] = Book(title: "t", rank: number) } }
        try await second.close()
        // One that takes it over from the checkpoint, behind which commits don't tell of it.
        let third = try await open()
        let host = try await third.register(Library.genre)
        let origin = await host.origin
        #expect(origin == .adopted)
        for number in 7...8 { try await third.write { $0[.books]["\(number)"] = Book(title: "t", rank: number) } }
        try await third.close()

        let reader = try ReplayReader(path)
        #expect(try reader.views().map(\.commits) == [[1...4, 7...8]])
        #expect(try reader.view("genre", at: 7)["sci-fi"].map(\.key) == (1...7).map { "\($0)" })
        let error = #expect(throws: DatabaseError.self) { try reader.view("genre", at: 6) }
        #expect(error?.code == .viewNotShown)
        #expect(error?.message.contains("1 to 4, 7 to 8") == true)
    }

    // A launch restored it without the rows of that collection, and they were missing from then on.
    @Test func `A view that was stored while a collection had no type is shown as it was, and not restored`()
        async throws
    {
        let directory = TemporaryDirectory()
        func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }
        func open(_ name: String) async throws -> Database {
            try await Database.open(at: path(name), options: replayable(), collections: .books, .notes)
        }
        let first = try await open("shop")
        try await first.write { transaction in
            transaction[.books]["1"] = Book(title: "a", genre: "crime")
            transaction[.notes]["n"] = "z"
        }
        try await first.close()
        // A program that binds the notes only where it shows them.
        let second = try await Database.open(at: path("shop"), options: replayable(), collections: .books)
        try await second.register(Library.mixed)
        var past: [CommitNumber: [String: [String]]] = [:]
        for number in [2, 3, 4] as [CommitNumber] {
            try await second.write { $0[.books]["\(number)"] = Book(title: "b \(number)", genre: "crime") }
            past[number] = contents(of: second.snapshot[Library.mixed])
            if number == 3 { try await second.checkpoint() }
        }
        try await second.backup(to: path("backup"))
        try await second.close()
        let partial = ["crime": ["books/1", "books/2", "books/3", "books/4"]]
        let whole = ["crime": ["books/1", "books/2", "books/3", "books/4", "notes/n"]]
        #expect(past[4] == partial)

        let typed = try ReplayReader(path("shop"), collections: .books, extensions: Library.mixed)
        try typed.snapshot(at: 4).write(to: path("written"))
        for name in ["backup", "written"] {
            #expect(contents(of: try ReplayReader(path(name)).view("mixed")) == partial, "\(name)")
        }
        for name in ["shop", "backup", "written"] {
            let database = try await open(name)
            let host = try await database.register(Library.mixed)
            #expect(await host.origin == .populated, "\(name)")
            #expect(contents(of: database.snapshot[Library.mixed]) == whole, "\(name)")
            try await database.write { $0[.books]["5"] = Book(title: "c", genre: "crime") }
            past[5] = contents(of: database.snapshot[Library.mixed])
            try await database.close()
        }
        // Commits behind the checkpoint go on from what it has.
        let reader = try ReplayReader(path("shop"))
        #expect(try reader.views().map(\.commits) == [[2...5]])
        let cursor = try reader.cursor(at: 3, followingViews: true)
        for number in [2, 3, 4, 5] as [CommitNumber] {
            #expect(contents(of: try reader.view("mixed", at: number)) == past[number], "commit \(number)")
            try cursor.seek(to: number)
            let rows = cursor.snapshot.untypedView("mixed")?.rows(ofGroup: "crime", at: 0..<9) ?? []
            #expect(rows.map { "\($0.collectionName)/\($0.key)" } == past[number]?["crime"], "commit \(number)")
        }
    }

    // No checkpoint could be written any more.
    @Test func `A view whose tag is too long for a checkpoint is shown without its code, and not restored`()
        async throws
    {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let copy = FilePath(directory.appending("copy.yaprak"))
        func open() async throws -> Database {
            try await Database.open(at: path, options: replayable(), collections: .books)
        }
        let first = try await open()
        try await first.register(Library.genre)
        try await first.write { transaction in
            for number in 1...3 { transaction[.books]["\(number)"] = Book(title: "t", rank: number) }
            let pasted = String(repeating: "x", count: 70_000)
            try transaction.setSorting(
                of: Library.genre, sortedBy: \.rank, order: .descending, versionTag: "has \(pasted)")
        }
        try await first.checkpoint()
        try await first.backup(to: copy)
        try await first.write { $0[.books]["4"] = Book(title: "t", rank: 4) }
        try await first.close()

        let reader = try ReplayReader(path)
        #expect(try reader.views().map(\.commits) == [[1...2]])
        let cursor = try reader.cursor(at: 1, followingViews: true)
        for (number, keys) in [(1, ["3", "2", "1"]), (2, ["4", "3", "2", "1"])] as [(CommitNumber, [String])] {
            #expect(try reader.view("genre", at: number)["sci-fi"].map(\.key) == keys, "commit \(number)")
            try cursor.seek(to: number)
            let rows = cursor.snapshot.untypedView("genre")?.rows(ofGroup: "sci-fi", at: 0..<9)
            #expect(rows?.map(\.key) == keys, "commit \(number)")
        }
        #expect(try ReplayReader(copy).view("genre")["sci-fi"].map(\.key) == ["3", "2", "1"])

        let second = try await open()
        let host = try await second.register(Library.genre)
        #expect(await host.origin == .populated)
        #expect(second.snapshot[Library.genre]["sci-fi"].map(\.key) == ["1", "2", "3", "4"])
        try await second.close()
    }

    @Test func `A view that is adopted from the newest commit continues to be logged`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        for launch in 0..<3 {
            let database = try await Database.open(at: path, options: replayable(), collections: .books)
            try await database.register(Library.genre)
            for number in 0..<50 {
                try await database.write { $0[.books]["\(launch) \(number)"] = Book(title: "t", rank: number) }
            }
            try await database.checkpoint()
            try await database.close()
        }
        let reader = try ReplayReader(path)
        #expect(try reader.views().map(\.commits) == [[1...150]])
        // Not logged as a whole at each launch.
        var sizes: [Int] = []
        var commits = reader.commits(from: 1).makeAsyncIterator()
        while let commit = try await commits.next() { sizes.append(commit.byteCount) }
        #expect(sizes.max() ?? 0 < 200)
    }

    @Test func `A view that is not there is not found, and one of another kind is none`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 3, seed: 1)
        let reader = try ReplayReader(path)
        #expect(try reader.views() == [])
        #expect(throws: DatabaseError.self) { try reader.view("genre") }
    }
}

/// What a view holds, by group.
func contents(of view: ViewReader<some ViewRow>) -> [String: [String]] {
    Dictionary(uniqueKeysWithValues: view.groups.map { group in (group.name, group.map { name(of: $0) }) })
}

private func name(of row: some ViewRow) -> String {
    switch row {
    case let row as MixedRecord: "\(row.collectionName)/\(row.key)"
    case let row as StoredRow: "\(row.collectionName)/\(row.key)"
    default: "books/\(row.key)"
    }
}

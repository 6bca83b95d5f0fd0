import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A cursor that follows views shows them as a reader shows them, wherever it goes.
@Suite(.bounded) struct CursorViewTests {
    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `A cursor shows each view as of each commit as the reader does, wherever it came from`(
        seed: UInt64
    ) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var library = Library(seed: seed)
        let past = try await library.write(50, at: path)
        let reader = try ReplayReader(path)
        let views = try reader.views()
        let newest = try reader.newestCommitNumber()
        var random = SplitMix64(seed: seed)
        let cursor = try reader.cursor(
            at: CommitNumber(UInt64(random.below(Int(newest.rawValue)))), followingViews: true)
        for turn in 0..<120 {
            if random.below(3) == 0 {
                try cursor.step(random.below(2) == 0 ? 1 : -1)
            } else {
                try cursor.seek(to: CommitNumber(UInt64(random.below(Int(newest.rawValue) + 1))))
            }
            let number = cursor.commitNumber, snapshot = cursor.snapshot
            for name in Library.names {
                let place = "seed \(seed), turn \(turn), commit \(number), \(name)"
                let isShown = views.first { $0.name == name }?.canBeShown(at: number) ?? false
                // What a manual view held before its first step is nothing.
                if name != "hand" { #expect((snapshot.untypedView(name) != nil) == isShown, "\(place)") }
                guard isShown, let view = snapshot.untypedView(name) else { continue }
                let expected = past[number]?.groups[name]
                if let expected { #expect(contents(of: view) == expected, "\(place)") }
                for group in view.groupNames {
                    guard let row = view.rows(ofGroup: group, at: 0..<1).first else { continue }
                    #expect(row.record == snapshot.untyped(row.collectionName)[row.key], "\(place)")
                    #expect(
                        view.places(ofKey: row.key, inCollectionNamed: row.collectionName).contains {
                            $0.group == group && $0.index == 0
                        }, "\(place)")
                    #expect(
                        view.explain(key: row.key, inCollectionNamed: row.collectionName).contains { $0.index == 0 },
                        "\(place)")
                }
            }
        }
    }

    @Test func `A running program's views are read without their types`() async throws {
        let database = Database.inMemory()
        try await database.register(Library.genre)
        try await database.write { transaction in
            for number in 0..<5 { transaction[.books]["\(number)"] = Book(title: "t", rank: 9 - number) }
        }
        let snapshot = database.snapshot
        #expect(snapshot.untypedViewNames == ["genre"])
        let view = try #require(snapshot.untypedView("genre"))
        #expect(contents(of: view) == ["sci-fi": ["books/4", "books/3", "books/2", "books/1", "books/0"]])
        let row = try #require(view.rows(ofGroup: "sci-fi", at: 1..<2).first)
        #expect(row.record?.object["rank"] == 6)
        #expect(view.explain(key: "3", inCollectionNamed: "books").first?.sortValue == "6")
        #expect(view.rows(ofGroup: "sci-fi", at: -3..<99).count == 5)
        #expect(snapshot.untypedView("other") == nil)
    }

    // It had the view of that commit for good, and the program's own was refused, as one whose name is taken.
    @Test func `A fork of a snapshot whose views are known from files takes the program's own`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        try await database.register(Library.genre)
        try await database.write { transaction in
            for number in 0..<5 { transaction[.books]["\(number)"] = Book(title: "t", rank: 9 - number) }
        }
        try await database.close()
        let snapshot = try ReplayReader(path).cursor(at: 1, followingViews: true).snapshot
        #expect(snapshot.extensionNames == ["genre"])
        let fork = database.fork(from: snapshot)
        #expect(fork.snapshot.extensionNames.isEmpty)
        try await fork.bind(.books)
        try await fork.register(Library.genre)
        try await fork.write { transaction in
            transaction[.books].remove("4")
            transaction[.books]["0"]?.rank = 1
        }
        #expect(fork.snapshot[Library.genre]["sci-fi"].map(\.key) == ["0", "3", "2", "1"])
        try await fork.close()
        #expect(snapshot.untypedView("genre")?.count(ofGroup: "sci-fi") == 5)
    }

    private func contents(of view: UntypedView) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: view.groupNames.map { group in
                let rows = view.rows(ofGroup: group, at: 0..<view.count(ofGroup: group))
                let isMixed = view.collectionNames.count > 1 || rows.contains { $0.collectionName != "books" }
                return (group, rows.map { isMixed ? "\($0.collectionName)/\($0.key)" : "books/\($0.key)" })
            })
    }
}

import TestSupport
import Testing
import Yaprak
import YaprakSimulator
import YaprakStorage
import YaprakTrees

@testable import YaprakCore
@testable import YaprakSearch

/// Random histories, held against the plainest search there is.
@Suite(.bounded) struct FullTextModelTests {
    static let index = MailIndex(
        "text", of: .mails,
        columns: [
            SearchColumn("title", \.title), SearchColumn("body", \.body), SearchColumn("note", \.note),
        ])
    static let weighted = MailIndex(
        "weighted", of: .mails,
        columns: [SearchColumn("title", \.title, weight: 3), SearchColumn("body", \.body, weight: 0.5)],
        tokenizer: WordTokenizer(locale: .turkish, foldsDiacritics: false))
    static let gapped = MailIndex("gapped", of: .mails, \.title, \.body, tokenizer: StopWords())

    static func numbers(_ count: Int) -> [UInt64] { (0..<count).map { UInt64($0) + 1 } }

    /// Asks an index and the plain search the same.
    static func check(
        _ index: MailIndex, in snapshot: Snapshot, _ mail: inout RandomMail, queries: Int, _ place: String
    ) throws {
        let naive = NaiveSearch(index, in: snapshot)
        let reader = snapshot[index]
        try #require(reader.count == naive.documents.count, "\(place)")
        for _ in 0..<queries {
            let query = mail.query()
            let expected = naive.keys(matching: query)
            let place = "\(place), \(index.name): \(query)"
            try #require(reader.keys(matching: query) == expected, "\(place)")
            try #require(reader.count(matching: query) == expected.count, "\(place)")
            let all = reader.top(1000, for: query)
            try #require(all.map(\.key).sorted() == expected, "\(place)")
            let documents = Dictionary(uniqueKeysWithValues: naive.documents.map { ($0.key, $0) })
            var found: [NaiveSearch.Part: Int] = [:]
            for hit in all {
                let score = naive.score(query, documents[hit.key]!, &found)
                try #require(abs(hit.score - score) < 1e-6, "\(place): \(hit.key) has \(hit.score), not \(score)")
            }
            for (a, b) in zip(all, all.dropFirst()) {
                try #require(a.score > b.score || a.score == b.score && a.key < b.key, "\(place)")
            }
            let some = reader.top(3, for: query)
            try #require(some.map(\.key) == all.prefix(3).map(\.key), "\(place)")
            let scan = SearchScan(query, columns: index.columnNames, tokenizer: index.tokenizer)
            for record in snapshot[.mails] {
                let matches = scan.matches(index.columns.map { $0.text(record) ?? "" })
                try #require(matches == expected.contains(record.key), "\(place): scan of \(record.key)")
            }
        }
    }

    /// The trees are sound, and every page is one that a launch would accept.
    static func checkShape(_ index: MailIndex, in snapshot: Snapshot, _ place: String) throws {
        let reader = snapshot[index]
        for tree in reader.root.trees {
            let violation = tree.firstViolation()
            try #require(violation == nil, "\(place)")
        }
        let stored = try StoredFullText(decoding: StoredFullText(reader.root, ofCollectionNamed: "mails").encoded())
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let root = try stored.root(
            ofCollectionNamed: "mails", keys: snapshot[.mails].map(\.key), columnCount: index.columns.count,
            draft: draft)
        try #require(root.termCount == reader.root.termCount, "\(place)")
        try #require(StoredFullText(root, ofCollectionNamed: "mails").pages == stored.pages, "\(place)")
        draft.abort(roots: [])
        timeline.close(roots: [])
    }

    @Test(arguments: numbers(Soak.volume(3, soak: 60)))
    func `An index equals a scan of its snapshot at every commit, and in every snapshot that is kept`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.register(Self.weighted)
        try await database.register(Self.gapped)
        var mail = RandomMail(seed: seed)
        var kept: [Snapshot] = []
        for step in 0..<40 {
            try await mail.write(to: database, Self.index)
            let snapshot = database.snapshot
            try Self.check(Self.index, in: snapshot, &mail, queries: 3, "seed \(seed), step \(step)")
            if step.isMultiple(of: 10) {
                try Self.check(Self.weighted, in: snapshot, &mail, queries: 3, "seed \(seed), step \(step)")
                try Self.check(Self.gapped, in: snapshot, &mail, queries: 10, "seed \(seed), step \(step)")
                try Self.checkShape(Self.index, in: snapshot, "seed \(seed), step \(step)")
                kept.append(snapshot)
            }
        }
        for (number, snapshot) in kept.enumerated() {
            try Self.check(Self.index, in: snapshot, &mail, queries: 2, "seed \(seed), kept \(number)")
        }
    }

    @Test(arguments: numbers(Soak.volume(2, soak: 30)))
    func `An index registered late, one in a fork, and one after a restore equal a scan`(seed: UInt64) async throws {
        let database = Database.inMemory()
        var mail = RandomMail(seed: seed)
        for _ in 0..<30 { try await mail.write(to: database) }
        let before = database.snapshot
        try await database.register(Self.index)
        try Self.check(Self.index, in: database.snapshot, &mail, queries: 5, "seed \(seed), late")
        let past = database.snapshot
        let fork = database.fork()
        var other = mail
        for step in 0..<20 {
            try await mail.write(to: database, Self.index)
            try await other.write(to: fork, Self.index)
            if step == 10 { try await database.restore(before) }
            try Self.check(Self.index, in: database.snapshot, &mail, queries: 2, "seed \(seed), step \(step)")
            try Self.check(Self.index, in: fork.snapshot, &other, queries: 2, "seed \(seed), fork, step \(step)")
        }
        try Self.checkShape(Self.index, in: fork.snapshot, "seed \(seed), fork")
        try await database.unregister("text")
        try await database.register(Self.index)
        try Self.check(Self.index, in: database.snapshot, &mail, queries: 5, "seed \(seed), again")
        try Self.check(Self.index, in: past, &mail, queries: 5, "seed \(seed), past")
    }

    @Test(arguments: numbers(Soak.volume(2, soak: 20)))
    func `Forks that write at the same time through one index each equal a scan`(seed: UInt64) async throws {
        let database = Database.inMemory()
        var mail = RandomMail(seed: seed)
        for _ in 0..<20 { try await mail.write(to: database) }
        try await database.register(Self.index)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 as Range<UInt64> {
                let fork = database.fork()
                group.addTask {
                    var own = RandomMail(seed: seed << 8 | number)
                    for _ in 0..<10 { try await own.write(to: fork, Self.index) }
                    try Self.check(Self.index, in: fork.snapshot, &own, queries: 2, "seed \(seed), fork \(number)")
                    try Self.checkShape(Self.index, in: fork.snapshot, "seed \(seed), fork \(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: numbers(Soak.volume(2, soak: 20)))
    func `An index is restored at launch, and equals a scan`(seed: UInt64) async throws {
        let disk = MemoryFileSystem()
        var mail = RandomMail(seed: seed)
        for round in 0..<4 {
            let database = try await Database.open(
                at: "/db", options: DatabaseOptions(), bindings: [TypedBinding(RecordCollection.mails)],
                fileSystem: disk)
            if round > 0 { try await mail.write(to: database) }
            let host = try await database.register(Self.index)
            // A checkpoint has it from the first round on.
            #expect(await host.origin == (round > 0 ? .adopted : .populated), "seed \(seed), round \(round)")
            for step in 0..<10 {
                try Self.check(
                    Self.index, in: database.snapshot, &mail, queries: 2, "seed \(seed), round \(round), step \(step)")
                try await mail.write(to: database, Self.index)
                if step == 6 { try await database.checkpoint() }
            }
            try Self.checkShape(Self.index, in: database.snapshot, "seed \(seed), round \(round)")
            try await database.close()
        }
    }

    @Test(arguments: numbers(Soak.volume(1, soak: 10)))
    func `Pages split, join and run over as documents come and go by the thousand`(seed: UInt64) async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        var random = SplitMix64(seed: seed)
        func text() -> String {
            (0..<random.below(12)).map { _ in "w\(random.below(random.chance(50) ? 8 : 2000))" }.joined(separator: " ")
        }
        for step in 0..<6 {
            let isGrowing = step < 3
            let edits = (0..<600).map { _ in
                ("k\(random.below(3000))", isGrowing || random.chance(20) ? Mail(title: text(), body: text()) : nil)
            }
            try await database.write { transaction in
                for (key, mail) in edits { transaction[.mails][key] = mail }
            }
            for _ in 0..<5 {
                let (key, mail) = ("k\(random.below(3000))", Mail(title: text()))
                try await database.write { $0[.mails][key] = mail }
            }
            let snapshot = database.snapshot
            try Self.checkShape(Self.index, in: snapshot, "seed \(seed), step \(step)")
            let naive = NaiveSearch(Self.index, in: snapshot)
            for word in ["w1", "w7", "w\(random.below(2000))", "w\(random.below(2000))"] {
                #expect(
                    snapshot[Self.index].keys(matching: .word(word)) == naive.keys(matching: .word(word)),
                    "seed \(seed), step \(step), \(word)")
            }
        }
    }
}

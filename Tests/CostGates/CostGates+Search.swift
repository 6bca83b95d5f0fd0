import Yaprak

/// A record with a text.
struct Note: Codable, Sendable {
    var text: String
}

extension RecordCollection where Object == Note, Metadata == NoMetadata {
    static var notes: Self { Self("notes") }
}

extension CostGates {
    /// What a search allocates: a query of few documents takes less time than the memory for it would.
    static func search() async throws -> [Gate] {
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 0..<count / 10 {
                transaction[.notes][key(number)] = Note(text: "all some\(number % 50) few\(number / 3)")
            }
        }
        let index = FullTextIndex("texts", of: .notes, \.text)
        try await database.register(index)
        let reader = database.snapshot[index]
        let few = (0..<1000).map { SearchQuery.word("few\($0)") }
        let both = (0..<1000).map { SearchQuery.all(of: [.word("some\($0 * 3 % 50)"), .word("few\($0)")]) }
        var hits = 0
        var gates = await allocations("the ten best of a term in three documents", atMost: 9, rounds: 1000) {
            hits += reader.top(10, for: few[$0 % 1000]).count
        }
        gates += await references("the ten best of a term in three documents", atMost: 83, rounds: 1000, leastOf: 20) {
            hits += reader.top(10, for: few[$0 % 1000]).count
        }
        gates += await allocations("the ten best of two terms", atMost: 15, rounds: 1000) {
            hits += reader.top(10, for: both[$0 % 1000]).count
        }
        gates += await references("the ten best of two terms", atMost: 118, rounds: 1000, leastOf: 20) {
            hits += reader.top(10, for: both[$0 % 1000]).count
        }
        precondition(hits > 50_000, "each query has its hits")
        gates += try await wordAdded(to: database, index)
        gates += try await keystroke(in: database, index)
        return gates
    }

    /// A text that gets one more word and loses it again: a commit each, which finds the text before and looks for the word.
    private static func wordAdded(
        to database: Database, _ index: FullTextIndex<Note, NoMetadata>
    ) async throws -> [Gate] {
        let texts = (0..<1000).map { "all some\($0 % 50) few\($0 / 3)" }
        let longer = texts.map { Note(text: $0 + " zebra") }
        let notes = texts.map { Note(text: $0) }
        let keys = (0..<1000).map { key($0) }
        func write(_ round: Int) async throws {
            let (key, note) = (keys[round / 2 % 1000], (round.isMultiple(of: 2) ? longer : notes)[round / 2 % 1000])
            try await database.write { $0[.notes][key] = note }
        }
        let what = "a commit of a word added to a text, or taken"
        var gates = try await allocations(what, atMost: 17, rounds: 2000, write)
        gates += try await references(what, atMost: 275, rounds: 2000, leastOf: 5, write)
        precondition(database.snapshot[index].top(10, for: .word("zebra")).isEmpty, "each word was taken again")
        return gates
    }

    /// What somebody types in a list: thousands of rows go, and as many come.
    private static func keystroke(
        in database: Database, _ index: FullTextIndex<Note, NoMetadata>
    ) async throws -> [Gate] {
        let view = AutoView(
            "by length", of: .notes, groupedBy: .byObject { "\($0.text.utf8.count % 7)" }, sortedBy: \.text)
        try await database.register(view)
        let snapshot = database.snapshot
        var sections = ViewMappings(view)
        let queries = (0..<2).map { half in
            SearchQuery.any(of: (0..<25).map { SearchQuery.word("some\($0 * 2 + half)") })
        }
        var rows = 0
        func type(_ round: Int) throws {
            let earlier = sections
            sections.setSearch(queries[round % 2], in: index)
            try sections.update(to: snapshot)
            rows += try sections.changes(since: earlier, in: snapshot).rowChanges.count
        }
        for round in 0..<2 { try type(round) }
        rows = 0
        try type(0)
        precondition(rows == count / 10, "each row comes or goes")
        let what = "a keystroke that exchanges 10,000 rows of a list"
        var gates = try await allocations(what, atMost: 155, rounds: 20, leastOf: 5) { try type($0 + 1) }
        // Of each change two, for its key and for what it has in common with others: added, and given up.
        gates += try await references(what, atMost: 43_000, rounds: 20, leastOf: 5) { try type($0 + 1) }
        return gates
    }
}

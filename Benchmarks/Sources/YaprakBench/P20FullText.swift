import CHelpers
import Foundation
import Yaprak

extension Measure {
    /// P20: full-text search against SQLite's FTS5 in memory, on the same documents with the same terms: ten best by rank,
    /// bytes, loading, updates. Hits are compared too.
    static var fullText: Measure {
        Measure(id: "P20") { settings, report in
            let packages = SearchCorpus.packages()
            for corpus in [try SearchCorpus.cities(), packages, SearchCorpus.prose(of: packages)] where !corpus.isEmpty
            {
                try await FullTextComparison(corpus, settings, report).run()
            }
        }
    }
}

/// FTS5 with the documents of a corpus.
final class FTS5Peer {
    let database = SQLiteMemory()
    let corpus: SearchCorpus
    private let columns: String
    private let marks: String

    init(_ corpus: SearchCorpus) {
        self.corpus = corpus
        columns = corpus.columns.map { "c_\($0)" }.joined(separator: ",")
        marks = corpus.columns.map { _ in "?" }.joined(separator: ",")
    }

    /// - Parameter isFolded: with our terms, so that hits are the same; else with the texts, and FTS5's own folding.
    func load(_ table: String, isFolded: Bool, _ options: String = "") {
        let tokenizer = isFolded ? "ascii" : "unicode61 remove_diacritics 2"
        database.execute(
            "CREATE VIRTUAL TABLE \(table) USING fts5(\(columns), content='', tokenize='\(tokenizer)'\(options))")
        let insert = database.prepare("INSERT INTO \(table)(rowid,\(columns)) VALUES(?,\(marks))")
        database.execute("BEGIN")
        for (number, document) in corpus.documents.enumerated() {
            bind(insert, number, isFolded ? corpus.folded[number] : document.texts)
            _ = insert.step()
            insert.reset()
        }
        database.execute("COMMIT")
    }

    private func bind(_ statement: SQLiteStatement, _ number: Int, _ texts: [String]) {
        statement.bind(1, number + 1)
        for (column, text) in texts.enumerated() { statement.bind(Int32(column + 2), text) }
    }

    private lazy var delete = database.prepare("INSERT INTO r(r,rowid,\(columns)) VALUES('delete',?,\(marks))")
    private lazy var insert = database.prepare("INSERT INTO r(rowid,\(columns)) VALUES(?,\(marks))")

    func replace(_ number: Int, _ old: [String], by new: [String]) {
        database.execute("BEGIN")
        bind(delete, number, old)
        _ = delete.step()
        delete.reset()
        bind(insert, number, new)
        _ = insert.step()
        insert.reset()
        database.execute("COMMIT")
    }
}

struct FullTextComparison {
    let corpus: SearchCorpus
    let settings: Settings
    let report: Report

    init(_ corpus: SearchCorpus, _ settings: Settings, _ report: Report) {
        self.corpus = corpus
        self.settings = settings
        self.report = report
    }

    func run() async throws {
        let index = corpus.index()
        let peer = FTS5Peer(corpus)
        peer.load("p", isFolded: true)
        let database = try await corpus.database()
        try await loads(database)
        try await bytes(database, peer)
        try await database.register(index)
        try await waitUntilIdle()
        let bare = BareSearch(corpus)
        try await queries(database.snapshot[index], peer, bare)
        peer.load("r", isFolded: false)
        try await updates(database, peer, bare)
    }

    // MARK: Loading and bytes

    private func loads(_ database: Yaprak.Database) async throws {
        let series = try await interleave(
            [
                Contender(name: "Yaprak, registering an index") {
                    let index = corpus.index("load")
                    let cost = try await time(1) { try await database.register(index) }
                    try await database.unregister("load")
                    return cost
                },
                Contender(name: "FTS5, unicode61") {
                    let peer = FTS5Peer(corpus)
                    return time(1) { peer.load("r", isFolded: false) }
                },
            ], runs: settings.runs, isolated: true)
        report.compare(
            "P20", "\(corpus.name): load \(corpus.documents.count) documents", series[0], series[1],
            .timesFaster(corpus.isProse ? 1.5 : 2.5))
    }

    private func bytes(_ database: Yaprak.Database, _ peer: FTS5Peer) async throws {
        let empty = FullTextIndex("empty", of: .documents, columns: [SearchColumn("none") { _ in nil }])
        let full = corpus.index("full")
        // What was registered before is given back by and by.
        try await waitForQuietHeap()
        let documents = try await heapGrowth { try await database.register(empty) }
        let whole = try await heapGrowth { try await database.register(full) }
        try await database.unregister("empty")
        try await database.unregister("full")
        let data = Double(peer.database.int("SELECT sum(length(block)) FROM p_data"))
        report.compare(
            "P20", "\(corpus.name): bytes of postings, heap",
            Series(name: "Yaprak", samples: [Double(whole.bytes - documents.bytes)]),
            Series(name: "FTS5, its data table", samples: [data]), .atMost(1.2), unit: .bytes)
        report.hold("P20", "\(corpus.name): bytes of numbers and keys, heap", Double(documents.bytes), unit: .bytes)
    }

    // MARK: Queries

    private func queries(
        _ reader: FullTextReader<SearchDocument, NoMetadata>, _ peer: FTS5Peer, _ bare: BareSearch
    ) async throws {
        let queries = SearchQueries(corpus)
        func quoted(_ term: String) -> String { "\"\(term)\"" }
        let least = 20.0
        try compare(
            "one common term", queries.common.map { (.word($0), quoted($0)) }, least, reader, peer,
            (bare, queries.common.map { [$0] }))
        try compare(
            "one rare term", queries.rare.map { (.word($0), quoted($0)) }, least, reader, peer,
            (bare, queries.rare.map { [$0] }))
        try compare(
            "two terms", queries.pairs.map { (.all(of: [.word($0), .word($1)]), "\(quoted($0)) AND \(quoted($1))") },
            least, reader, peer, (bare, queries.pairs.map { [$0, $1] }))
        try compare("beginning", queries.prefixes.map { (.prefix($0), "\(quoted($0))*") }, least, reader, peer)
        try compare("phrase", queries.pairs.map { (.phrase("\($0) \($1)"), quoted("\($0) \($1)")) }, 7, reader, peer)
        try compare(
            "three terms, OR and NOT",
            zip(queries.common, queries.pairs).map {
                (
                    .any(of: [.word($0), .word($1.0)]).excluding(.word($1.1)),
                    "(\(quoted($0)) OR \(quoted($1.0))) NOT \(quoted($1.1))"
                )
            }, nil, reader, peer)
        try compare(
            "NEAR", queries.pairs.map { (.near($0, $1, within: 3), "NEAR(\(quoted($0)) \(quoted($1)), 3)") }, nil,
            reader,
            peer)
        try compare(
            "a term in a column",
            queries.common.map {
                (.word($0).within(corpus.columns[0]), "c_\(corpus.columns[0]) : \(quoted($0))")
            }, nil, reader, peer)
    }

    private func compare(
        _ what: String, _ queries: [(SearchQuery, String)], _ target: Double?,
        _ reader: FullTextReader<SearchDocument, NoMetadata>, _ peer: FTS5Peer,
        _ bare: (search: BareSearch, terms: [[String]])? = nil
    ) throws {
        let ranked = peer.database.prepare("SELECT rowid, rank FROM p WHERE p MATCH ? ORDER BY rank LIMIT 10")
        let all = peer.database.prepare("SELECT rowid FROM p WHERE p MATCH ?")
        var ours = 0.0
        var theirs = 0.0
        var loops = 0.0
        var differing = 0
        var differingScores = 0
        for (number, (query, text)) in queries.enumerated() {
            // The best of some runs, in turn: the machine is shared.
            var (mine, its, loop) = (Double.infinity, Double.infinity, Double.infinity)
            for _ in 0..<3 {
                if let bare {
                    let terms = bare.terms[number]
                    loop = min(loop, time(1) { sink &+= UInt64(bare.search.top(10, for: terms).count) })
                }
                mine = min(mine, time(1) { sink &+= UInt64(reader.top(10, for: query).count) })
                its = min(
                    its,
                    time(1) {
                        ranked.bind(1, text)
                        while ranked.step() { sink &+= UInt64(ranked.int(0)) }
                        ranked.reset()
                    })
            }
            ours += mine
            theirs += its
            loops += loop
            if let bare {
                let scores = bare.search.top(10, for: bare.terms[number]).map(\.score)
                let ours = reader.top(10, for: query).map(\.score)
                if scores.count != ours.count || zip(scores, ours).contains(where: { abs($0 - $1) > 1e-6 }) {
                    differingScores += 1
                }
            }
            var rows: [String] = []
            all.bind(1, text)
            while all.step() { rows.append(corpus.keys[all.int(0) - 1]) }
            all.reset()
            if reader.keys(matching: query) != rows { differing += 1 }
        }
        report.compare(
            "P20", "\(corpus.name): ten best, \(what)",
            Series(name: "Yaprak", samples: [ours / Double(queries.count)]),
            Series(name: "FTS5, order by rank limit 10", samples: [theirs / Double(queries.count)]),
            target.map { .timesFaster($0) } ?? .none,
            bound: bare.map { _ in Series(name: "bare arrays", samples: [loops / Double(queries.count)]) })
        report.hold("P20", "\(corpus.name): \(what), queries whose hits differ", Double(differing), atMost: 0)
        if bare != nil {
            report.hold(
                "P20", "\(corpus.name): \(what), queries with other scores than the loop", Double(differingScores),
                atMost: 0)
        }
    }

    // MARK: Updates

    /// Of a document: a word more, the text of another one, and the old text again.
    private struct Edit {
        let number: Int
        let old: SearchDocument
        let longer: SearchDocument
        let other: SearchDocument
        let otherNumber: Int
        let word: String
    }

    private func edits(_ count: Int) -> [Edit] {
        var random = SplitMix64(3)
        let last = corpus.columns.count - 1
        return (0..<count).map { round in
            let number = Int(random.next() % UInt64(corpus.keys.count))
            let otherNumber = Int(random.next() % UInt64(corpus.keys.count))
            let old = corpus.documents[number]
            let word = " zebra\(round % 7)"
            var (longer, other) = (old, old)
            longer.texts[last] += word
            other.texts = corpus.documents[otherNumber].texts
            return Edit(number: number, old: old, longer: longer, other: other, otherNumber: otherNumber, word: word)
        }
    }

    /// The steps of the two are shifted against each other: each timed step comes right after a whole text was replaced in the
    /// other index, so neither finds more of its own code and memory in the caches than the other does.
    private func updates(_ database: Yaprak.Database, _ peer: FTS5Peer, _ bare: BareSearch) async throws {
        var (added, replaced, itsAdded, itsReplaced) = ([Double](), [Double](), [Double](), [Double]())
        func write(_ document: SearchDocument, for edit: Edit) async throws -> Double {
            let key = corpus.keys[edit.number]
            return try await time(1) { try await database.write { $0[.documents][key] = document } }
        }
        func writeToPeer(_ document: SearchDocument, over old: SearchDocument, for edit: Edit) -> Double {
            time(1) { peer.replace(edit.number, old.texts, by: document.texts) }
        }
        let edits = edits(300)
        var earlier: Edit?
        for edit in edits {
            added.append(try await write(edit.longer, for: edit))
            if let earlier { _ = writeToPeer(earlier.old, over: earlier.other, for: earlier) }
            replaced.append(try await write(edit.other, for: edit))
            itsAdded.append(writeToPeer(edit.longer, over: edit.old, for: edit))
            _ = try await write(edit.old, for: edit)
            itsReplaced.append(writeToPeer(edit.other, over: edit.longer, for: edit))
            earlier = edit
        }
        // The loop by itself: the least that it takes.
        var (loopAdded, loopReplaced) = ([Double](), [Double]())
        let postings = bare.postingCount
        for edit in edits {
            let (words, others) = (corpus.folded[edit.number], corpus.folded[edit.otherNumber])
            var more = words
            more[more.count - 1] += edit.word
            loopAdded.append(time(1) { bare.update(edit.number, from: words, to: more) })
            loopReplaced.append(time(1) { bare.update(edit.number, from: more, to: others) })
            bare.update(edit.number, from: others, to: words)
        }
        precondition(bare.postingCount == postings, "the loop ends with the texts it began with")
        func p99(_ samples: [Double]) -> Double { samples.sorted()[samples.count * 99 / 100] }
        report.compare(
            "P20", "\(corpus.name): one word added, a commit", Series(name: "Yaprak", samples: added),
            Series(name: "FTS5", samples: itsAdded), .timesFaster(5),
            bound: Series(name: "bare arrays", samples: loopAdded))
        report.compare(
            "P20", "\(corpus.name): text replaced, a commit", Series(name: "Yaprak", samples: replaced),
            Series(name: "FTS5", samples: itsReplaced), .timesFaster(0.5),
            bound: Series(name: "bare arrays", samples: loopReplaced))
        report.compare(
            "P20", "\(corpus.name): text replaced, p99", Series(name: "Yaprak", samples: [p99(replaced)]),
            Series(name: "FTS5", samples: [p99(itsReplaced)]), .timesFaster(1))
    }
}

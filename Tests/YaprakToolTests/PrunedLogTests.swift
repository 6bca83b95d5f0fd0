import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

/// Positions and times in a log whose beginning retention has removed: it starts with its newest commit, 4.
@Suite(.bounded) struct PrunedLogTests {
    let folder: Folder
    let path: String

    init() async throws {
        folder = try Folder()
        path = folder("pruned.yaprak")
        for number in 1...4 {
            let file = try folder.write("{\"id\":\"k\(number)\"}", to: "\(number).ndjson")
            #expect(await yaprak("load", file, path, "--collection", "books", "--key", "id").code == 0)
            #expect(await yaprak("checkpoint", path).code == 0)
        }
        #expect(await yaprak("compact", path, "--yes").code == 0)
        try #require(try ReplayReader(FilePath(path)).oldestCommitNumber() == 4)
    }

    private func run(_ words: [String]) async -> Outcome { await yaprak([words[0], path] + words.dropFirst()) }

    // "Nothing was found" is not true where nobody has looked: these were empty, with 0 or 1, or began with commit 4.
    @Test(arguments: [
        ["log", "..2"], ["log", "2"], ["log", "1..2"], ["log", "0..2"], ["log", "--until", "2"],
        ["log", "--from", "2"],
        ["log", "--follow", "--from", "2"], ["log", "2", "--reverse"], ["tail", "--from", "2"],
        ["replay", "--from", "2"], ["replay", "--until", "2", "--speed", "max"], ["grep", "k1", "..2"],
        ["grep", "k1", "--until", "2"], ["ask", "count(books)", "--every", "1", "--until", "2"],
        ["ask", "count(books)", "--every", "1", "--from", "2"],
        // Who begins with nothing at all wants commit 1.
        ["log", "--from", "0"], ["log", "--from", "@~4"], ["log", "--follow", "--from", "0"], ["log", "0.."],
        ["grep", "k4", "--from", "0"], ["replay", "--from", "0", "--speed", "max"], ["tail", "--from", "0"],
        ["ask", "count(books)", "--every", "1", "--from", "0"],
    ])
    func `A position that is gone is 3, whichever end it is`(words: [String]) async {
        let outcome = await run(words)
        #expect(outcome.code == 3 && outcome.err.contains("which starts with commit 4"), "\(outcome)")
        #expect(outcome.out.isEmpty)
    }

    @Test(arguments: [
        (["log", "..4"], 1), (["log", "4"], 1), (["log", "@"], 1), (["log"], 1), (["log", "--from", "4"], 1),
        (["log", "--until", "@"], 1), (["log", "--since", "2013-01-01"], 1), (["log", "--until", "0"], 0),
        (["replay", "--speed", "max", "--until", "4"], 1), (["replay", "--until", "0"], 0), (["tail"], 1),
        (["grep", "k4", "..4", "-n", "1"], 1), (["ask", "count(books)", "--every", "1", "--until", "4"], 1),
    ])
    func `What is there is found, with an end or without`(words: [String], lines: Int) async {
        let outcome = await run(words)
        #expect(outcome.code == 0 && outcome.lines.count == lines, "\(outcome)")
    }

    /// A backup has a checkpoint of commit 4 and no log.
    private func backUp() async throws -> String {
        let copy = folder("backup.yaprak")
        let database = try await Database.open(at: FilePath(path), options: DatabaseOptions())
        try await database.backup(to: FilePath(copy))
        try await database.close()
        try #require(try ReplayReader(FilePath(copy)).oldestCommitNumber() == nil)
        return copy
    }

    // log and ask found nothing, with 0; what `replay` was not asked for was out of reach.
    @Test func `A log that is empty has lost every position, and what is left out means what is there`() async throws {
        let copy = try await backUp()
        for words in [
            ["log", "--until", "4"], ["log", "--from", "2"], ["log", "--from", "0"], ["log", "4"],
            ["log", "--follow", "--from", "2"], ["grep", "k", "--until", "4"], ["grep", "k", "--from", "0"],
            ["tail", "--from", "4"], ["tail", "--from", "0"], ["replay", "--until", "4"], ["replay", "--from", "0"],
            ["ask", "count(books)", "--every", "1", "--until", "4"],
            ["ask", "count(books)", "--every", "1", "--from", "2"],
        ] {
            let outcome = await yaprak([words[0], copy] + words.dropFirst())
            #expect(outcome.code == 3 && outcome.err.contains("which is empty"), "\(words): \(outcome)")
            #expect(outcome.out.isEmpty, "\(words): \(outcome)")
        }
        for words in [["log", "--until", "99"], ["log", "--until", "nosuchtag"], ["replay", "--until", "99"]] {
            let outcome = await yaprak([words[0], copy] + words.dropFirst())
            #expect(outcome.code == 3, "\(words): \(outcome)")
        }
        for words in [
            ["log"], ["log", "--since", "2013-01-01"], ["log", "--until", "0"], ["tail"],
            ["tail", "--since", "2013-01-01"], ["replay"], ["replay", "--since", "2013-01-01"],
            ["replay", "--until", "0"], ["ask", "count(books)", "--every", "1"],
        ] {
            let outcome = await yaprak([words[0], copy] + words.dropFirst())
            #expect(outcome.code == 0 && outcome.out.isEmpty && outcome.err.isEmpty, "\(words): \(outcome)")
        }
        #expect(await yaprak("grep", copy, "k").code == 1)
    }

    // It was 3: commit 1 is not in the log.
    @Test func `Following from a time begins with the oldest commit there is`() async {
        let outcome = await run(["log", "--follow", "--since", "2013-01-01", "-n", "1", "--oneline"])
        #expect(outcome.code == 0 && outcome.lines.count == 1 && outcome.out.contains("\"commit\":4"), "\(outcome)")
    }
}

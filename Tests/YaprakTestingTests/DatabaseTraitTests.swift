import Foundation
import Synchronization
import TestSupport
import Testing
import Yaprak

@testable import YaprakTesting

/// The trait `.database(…)`: a fork of a fixture for each test and each argument.
@Suite(.bounded, .database(.counted)) struct DatabaseTraitTests {
    @Test(arguments: 0..<200)
    func `Each argument has a fork of its own, and the fixture is built once`(argument: Int) async throws {
        let database = Database.current
        #expect(database.snapshot[.books].count == 100)
        try await database.write { $0[.books]["new \(argument)"] = Book(title: "\(argument)") }
        await Task.yield()
        #expect(database.snapshot[.books].count == 101 && database.commitNumber == 2)
        #expect(Fixture.timesBuilt.load(ordering: .relaxed) == 1)
    }

    @Test(.database(.shelf)) func `The trait of a test counts, not that of its suite`() {
        #expect(Database.current.snapshot[.books].count == 3)
        #expect(Database.current.snapshot[bySalesRank].groupNames == ["horror", "romance", "sci-fi"])
    }

    @Test func `Tasks of a test have its database`() async {
        let database = Database.current
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { Database.current === database } }
            for await isSame in group { #expect(isSame) }
        }
        #expect(await Task { Database.current === database }.value)
    }

    @Test func `Forks check coding, so that what has no encoding fails as it would with a file`() async throws {
        let error = await #expect(throws: DatabaseError.self) {
            try await Database.current.write {
                $0[RecordCollection<Unencodable, NoMetadata>("odd")]["a"] = Unencodable()
            }
        }
        #expect(error?.code == .encodingFailed)
    }

    // MARK: Isolation

    /// How many tests see records of others, if each takes a database, writes, and looks when all have written.
    private func leaks(among count: Int, _ take: () async throws -> Database) async throws -> Int {
        var databases: [Database] = []
        for _ in 0..<count { databases.append(try await take()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, database) in databases.enumerated() {
                group.addTask { try await database.write { $0[.books]["mine \(index)"] = Book(title: "mine") } }
            }
            try await group.waitForAll()
        }
        return databases.count { $0.snapshot[.books].count != 101 }
    }

    @Test func `No state leaks between tests that run at once, and a leak would be seen`() async throws {
        #expect(try await leaks(among: 64) { try await Fixture.counted.fork() } == 0)
        let shared = try await Fixture.counted.fork()
        #expect(try await leaks(among: 64) { shared } > 0)
    }

    @Test(.database(.shelf)) func `What notes the commits of a test is a stream in the statistics, and holds no state`()
        async throws
    {
        for rank in 0..<5 { try await Database.current.write { $0[.books]["dune"]?.salesRank = rank } }
        let statistics = Database.current.statistics
        #expect(statistics.changesetStreamCount == 1 && statistics.heldStateCount == 1)
    }

    // MARK: Failures

    /// Runs a body as a test with the trait would, and returns what it attaches.
    private func attachments(of body: @escaping @Sendable () async throws -> Void) async throws -> [String] {
        let texts = Log()
        let trait = DatabaseTrait.attaching(.shelf) { texts.add($0) }
        _ = await reports {
            try await trait.provideScope(for: Test.current!, testCase: Test.Case.current, performing: body)
        }
        return texts.lines
    }

    @Test func `A test that fails attaches its commits as text`() async throws {
        let texts = try await attachments {
            try await Database.current.write(origin: "sale") { transaction in
                transaction[.books]["dune"]?.salesRank = 4
                transaction[.books]["ubik"] = Book(title: "Ubik")
                transaction[.books].remove("it")
            }
            #expect(Database.current.snapshot[.books].count == 4)
        }
        let lines = try #require(texts.first).split(separator: "\n")
        #expect(texts.count == 1)
        #expect(lines[0].hasPrefix("commit 2 \"sale\" at 20"))
        #expect(
            lines.dropFirst().map { String($0) } == [
                "  books", "    ~ dune: salesRank: 3 → 4",
                #"    - it: {"genre": "horror", "title": "It", "salesRank": 1}"#,
                #"    + ubik: {"genre": "sci-fi", "title": "Ubik", "salesRank": 0}"#,
            ])
    }

    @Test func `A test that throws attaches its commits, too`() async throws {
        let texts = try await attachments {
            try await Database.current.write { $0[.books].removeAll() }
            throw CancellationError()
        }
        #expect(texts.count == 1 && texts[0].contains("removed everything in books"))
    }

    /// The trait of the suite attached a file of the same name, which said that there was no commit.
    @Test(arguments: [false, true])
    func `Of two traits the inner one attaches, and the outer one if it has commits`(commitsOutside: Bool) async throws
    {
        let texts = Log()
        let suite = DatabaseTrait.attaching(.counted) { texts.add("suite: \($0)") }
        let trait = DatabaseTrait.attaching(.shelf) { texts.add("test: \($0)") }
        let test = Test.current!
        _ = await reports {
            try await suite.provideScope(for: test, testCase: Test.Case.current) {
                if commitsOutside { try await Database.current.write { $0[.books].remove("0") } }
                try await trait.provideScope(for: test, testCase: Test.Case.current) {
                    try await Database.current.write { $0[.books].remove("it") }
                    Issue.record("planted")
                }
            }
        }
        #expect(texts.lines.count == (commitsOutside ? 2 : 1), "\(texts.lines)")
        #expect(texts.lines[0].hasPrefix("test: commit 2") && texts.lines[0].contains("- it"), "\(texts.lines)")
        #expect(!commitsOutside || texts.lines[1].hasPrefix("suite: commit 2"), "\(texts.lines)")
    }

    @Test func `A test that succeeds attaches nothing`() async throws {
        let texts = Log()
        let trait = DatabaseTrait.attaching(.shelf) { texts.add($0) }
        try await trait.provideScope(for: Test.current!, testCase: Test.Case.current) {
            try await Database.current.write { $0[.books].removeAll() }
            Issue.record("a warning is no failure", severity: .warning)
        }
        #expect(texts.lines.isEmpty)
    }

    @Test func `The last commits stand below the first failure`() async throws {
        let trait = DatabaseTrait.attaching(.shelf) { _ in }
        let reports = await reports {
            try await trait.provideScope(for: Test.current!, testCase: Test.Case.current) {
                for rank in 0..<9 { try await Database.current.write { $0[.books]["dune"]?.salesRank = 10 + rank } }
                Issue.record("first")
                Issue.record("second")
            }
        }
        let first = try #require(reports.first)
        #expect(first.hasPrefix("first\n… 4 commits before\n") && first.contains("salesRank: 17 → 18"), "\(first)")
        #expect(reports.last == "second")
    }

    // What came between the commits and their number was taken for a stream that had been let go of.
    @Test func `The commits of a test in which others write are shown one by one`() async throws {
        for _ in 0..<20 {
            let database = try await Fixture.shelf.fork()
            let recording = CommitRecording(database)
            let isDone = Flag()
            async let writing: Void = {
                defer { isDone.set() }
                for rank in 0..<Soak.volume(500, soak: 5_000) {
                    try await database.write { $0[.books]["dune"]?.salesRank = rank }
                }
            }()
            var lost: [String] = []
            while !isDone.isSet {
                let text = recording.text(last: 1)
                if text.contains("together") { lost.append(text) }
                await Task.yield()
            }
            try await writing
            #expect(lost.isEmpty, "\(lost.count) times; \(lost.first ?? "")")
        }
    }

    @Test func `Where the stream was let go of the difference is shown, its beginning below a failure`() async throws {
        let database = try await Fixture.shelf.fork()
        let recording = CommitRecording(database)
        for part in 0..<2 {
            try await database.write { transaction in
                for index in 0..<200 { transaction[.books]["\(part) \(index)"] = Book(title: "t") }
            }
        }
        database.lagStreams()
        let (shown, attached) = (recording.text(last: 5), recording.text())
        #expect(shown.hasPrefix("2 commits, together:\n") && attached.hasPrefix("2 commits, together:\n"))
        #expect(shown.split(separator: "\n").count == 202 && shown.contains(" lines more"), "\(shown)")
        #expect(attached.split(separator: "\n").count > 400)
    }

    // What a test throws is recorded outside of the scope: it stood alone.
    @Test func `The last commits stand before what a test throws, unless they stand below a failure`() async throws {
        let trait = DatabaseTrait.attaching(.shelf) { _ in }
        for (hasFailed, hasCommits) in [(false, true), (true, true), (false, false)] {
            let texts = await reports {
                try await trait.provideScope(for: Test.current!, testCase: Test.Case.current) {
                    for rank in 0..<(hasCommits ? 9 : 0) {
                        try await Database.current.write { $0[.books]["dune"]?.salesRank = 10 + rank }
                    }
                    if hasFailed { Issue.record("planted") }
                    throw CancellationError()
                }
            }
            #expect(texts.count == (hasCommits ? 1 : 0), "\(texts)")
            guard hasCommits else { continue }
            let first = hasFailed ? "planted\n" : "the test throws; its last commits:\n"
            let text = try #require(texts.first)
            #expect(text.hasPrefix(first + "… 4 commits before\n") && text.contains("salesRank: 17 → 18"), "\(text)")
        }
    }

    // `Test.cancel` skips a test: it cancels the task, and throws an error whose type is not public. It was taken for a failure.
    @Test func `A test that is skipped shows no commits, unless it has failed before`() async {
        struct Skip: Error {}
        /// What is shown and attached of a test that is cancelled and throws an error.
        @Sendable func texts(_ error: any Error, hasFailed: Bool) async -> (shown: [String], attached: [String]) {
            let attached = Log()
            let trait = DatabaseTrait.attaching(.shelf) { attached.add($0) }
            let shown = await Task {
                await reports {
                    try await trait.provideScope(for: Test.current!, testCase: Test.Case.current) {
                        try await Database.current.write { $0[.books]["dune"]?.salesRank = 17 }
                        if hasFailed { Issue.record("planted") }
                        withUnsafeCurrentTask { $0?.cancel() }
                        throw error
                    }
                }
            }.value
            return (shown, attached.lines)
        }
        let skipped = await texts(Skip(), hasFailed: false)
        #expect(skipped.shown.isEmpty && skipped.attached.isEmpty, "\(skipped)")
        let failed = await texts(Skip(), hasFailed: true)
        #expect(failed.shown.count == 1 && failed.attached.count == 1, "\(failed)")
        let ended = await texts(CancellationError(), hasFailed: false)
        #expect(ended.shown.first?.hasPrefix("the test throws; its last commits:\n") == true, "\(ended)")
        #expect(ended.attached.count == 1)
    }

    @Test func `A fixture that can't be built fails every test that asks for it, with its own error`() async throws {
        struct Broken: Error {}
        let fixture = Fixture { _ in throw Broken() }
        for _ in 0..<2 { await #expect(throws: Broken.self) { try await fixture.fork() } }
    }
}

/// Outside of any trait.
@Suite(.bounded) struct NoDatabaseTests {
    @Test func `Without the trait the current database is empty, and the test fails with the remedy`() {
        withKnownIssue {
            #expect(Database.current.snapshot.count == 0)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("Give the test the trait .database(…)") }
        }
    }
}

private struct Unencodable: Codable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "it has no encoding"))
    }
}

extension Fixture {
    static let timesBuilt = Atomic(0)

    /// A hundred books, and how often they were made.
    static let counted = Fixture { database in
        timesBuilt.add(1, ordering: .relaxed)
        try await database.write { for index in 0..<100 { $0[.books]["\(index)"] = Book(title: "Volume \(index)") } }
    }
}

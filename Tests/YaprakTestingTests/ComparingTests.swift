import Foundation
import TestSupport
import Testing
import Yaprak

@testable import YaprakTesting

/// Databases compared, and shown as text.
@Suite(.bounded, .database(.shelf)) struct ComparingTests {
    let directory = TemporaryDirectory()

    /// What a body reports.
    private func report(_ body: @Sendable () async -> Void) async -> String {
        await reports(of: body).joined(separator: "\n")
    }

    // MARK: Differences

    @Test func `A fork is no different, and neither is a copy of other origin`() async throws {
        let database = Database.current
        expectNoDifference(database, database.fork())
        let copy = Database.inMemory()
        try await copy.write { transaction in
            for book in database.snapshot[.books] { transaction[.books][book.key] = book.object }
        }
        try await copy.register(bySalesRank)
        expectNoDifference(database, copy)
        try await copy.write { _ = $0[.books].touchObject(for: "dune") }
        expectNoDifference(copy, database)
    }

    @Test(arguments: [true, false]) func `A difference names records, fields and rows`(isFork: Bool) async throws {
        let first = Database.current
        let second = first.fork()
        try await second.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune II", genre: "horror", salesRank: 3)
            transaction[.books].remove("emma")
            transaction[.books]["a \"b\""] = Book(title: "Ünlü\n", salesRank: -1)
        }
        let origin: Snapshot
        if !isFork {
            let other = Database.inMemory()
            try await other.write { transaction in
                for book in first.snapshot[.books] { transaction[.books][book.key] = book.object }
            }
            try await other.register(bySalesRank)
            origin = other.snapshot
        } else {
            origin = first.snapshot
        }
        let text = await report { expectNoDifference(origin, second.snapshot, "after the import") }
        #expect(
            text == #"""
                after the import: the databases differ (- the first has, + the second has)
                books
                  + "a \"b\"": {"genre": "sci-fi", "title": "Ünlü\n", "salesRank": -1}
                  ~ dune
                      genre: "sci-fi" → "horror"
                      title: "Dune" → "Dune II"
                  - emma: {"genre": "romance", "title": "Emma", "salesRank": 8}
                view bySalesRank
                  ~ horror
                        it
                      + dune
                  - romance: emma
                  ~ sci-fi
                      - dune
                      + "a \"b\""
                """#, "\(text)")
    }

    @Test func `Metadata is compared, too`() async throws {
        let shelved = RecordCollection<Book, Int>("shelved")
        let database = Database.current
        try await database.write { $0[shelved].set(Book(title: "It"), metadata: 1, for: "it") }
        let other = database.fork()
        try await other.write { _ = $0[shelved].replaceMetadata(2, for: "it") }
        let text = await report { expectNoDifference(database, other) }
        #expect(text.contains("shelved\n  ~ it: (metadata): 1 → 2"), "\(text)")
    }

    /// A row of a view of groups.
    private struct Genre: Codable, Sendable, Equatable {
        var books: Int
    }

    private static func genres(_ books: @escaping @Sendable (Int) -> Int)
        -> AggregateView<AutoView<Record<Book, NoMetadata>>, Genre>
    {
        AggregateView(
            "genres", of: bySalesRank, row: { Genre(books: books($0.count)) }, sortedBy: { $0.object.books })
    }

    /// Only the keys were compared, which are the names of the groups.
    @Test func `What an aggregate view shows of a group is compared, and so is a filter of it`() async throws {
        let first = Database.current
        let second = first.fork()
        for (database, view) in [(first, Self.genres { $0 }), (second, Self.genres { _ in 0 })] {
            try await database.register(view)
            try await database.register(FilteredView("some", of: view) { $0.books < 9 })
        }
        let text = await report { expectNoDifference(first, second) }
        let genres = ["horror", "romance", "sci-fi"]
        for name in ["genres", "some"] {
            let from = genres.map { "      - \($0): {\"books\": 1}" }
            let to = genres.map { "      + \($0): {\"books\": 0}" }
            #expect(text.contains((["view \(name)", "  ~ all"] + from + to).joined(separator: "\n")), "\(text)")
        }
        await expectChanges(
            in: first,
            matches: """
                books
                  + ubik: {"genre": "sci-fi", "title": "Ubik", "salesRank": 4}
                view bySalesRank
                  ~ sci-fi
                        dune
                      + ubik
                view genres
                  ~ all
                        horror: {"books": 1}
                        romance: {"books": 1}
                      - sci-fi: {"books": 1}
                      + sci-fi: {"books": 2}
                view some
                  ~ all
                        horror: {"books": 1}
                        romance: {"books": 1}
                      - sci-fi: {"books": 1}
                      + sci-fi: {"books": 2}
                """
        ) {
            try? await first.write { $0[.books]["ubik"] = Book(title: "Ubik", salesRank: 4) }
        }
    }

    /// A detached task has no test, so the issue was taken to XCTest, which did not run.
    @Test func `An expectation that a detached task has fails the run`() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                await Task.detached {
                    let database = Database.inMemory()
                    try? await database.write { $0[.books]["a"] = Book(title: "A") }
                    expectNoDifference(database, .inMemory())
                }.value
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("the databases differ") }
        }
    }

    // MARK: Texts

    @Test func `A database is what the text says`() {
        expectSnapshot(
            of: Database.current,
            matches: """
                books
                  dune
                    genre: "sci-fi"
                    title: "Dune"
                    salesRank: 3
                  emma
                    genre: "romance"
                    title: "Emma"
                    salesRank: 8
                  it
                    genre: "horror"
                    title: "It"
                    salesRank: 1
                view bySalesRank
                  horror: it
                  romance: emma
                  sci-fi: dune
                """)
        expectSnapshot(of: Database.inMemory(), matches: "(empty)")
    }

    @Test func `What a block changes is what the text says`() async throws {
        let rank = try await expectChanges(
            in: Database.current,
            matches: """
                books
                  ~ dune: salesRank: 3 → 9
                  + ubik: {"genre": "sci-fi", "title": "Ubik", "salesRank": 4}
                view bySalesRank
                  ~ sci-fi
                      + ubik
                        dune
                """
        ) {
            try await Database.current.write { transaction in
                transaction[.books]["ubik"] = Book(title: "Ubik", salesRank: 4)
                transaction[.books]["dune"]?.salesRank = 9
                return 9
            }
        }
        #expect(rank == 9)
        await expectChanges(in: Database.current, matches: "(nothing)") {}
    }

    @Test func `Another text fails with the lines that differ`() async {
        let text = await report {
            await expectChanges(in: Database.current, matches: "books\n  ~ dune: salesRank: 3 → 4") {}
        }
        #expect(text.hasSuffix("- books\n-   ~ dune: salesRank: 3 → 4\n+ (nothing)"), "\(text)")
    }

    @Test func `Nobody is shown thousands of records`() async throws {
        try await Database.current.write { for index in 0..<1_000 { $0[.books]["\(index)"] = Book(title: "") } }
        let text = await report { expectSnapshot(of: Database.current, matches: "") }
        #expect(text.contains("1,003 records are more than anybody reviews"))
        #expect(
            await report { expectSnapshot(of: Database.current, collections: ["x"], matches: "x\nview") }.contains(
                "differ"))
    }

    // MARK: Texts that are written into the source

    /// A source file with calls of functions that take a text; some had one when they were compiled.
    private func record(
        _ source: String, _ texts: [(call: String, lines: [String])], compiled: [String: String] = [:]
    ) throws -> String {
        let path = directory.appending("Source.swift")
        try source.write(toFile: path, atomically: true, encoding: .utf8)
        let recorder = SourceRecorder(names: Set(texts.map(\.call)))
        for (call, lines) in texts {
            let (line, column) = place(of: call, in: source)
            try recorder.record(lines, insteadOf: compiled[call], inCallAt: line, column, of: path)
        }
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    /// Where a call begins, as the compiler says it.
    private func place(of call: String, in source: String) -> (line: Int, column: Int) {
        let before = source[..<source.range(of: call)!.lowerBound].utf8
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return (line, before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1)
    }

    @Test func `Texts are put where they belong, however many, in any order`() throws {
        let source = #"""
            func test() {
                second(of: make(")", #"a"b\"#, "\(f(")"))"), // matches: "no"
                       matches: "old \(x("\"")) text")
                first(/* ( */ of: database)
                third() { body("matches:") }
                fourth(of: x, matches: """
                    old "text"
                    """, line: 7)
            }
            """#
        let recorded = try record(
            source,
            [
                ("first", ["a", "", "  b"]), ("fourth", [#"back\slash"#]), ("second", ["c"]),
                ("third", ["d \"\"\" \\# e"]),
            ], compiled: ["second": "old x text", "fourth": #"old "text""#])
        #expect(
            recorded == ###"""
                func test() {
                    second(of: make(")", #"a"b\"#, "\(f(")"))"), // matches: "no"
                           matches: """
                        c
                        """)
                    first(/* ( */ of: database, matches: """
                        a

                          b
                        """)
                    third(matches: ##"""
                        d """ \# e
                        """##) { body("matches:") }
                    fourth(of: x, matches: #"""
                        back\slash
                        """#, line: 7)
                }
                """###, "\(recorded)")
    }

    @Test func `A call that ends with a comma, or with brackets, stays one that compiles`() throws {
        let source = """
            first(
                of: database,
            )
            second(of: x, /* last, */ )
            third([])
            fourth(of: x,)
            fifth(of: { },  // why
            )

            """
        let calls = ["first", "second", "third", "fourth", "fifth"]
        let recorded = try record(source, calls.map { ($0, [$0]) })
        #expect(
            recorded == #"""
                first(
                    of: database,
                matches: """
                    first
                    """)
                second(of: x, /* last, */ matches: """
                    second
                    """)
                third([], matches: """
                    third
                    """)
                fourth(of: x, matches: """
                    fourth
                    """)
                fifth(of: { },  // why
                matches: """
                    fifth
                    """)

                """#, "\(recorded)")
    }

    /// The second process wrote into whatever call stood at the line of its own.
    @Test(arguments: [nil, "b"]) func `A process that was compiled before another wrote leaves other calls alone`(
        compiled: String?
    ) throws {
        let path = directory.appending("Source.swift")
        let argument = compiled.map { ", matches: \"\($0)\"" } ?? ""
        let source = """
            expectSnapshot(of: a)
            log(a, b)
            expectSnapshot(of: b\(argument))
            expectChanges(in: c, matches: "c") {}
            write(d)
            done()

            """
        try source.write(toFile: path, atomically: true, encoding: .utf8)
        func record(_ call: String, _ line: Int, _ compiled: String?, _ recorder: SourceRecorder) throws {
            try recorder.record(["new \(call)"], insteadOf: compiled, inCallAt: line, 1, of: path)
        }
        let (first, second) = (SourceRecorder(), SourceRecorder())
        try record("a", 1, nil, first)
        let recorded = try String(contentsOfFile: path, encoding: .utf8)
        for line in 2...8 where line != 5 {
            #expect(throws: SourceRecorder.Fault.self, "line \(line)") { try record("b", line, compiled, second) }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == recorded)
        // Where it is what was compiled, after all, it may be written.
        try record("b", 5, compiled, second)
        #expect(throws: SourceRecorder.Fault.self) { try record("b", 3, compiled, first) }
        let both = try String(contentsOfFile: path, encoding: .utf8)
        #expect(both.contains("new a") && both.contains("new b") && both.contains(#"matches: "c""#), "\(both)")
    }

    @Test func `A literal is the text that the compiler makes of it`() {
        let literals: [(String, String?)] = [
            (#""""#, ""), (#""a\n\t\"\\\u{e9}""#, "a\n\t\"\\é"), (##"#"a\n\#n"#"##, "a\\n\n"), (#""a\(b)""#, nil),
            ("\"\"\"\n    a\n      b\n\n    c \\\n    d\n    \"\"\"", "a\n  b\n\nc d"),
            ("\"\"\"\r\n  a\r\n  \"\"\"", "a"), ("#\"\"\"\n\\\"\"\"\n\"\"\"#", "\\\"\"\""), ("a", nil), ("\"", nil),
            ("\"\"\"\n  a\n b\n  \"\"\"", nil),
        ]
        for (source, text) in literals { #expect(SwiftLiteral.text(of: source) == text, "\(source)") }
    }

    @Test func `A call without a text fails, and has the text afterwards`() async throws {
        let path = directory.appending("Recorded.swift")
        try "expectSnapshot(of: Database.current)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let place = SourceLocation(fileID: "Tests/Recorded.swift", filePath: path, line: 1, column: 1)
        let text = await report { expectSnapshot(of: Database.inMemory(), sourceLocation: place) }
        #expect(text.contains("The text was written into the test"))
        let recorded = try String(contentsOfFile: path, encoding: .utf8)
        #expect(recorded == "expectSnapshot(of: Database.current, matches: \"\"\"\n    (empty)\n    \"\"\")\n")
    }

    @Test func `Where the source is not there, the failure has the text`() async {
        let place = SourceLocation(
            fileID: "Tests/None.swift", filePath: directory.appending("None.swift"), line: 1, column: 1)
        let text = await report { expectSnapshot(of: Database.inMemory(), sourceLocation: place) }
        #expect(text.contains("can't be read") && text.hasSuffix("The text is:\n(empty)"))
    }

    @Test func `A view that only one has is no difference`() async throws {
        let database = Database.current
        let copy = Database.inMemory()
        try await copy.write { transaction in
            for book in database.snapshot[.books] { transaction[.books][book.key] = book.object }
        }
        #expect(expectNoDifference(database, copy))
        #expect(expectNoDifference(copy, database))
    }
}

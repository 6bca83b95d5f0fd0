import SystemPackage
import TestSupport
import Testing
import Yaprak

/// What the verbs print of a shop with three commits.
@Suite(.bounded) struct LogTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    @Test func `One line for each commit, the newest first, in aligned columns`() async {
        let outcome = await yaprak("log", shop, "--oneline", onTerminal: true)
        #expect(
            outcome.out == """
                commit  time                      origin  changes      info
                     3  2026-01-01T00:00:03.000Z  shop    books -1 !1
                     2  2026-01-01T00:00:02.000Z          books ~1
                     1  2026-01-01T00:00:01.000Z  shop    books +2     opening day

                """)
        #expect(outcome.code == 0)
        #expect(outcome.err.isEmpty)
    }

    @Test func `A commit in full names each record with what became of it`() async {
        let outcome = await yaprak("log", shop, "0..2", "--reverse", "--format", "table")
        #expect(
            outcome.out == """
                commit 1  2026-01-01T00:00:01.000Z  shop
                  info opening day
                  books
                    + abc  {"rank": 3, "title": "Dune"}
                    + def  {"rank": 7, "title": "Emma"}

                commit 2  2026-01-01T00:00:02.000Z
                  books
                    ~ abc  {"rank": 1, "title": "Dune"}

                """)
    }

    @Test func `A pipe gets one JSON object a line`() async {
        let outcome = await yaprak("log", shop, "1..2")
        #expect(
            outcome.out == """
                {"commit":2,"time":"2026-01-01T00:00:02.000Z","ns":1767225602000000000,"changes":[{"collection":"books","key":"abc","kinds":["objectChanged"],"object":{"rank":1,"title":"Dune"}}]}

                """)
    }

    @Test(
        arguments: [
            (["0..2", "--reverse"], ["1", "2"]), (["1..2"], ["2"]), (["1.."], ["3", "2"]), (["..2"], ["2", "1"]),
            (["2"], ["2", "1"]), (["@^"], ["2", "1"]), (["@~2..@"], ["3", "2"]), (["2..2"], []), (["3..1"], []),
            (["@{2026-01-01T00:00:02.000Z}.."], ["3"]), (["..@{2026-01-01 00:00:01}"], ["1"]), (["-n", "1"], ["3"]),
            (["--key", "def"], ["3", "1"]), (["-1"], ["3"]), (["-n1"], ["3"]),
            (["--from", "2", "--until", "2"], ["2"]),
            (["--since", "2026-01-01T00:00:02.000Z", "--until", "2026-01-01"], ["3", "2"]),
            (["--key", "def", "--reverse", "-n", "1"], ["1"]),
        ] as [([String], [String])])
    func `Ranges, counts and filters choose commits`(options: [String], commits: [String]) async {
        let outcome = await yaprak(["log", shop, "--oneline", "--format", "csv"] + options)
        #expect(outcome.code == 0)
        #expect(outcome.out.split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != "," }) } == commits)
    }

    // Keys are normalized, and the prefix was not: nothing was listed, with exit code 0.
    @Test(arguments: ["\u{e9}", "e\u{301}"]) func `A prefix is found in either spelling`(prefix: String) async throws {
        let file = try folder.write("{\"id\":\"\u{e9}t\u{e9}\"}\n{\"id\":\"east\"}\n", to: "words.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "words", "--key", "id").code == 0)
        for options in [[], ["--sort", "$key"]] {
            let outcome = await yaprak(["ls", shop, "words", "--keys", "--prefix", prefix] + options)
            #expect(outcome.lines == ["{\"key\":\"\u{e9}t\u{e9}\"}"], "\(outcome)")
        }
    }

    @Test func `CSV and Markdown quote what would break them`() async throws {
        let file = try folder.write("{\"id\":\"a|b,\\\"c\\\"<i>\"}\n", to: "odd.ndjson")
        _ = await yaprak("load", file, folder("odd.yaprak"), "--collection", "odd", "--key", "id")
        let csv = await yaprak("log", folder("odd.yaprak"), "--format", "csv")
        #expect(csv.out.contains(#","a|b,""c""<i>",inserted,"#))
        let markdown = await yaprak("log", folder("odd.yaprak"), "--format", "markdown")
        #expect(markdown.out.contains(#"| a\|b,\"c\"&lt;i> | inserted |"#))
    }

    @Test func `A commit that removes everything has a row that says so`() async throws {
        let database = try await Database.open(at: .init(shop), collections: .shopBooks)
        try await database.write { $0.removeAll() }
        try await database.close()
        let outcome = await yaprak("log", shop, "-1", "--format", "csv")
        #expect(outcome.out.split(separator: "\r\n").count == 2 && outcome.out.contains("removedAll"), "\(outcome.out)")
    }

    // The row of such a commit was one of zeros, or none.
    @Test func `In --stat a commit that removes all of a collection says so, whatever the form`() async throws {
        let database = try await Database.open(at: .init(shop), collections: .shopBooks)
        try await database.write { transaction in
            transaction[.shopBooks].removeAll()
            transaction[.shopBooks]["new"] = ShopBook(title: "Ulysses", rank: 9)
        }
        try await database.write { $0[.shopBooks].removeAll() }
        try await database.write { $0[.shopBooks]["other"] = ShopBook(title: "Emma", rank: 7) }
        try await database.write { $0.removeAll() }
        try await database.close()
        let rows = await yaprak("log", shop, "3..", "--reverse", "--stat", "--format", "csv")
        let cells = rows.out.split(separator: "\r\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst(4).joined(separator: ",")
        }
        #expect(cells == ["books,1,0,all,0", "books,0,0,all,0", "books,1,0,0,0", ",0,0,all,0"], "\(rows.out)")
        let json = await yaprak("log", shop, "4..5", "--stat", "--format", "ndjson")
        #expect(json.out.contains(#""stat":[{"collection":"books","removesAll":true,"inserted":0,"#), "\(json.out)")
        let text = await yaprak("log", shop, "4..5", "--stat", onTerminal: true)
        #expect(text.out.hasSuffix("  - all records of books\n"), "\(text.out)")
    }

    @Test func `Statistics count commits, changes and records`() async {
        let outcome = await yaprak("stats", shop, "--format", "json")
        #expect(outcome.out.contains(#""newest":3,"commits":[1,3]"#))
        #expect(outcome.out.contains(#""changes":5,"#))
        #expect(outcome.out.contains(#""records":{"books":1}"#))
        let table = await yaprak("stats", shop, onTerminal: true)
        #expect(table.lines.contains("newest commit   3"))
        #expect(table.lines.contains("records         1 in books"))
    }

    @Test func `A record is shown as it is and as it was`() async {
        let now = await yaprak("get", shop, "books", "abc")
        #expect(now.out == #"{"collection":"books","key":"abc","commit":3,"object":{"rank":1,"title":"Dune"}}"# + "\n")
        let then = await yaprak("get", shop, "books", "abc", "--at", "1", onTerminal: true)
        #expect(
            then.out == """
                key           abc
                as of commit  1
                object        {"rank": 3, "title": "Dune"}

                """)
        #expect(await yaprak("get", shop, "books", "def", "--at", "2").code == 0)
        #expect(await yaprak("get", shop, "books", "def").code == 3)
    }

    @Test func `The log can be read while the database is open for writing`() async throws {
        let database = try await Database.open(at: .init(shop), collections: .shopBooks)
        try await database.write { $0[.shopBooks]["new"] = ShopBook(title: "Ulysses", rank: 9) }
        #expect(await yaprak("get", shop, "books", "new").code == 0)
        #expect(await yaprak("verify", shop).code == 0)
        try await database.close()
    }
}

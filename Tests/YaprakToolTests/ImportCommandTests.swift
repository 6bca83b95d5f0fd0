#if SQLite
    import Foundation
    import TestSupport
    import Testing

    @testable import YaprakTool

    /// `yaprak import sqlite`, beyond what its page shows.
    @Suite(.bounded) struct ImportCommandTests {
        @Test func `Programs get the forms as counts, and an import that is run again changes nothing`() async throws {
            let folder = try Folder()
            let old = try OldDatabase(at: folder("old.sqlite"))
            for number in 0..<20 { try old.insert("x", "k\(number)", Data("[\(number)]".utf8)) }
            let survey = await yaprak("import", "sqlite", folder("old.sqlite"))
            #expect(
                survey.out == """
                    {"collection":"x","rows":20,"new":null,"replaced":null,"unchanged":null,"leftOut":0,\
                    "forms":{"json":20},"metadata":{}}

                    """)
            let path = folder("new.yaprak")
            #expect(await yaprak("import", "sqlite", folder("old.sqlite"), "--into", path, "--batch", "7").code == 0)
            let log = await yaprak("log", path, "--format", "ndjson")
            #expect(log.lines.count == 3)
            let again = await yaprak("import", "sqlite", folder("old.sqlite"), "--into", path)
            #expect(again.out.contains(#""new":0,"replaced":0,"unchanged":20"#))
            #expect(await yaprak("log", path, "--format", "ndjson").out == log.out)
        }

        @Test func `A file that can't be imported leaves no database behind`() async throws {
            let folder = try Folder()
            let path = folder("new.yaprak")
            #expect(await yaprak("import", "sqlite", folder("absent"), "--into", path).code == 3)
            let text = try folder.write(String(repeating: "no database ", count: 100), to: "text")
            #expect(await yaprak("import", "sqlite", text, "--into", path).code == 6)
            _ = try OldDatabase(at: folder("old.sqlite"))
            let misspelled = await yaprak("import", "sqlite", folder("old.sqlite"), "--into", path, "--collection", "x")
            #expect(misspelled.code == 3)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        // Each import of a shell wrote, also where it was to say what is in the file.
        @Test func `In a shell an import writes only if asked to, by default into the shell's database`() {
            let words = ["import", "sqlite", "old.sqlite"]
            #expect(ShellWords.arguments(words, for: "shop.yaprak") == words)
            #expect(ShellWords.arguments(words + ["--into"], for: "s") == words + ["--into", "s"])
            #expect(
                ShellWords.arguments(words + ["--into", "--replace"], for: "s") == words + ["--into", "s", "--replace"])
            for other in [words + ["--into", "other.yaprak"], words + ["--into=other.yaprak"]] {
                #expect(ShellWords.arguments(other, for: "shop.yaprak") == other)
            }
        }

        @Test func `A collection is found in whatever spelling its name is given`() async throws {
            let folder = try Folder()
            let old = try OldDatabase(at: folder("old.sqlite"), journal: "DELETE")
            try old.insert("cafe\u{301}", "k", Data("[1]".utf8))
            try old.insert("tea", "k", Data("[2]".utf8))
            let outcome = await yaprak(
                "import", "sqlite", folder("old.sqlite"), "--into", folder("new.yaprak"), "--collection", "caf\u{e9}")
            #expect(outcome.code == 0 && outcome.out.contains(#""rows":1,"new":1"#), "\(outcome.out)\(outcome.err)")
            #expect(outcome.lines.count == 1)
        }

        @Test func `Rows that the database refuses, or that are damaged, end with 1`() async throws {
            let folder = try Folder()
            let old = try OldDatabase(at: folder("old.sqlite"), journal: "DELETE")
            try old.run("BEGIN")
            for number in 0..<1000 {
                try old.insert("x", "k\(number)", Data("[\"\(String(repeating: "z", count: 200))\"]".utf8))
            }
            try old.run("COMMIT")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: folder("old.sqlite")))
            // A page of the table: one that has rows' text.
            let page = try #require(
                (1..<(bytes.count / 4096)).last { bytes[($0 * 4096)..<($0 * 4096 + 4096)].contains { $0 == 0x7a } })
            for place in 0..<4096 { bytes[page * 4096 + place] = 0xff }
            try bytes.write(to: URL(fileURLWithPath: folder("damaged.sqlite")))
            let outcome = await yaprak("import", "sqlite", folder("damaged.sqlite"), "--into", folder("new.yaprak"))
            #expect(outcome.code == 1)
            #expect(outcome.err.contains("can't be read: the file is damaged there"))
            #expect(outcome.lines.count == 1)
        }
    }
#endif

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR

@testable import YaprakTool

/// `export`: columns, forms and names of files.
@Suite(.bounded) struct ExportTests {
    let folder: Folder
    let database: String

    init() async throws {
        folder = try Folder()
        database = folder("db.yaprak")
        let things = RecordCollection<CBORValue, CBORValue>("things")
        let odd = [
            "..", "a/b", "A/B", "\u{1b}[31m".dropFirst().description, ".hidden", "-rf",
            String(repeating: "é", count: 120),
        ]
        let database = try await Database.open(at: FilePath(database), collections: things)
        try await database.write { transaction in
            transaction[things].set(
                ["name": "say \"hi\", now\nor never", "size": ["w": 2, "h": 3.5], "tags": ["x", 1]],
                metadata: ["by": "me"],
                for: "a")
            transaction[things]["b"] = [
                "name": "plain", "a.b": 1, "blob": .bytes([1, 2]), "nan": .float(.nan), "gone": nil,
            ]
            transaction[things]["c"] = "no map"
            for name in odd { transaction[RecordCollection<Int, NoMetadata>(name)]["k"] = 1 }
        }
        try await database.close()
    }

    @Test func `Each field is a column, in ascending order, the key first`() async {
        let outcome = await yaprak("export", database, "things", "--format", "csv")
        #expect(
            outcome.out == """
                $key,$metadata.by,.,"[""a.b""]",blob,gone,name,nan,size.h,size.w,tags\r
                a,me,,,,,"say ""hi"", now\nor never",,3.5,2,"[""x"",1]"\r
                b,,,1,AQI=,,plain,NaN,,,\r
                c,,no map,,,,,,,,\r

                """)
    }

    @Test func `Columns are chosen, and what no record has is refused`() async {
        let outcome = await yaprak("export", database, "things", "--columns", "size,$key", "--format", "ndjson")
        #expect(
            outcome.lines == [
                #"{"size":{"h":3.5,"w":2},"$key":"a"}"#, #"{"size":null,"$key":"b"}"#, #"{"size":null,"$key":"c"}"#,
            ])
        let refused = await yaprak("export", database, "things", "--columns", "nothing of it")
        #expect(refused.code == 3 && refused.err.contains("There are $key, $metadata"))
        #expect(await yaprak("export", database, "things", "--columns", " , ").code == 64)
        #expect(await yaprak("export", database, "nothing").code == 3)
    }

    // The quotes of a head were escaped, and a list was split at every comma.
    @Test func `Each head of a table is a column that can be asked for`() async throws {
        let odd = RecordCollection<CBORValue, NoMetadata>("odd")
        let fields = ["a.b", "c,d", " e", "f\"g", "h\\i", "[j", "k]", "$l", "m\",\"n.", "", " "]
        let opened = try await Database.open(at: FilePath(database), collections: odd)
        try await opened.write { transaction in
            transaction[odd]["x"] = .map(
                fields.enumerated().map { .init(.text($1), .count($0)) } + [.init(["p,q", 1], 11)])
        }
        try await opened.close()
        let names = [
            #"["a.b"]"#, #"["c,d"]"#, " e", #"f"g"#, #"h\i"#, #"["[j"]"#, "k]", #"["$l"]"#, #"["m\",\"n."]"#, #"[""]"#,
            #"[" "]"#, #"[["p,q", 1]]"#,
        ]
        let table = await yaprak("export", database, "odd", "--format", "table", width: 200)
        for name in names {
            #expect(table.lines[0].contains(name), "\(name): \(table.lines[0])")
            #expect(ColumnList.names("\(name),$key,\(name)") == [name, "$key", name])
            let outcome = await yaprak("export", database, "odd", "--columns", "$key,\(name)", "--format", "table")
            #expect(outcome.code == 0 && outcome.lines[0].contains(name), "\(name): \(outcome)")
        }
        #expect(await yaprak("export", database, "odd", "--columns", #"$key, ["a.b"] , k]"#).code == 0)
        let refused = await yaprak("export", database, "odd", "--columns", #"["c,e"]"#)
        #expect(refused.code == 3 && refused.err.contains(#"Did you mean "[\"c,d\"]"?"#), "\(refused.err)")
    }

    @Test func `JSON has the objects as they are, a terminal has nothing that could steer it`() async {
        let json = await yaprak("export", database, "things", "--where", "$key == 'a' or $key == 'c'")
        #expect(
            json.lines == [
                #"{"$key":"a","name":"say \"hi\", now\nor never","size":{"h":3.5,"w":2},"tags":["x",1],"$metadata":{"by":"me"}}"#,
                #"{"$key":"c",".":"no map"}"#,
            ])
        let table = await yaprak(["export", database, "things"], onTerminal: true)
        #expect(table.lines[0].hasPrefix("$key"))
        #expect(table.lines.count == 4)
        let csv = await yaprak(["export", database, "things", "--format", "csv"], onTerminal: true)
        #expect(csv.out.contains("now\\nor never"))
    }

    @Test(arguments: [["--format", "ndjson"], ["--format", "json"], ["--keys"]])
    func `A list of records that is interrupted says so`(options: [String]) async {
        let code = await Invocation.run(
            ["ls", database, "things"] + options,
            in: .init(
                console: Console(out: TextSink(), err: TextSink(), isTerminal: false), isInterrupted: { true }))
        #expect(code == 130)
    }

    @Test func `A file has the form that its name promises`() async throws {
        for (name, start) in [
            ("x.csv", "$key,"), ("x.md", "| $key |"), ("x.json", "[{"), ("x.ndjson", "{\"$key\""), ("x", "{\"$key\""),
            ("x.jsonl", "{\"$key\""),
        ] {
            #expect(await yaprak("export", database, "things", "--output", folder(name)).code == 0)
            #expect(try String(contentsOfFile: folder(name), encoding: .utf8).hasPrefix(start), "\(name)")
        }
        let asked = await yaprak("export", database, "things", "--output", folder("y.csv"), "--format", "markdown")
        #expect(asked.code == 0)
        #expect(try String(contentsOfFile: folder("y.csv"), encoding: .utf8).hasPrefix("| $key"))
    }

    // It had NDJSON, which could not be loaded under that name.
    @Test(arguments: [("x.tsv", ".tsv"), ("x.csv.lz4", ".lz4"), ("X.TSV", ".tsv")])
    func `A file whose name promises another form than there is needs a format`(name: String, ending: String) async {
        let refused = await yaprak("export", database, "things", "--output", folder(name))
        #expect(refused.code == 64 && refused.err.contains("by the ending \(ending)"), "\(refused.err)")
        #expect(!FileManager.default.fileExists(atPath: folder(name)))
        let asked = await yaprak("export", database, "things", "--output", folder(name), "--format", "csv")
        #expect(asked.code == 0, "\(asked.err)")
    }

    // The walk over the records ended as if there were no more, and what there was took the place of a whole file.
    @Test(arguments: [["--format", "csv"], ["--columns", "$key,n"], ["--where", ".n >= 0", "--format", "csv"], []])
    func `An export that is interrupted replaces nothing, and says so`(options: [String]) async throws {
        let many = RecordCollection<CBORValue, NoMetadata>("many")
        let path = folder("many.yaprak"), file = folder("many.out")
        let database = try await Database.open(at: FilePath(path), collections: many)
        try await database.write { for n in 0..<2000 { $0[many]["\(n)"] = ["n": .unsigned(UInt64(n))] } }
        try await database.close()
        // At any of the moments at which it is asked.
        for moment in [0, 1, 2, 5, 7, 8, 9, 12, 15, 16, 17] {
            try Data("before".utf8).write(to: URL(fileURLWithPath: file))
            let asked = Atomic(0)
            let code = await Invocation.run(
                ["export", path, "many", "--output", file, "--overwrite"] + options,
                in: .init(
                    console: Console(out: TextSink(), err: TextSink(), isTerminal: false),
                    isInterrupted: { asked.add(1, ordering: .relaxed).newValue > moment }))
            let text = try String(contentsOfFile: file, encoding: .utf8)
            if asked.load(ordering: .relaxed) > moment {
                #expect(code == 130 && text == "before", "\(moment)")
            } else {
                #expect(code == 0 && text.split(separator: "\n").count >= 2000, "\(moment)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") } == [])
    }

    @Test func `Names of collections become names of files that stay in their directory`() async throws {
        let directory = folder("all")
        let outcome = await yaprak("export", database, "--each-collection", directory, "--format", "csv")
        #expect(outcome.code == 0, "\(outcome.err)")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(files.count == 8)
        #expect(
            Set(files).isSuperset(of: [
                "things.csv", "%2E..csv", "%2Ehidden.csv", "%2Drf.csv", "A%2FB.csv", "a%2Fb~2.csv", "%5B31m.csv",
            ]), "\(files)")
        #expect(files.allSatisfy { $0.utf8.count <= 200 && !$0.hasPrefix(".") && !$0.hasPrefix("-") })
        #expect(Set(files.map { $0.lowercased() }).count == files.count)
        let again = await yaprak("export", database, "--each-collection", directory, "--format", "csv")
        #expect(again.code == 5 && again.err.contains("choose another directory, or add --overwrite"), "\(again.err)")
        let third = await yaprak(
            "export", database, "--each-collection", directory, "--format", "csv", "--overwrite")
        #expect(third.code == 0, "\(third.err)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 8)
        for words in [["--overwrite"], ["--overwrite", "--output", "-"]] {
            let refused = await yaprak(["export", database, "things"] + words)
            #expect(refused.code == 64 && refused.err.contains("--overwrite goes with --output FILE"), "\(refused.err)")
        }
        #expect(await yaprak("export", database).code == 64)
    }

    // The first collection without the column ended it, with half of the files.
    @Test func `Columns are those of one collection, and nothing is written for several`() async {
        let directory = folder("all")
        let refused = await yaprak("export", database, "--each-collection", directory, "--columns", "$key,name")
        #expect(refused.code == 64 && refused.err.contains("--columns is for one collection"), "\(refused.err)")
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    // A table waits for 200 rows, and was not printed.
    @Test func `The files before one that can't be written are listed`() async throws {
        let directory = folder("all")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        #expect(FileManager.default.createFile(atPath: directory + "/things.ndjson", contents: nil))
        let outcome = await yaprak(["export", database, "--each-collection", directory], onTerminal: true)
        #expect(outcome.code == 5 && outcome.err.contains("things.ndjson exists already"), "\(outcome.err)")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(files.count > 1 && outcome.lines.count == files.count, "\(files): \(outcome.out)")
        #expect(outcome.lines.first?.hasPrefix("collection") == true, "\(outcome.out)")
    }
}

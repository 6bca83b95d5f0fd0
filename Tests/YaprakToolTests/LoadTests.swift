import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakTool

/// NDJSON in, records out.
@Suite(.bounded) struct LoadTests {
    let folder: Folder
    let database: String

    init() throws {
        folder = try Folder()
        database = folder("db.yaprak")
    }

    private func load(_ text: String, _ options: String...) async throws -> Outcome {
        let file = try folder.write(text, to: "in.ndjson")
        return await yaprak(["load", file, database, "--collection", "things", "--key", "id"] + options)
    }

    /// How many records there are.
    func count() throws -> Int {
        try ReplayReader(.init(database)).snapshot().count(inCollectionNamed: "things")
    }

    @Test func `Lines become records, a batch per commit`() async throws {
        let lines = (1...25).map { "{\"id\":\($0),\"name\":\"thing \($0)\"}" }.joined(separator: "\n")
        let outcome = try await load(lines, "--batch", "10")
        #expect(outcome.code == 0)
        #expect(
            outcome.out == #"{"records":25,"inserted":25,"replaced":0,"unchanged":0,"bad":0,"commits":3,"newest":3}"#
                + "\n")
        #expect(await yaprak("get", database, "things", "17").out.contains(#""name":"thing 17""#))
        // Again: the same records, and nothing to do.
        let again = try await load(lines)
        #expect(
            again.out == #"{"records":25,"inserted":0,"replaced":0,"unchanged":25,"bad":0,"commits":0,"newest":3}"#
                + "\n")
        #expect(try count() == 25)
    }

    @Test func `A text of a number and white space behind it comes back from CSV as a text`() async throws {
        let path = folder("pad.yaprak"), things = RecordCollection<CBORValue, NoMetadata>("things")
        let made = try await Database.open(at: FilePath(path), collections: things)
        try await made.write { transaction in
            transaction[things]["1"] = ["zip": "12 ", "word": "null  ", "sign": "-", "flag": "true\t", "size": " 3"]
            transaction[things]["1 "] = ["zip": "7\t", "word": "[1] ", "sign": "1e5 ", "flag": "  ", "size": "\t"]
        }
        try await made.close()
        #expect(try await comesBack(path, as: "csv"))
    }

    @Test(arguments: ["ndjson", "json", "csv"])
    func `An object with a field that is called as a part of a record comes back`(form: String) async throws {
        let path = folder("own.yaprak"), things = RecordCollection<CBORValue, NoMetadata>("things")
        let made = try await Database.open(at: FilePath(path), collections: things)
        try await made.write { transaction in
            transaction[things]["a"] = ["$key": "b", "n": 1]
            transaction[things]["b"] = ["$metadata": ["by": "me"], "n": 2]
            transaction[things]["c"] = [".": 5]
            transaction[things]["d"] = [".": ["$key": "x"]]
            transaction[things]["e"] = ["n": 3, "inner": ["$key": 1, ".": 2]]
        }
        try await made.close()
        #expect(try await comesBack(path, as: form))
        let text = try String(contentsOfFile: folder("out.\(form)"), encoding: .utf8)
        #expect(form != "ndjson" || text.hasPrefix(#"{"$key":"a",".":{"n":1,"$key":"b"}}"#), "\(text)")
        let asked = await yaprak("export", path, "things", "--columns", #"$key,["$key"]"#, "--format", "csv")
        #expect(asked.code == 0 && asked.out.contains("\na,b\r"), "\(asked.out)\(asked.err)")
    }

    /// Whether what is exported and loaded again is what was there.
    private func comesBack(_ path: String, as form: String) async throws -> Bool {
        let file = folder("out.\(form)"), copy = folder("copy.yaprak")
        let exported = await yaprak("export", path, "things", "--output", file)
        let loaded = await yaprak("load", file, copy, "--collection", "things")
        guard exported.code == 0, loaded.code == 0 else {
            Issue.record("\(exported.err)\(loaded.err)")
            return false
        }
        let before = Array(await yaprak("dump", path).lines.dropFirst())
        let after = Array(await yaprak("dump", copy).lines.dropFirst())
        if before != after { Issue.record("\(before)\n\(after)") }
        return before == after
    }

    @Test func `A bad line ends the loading with its number, and nothing before it is lost`() async throws {
        let outcome = try await load(
            "{\"id\":\"a\"}\r\n\n{\"id\":\"b\"}\n{\"id\":\"c\",}\n{\"id\":\"d\"}\n", "--format", "json")
        #expect(outcome.code == 64)
        #expect(outcome.err.contains(#""code":"badLine","message":"line 4 of "#))
        #expect(outcome.err.contains("a key is missing, at byte 10"))
        #expect(outcome.err.contains("The 2 records before it are in the database"))
        #expect(try count() == 2)
    }

    @Test func `Bad lines can be skipped and are counted`() async throws {
        let text =
            "{\"id\":\"a\"}\nnot json\n{\"name\":\"no key\"}\n{\"id\":[1]}\n[1]\n{\"id\":\"a\",\"id\":\"b\"}\n{\"id\":\"z\"}"
        let outcome = try await load(text, "--skip-bad")
        #expect(outcome.code == 0)
        #expect(outcome.out.contains(#""records":2,"inserted":2,"replaced":0,"unchanged":0,"bad":5"#))
        #expect(outcome.err.split(separator: "\n").count == 5)
        #expect(outcome.err.contains("in.ndjson:3: the object has no field"))
        #expect(try count() == 2)
    }

    @Test func `The whole of the cities loads, compressed as it is`() async throws {
        let outcome = await yaprak(
            "load", fixture("cities"), database, "--collection", "things", "--key", "id", "--batch", "5000")
        #expect(
            outcome.out
                == #"{"records":34006,"inserted":34006,"replaced":0,"unchanged":0,"bad":0,"commits":7,"newest":7}"#
                + "\n")
        let london = await yaprak("get", database, "things", "2643743")
        #expect(london.out.contains(#""name":"London""#))
        #expect(await yaprak("verify", database).code == 0)
    }

    @Test func `Other compressions and absent files are refused with a way out`() async throws {
        let file = folder("x.gz")
        try Data([0x1f, 0x8b, 8, 0]).write(to: URL(fileURLWithPath: file))
        let gzip = await yaprak("load", file, database, "--collection", "c", "--key", "id")
        #expect(gzip.code == 64)
        #expect(gzip.err.contains("gzip -dc FILE | yaprak load -"))
        #expect(await yaprak("load", folder("none"), folder("new"), "--collection", "c", "--key", "id").code == 3)
        #expect(!FileManager.default.fileExists(atPath: folder("new")))
    }

    /// Loads a file under this name and returns the records as they are exported.
    private func roundTrip(_ text: String, as name: String, _ options: String...) async throws -> (Outcome, String) {
        let file = try folder.write(text, to: name), path = folder("\(name).yaprak")
        try? FileManager.default.removeItem(atPath: path)
        let outcome = await yaprak(["load", file, path, "--collection", "things"] + options)
        return (outcome, await yaprak("export", path, "things").out)
    }

    /// A value that every form can say.
    private static func value(_ depth: Int, _ random: inout SplitMix64) -> CBORValue {
        switch random.below(depth > 2 ? 5 : 8) {
        case 0: return .integer(Int64(random.below(100)) - 50)
        case 1: return .float(Double(random.below(1000)) / 8 + 0.125)
        case 2: return .bool(random.chance(50))
        case 3:
            let texts = [
                "", "7", "-1.5", "true", "null", "[1]", "{}", "\"x\"", "a,b", "say \"hi\"", "two\nlines", "é", " x ",
                "1e", "nix", "a\"\u{301}b", "\u{301}", "🏽", ",\u{301}",
            ]
            return .text(texts[random.below(texts.count)])
        case 4: return .array((0..<random.below(3)).map { .integer(Int64($0)) })
        default:
            // Not one without fields: that has no column.
            let names = ["a", "b.c", "$d", "e f", "\u{301}b", "]\u{301}"].shuffled(using: &random)
            return .map((0..<(1 + random.below(3))).map { .init(.text(names[$0]), value(depth + 1, &random)) })
        }
    }

    @Test(arguments: ["csv", "json", "ndjson"]) func `What is exported comes back byte for byte`(form: String)
        async throws
    {
        for seed in UInt64(0)..<30 {
            var random = SplitMix64(seed: seed)
            let records = (0..<12).map { index in
                let object = CBORValue.map([
                    .init("x", Self.value(0, &random)), .init("n", .integer(Int64(index))),
                    .init("y", Self.value(0, &random)),
                ])
                return (["\(index)", "a b", "true"][index % 3] + "\(index)", object, random.chance(30))
            }
            let path = folder("source-\(seed).yaprak"), things = RecordCollection<CBORValue, CBORValue>("things")
            let database = try await Database.open(at: FilePath(path), collections: things)
            try await database.write { transaction in
                for (index, (key, object, hasMetadata)) in records.enumerated() {
                    if hasMetadata {
                        transaction[things].set(object, metadata: ["by": "me"], for: "k\(index)")
                    } else {
                        transaction[things][key] = object
                    }
                }
            }
            try await database.close()
            let file = folder("out-\(seed).\(form)"), copy = folder("copy-\(seed).yaprak")
            #expect(await yaprak("export", path, "things", "--output", file).code == 0)
            let load = await yaprak("load", file, copy, "--collection", "things")
            #expect(load.code == 0, "seed \(seed): \(load.err)")
            let before = try ReplayReader(FilePath(path)).snapshot().untyped("things").map {
                [$0.key: [Array($0.objectBytes), Array($0.metadataBytes ?? [])]]
            }
            let after = try ReplayReader(FilePath(copy)).snapshot().untyped("things").map {
                [$0.key: [Array($0.objectBytes), Array($0.metadataBytes ?? [])]]
            }
            #expect(before == after, "seed \(seed)")
        }
    }

    // Their base64 may read like a number, a truth value or null. Only CSV made one of it.
    @Test func `Bytes are texts after CSV as they are after NDJSON, whatever their base64 reads like`() async throws {
        let path = folder("bytes.yaprak"), things = RecordCollection<CBORValue, NoMetadata>("things")
        let made = try await Database.open(at: FilePath(path), collections: things)
        try await made.write { transaction in
            let values: [[UInt8]] = [
                [0xd7, 0x6d, 0xf8], [0xb6, 0xbb, 0x9e], [0x9e, 0xe9, 0x65], [0xd7, 0x67, 0xb8], [],
            ]
            for (index, bytes) in values.enumerated() { transaction[things]["\(index)"] = ["hash": .bytes(bytes)] }
            transaction[things]["tag"] = ["hash": .tag(32, "true"), "nan": .float(.nan)]
        }
        try await made.close()
        var dumps: [[String]] = []
        for form in ["csv", "ndjson"] {
            let file = folder("bytes.\(form)"), copy = folder("\(form).yaprak")
            #expect(await yaprak("export", path, "things", "--output", file).code == 0)
            #expect(await yaprak("load", file, copy, "--collection", "things").code == 0)
            dumps.append(Array(await yaprak("dump", copy).lines.dropFirst()))
        }
        #expect(dumps[0] == dumps[1] && dumps[0].count == 6)
        let csv = try String(contentsOfFile: folder("bytes.csv"), encoding: .utf8)
        for quoted in ["1234", "true", "null", ""] { #expect(csv.contains("\"\(quoted)\""), "\(csv)") }
    }

    @Test func `CSV of other programs is read, with its quotes, line ends and a byte-order mark`() async throws {
        let (outcome, records) = try await roundTrip(
            "\u{feff}id;name;size.w;size.h;note\r\n1;\"a;b \"\"c\"\"\";2;3.5;\r\n\r\n2;\"two\nlines\";;;\"\"\r\n",
            as: "x.csv",
            "--key", "id", "--separator", ";")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(
            records == """
                {"$key":"1","id":1,"name":"a;b \\"c\\"","size":{"h":3.5,"w":2}}
                {"$key":"2","id":2,"name":"two\\nlines","note":""}

                """)
        let (tabs, _) = try await roundTrip("id\tn\n7\tx\n", as: "x.tsv", "--key", "id")
        #expect(tabs.out.contains("\"inserted\":1"))
        for (bad, line, reason) in [
            ("id,n\n1,2\n3,4,5\n", 3, "the row has 3 cells"), ("id,n\n1,a\"b\n", 2, "a quote stands within a cell"),
            ("id,n\n1,\"b\"c\n", 2, "something follows the closing quote"),
            ("id,a,a.b\n1,2,3\n", 2, "is a field within the other"),
            ("id,n\n,2\n", 2, "no field \"id\""),
            ("id,n\n1,2\n" + String(repeating: ",", count: CSVReader.cellsMax) + "\n", 3, "more than 65536 cells"),
        ] {
            let (outcome, _) = try await roundTrip(bad, as: "bad.csv", "--key", "id")
            #expect(
                outcome.code == 64 && outcome.err.contains("line \(line) of") && outcome.err.contains(reason),
                "\(outcome.err)")
        }
        let wide = String(repeating: ",", count: CSVReader.cellsMax)
        let (skipped, _) = try await roundTrip(
            "id,n\n1,2\n3,4,5\n\(wide)\n4,5\n", as: "bad.csv", "--key", "id", "--skip-bad")
        #expect(skipped.code == 0 && skipped.out.contains("\"records\":2") && skipped.out.contains("\"bad\":2"))
    }

    @Test func `What ends the reading of a file is no bad row that could be skipped`() async throws {
        let quote = try folder.write("id,n\n1,2\n2,\"x\n3,4\n4,5\n", to: "quote.csv")
        let rows = Array("id,n\n1,2\n3,4\n5".utf8)
        let frame: [UInt8] = [0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0, UInt8(rows.count), 0, 0, 0x80]
        let cut = folder("cut.csv.lz4")
        try Data(frame + rows).write(to: URL(fileURLWithPath: cut))
        for (file, reason, records) in [(quote, "is not closed", 1), (cut, "ends too early", 2)] {
            for options in [[], ["--skip-bad"]] {
                let path = folder("ended-\(records)-\(options.count).yaprak")
                let outcome = await yaprak(["load", file, path, "--collection", "things", "--key", "id"] + options)
                #expect(outcome.code == 64 && outcome.err.contains(reason), "\(outcome.err)")
                #expect(!outcome.err.contains("--skip-bad"), "\(outcome.err)")
                #expect(try ReplayReader(.init(path)).snapshot().count == records)
            }
        }
    }

    @Test func `A record that no database holds is a bad one, and loses none before it`() async throws {
        let lines = "{\"id\":\"a\"}\n{\"id\":\"\(String(repeating: "k", count: 65_537))\"}\n{\"id\":\"z\"}\n"
        let outcome = try await load(lines)
        #expect(outcome.code == 64 && outcome.err.contains("line 2 of"), "\(outcome.err)")
        #expect(try count() == 1)
        #expect(try await load(lines, "--skip-bad").code == 0)
        #expect(try count() == 2)
    }

    // Each cell was looked for among all before it: minutes for one row.
    @Test func `A row of as many columns as there may be takes no longer than its cells`() async throws {
        let names = (1..<CSVReader.cellsMax).map { "c\($0 % 2 == 0 ? "." : "")\($0)" }
        let columns = try CSVColumns((["id"] + names).map { CSVReader.Cell(text: $0, isQuoted: false) })
        let row = (0..<CSVReader.cellsMax).map { CSVReader.Cell(text: "\($0)", isQuoted: false) }
        let object = try columns.value(of: row).get()
        #expect(object["id"] == 0 && object["c65535"] == 65_535 && object["c"]?["65534"] == 65_534)
        #expect(object.map?.count == 32_770 && object["c"]?.map?.count == 32_767)
        // A row of one cell has that alone, whatever the one before had.
        #expect(try columns.value(of: [row[7]]).get() == ["id": 7])
        // A key in brackets was tried at each bracket in it.
        let name = String(repeating: "]", count: 100_000)
        #expect(try CSVColumn("[\"\(name)\"].x").path == [.text(name), "x"])
        #expect(try CSVColumn("[\"\(name)").path == [.text("[\"\(name)")])
        let levels = String(repeating: ".a", count: 500)
        let deep = (0..<3).map { CSVReader.Cell(text: "r\($0)\(levels)", isQuoted: false) }
        #expect(throws: InputError.self) { try CSVColumns(deep, fieldsMax: 1503) }
        #expect(throws: Never.self) { try CSVColumns(deep, fieldsMax: 1504) }
    }

    // A bad row took all rows behind it that did not end with LF.
    @Test(arguments: ["\r", "\r\n", "\n"]) func `A bad row ends where its line does, whatever ends lines`(
        end: String
    ) async throws {
        let rows = ["id,n", "1,\"a\"b,\"c\"", "2,c", "", "3,d", "4,\"e\" ", "5,f"]
        let file = try folder.write(rows.joined(separator: end), to: "ends.csv")
        let outcome = await yaprak("load", file, database, "--collection", "things", "--key", "id", "--skip-bad")
        #expect(outcome.code == 0 && outcome.out.contains(#""records":3,"#), "\(outcome.out)\(outcome.err)")
        #expect(outcome.out.contains(#""bad":2,"#), "\(outcome.out)")
        #expect(outcome.err.contains("ends.csv:2:") && outcome.err.contains("ends.csv:6:"), "\(outcome.err)")
        #expect(try count() == 3)
    }

    // Only LF was counted there.
    @Test(arguments: ["\r", "\r\n", "\n"]) func `Lines within quotes are counted, whatever ends them`(end: String)
        throws
    {
        let rows = ["id,n", "1,\"a\(end)\(end)b\(end)\"", "2,b", "3,\"\""].joined(separator: end)
        let reader = CSVReader(try ByteSource(folder.write(rows, to: "quoted.csv")))
        var lines: [Int] = []
        while try reader.next() != nil { lines.append(reader.line) }
        #expect(lines == [1, 2, 6, 7])
    }

    // The commit that the record was to be in was refused, with all the others that were in it.
    @Test func `A key that is too long only in its normal form is a bad record`() async throws {
        let key = String(repeating: "\u{958}", count: 12_000)
        let outcome = try await load("{\"id\":1}\n{\"id\":\"\(key)\"}\n{\"id\":3}\n", "--skip-bad")
        #expect(outcome.code == 0 && outcome.out.contains(#""records":2,"#), "\(outcome.out)\(outcome.err)")
        #expect(outcome.out.contains(#""bad":1,"#) && outcome.err.contains("in.ndjson:2:"), "\(outcome.err)")
        #expect(try count() == 2)
    }

    @Test(arguments: [
        (["a", "a"], ["1", "2"], "two columns are called a, and both have"),
        (["a", "b", "a.b"], ["\"{\"\"x\"\":1}\"", "", "2"], "the columns a and a.b both have"),
        (["a.b", "a"], ["1", "2"], "the columns a.b and a both have"),
        (["a.b.c", "a.d", "a.b"], ["1", "2", "3"], "the columns a.b.c and a.b both have"),
    ])
    func `Columns that can't both have a value are named, with what to do`(
        names: [String], cells: [String], reason: String
    ) async throws {
        let text = (["id"] + names).joined(separator: ",") + "\n" + (["7"] + cells).joined(separator: ",") + "\n"
        let file = try folder.write(text, to: "two.csv")
        let outcome = await yaprak("load", file, database, "--collection", "things", "--key", "id")
        #expect(outcome.code == 64 && outcome.err.contains("line 2 of"), "\(outcome.err)")
        #expect(outcome.err.contains(reason), "\(outcome.err)")
        #expect(outcome.err.contains("leave one empty, or rename one"), "\(outcome.err)")
    }

    @Test(arguments: [
        (["a", "a"], ["1", "2"]), (["a", "a.b"], ["1", "2"]), (["a.b", "a"], ["1", "2"]),
        (["a.b", "a.b"], ["1", "2"]),
        (["a.b.c", "x", "a.b"], ["1", "2", "3"]), (["a", "a.b.c"], ["1", "2"]), ([".", "[\".\"]"], ["1", "2"]),
    ])
    func `Two columns that want one place are an error of the rows that have both, and of no other`(
        names: [String], cells: [String]
    ) throws {
        func cell(_ text: String) -> CSVReader.Cell { CSVReader.Cell(text: text, isQuoted: false) }
        let columns = try CSVColumns(names.map(cell))
        #expect(throws: InputError.self) { try columns.value(of: cells.map(cell)).get() }
        let one = try columns.value(of: [cell(cells[0])]).get()
        #expect(one.map?.count == 1)
        #expect(throws: InputError.self) { try columns.value(of: cells.map(cell)).get() }
        let other = try columns.value(of: cells.dropLast().map { _ in cell("") } + [cell("7")]).get()
        #expect(other.map?.count == 1)
    }

    @Test func `All cells of a row together have a bound, whatever each has, and each row begins at 0`() throws {
        let file = try folder.write("1234,56\n\"12\",3456\n123,4567\n", to: "wide.csv")
        let rows = CSVReader(try ByteSource(file), rowBytesMax: 6)
        #expect(try rows.next()?.map(\.text) == ["1234", "56"])
        #expect(try rows.next()?.map(\.text) == ["12", "3456"])
        let error = #expect(throws: InputError.self) { try rows.next() }
        #expect(error?.description.contains("the row of line 3 does not end") == true, "\(String(describing: error))")
    }

    @Test func `An array of JSON is read item by item, whatever its lines`() async throws {
        let (outcome, records) = try await roundTrip(
            " [ {\"id\": 1, \"t\": \"]},\\\"\"},\n\n{\"id\":\n2, \"a\":[[1],{\"b\":[]}]}\n] ", as: "x.json", "--key",
            "id")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(records.split(separator: "\n").count == 2 && records.contains("\"a\":[[1],{\"b\":[]}]"))
        for (bad, reason) in [
            ("[{\"id\":1},]", "is missing behind a comma"), ("[{\"id\":1}", "ends too early"),
            ("[{\"id\":1}] x", "follows the array"),
            ("[{\"id\":1} {\"id\":2}]", "item 1"), ("{}", "not an array"),
        ] {
            let (outcome, _) = try await roundTrip(bad, as: "bad.json", "--key", "id", "--input", "json")
            #expect(outcome.code == 64 && outcome.err.contains(reason), "\(bad): \(outcome.err)")
        }
        #expect(try await roundTrip("[]", as: "empty.json").0.code == 0)
    }

    @Test func `Keys are made of nested fields and of several`() async throws {
        let lines =
            "{\"a\":{\"b\":7},\"c\":\"x\",\"d.e\":\"y\",\"f\":18446744073709551615,\"g\":-9223372036854775809}\n"
        for (options, key) in [
            (["--key", "a.b"], "7"), (["--key", "d.e"], "y"), (["--key-template", "{c}-{a.b}"], "x-7"),
            (["--key-template", "{{{c}}}{d.e}"], "{x}y"), (["--key", "f"], "18446744073709551615"),
            (["--key-template", "{f}{g}"], "18446744073709551615-9223372036854775809"),
        ] {
            let file = try folder.write(lines, to: "k.ndjson"), path = folder("k-\(key).yaprak")
            let outcome = await yaprak(["load", file, path, "--collection", "k"] + options)
            #expect(outcome.code == 0, "\(options): \(outcome.err)")
            #expect(await yaprak("get", path, "k", key).code == 0, "\(options)")
        }
        for wrong in ["x", "{", "{}", "a}", "{a"] {
            #expect(await yaprak("load", "x", "y", "--collection", "k", "--key-template", wrong).code == 64, "\(wrong)")
        }
        let utf16 = folder("utf16.ndjson")
        try Data([0xff, 0xfe, 0x7b, 0]).write(to: URL(fileURLWithPath: utf16))
        #expect(await yaprak("load", utf16, folder("z"), "--collection", "c").err.contains("iconv"))
    }

    @Test func `Parts of any length are put together to the same rows and items`() throws {
        let folder = try Folder()
        let csv = (0..<400).map { "\($0),\"\(String(repeating: "é\"\"\n,", count: $0 % 7))\",x" }.joined(
            separator: "\r\n")
        let json =
            "["
            + (0..<400).map { "{\"n\":\($0),\"t\":\"\(String(repeating: "]\\\"", count: $0 % 5))\"}" }.joined(
                separator: " , ") + "]"
        for length in [1, 2, 3, 7, 4096] {
            let parts = { (text: String) in
                let pipe = Pipe()
                Thread.detachNewThread {
                    var rest = Data(text.utf8)[...]
                    while !rest.isEmpty {
                        pipe.fileHandleForWriting.write(rest.prefix(length))
                        rest = rest.dropFirst(length)
                    }
                    try? pipe.fileHandleForWriting.close()
                }
                return pipe
            }
            let (first, second) = (parts(csv), parts(json))
            let rows = CSVReader(try ByteSource("/dev/fd/\(first.fileHandleForReading.fileDescriptor)"))
            var count = 0
            while let row = try rows.next() {
                #expect(
                    row.count == 3 && row[0].text == "\(count)" && row[1].text.count == count % 7 * 4,
                    "\(length): \(row)")
                count += 1
            }
            #expect(count == 400)
            let items = JSONItemReader(try ByteSource("/dev/fd/\(second.fileHandleForReading.fileDescriptor)"))
            count = 0
            while let item = try items.next() {
                #expect(try CBORValue(json: item)["n"] == .unsigned(UInt64(count)), "\(length)")
                count += 1
            }
            #expect(count == 400)
        }
        _ = folder
    }

    @Test func `The fixtures are what their README says`() throws {
        for (name, lineCount, byteCount) in [("cities", 34_006, 7_534_167), ("departures-2013-01", 85_497, 8_790_433)] {
            let lines = try LineReader(fixture(name))
            while try lines.next() != nil {}
            #expect(lines.number == lineCount)
            #expect(lines.lineBytes == byteCount)
        }
    }
}

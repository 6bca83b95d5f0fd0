import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakTool

/// `dump`, and `load` of what it wrote.
@Suite(.bounded) struct DumpLoadTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    private func digest(_ path: String, at number: CommitNumber? = nil) throws -> SnapshotDigest {
        try ReplayReader(FilePath(path)).snapshot(at: number).digest
    }

    @Test func `What is dumped of any commit and loaded again has the same digest`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let values = RecordCollection<CBORValue, CBORValue>("values \u{1f600}")
        let database = try await Database.open(at: FilePath(shop), collections: values)
        for _ in 0..<8 {
            let changes = (0..<30).map { _ in
                (key: random.text(), value: CBORValueModel.value(&random), metadata: CBORValueModel.value(&random))
            }
            let withMetadata = random.chance(50)
            try await database.write { transaction in
                for change in changes {
                    transaction[values].set(
                        change.value, metadata: withMetadata ? change.metadata : nil, for: change.key)
                }
            }
        }
        let newest = database.commitNumber
        try await database.close()
        for number in 1...newest.rawValue {
            let dump = await yaprak("dump", shop, "--at", "\(number)")
            #expect(dump.code == 0)
            let file = try folder.write(dump.out, to: "dump.ndjson"), copy = folder("copy-\(number).yaprak")
            let load = await yaprak("load", file, copy, "--batch", "13")
            #expect(load.code == 0, "seed \(seed): \(load.err)")
            #expect(load.out.contains(#""exact":true"#), "seed \(seed): \(load.out)")
            #expect(try digest(copy) == digest(shop, at: CommitNumber(number)), "seed \(seed), commit \(number)")
            #expect(await yaprak("dump", copy).lines.dropFirst() == dump.lines.dropFirst(), "seed \(seed)")
        }
    }

    @Test func `With --replace what is not in the dump goes, without it stays`() async throws {
        let dump = await yaprak("dump", shop, "--at", "1")
        let file = try folder.write(dump.out, to: "dump.ndjson")
        // At commit 3 there is abc, changed, and no def.
        let kept = folder("kept.yaprak")
        try FileManager.default.copyItem(atPath: shop, toPath: kept)
        let extra = try folder.write("{\"id\":\"x\"}", to: "x.ndjson")
        for database in [shop, kept] {
            #expect(await yaprak("load", extra, database, "--collection", "extra", "--key", "id").code == 0)
        }
        let added = await yaprak("load", file, kept)
        #expect(
            added.out.contains(
                #""inserted":1,"replaced":1,"unchanged":0,"removed":0,"commits":1,"newest":5,"exact":false"#))
        let replaced = await yaprak("load", file, shop, "--replace")
        #expect(replaced.out.contains(#""removed":1,"commits":2,"newest":6,"exact":true"#), "\(replaced.out)")
        #expect(try digest(shop) == digest(shop, at: 1))
        let again = await yaprak("load", file, shop, "--replace")
        #expect(again.out.contains(#""unchanged":2,"removed":0,"commits":0,"newest":6,"exact":true"#))
        // The program that owns it finds its records as they were.
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        #expect(database.snapshot[.shopBooks]["def"] == ShopBook(title: "Emma", rank: 7))
        try await database.close()
    }

    // A look at 1 MiB found no end of the first line, which names all collections: "not a dump".
    @Test func `A dump of many collections with long names can be loaded again`() async throws {
        let database = try await Database.open(at: FilePath(shop), options: DatabaseOptions())
        let name = String(repeating: "n", count: 240)
        try await database.write { transaction in
            for number in 0..<4500 {
                try transaction.setUntyped(.unsigned(1), metadata: nil, for: "k", inCollectionNamed: "\(name)\(number)")
            }
        }
        try await database.close()
        let file = folder("dump.ndjson"), copy = folder("copy.yaprak")
        #expect(await yaprak("dump", shop, "--output", file).code == 0)
        let bytes = try ByteSource(file)
        #expect(try !bytes.peek().contains(0x0a), "the first line is longer than the first look")
        for words in [[], ["--replace"], ["--collection", "\(name)7"]] {
            let load = await yaprak(["load", file, copy] + words)
            #expect(load.code == 0 && (words.count == 2 || load.out.contains(#""exact":true"#)), "\(load)")
        }
        #expect(try digest(copy) == digest(shop))
    }

    // It was loaded, and nothing was removed.
    @Test func `--replace is refused for a file that is no dump`() async throws {
        let file = folder("books.csv")
        #expect(await yaprak("export", shop, "books", "--output", file).code == 0)
        for words in [["--collection", "books"], []] {
            let outcome = await yaprak(["load", file, shop, "--replace"] + words)
            #expect(outcome.code == 64 && outcome.err.contains("--replace is for dumps, and "), "\(outcome)")
        }
        let absent = folder("absent.yaprak")
        #expect(await yaprak("load", file, absent, "--collection", "books", "--replace").code == 64)
        #expect(!FileManager.default.fileExists(atPath: absent))
        #expect(await yaprak("ask", shop, "count(books)", onTerminal: true).out == "1\n")
    }

    @Test func `A collection that the dump lacks is refused, and --replace removes nothing of it`() async throws {
        let file = try folder.write((await yaprak("dump", shop)).out, to: "dump.ndjson")
        let extra = try folder.write("{\"id\":\"x\"}", to: "x.ndjson")
        #expect(await yaprak("load", extra, shop, "--collection", "extra", "--key", "id").code == 0)
        let misspelled = await yaprak("load", file, shop, "--collection", "boks")
        #expect(misspelled.code == 3 && misspelled.err.contains("Did you mean \"books\"?"), "\(misspelled.err)")
        #expect(await yaprak("load", file, shop, "--collection", "extra", "--replace").code == 3)
        #expect(await yaprak("load", file, folder("new.yaprak"), "--collection", "boks").code == 3)
        #expect(!FileManager.default.fileExists(atPath: folder("new.yaprak")))
        // A dump of a selection replaces what it is of.
        let part = try folder.write((await yaprak("dump", shop, "--collection", "books")).out, to: "part.ndjson")
        #expect(await yaprak("load", part, shop, "--replace").code == 0)
        #expect(await yaprak("get", shop, "extra", "x").code == 0)
    }

    @Test func `However much goes, it goes in commits of the size of a batch`() async throws {
        let extra = try folder.write((1...25).map { "{\"id\":\"x\($0)\"}\n" }.joined(), to: "x.ndjson")
        let file = try folder.write((await yaprak("dump", shop)).out, to: "dump.ndjson")
        #expect(await yaprak("load", extra, shop, "--collection", "extra", "--key", "id").code == 0)
        let replaced = await yaprak("load", file, shop, "--replace", "--batch", "10")
        #expect(replaced.out.contains(#""removed":25,"commits":3,"newest":7,"exact":true"#), "\(replaced.out)")
    }

    @Test func `A dump that is cut off or edited is noticed, and removes nothing`() async throws {
        let dump = await yaprak("dump", shop, "--at", "1")
        let cut = try folder.write(dump.lines.dropLast().joined(separator: "\n"), to: "cut.ndjson")
        let outcome = await yaprak("load", cut, shop, "--replace")
        #expect(outcome.code == 64)
        #expect(outcome.err.contains("has 1 record of \"books\", and its first line promises 2"))
        #expect(try ReplayReader(FilePath(shop)).snapshot().count == 1)
        let edited = try folder.write(dump.out.replacing("Dune", with: "Dawn"), to: "edited.ndjson")
        let other = await yaprak("load", edited, folder("other.yaprak"))
        #expect(other.code == 1 && other.err.contains("the digest of the dump differs"))
        let bad = try folder.write(dump.out + "{\n", to: "bad.ndjson")
        let refused = await yaprak("load", bad, folder("bad.yaprak"))
        #expect(refused.code == 64 && refused.err.contains("line 4 of"))
        #expect(try ReplayReader(FilePath(folder("bad.yaprak"))).snapshot().count == 2)
        let newer = try folder.write(
            dump.out.replacing("\"version\":1,\"commit\"", with: "\"version\":9,\"commit\""), to: "newer.ndjson")
        #expect(await yaprak("load", newer, folder("newer.yaprak")).code == 7)
        #expect(!FileManager.default.fileExists(atPath: folder("newer.yaprak")))
        let plain = try folder.write("{\"id\":1}", to: "plain.ndjson")
        let usage = await yaprak("load", plain, folder("plain.yaprak"))
        #expect(usage.code == 64 && usage.err.contains("is not a dump"))
        #expect(!FileManager.default.fileExists(atPath: folder("plain.yaprak")))
    }

    /// An error of the first line, and one of a commit, had the exit code of a file that can't be read.
    @Test(arguments: [
        (#"{"yaprak":"dump","version":1}"#, "invalidDump"),
        (#"{"yaprak":"dump","version":1,"commit":1,"records":{"a":-1}}"#, "invalidDump"),
        (#"{"yaprak":"dump","version":1,"commit":1,"records":{},"digest":"x"}"#, "invalidDump"),
        (
            #"{"yaprak":"dump","version":1,"commit":1,"records":{"a":1}}"# + "\n"
                + #"{"collection":"a","key":"k","object":{"$cbor":""#
                + String(repeating: "[", count: 520) + String(repeating: "]", count: 520) + #""}}"#,
            "encodingFailed"
        ),
    ])
    func `A dump that is none, and a record that no database holds, end with 64`(
        text: String, code: String
    ) async throws {
        let file = try folder.write(text, to: "wrong.ndjson")
        let outcome = await yaprak("load", file, folder("wrong.yaprak"), "--format", "json")
        #expect(outcome.code == 64 && outcome.err.contains("\"code\":\"\(code)\""), "\(outcome.err)")
    }

    // All records of the commit that it was to be in were lost, and no line was named.
    @Test(arguments: [1, 2, 40, 99, 100]) func `A record that no database holds has its line, and loses none before it`(
        place: Int
    ) async throws {
        let deep = #"{"$cbor":""# + String(repeating: "[", count: 520) + String(repeating: "]", count: 520) + #""}"#
        let long = String(repeating: "k", count: 65_537)
        for (bad, code) in [
            (#"{"collection":"a","key":"k","object":\#(deep)}"#, "encodingFailed"),
            (#"{"collection":"a","key":"\#(long)","object":1}"#, "keyTooLong"),
            (#"{"collection":"a\u0001","key":"k","object":1}"#, "invalidName"),
        ] {
            var lines = (1...100).map { #"{"collection":"a","key":"\#($0)","object":\#($0)}"# }
            lines[place - 1] = bad
            let head = #"{"yaprak":"dump","version":1,"commit":1,"records":{"a":100}}"#
            let file = try folder.write(([head] + lines).joined(separator: "\n"), to: "refused.ndjson")
            let path = folder("\(code).yaprak")
            let outcome = await yaprak("load", file, path, "--batch", "64", "--format", "json")
            #expect(outcome.code == 64 && outcome.err.contains("\"code\":\"\(code)\""), "\(outcome.err)")
            #expect(outcome.err.contains("line \(place + 1) of"), "\(outcome.err)")
            #expect(try ReplayReader(FilePath(path)).snapshot().count == place - 1)
        }
    }

    // They were lost with the commit that was not yet full.
    @Test func `Records of a dump before a read that fails are loaded`() async throws {
        let head = #"{"yaprak":"dump","version":1,"commit":1,"records":{"a":3}}"#
        var parts = [
            #"{"collection":"a","key":"1","object":1}"# + "\n" + #"{"collection":"a","#,
            #""key":"2","object":2}"# + "\n" + #"{"coll"#,
        ][...]
        let lines = LineReader(
            ByteSource { buffer in
                guard let part = parts.popFirst() else { throw Errno.ioError }
                buffer.copyBytes(from: Array(part.utf8))
                return part.utf8.count
            })
        let database = try await Database.open(at: FilePath(folder("cut.yaprak")), options: DatabaseOptions())
        var result = DumpLoader.Result()
        do {
            try await DumpLoader(database: database, header: try ReplayDumpHeader(Array(head.utf8)[...]))
                .run(lines, "cut.ndjson", into: &result)
            Issue.record("the read did not fail")
        } catch {
            #expect(error as? Errno == .ioError, "\(error)")
        }
        #expect(result.records == 2 && result.inserted == 2)
        #expect(database.snapshot.count(inCollectionNamed: "a") == 2)
        try await database.close()
    }

    @Test func `Where a dump can't be read on, the error has the file, the line and what is in the database`()
        async throws
    {
        let lines = [
            #"{"yaprak":"dump","version":1,"commit":1,"records":{"a":3}}"#, #"{"collection":"a","key":"1","object":1}"#,
            #"{"collection":"a","key":"2","object":2}"#, #"{"collection":"a","#,
        ]
        let file = folder("rot.ndjson.lz4"), path = folder("rot.yaprak")
        try Data(lz4([lines.joined(separator: "\n")], damaged: true)).write(to: URL(fileURLWithPath: file))
        let outcome = await yaprak("load", file, path, "--format", "json")
        #expect(outcome.code == 64 && outcome.err.contains(#""code":"badInput""#), "\(outcome.err)")
        #expect(outcome.err.contains("rot.ndjson.lz4 can't be read on behind line 3: the LZ4 frame is damaged"))
        #expect(outcome.err.contains("2 records are in the database"), "\(outcome.err)")
        #expect(try ReplayReader(FilePath(path)).snapshot().count == 2)
    }

    // A log that may have no more files was said to be the fault of the first line.
    @Test func `A limit of the database is no fault of a line, but for one collection too many`() {
        #expect(!DumpLoader.isOfOneRecord(DatabaseError(.overLimit, "The commits are used up.")))
        #expect(!DumpLoader.isOfOneRecord(DatabaseError(.overLimit, "x", place: .init(file: "wal"))))
        #expect(DumpLoader.isOfOneRecord(DatabaseError(.overLimit, "x", place: .init(collectionName: "a"))))
        #expect(DumpLoader.isOfOneRecord(DatabaseError(.keyTooLong, "x")))
        #expect(!DumpLoader.isOfOneRecord(DatabaseError(.diskFull, "x")))
    }

    @Test func `One collection, or what a condition is true of, can be dumped alone`() async throws {
        let one = await yaprak("dump", shop, "--at", "1", "--where", ".rank > 5")
        #expect(one.lines.count == 2 && one.lines[1].contains("Emma"))
        #expect(await yaprak("dump", shop, "--collection", "authors").code == 3)
        #expect(await yaprak("dump", shop, "--where", "rank > 5").code == 64)
        #expect(await yaprak("dump", shop, "--at", "77").code == 3)
    }

    @Test func `A file is made for this user alone, and never in the place of another unless asked`() async throws {
        let path = folder("dump.ndjson")
        #expect(await yaprak("dump", shop, "--output", path).out.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let first = try String(contentsOfFile: path, encoding: .utf8)
        #expect(first == (await yaprak("dump", shop)).out)
        #expect(await yaprak("dump", shop, "--at", "1", "--output", path).code == 5)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == first)
        #expect(await yaprak("dump", shop, "--at", "1", "--output", path, "--overwrite").code == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == (await yaprak("dump", shop, "--at", "1")).out)
        // A link is something, too: it is not followed.
        let victim = try folder.write("mine", to: "victim"), link = folder("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: victim)
        #expect(await yaprak("dump", shop, "--output", link).code == 5)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
        // The link was replaced, and what it led to stayed as it was.
        #expect(await yaprak("dump", shop, "--output", link, "--overwrite").code == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == victim)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == first)
        try FileManager.default.removeItem(atPath: victim)
        #expect(await yaprak("dump", shop, "--output", link, "--overwrite").code == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == victim)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == first)
        // A file that is called "-" was made.
        let printed = await yaprak("dump", shop, "--output", "-")
        #expect(printed.code == 0 && printed.out == first && !FileManager.default.fileExists(atPath: "-"))
        // What fails on the way leaves nothing.
        #expect(await yaprak("export", shop, "books", "--columns", "nix", "--output", folder("none.csv")).code == 3)
        #expect(!FileManager.default.fileExists(atPath: folder("none.csv")))
        #expect(await yaprak("dump", shop, "--output", folder("no/such/place")).code == 3)
    }
}

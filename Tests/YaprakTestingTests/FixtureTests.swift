import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakReplay
import YaprakTesting

/// Fixtures from files: what they hold, and what they say of files that do not fit.
@Suite(.bounded) struct FixtureTests {
    let directory = TemporaryDirectory()

    private func file(_ name: String, _ text: String) throws -> String {
        let path = directory.appending(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// What building a fixture throws.
    private func refusal(_ fixture: Fixture) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) { try await fixture.fork() }
    }

    // MARK: NDJSON

    @Test func `Records come from a file beside the source file, also a compressed one`() async throws {
        let database = try await Fixture.cities.fork()
        #expect(database.snapshot[.cities].count == 34_006)
        #expect(database.snapshot[byCountry]["TR"].first?.object.name == "Istanbul")
        #expect(database.commitNumber == 4, "one commit for 10,000 records")
    }

    @Test func `A record that does not fit names the line, the key and the field`() async throws {
        let path = try file(
            "books.ndjson",
            """
            {"id": "dune", "title": "Dune", "genre": "sci-fi", "salesRank": 3}

            {"id": "emma", "title": "Emma", "genre": "romance", "salesRank": "eight"}
            """)
        let error = try #require(await refusal(.file(.ndjson(path), into: .books, key: "id")))
        #expect(error.code == .undecodableRecord && error.place.key == "emma" && error.place.collectionName == "books")
        #expect(error.message.hasPrefix(#"books.ndjson, line 3: the record "emma" is not one that "books" holds: "#))
        #expect(error.message.contains(#"the field "salesRank" is no Int"#), "\(error.message)")
    }

    @Test(arguments: [
        (#"{"id": "a", "title": "A""#, "line 1"), ("[1]", "a record is a JSON object"),
        (#"{"title": "A", "genre": "x", "salesRank": 1}"#, #"the field "id" has no key"#),
        (#"{"id": null, "title": "A", "genre": "x", "salesRank": 1}"#, #"the field "id" has no key"#),
        (
            """
            {"id": 7, "title": "A", "genre": "x", "salesRank": 1}
            {"id": 7, "title": "B", "genre": "x", "salesRank": 1}
            """, #"the key "7" is that of line 1, too"#
        ),
    ])
    func `A file that is no NDJSON with keys is refused with the line`(text: String, words: String) async throws {
        let path = try file("bad.ndjson", text)
        let error = try #require(await refusal(.file(.ndjson(path), into: .books, key: "id")))
        #expect(error.code == .invalidFixture && error.message.contains(words), "\(error.message)")
    }

    @Test func `A file that is not there says where it was looked for`() async throws {
        let error = try #require(await refusal(.file(.ndjson("none.ndjson"), into: .books, key: "id")))
        #expect(
            error.code == .notFound && error.message.contains("/Tests/YaprakTestingTests/none.ndjson can't be opened"))
    }

    // The task was woken from elsewhere: a run failed as if one had escaped, and a law as if every task waited.
    @Test func `A file is loaded in a seeded run, and by what prepares a law`() async throws {
        let path = try file(
            "books.ndjson",
            """
            {"id": "dune", "title": "Dune", "genre": "sci-fi", "salesRank": 3}
            {"id": "emma", "title": "Emma", "genre": "romance", "salesRank": 8}
            """)
        let failed = await explore(seeds: 10) { run in
            let database = Database.inMemory(options: run.options)
            try await database.load(.ndjson(path), into: .books, key: "id")
            #expect(database.snapshot[.books].count == 2)
        }
        #expect(failed == nil)
        let holds = await checkListLaw(
            of: bySalesRank, histories: 3,
            preparing: { database in try await database.load(.ndjson(path), into: .books, key: "id") }
        ) { transaction, choices in
            transaction[.books][choices.key(among: 8)] = Book(title: "t", salesRank: choices.below(6))
        }
        #expect(holds)
    }

    // MARK: CSV

    private struct Sale: Codable, Sendable, Hashable {
        var id: String
        var count: Int
        var price: Double
        var isPaid: Bool
        var note: String?
        var day: Date?
    }

    private let sales = RecordCollection<Sale, NoMetadata>("sales")

    @Test func `Fields of CSV are read as what the property is`() async throws {
        let path = try file(
            "sales.csv",
            "\u{FEFF}id;count;price;isPaid;note;day\r\n"
                + "a;3;2.5;true;\"two; \"\"three\"\"\n\nfour\";2013-01-05\r\n\r\n" + "b;-1;1e3;0;;\r\n")
        let database = try await Fixture.file(.csv(path, separator: ";"), into: sales, key: "id").fork()
        let first = try #require(database.snapshot[sales]["a"])
        #expect(first.count == 3 && first.price == 2.5 && first.isPaid && first.note == "two; \"three\"\n\nfour")
        #expect(first.day == Date(timeIntervalSince1970: 1_357_344_000))
        #expect(database.snapshot[sales]["b"] == Sale(id: "b", count: -1, price: 1000, isPaid: false))
    }

    @Test func `A row of CSV ends at the end of a line, and a separator is one whatever stands behind it`() async throws
    {
        // Ends of lines to Unicode, and no ends here; an accent at the beginning of a field.
        let path = try file(
            "lines.csv",
            "id,count,price,isPaid,note,day\n"
                + "a,1,1,true,one\u{2028}two\u{85}three\u{c}four,\rb,1,1,true,\u{301},\r\n")
        let database = try await Fixture.file(.csv(path), into: sales, key: "id").fork()
        #expect(database.snapshot[sales]["a"]?.note == "one\u{2028}two\u{85}three\u{c}four")
        #expect(database.snapshot[sales]["b"]?.note == "\u{301}")
        #expect(database.snapshot[sales].count == 2)
    }

    @Test func `Ends of lines within a quoted value stay as they are`() async throws {
        let path = try file(
            "quoted.csv",
            "id,count,price,isPaid,note,day\r\na,1,1,true,\"one\r\ntwo\nthree\rfour\",\r\n")
        let database = try await Fixture.file(.csv(path), into: sales, key: "id").fork()
        #expect(database.snapshot[sales]["a"]?.note == "one\r\ntwo\nthree\rfour")
    }

    @Test func `A file of CSV that is not in UTF-8 is refused with the line`() async throws {
        let path = try file("latin.csv", "id,title\n")
        try (Data("id,title\na,b\n".utf8) + [UInt8(ascii: "c"), 0x2c, 0xe9, 0x0a]).write(to: URL(filePath: path))
        let error = try #require(await refusal(.file(.csv(path), into: .books, key: "id")))
        #expect(error.code == .invalidFixture && error.message.contains("line 3: it is not in UTF-8"), "\(error)")
    }

    @Test(arguments: [
        ("", "the names of the fields"), ("id,id\n", "two fields have the same name"),
        ("title\nA\n", "no field is called"),
        ("id,title\na\n", "line 2: 1 value for 2 fields"), ("id,title\na,\"b\n", "line 2: a quote is not closed"),
        ("id,title\n\na,\"b\"c\n", "line 3: text follows a closing quote"), ("id,title\n,b\n", "has no key"),
    ])
    func `A file that is no CSV is refused with the line`(text: String, words: String) async throws {
        let path = try file("bad.csv", text)
        let error = try #require(await refusal(.file(.csv(path), into: .books, key: "id")))
        #expect(error.code == .invalidFixture && error.message.contains(words), "\(error.message)")
    }

    @Test(arguments: [
        ("a,three,1,true,,", #"the field "count" is no Int ("three" is no Int)"#),
        ("a,3,,true,,", #""price" is no Double"#),
        ("a,3,1,yes,,", #""isPaid" is no Bool"#), ("a,3,1,true,,monday", #""day" is no Date"#),
    ])
    func `A field of CSV that does not fit is named`(row: String, words: String) async throws {
        let path = try file("bad.csv", "id,count,price,isPaid,note,day\n\(row)\n")
        let error = try #require(await refusal(.file(.csv(path), into: sales, key: "id")))
        #expect(error.code == .undecodableRecord && error.place.key == "a" && error.message.contains(words), "\(error)")
    }

    // What stood behind the day was dropped, and days that no month has were those of the next one.
    @Test(arguments: [
        ("2013-01-05", 1_357_344_000), ("2013-01-05 23:59", 1_357_430_340), ("2013-01-05T12:00:00", 1_357_387_200),
        ("2013-01-05T12:00Z", 1_357_387_200), ("2013-01-05T12:00:00.25+01:00", 1_357_383_600.25),
        ("2012-02-29", 1_330_473_600), ("9999-12-31", 253_402_214_400), ("379036800.5", 1_357_344_000.5),
        ("-978307200", 0),
    ])
    func `A date of CSV is the time that is written there`(text: String, seconds: Double) async throws {
        let path = try file("sales.csv", "id,count,price,isPaid,note,day\na,1,1,true,,\(text)\n")
        let database = try await Fixture.file(.csv(path), into: sales, key: "id").fork()
        #expect(database.snapshot[sales]["a"]?.day == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "2013-01-05xyz", "2013-01-05T12:00:00Zjunk", "2013-02-31", "2013-02-29", "2013-01-05 12:61", "20130105", "2013",
        "2013-01", "1e400", "nan", "0x10",
    ])
    func `What is almost a date is none`(text: String) async throws {
        let path = try file("sales.csv", "id,count,price,isPaid,note,day\na,1,1,true,,\(text)\n")
        let error = try #require(await refusal(.file(.csv(path), into: sales, key: "id")))
        #expect(error.code == .undecodableRecord && error.place.key == "a")
        #expect(error.message.contains("line 2: ") && error.message.contains(#""day" is no Date"#), "\(error)")
    }

    @Test(arguments: ["1e400", "-1e400", "nan", "inf", "0x10", "1,5", "1 "])
    func `What is no finite decimal number is none`(text: String) async throws {
        let path = try file("sales.csv", "id;count;price;isPaid;note;day\na;1;\(text);true;;\n")
        let error = try #require(await refusal(.file(.csv(path, separator: ";"), into: sales, key: "id")))
        #expect(error.code == .undecodableRecord && error.message.contains(#""price" is no Double"#), "\(error)")
    }

    private struct Offer: Codable, Sendable, Hashable {
        var price: Decimal
        var discount: Decimal?
        var link: URL?
    }

    private let offers = RecordCollection<Offer, Decimal>("offers")

    // Foundation codes both as objects, and no field of CSV is one.
    @Test func `Decimals and URLs of CSV are read from texts`() async throws {
        let path = try file(
            "offers.csv",
            "id,price,discount,link,tax\na,2.50,-1e-2,https://example.org/a?b=c,0.19\nb,12345678901234567890.123,,,\n")
        let database = try await Fixture.file(.csv(path), into: offers, key: "id", metadata: "tax").fork()
        let first = try #require(database.snapshot[offers]["a"])
        #expect(first.price == Decimal(string: "2.5") && first.discount == Decimal(string: "-0.01"))
        #expect(first.link == URL(string: "https://example.org/a?b=c"))
        #expect(database.snapshot[offers].metadata(for: "a") == Decimal(string: "0.19"))
        let second = try #require(database.snapshot[offers]["b"])
        #expect(second.price == Decimal(string: "12345678901234567890.123"))
        #expect(second.discount == nil && second.link == nil)
    }

    @Test(arguments: ["2.5x", "1;5", "0x10", "nan", "1e400", "1 ", ""])
    func `What is almost a decimal number is none`(text: String) async throws {
        let path = try file("offers.csv", "id,price,discount,link\na,\(text),,\n")
        let error = try #require(await refusal(.file(.csv(path), into: offers, key: "id")))
        #expect(error.code == .undecodableRecord && error.message.contains(#"the field "price" is no "#), "\(error)")
    }

    // MARK: Metadata

    private struct Mark: Codable, Sendable, Hashable {
        var stars: Int
        var by: String?
    }

    private let markedBooks = RecordCollection<Book, Mark>("books")
    private let datedBooks = RecordCollection<Book, Date>("books")

    @Test func `A field holds the metadata, and records without it have none`() async throws {
        let json = try file(
            "books.ndjson",
            """
            {"id": 1, "title": "Dune", "genre": "sci-fi", "salesRank": 3, "mark": {"stars": 5, "by": "ada"}}
            {"id": 2, "title": "Emma", "genre": "romance", "salesRank": 8, "mark": null}
            {"id": 3, "title": "It", "genre": "horror", "salesRank": 1}
            """)
        let books = try await Fixture.file(.ndjson(json), into: markedBooks, key: "id", metadata: "mark").fork()
        let records = books.snapshot[markedBooks]
        #expect(records.metadata(for: "1") == Mark(stars: 5, by: "ada"))
        #expect(records.metadata(for: "2") == nil && records.metadata(for: "3") == nil && records.count == 3)
        let without = try await Fixture.file(.ndjson(json), into: markedBooks, key: "id").fork()
        #expect(without.snapshot[markedBooks].metadata(for: "1") == nil && without.snapshot[markedBooks].count == 3)

        let table = try file("books.csv", "id,title,genre,salesRank,read\na,Dune,sci-fi,3,2013-01-05\nb,It,horror,1,\n")
        let dated = try await Fixture.file(.csv(table), into: datedBooks, key: "id", metadata: "read").fork()
        #expect(dated.snapshot[datedBooks].metadata(for: "a") == Date(timeIntervalSince1970: 1_357_344_000))
        #expect(dated.snapshot[datedBooks].metadata(for: "b") == nil && dated.snapshot[datedBooks].count == 2)
    }

    @Test func `Metadata that does not fit names the record and the field`() async throws {
        let json = try file(
            "books.ndjson", #"{"id": 1, "title": "A", "genre": "x", "salesRank": 3, "mark": {"stars": "five"}}"#)
        let inJSON = try #require(
            await refusal(.file(.ndjson(json), into: markedBooks, key: "id", metadata: "mark")))
        #expect(inJSON.code == .undecodableRecord && inJSON.place.key == "1")
        #expect(inJSON.message.contains(#"the field "mark.stars" is no Int"#), "\(inJSON)")

        let table = try file("books.csv", "id,title,genre,salesRank,read\na,Dune,sci-fi,3,soon\n")
        let inCSV = try #require(await refusal(.file(.csv(table), into: datedBooks, key: "id", metadata: "read")))
        #expect(inCSV.code == .undecodableRecord && inCSV.message.contains(#"the field "read" is no Date"#), "\(inCSV)")
        let missing = try #require(await refusal(.file(.csv(table), into: datedBooks, key: "id", metadata: "when")))
        #expect(
            missing.code == .invalidFixture && missing.message.contains(#"no field is called "when""#), "\(missing)")
    }

    // MARK: Dumps and logs

    // A fixture made by code took them.
    @Test func `Fixtures from files have options, and their forks have them, too`() async throws {
        var options = DatabaseOptions()
        options.limits.keyBytesMax = 8
        var lines: [String] = []
        ReplayDump(of: try await Fixture.shelf.fork().snapshot).forEachLine { lines.append($0) }
        let records = #"{"id": "dune", "title": "Dune", "genre": "sci-fi", "salesRank": 3}"#
        let fixtures: [Fixture] = [
            .file(.ndjson(try file("books.ndjson", records)), into: .books, key: "id", options: options),
            .dump(try file("shop.ndjson", lines.joined(separator: "\n")), options: options, collections: .books),
            .log(try await writeLog(), options: options, collections: .books),
        ]
        for fixture in fixtures {
            let database = try await fixture.fork()
            #expect(database.snapshot[.books]["dune"]?.title == "Dune")
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.books]["foundation"] = Book(title: "Foundation") }
            }
            #expect(error?.code == .keyTooLong)
        }
    }

    @Test func `A dump comes back with its commit number, and a changed one is refused`() async throws {
        let origin = try await Fixture.shelf.fork()
        try await origin.write { $0[.books]["ubik"] = Book(title: "Ubik") }
        var lines: [String] = []
        ReplayDump(of: origin.snapshot).forEachLine { lines.append($0) }
        let path = try file("shop.ndjson", lines.joined(separator: "\n"))
        let copy = try await Fixture.dump(path, collections: .books) { try await $0.register(bySalesRank) }.fork()
        #expect(copy.snapshot.digest == origin.snapshot.digest && copy.commitNumber == 2)
        #expect(copy.snapshot[bySalesRank]["sci-fi"].map(\.key) == ["ubik", "dune"])

        let changed = lines.joined(separator: "\n").replacing("Ubik", with: "Ubiq")
        let refusal = try #require(await refusal(.dump(try file("changed.ndjson", changed), collections: .books)))
        #expect(refusal.code == .invalidDump && refusal.message.contains("the digest differs"))
        let cut = try #require(await self.refusal(.dump(try file("cut.ndjson", lines[0] + "\n{"), collections: .books)))
        #expect(cut.code == .invalidDump && cut.message.contains("cut.ndjson, line 2"))
        let empty = try #require(await self.refusal(.dump(try file("empty.ndjson", ""), collections: .books)))
        #expect(empty.code == .invalidDump)
    }

    // Only the digest was compared, which a dump of some collections doesn't have.
    @Test func `A dump of a collection that was cut short, or has a record twice, is refused`() async throws {
        var lines: [String] = []
        ReplayDump(of: try await Fixture.shelf.fork().snapshot, collections: ["books"]).forEachLine {
            lines.append($0)
        }
        // As of a selection: no digest.
        lines[0] = #"{"yaprak":"dump","version":1,"commit":1,"records":{"books":3,"none":0}}"#
        let whole = try file("whole.ndjson", lines.joined(separator: "\n"))
        #expect(try await Fixture.dump(whole, collections: .books).fork().snapshot[.books].count == 3)
        let (dune, emma, it) = (lines[1], lines[2], lines[3])
        let other = it.replacing(#""it""#, with: #""is""#)
        for records in [[dune, emma], [dune, emma, dune], [dune, emma, it, other]] {
            let path = try file("cut.ndjson", ([lines[0]] + records).joined(separator: "\n"))
            let error = try #require(await refusal(.dump(path, collections: .books)))
            #expect(error.code == .invalidDump && error.place.file == path, "\(error)")
            #expect(error.message.contains(#"records of "books", and its first line promises 3"#), "\(error)")
        }
    }

    // The first write of a test trapped.
    @Test func `A dump whose commit is beyond all numbers is refused with the line`() async throws {
        let path = try file(
            "far.ndjson", #"{"yaprak":"dump","version":1,"commit":18446744073709551615,"records":{}}"#)
        let error = try #require(await refusal(.dump(path, collections: .books)))
        #expect(error.code == .invalidDump && error.message.contains("line 1: "), "\(error)")
    }

    private struct OtherBook: Codable, Sendable {
        var title: String
        var salesRank: String
    }

    @Test func `A dump of other types names the record and the field`() async throws {
        var lines: [String] = []
        ReplayDump(of: try await Fixture.shelf.fork().snapshot).forEachLine { lines.append($0) }
        let path = try file("shop.ndjson", lines.joined(separator: "\n"))
        let other = RecordCollection<OtherBook, NoMetadata>("books")
        let error = try #require(await refusal(.dump(path, collections: other)))
        #expect(error.code == .undecodableRecord && error.place.key == "dune")
        #expect(
            error.message.contains(#"the record "dune" is not one that "books" holds: the field "salesRank" is no "#))
    }

    /// A log of nine commits, a minute apart.
    private func writeLog() async throws -> String {
        let path = directory.appending("crash.yaprak")
        let ticks = Log()
        var options = DatabaseOptions()
        options.clock = { 1_357_000_000_000_000_000 + Int64(ticks.lines.count) * 60_000_000_000 }
        let database = try await Database.open(at: FilePath(path), options: options, collections: .books)
        for rank in 1...9 {
            ticks.add("tick")
            try await database.write { $0[.books]["dune"] = Book(title: "Dune", salesRank: rank) }
        }
        try await database.close()
        return path
    }

    @Test(arguments: [("@", 9), ("4", 4), ("@~3", 6), ("@{5 minutes ago}", 4), ("0", 0)])
    func `A log gives the state at a position, and times count from its newest commit`(
        position: String, commit: UInt64
    ) async throws {
        let database = try await Fixture.log(try await writeLog(), at: position, collections: .books).fork()
        #expect(database.commitNumber == CommitNumber(commit))
        #expect(database.snapshot[.books]["dune"]?.salesRank == (commit == 0 ? nil : Int(commit)))
        try await database.write { $0[.books].removeAll() }
    }

    // The time of the newest commit was looked for in the log, which does not have it there.
    @Test(arguments: ["@", "9", "@{now}"])
    func `A backup gives its state, and so does a database without its history`(position: String) async throws {
        let path = try await writeLog(), backup = directory.appending("backup.yaprak")
        let database = try await Database.open(at: FilePath(path), collections: .books)
        try await database.backup(to: FilePath(backup))
        try await database.close()
        try ReplayMaintenance(FilePath(path)).purgeHistory()
        for path in [backup, path] {
            let copy = try await Fixture.log(path, at: position, collections: .books).fork()
            #expect(copy.commitNumber == 9 && copy.snapshot[.books]["dune"]?.salesRank == 9)
        }
        #expect(await refusal(.log(backup, at: "@{1 week ago}", collections: .books))?.code == .commitOutOfReach)
    }

    @Test func `A position that is none, or not there, is refused`() async throws {
        let path = try await writeLog()
        #expect(await refusal(.log(path, at: "@{", collections: .books))?.code == .invalidPosition)
        #expect(await refusal(.log(path, at: "10", collections: .books))?.code == .commitOutOfReach)
        #expect(await refusal(.log(directory.appending("none"), collections: .books))?.code == .notFound)
    }
}

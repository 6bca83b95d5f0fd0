import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

@testable import YaprakTool

/// `ask`, `blame`, `grep`, `log --where`, and the order of records.
@Suite(.bounded) struct QuestionTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    @Test func `A value is printed as of any commit, and false is 1`() async {
        #expect(await yaprak("ask", shop, "sum(books, .rank)").out == "{\"commit\":3,\"value\":1}\n")
        #expect(await yaprak("ask", shop, "sum(books, .rank)", "--at", "1", onTerminal: true).out == "10\n")
        #expect(await yaprak("ask", shop, "count(books) > 1").code == 1)
        #expect(await yaprak("ask", shop, "count(boks)").err.contains("Did you mean \"books\"?"))
        #expect(await yaprak("ask", shop, "count(boks)").code == 3)
        #expect(await yaprak("ask", shop, "count(books").code == 64)
        for wrong in [
            ["--every", "0"], ["--every", "1y"], ["--every", "1h", "--at", "2"], ["--plot"], ["--until", "2"],
            ["-n", "5"],
        ] {
            #expect(await yaprak(["ask", shop, "1"] + wrong).code == 64, "\(wrong)")
        }
    }

    // They were empty, with exit code 0 and not a word.
    @Test(arguments: [
        ["ls", "books"], ["export", "books"], ["dump"], ["log"], ["revert", "3", "--dry-run"],
    ])
    func `A collection that an expression names and that is not there is mentioned`(words: [String]) async {
        let outcome = await yaprak([words[0], shop] + words.dropFirst() + ["--where", "exists(boks[$key])"])
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.err.contains(
                "the expression names a collection \"boks\", and there is none at commit 3. Did you mean \"books\"?"),
            "\(outcome)")
    }

    // The note was about the newest state, whatever was asked, and failed where that can't be read.
    @Test func `A log in which nothing is found speaks of its own end, and reads nothing behind it`() async throws {
        let path = folder("three.yaprak")
        var options = DatabaseOptions()
        options.durability = .always
        options.retention = .all
        options.checkpoints = .manual
        let words = RecordCollection<String, NoMetadata>("words"), more = RecordCollection<String, NoMetadata>("more")
        let database = try await Database.open(at: FilePath(path), options: options, collections: words, more)
        try await database.write { $0[words]["a"] = "x" }
        // No frame is so well compressed that its payload ends before the byte that is changed below.
        let text = (0..<40).map { _ in "\(UInt64.random(in: .min ... .max))" }.joined()
        try await database.write { $0[more]["b"] = text }
        try await database.write { $0[words].removeAll() }
        try await database.close()
        let condition = ["--where", "exists(words[$key]) and $key == 'nix'"]
        let early = await yaprak(["log", path, "..1"] + condition)
        #expect(early.code == 0 && early.err.isEmpty, "\(early)")
        let whole = await yaprak(["log", path] + condition)
        #expect(whole.code == 0 && whole.err.contains("\"words\", and there is none at commit 3"), "\(whole)")

        var commits = try ReplayReader(FilePath(path)).commits(from: 2, through: 2).makeAsyncIterator()
        let place = try #require(try await commits.next()).place
        let file = URL(fileURLWithPath: path + "/" + (place.file ?? ""))
        var bytes = try Data(contentsOf: file)
        bytes[Int(place.offset ?? 0) + 100] ^= 2
        try bytes.write(to: file)
        #expect(await yaprak("log", path).code == 4)
        let besides = await yaprak(["log", path, "..1"] + condition)
        #expect(besides.code == 0 && besides.err.isEmpty, "\(besides)")
    }

    // They looked at the newest commit alone, and `log` at the last of the range: 3, there is no collection.
    @Test func `A collection that came and went in the commits asked for is no slip`() async throws {
        let brief = RecordCollection<Int, NoMetadata>("brief")
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks, brief)
        try await database.write { $0[brief]["x"] = 1 }
        try await database.write { $0[brief]["x"] = nil }
        try await database.write { $0[.shopBooks]["abc"] = nil }
        try await database.close()
        for (words, code) in [
            (["grep", "nix", "--collection", "brief"], 1), (["grep", "nix", "..4", "--collection", "brief"], 1),
            (["grep", "nix", "--reverse", "--collection", "brief"], 1),
            (["grep", "nix", "3..5", "--collection", "books"], 1),
            (["grep", "nix", "..3", "--collection", "brief"], 3),
            (["grep", "nix", "--collection", "boks"], 3),
            (["replay", "--speed", "max", "--collection", "brief", "--key", "nix", "--until", "4"], 0),
            (["replay", "--speed", "max", "--collection", "books", "--from", "4", "--until", "5"], 0),
            (["replay", "--speed", "max", "--collection", "brief", "--until", "3"], 3),
            (["replay", "--speed", "max", "--collection", "boks"], 3),
            (["log", "--collection", "brief", "--key", "nix"], 0), (["log", "..3", "--collection", "brief"], 3),
            (["tail", "--after", "4", "--collection", "books", "--key", "nix"], 0),
        ] as [([String], Int32)] {
            let outcome = await yaprak([words[0], shop] + words.dropFirst())
            #expect(outcome.code == code && outcome.out.isEmpty, "\(words): \(outcome)")
        }
    }

    // It names no collection in the log: with a key or a condition no change was found, and exit code 3 came of it.
    @Test func `A collection that a removal of everything emptied is no slip`() async throws {
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        try await database.write { $0.removeAll() }
        try await database.close()
        for words in [
            ["log", "3..4", "--key", "nix", "--patch"], ["log", "3..4", "--where", ".x == 5"],
            ["log", "3..4", "--reverse", "--where", ".x == 5"],
        ] {
            let outcome = await yaprak([words[0], shop] + words.dropFirst() + ["--collection", "books"])
            #expect(outcome.code == 0 && outcome.out.isEmpty, "\(words): \(outcome)")
            let slip = await yaprak([words[0], shop] + words.dropFirst() + ["--collection", "boks"])
            #expect(slip.code == 3, "\(words): \(slip)")
        }
    }

    // Plain words were looked for byte by byte, everything else by characters.
    @Test(arguments: [true, false]) func `A pattern finds characters, however they are spelled`(isFixed: Bool) throws {
        let spellings = ["Z\u{fc}rich", "Zu\u{308}rich"]
        func finds(_ pattern: String, in text: String) throws -> Bool {
            try TextMatcher(pattern, isFixed: isFixed, ignoresCase: false).matches(text)
        }
        for text in spellings {
            for pattern in spellings { #expect(try finds(pattern, in: "in \(text)") && !finds(pattern, in: "Zurich")) }
            #expect(try finds("rich", in: text) && !finds("Zu", in: text) && finds("", in: text))
            #expect(try finds(".rich", in: text) != isFixed)
        }
        #expect(try finds("a b-c_", in: "xa b-c_x") && !finds("a b", in: "A B"))
    }

    // Signs were quoted, scalar by scalar: with a mark on it a sign is another character, which can't be quoted.
    @Test(arguments: [
        "#\u{fe0f}\u{20e3}", "*\u{fe0f}\u{20e3}", "=\u{338}", ".\u{301}", "a.b", "[x]", "\\", "\\d+", "a\r\nb", "\n",
        "\t",
        "\u{1}", "\u{600}\n", "\u{600}.", "👩‍🚀 $1 (2^3) {4} _|_ ~`'\"/<>-&%@!;:,?",
    ])
    func `A text that is taken as it is finds itself, and nothing that it could mean`(text: String) throws {
        for ignoresCase in [false, true] {
            let matcher = try TextMatcher(text, isFixed: true, ignoresCase: ignoresCase)
            #expect(matcher.matches(text) && matcher.matches("é \(text) 1") && matcher.matches("x \(text) y"))
            #expect(!matcher.matches("é") && !matcher.matches("axb") && !matcher.matches("1"))
        }
        #expect(try TextMatcher("=\u{338}", isFixed: true, ignoresCase: false).matches("\u{2260}"))
    }

    // Found or not: it depended on whether there was a sign beyond ASCII somewhere else in the text.
    @Test(arguments: ["\n", "\r", "\nb", "\r\n"])
    func `The end of a line is a character, in whatever text it stands`(pattern: String) throws {
        let matcher = try TextMatcher(pattern, isFixed: true, ignoresCase: false)
        for start in ["a", "é"] {
            #expect(matcher.matches("\(start)\r\nb") == (pattern == "\r\n"), "\(start)")
            #expect(matcher.matches("\(start)\nb") == pattern.hasPrefix("\n"), "\(start)")
        }
    }

    @Test func `Over time each moment has the newest commit made by then`() async throws {
        let seconds = await yaprak("ask", shop, "sum(books, .rank)", "--every", "1s", "--format", "csv")
        #expect(
            seconds.out.split(separator: "\r\n").map { $0.split(separator: ",", maxSplits: 2)[2] }
                == ["commit,value", "1,10", "2,8", "3,1"])
        let commits = await yaprak("ask", shop, "sum(books, .rank)", "--every", "2", "--format", "csv")
        #expect(
            commits.out.split(separator: "\r\n").map { $0.split(separator: ",", maxSplits: 2)[2] } == [
                "commit,value", "2,8", "3,1",
            ])
        let drawn = await yaprak("ask", shop, "sum(books, .rank)", "--every", "1s", "--plot", onTerminal: true)
        let huge = try folder.write("{\"k\":\"a\",\"x\":1.7e308}\n{\"k\":\"b\",\"x\":-1.7e308}\n", to: "huge.ndjson")
        #expect(await yaprak("load", huge, folder("huge"), "--collection", "c", "--key", "k").code == 0)
        let bars = await yaprak(
            "ask", folder("huge"), "max(c, .x)", "--by", "$key", "--plot", "--format", "table", onTerminal: true)
        #expect(bars.code == 0 && bars.out.contains("█") && bars.out.contains("▒"), "\(bars.err)")
        #expect(drawn.lines[1].hasSuffix("10  " + String(repeating: "█", count: 40)), "\(drawn.lines)")
        let many = await yaprak("ask", shop, "1", "--every", "1s", "--from", "1970-01-01")
        #expect(many.code == 0)
    }

    // It was refused: the last moment has no record of it.
    @Test(arguments: [true, false])
    func `A collection that was emptied before the last moment has its values over time`(isAll: Bool) async throws {
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        try await database.write { transaction in
            if isAll { transaction.removeAll() } else { transaction[.shopBooks]["abc"] = nil }
        }
        try await database.close()
        for from in ["1", "3"] {
            let outcome = await yaprak("ask", shop, "count(books)", "--every", "1", "--from", from, "--format", "csv")
            let values = outcome.out.split(separator: "\r\n").dropFirst().map { String($0.split(separator: ",")[3]) }
            let expected = from == "1" ? ["2", "2", "1", "0"] : ["1", "0"]
            #expect(outcome.code == 0 && values == expected, "\(outcome)")
        }
        let slip = await yaprak("ask", shop, "count(boks)", "--every", "1")
        #expect(slip.code == 3 && slip.out.isEmpty && slip.err.contains("\"boks\" at commit 4"), "\(slip)")
        #expect(await yaprak("ask", shop, "count(books)", "--every", "1", "--from", "4").code == 0)
    }

    @Test func `What is not there has a remedy that fits on a screen`() async throws {
        let field = await yaprak("blame", shop, "books", "abc", "--field", "publisher")
        #expect(field.code == 3 && field.err.contains("It has rank, title."), "\(field)")
        let none = await yaprak("revert", shop, "3..3")
        #expect(none.code == 3 && none.err.contains("write one number for one commit"), "\(none)")
        let theirs = await yaprak("undo", shop, "--origin", "nobody")
        #expect(theirs.code == 3 && theirs.err.contains("`yaprak log --oneline` shows the origins."), "\(theirs)")
        let lines = (0..<1000).map { "{\"id\":\($0),\"column\($0)\":1}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "wide.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "wide", "--key", "id").code == 0)
        let column = await yaprak("export", shop, "wide", "--columns", "publisher", "--format", "csv")
        #expect(column.code == 3 && column.err.utf8.count < 1000, "\(column)")
        #expect(column.err.contains("column0, column1, ") && column.err.contains(" more."), "\(column.err)")
        let bad = await yaprak("load", file, shop, "--collection", "wide", "--key", "name")
        #expect(bad.code == 64 && bad.err.contains("no field \"name\"; it has id, column0"), "\(bad)")
    }

    @Test func `Moments are right though the clock was set back`() async throws {
        for seed in UInt64(0)..<40 {
            var random = SplitMix64(seed: seed)
            let path = folder("clock-\(seed).yaprak"), now = Mutex<Int64>(0)
            var options = DatabaseOptions()
            options.clock = { now.withLock { $0 } }
            options.durability = .relaxed
            let database = try await Database.open(at: FilePath(path), options: options, collections: .shopBooks)
            for index in 0..<30 {
                now.withLock { $0 = Int64(1000 + index + random.below(12)) * 1_000_000_000 }
                try await database.write { $0[.shopBooks]["\(index)"] = ShopBook(title: "", rank: index) }
            }
            try await database.close()
            let reader = try ReplayReader(FilePath(path))
            let schedule = try AskSchedule(
                .nanoseconds(1_000_000_000), 1...30, LogBounds(from: nil, until: nil, in: reader, now: 0), reader)
            for moment in schedule.moments.dropLast() {
                #expect(try reader.commitNumber(atOrBefore: moment.time) == moment.commit, "seed \(seed), \(moment)")
            }
            #expect(schedule.moments.last?.commit == 30, "seed \(seed)")
        }
    }

    @Test func `Groups have a row each`() async throws {
        let file = try folder.write(
            (0..<30).map { "{\"id\":\($0),\"kind\":\"k\($0 % 3)\",\"n\":\($0)}" }.joined(separator: "\n"),
            to: "k.ndjson")
        _ = await yaprak("load", file, shop, "--collection", "k", "--key", "id")
        let groups = await yaprak("ask", shop, "max(k, .n)", "--by", ".kind")
        #expect(
            groups.lines == [
                #"{"group":"k0","value":27}"#, #"{"group":"k1","value":28}"#, #"{"group":"k2","value":29}"#,
            ])
    }

    @Test func `Blame names the commit that set each field, and not one that wrote the same value`() async throws {
        let blame = await yaprak("blame", shop, "books", "abc", "--format", "csv")
        let lines = blame.out.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(lines.dropFirst().map { "\($0[0]) \($0[4]) \($0[5])" } == ["2 rank 1", "1 title Dune"])
        #expect(await yaprak("blame", shop, "books", "abc", "--at", "1", "--field", "rank").lines.count == 1)
        let gone = await yaprak("blame", shop, "books", "def")
        #expect(gone.code == 3 && gone.err.contains("Commit 3 removed it; --at 3^ shows it before."))
        #expect(await yaprak("blame", shop, "books", "def", "--at", "3^").lines.count == 2)
        #expect(await yaprak("blame", shop, "books", "abc", "--field", "rnk").err.contains("Did you mean \"rank\"?"))
        #expect(await yaprak("blame", shop, "authors", "abc").code == 3)
    }

    @Test func `Blame agrees with a replay of random histories, nested fields included`() async throws {
        for seed in UInt64(0)..<25 {
            var random = SplitMix64(seed: seed)
            let path = folder("blame-\(seed).yaprak"), things = RecordCollection<CBORValue, NoMetadata>("things")
            var options = DatabaseOptions()
            options.durability = .relaxed
            let database = try await Database.open(at: FilePath(path), options: options, collections: things)
            // The fields of the record, each with the commit that last changed its value.
            var expected: [String: (value: Int, commit: UInt64)] = [:]
            func object() -> CBORValue {
                [
                    "a": .integer(Int64(expected["a"]!.value)),
                    "b": [
                        "c": .integer(Int64(expected["b.c"]!.value)), "d": [.integer(Int64(expected["b.d[0]"]!.value))],
                    ],
                ]
            }
            for number in UInt64(1)...20 {
                for field in ["a", "b.c", "b.d[0]"] where number == 1 || random.chance(40) {
                    let value = random.below(3)
                    if expected[field]?.value != value { expected[field] = (value, number) }
                }
                let value = object()
                try await database.write { $0[things]["x"] = value }
            }
            try await database.close()
            let reader = try ReplayReader(FilePath(path))
            var blame = FieldBlame()
            for try await revision in reader.history(ofKey: "x", inCollectionNamed: "things") { blame.add(revision) }
            let record = try #require(try reader.snapshot().untyped("things")["x"])
            for line in blame.lines(of: record) {
                #expect(line.commit?.commitNumber.rawValue == expected[line.path]?.commit, "seed \(seed): \(line.path)")
            }
            #expect(Array(blame.lines(of: record)).count == 3, "seed \(seed)")
        }
    }

    @Test func `A container that was emptied is due to the commit that took out the last field`() async throws {
        let folder = TemporaryDirectory()
        let path = folder.appending("db")
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        let database = try await Database.open(at: FilePath(path), collections: things)
        let states: [CBORValue] = [
            ["a": ["x": 1, "y": 2], "b": [1], "c": 1], ["a": ["x": 1], "b": [1], "c": 1],
            ["a": ["x": 1], "b": [], "c": 1],
            ["a": [:] as CBORValue, "b": [], "c": 1], ["a": [:] as CBORValue, "b": [], "c": 2], [:],
        ]
        func blame() async throws -> [String: UInt64] {
            let reader = try ReplayReader(FilePath(path))
            var blame = FieldBlame()
            for try await revision in reader.history(ofKey: "x", inCollectionNamed: "things") { blame.add(revision) }
            let record = try #require(try reader.snapshot().untyped("things")["x"])
            return Dictionary(
                uniqueKeysWithValues: blame.lines(of: record).map { ($0.path, $0.commit?.commitNumber.rawValue ?? 0) })
        }
        for state in states.dropLast() { try await database.write { $0[things]["x"] = state } }
        try await database.flush()
        #expect(try await blame() == ["a": 4, "b": 3, "c": 5])
        try await database.write { $0[things]["x"] = states.last }
        try await database.close()
        #expect(try await blame() == [".": 6])
    }

    // From the third commit on the key was compared again for each field; or hashed, of fields in containers of their own.
    @Test(arguments: [0, 1, 2])
    func `Who set the fields below a long key is found in a time that grows as both do`(levels: Int) async throws {
        var commits = try ReplayReader(FilePath(shop)).commits().makeAsyncIterator()
        let commit = try #require(try await commits.next())
        await expectGrowth("fields below a long key", 500) { count in
            let values = (0..<5).map { (number: UInt64) in
                let key = CBORValue.text(String(repeating: "k", count: 400 * count))
                let item = (0..<levels).reduce(CBORValue.unsigned(number)) { inner, _ in .array([inner]) }
                return CBORValue.map([.init(key, .array(Array(repeating: item, count: 4 * count)))])
            }
            var settings = FieldSettings()
            let start = ThreadClock.seconds
            for (before, after) in zip(values, values.dropFirst()) {
                settings.add(FieldChanges(from: before, to: after), by: commit)
            }
            let isEachKnown = FieldLeaves(of: values[4]).allSatisfy { settings.commit(of: $0.path) != nil }
            let seconds = ThreadClock.seconds - start
            #expect(isEachKnown)
            return .seconds(seconds)
        }
    }

    // One level of a record took a frame, and a few hundred overflowed the stack of a thread.
    @Test func `A record as deep as one may be has its fields found on a small stack`() async {
        let levels = 2 * DatabaseLimits.recordLevelsMax
        var value: CBORValue = 7
        for level in 0..<levels { value = level % 2 == 0 ? [value] : ["a": value, "b": .unsigned(UInt64(level))] }
        let deep = value
        let paths = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: FieldLeaves(of: deep, in: FieldPath(["x"])).map { $0.path.description })
            }
            thread.stackSize = 256 << 10
            thread.start()
        }
        // What is so deep is not to go on that thread.
        withExtendedLifetime(deep) {}
        #expect(paths.count == levels / 2 + 1)
        #expect(paths.first?.hasPrefix("x.a[0].a[0]") == true && paths.last == "x.b")
    }

    @Test func `A field is within one whose path has the first of its steps`() {
        let field = FieldPath(["legs", .place(1), "to", "a b", "e\u{301}"])
        for path in ["legs", "legs[1]", "legs[1].to", #"legs[1].to["a b"]"#, field.description] {
            #expect(FieldBlame.isWithin(path, field), "\(path)")
        }
        #expect(FieldBlame.isWithin("legs[1].to[\"a b\"][\"\u{e9}\"]", field), "the other normal form")
        for path in ["", ".", "leg", "legs[1", "legs.", "legs[1].t", "to", field.description + "x", "legs[11]"] {
            #expect(!FieldBlame.isWithin(path, field), "\(path)")
        }
        let seen = FieldPath(["seen"])
        #expect(FieldBlame.isWithin("$metadata", seen, behind: "$metadata"))
        #expect(FieldBlame.isWithin("$metadata.seen", seen, behind: "$metadata"))
        #expect(!FieldBlame.isWithin("seen", seen, behind: "$metadata"))
        #expect(!FieldBlame.isWithin("$metadatas", seen, behind: "$metadata"))
    }

    @Test func `Blame of one field has the object's or the metadata's, and no other`() async throws {
        let things = RecordCollection<CBORValue, CBORValue>("things")
        let database = try await Database.open(at: FilePath(shop), collections: things)
        try await database.write { transaction in
            transaction[things].set(["seen": ["at": 1, "by": "me"], "also": 2], metadata: ["seen": [3]], for: "x")
        }
        try await database.write { transaction in
            transaction[things].set(["seen": ["at": 1, "by": "you"], "also": 2], metadata: ["seen": [4]], for: "x")
        }
        try await database.close()
        func fields(_ field: String) async -> [String] {
            let outcome = await yaprak("blame", shop, "things", "x", "--field", field, "--format", "csv")
            return outcome.out.split(separator: "\r\n").dropFirst().map {
                let cells = $0.split(separator: ",", omittingEmptySubsequences: false)
                return "\(cells[4]) \(cells[0])"
            }
        }
        #expect(await fields("seen") == ["seen.at 4", "seen.by 5"])
        #expect(await fields("$metadata") == ["$metadata.seen[0] 5"])
        #expect(await fields("also") == ["also 4"])
        let wide = CBORValue.map((0..<1500).map { .init(.text("column\($0)"), 1) })
        let more = try await Database.open(at: FilePath(shop), collections: things)
        try await more.write { $0[things]["x"] = wide }
        try await more.close()
        let slip = await yaprak("blame", shop, "things", "x", "--field", "colum7")
        #expect(slip.code == 3 && slip.err.contains("Did you mean \"column7\"?"), "\(slip)")
        let none = await yaprak("blame", shop, "things", "x", "--field", "publisher")
        #expect(none.code == 3 && none.err.contains("`yaprak get` shows the record."), "\(none)")
    }

    @Test func `The log shows only changes that a condition is true of`() async {
        func commits(_ condition: String, _ options: String...) async -> [String] {
            let outcome = await yaprak(["log", shop, "--format", "csv", "--oneline", "--where", condition] + options)
            return outcome.out.split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != "," }) }
        }
        #expect(await commits(".rank became 1") == ["2"])
        #expect(await commits(".rank became 1", "--reverse", "1..") == ["2"])
        #expect(await commits("before == null") == ["1"])
        #expect(await commits("after == null and before.title == \"Emma\"") == ["3"])
        #expect(await commits(".rank > 100") == [])
        let one = await yaprak("log", shop, "--where", ".title == \"Emma\"", "--reverse", "-1", onTerminal: true)
        #expect(one.out.contains("+ def") && !one.out.contains("abc"))
        #expect(await yaprak("log", shop, "--where", "rank == 1").err.contains("for the field write .rank"))
    }

    @Test func `Grep finds what came and what went`() async {
        func found(_ arguments: String...) async -> [String] {
            let outcome = await yaprak(["grep", shop] + arguments + ["--format", "csv"])
            return outcome.out.split(separator: "\r\n").dropFirst().map {
                let cells = $0.split(separator: ",", omittingEmptySubsequences: false)
                return "\(cells[0]) \(cells[5]) \(cells[6]) \(cells[7]) \(cells[8])"
            }
        }
        #expect(await found("Emma") == ["3 def title - Emma", "1 def title + Emma"])
        #expect(await found("e[m]+a", "-i", "--reverse", "-1") == ["1 def title + Emma"])
        #expect(await found("^(1|3)$", "--field", "rank") == ["2 abc rank - 3", "2 abc rank + 1", "1 abc rank + 3"])
        #expect(await found("opening") == ["1  info + opening day"])
        #expect(await yaprak("grep", shop, "nowhere").code == 1)
        #expect(await yaprak("grep", shop, "(").code == 64)
        #expect(await yaprak("grep", shop, "(", "--fixed").code == 1)
    }

    @Test func `Records come in any order, and no more than are wanted`() async throws {
        var random = SplitMix64(seed: 5)
        let ranks = (0..<2500).map { _ in random.below(400) }
        let file = try folder.write(
            ranks.enumerated().map { "{\"id\":\"\($0)\",\"rank\":\($1)}" }.joined(separator: "\n"), to: "r.ndjson")
        _ = await yaprak("load", file, shop, "--collection", "r", "--key", "id")
        let keys = ranks.indices.sorted { (ranks[$0], "\($0)") < (ranks[$1], "\($1)") }.map { "\($0)" }
        let all = await yaprak("ls", shop, "r", "--sort", ".rank", "--keys", "--format", "csv")
        #expect(all.out.split(separator: "\r\n").dropFirst().map(String.init) == keys)
        let few = await yaprak("ls", shop, "r", "--sort", ".rank", "-12", "--keys", "--format", "csv")
        #expect(few.out.split(separator: "\r\n").dropFirst().map(String.init) == Array(keys.prefix(12)))
        let top = await yaprak(
            "export", shop, "r", "--sort", ".rank", "--descending", "--limit", "1", "--format", "csv")
        #expect(top.out.split(separator: "\r\n")[1].hasSuffix(",\(ranks.max()!)"))
        let exported = await yaprak("export", shop, "r", "--format", "csv")
        #expect(await yaprak("ls", shop, "r", "--format", "csv").out == exported.out)
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakReplay

/// What people may write for a place in history, and what they may not.
@Suite(.bounded) struct LogPositionTests {
    @Test(
        arguments: [
            ("42", "42"), ("0", "0"), ("007", "7"), ("@", "@"), ("@~3", "@~3"), ("@~", "@~1"), ("@^", "@~1"),
            ("@^^~2^", "@~5"), ("42~0", "42"), ("42~3", "42~3"), ("9223372036854775807", "9223372036854775807"),
            ("before-import", "before-import"), ("v1.2~4", "v1.2~4"), ("çay", "çay"), ("a/b:c", "a/b:c"),
            ("@{10 minutes ago}", "@{600 seconds ago}"), ("@{10.minutes.ago}~1", "@{600 seconds ago}~1"),
            ("@{1 day 2 hours ago}", "@{93600 seconds ago}"), ("@{yesterday}", "@{86400 seconds ago}"),
            ("@{now}", "@{0 seconds ago}"), ("@{Today}", "@{today}"),
            ("@{2013-01-05T12:00:00Z}", "@{2013-01-05T12:00:00Z}"), ("@{2013-01-05 12:00}", "@{2013-01-05T12:00Z}"),
            ("@{2013-01-05}", "@{2013-01-05}"), ("@{2013-01-05T12:00+02:00}", "@{2013-01-05T10:00Z}"),
            ("@{2013-01-05T12:00:00.250-0530}", "@{2013-01-05T17:30:00.250Z}"),
            ("@{2012-02-29}", "@{2012-02-29}"), ("@{1969-12-31T23:59:59.5Z}", "@{1969-12-31T23:59:59.5Z}"),
        ])
    func `A position is read, and its shortest form is the same position`(text: String, form: String) throws {
        let position = try LogPosition(text)
        #expect(position.description == form)
        #expect(try LogPosition(form) == position)
    }

    @Test(
        arguments: [
            "", " ", "-1", "+1", "1 ", "1.5~x", "~", "^", "~3", "@@", "@3", "@~-1", "@~x", "@^2", "@{", "@{}", "@}",
            "{1}",
            "@{1}", "@{soon}", "@{ago}", "@{minutes ago}", "@{10 ago}", "@{10 minutes}", "@{-10 minutes ago}",
            "@{10 fortnights ago}", "@{99999999999999999999 days ago}", "@{9223372036854775807 weeks ago}",
            "@{9223372036854775807 s 1 s ago}", "9223372036854775808", "99999999999999999999999",
            "@~9223372036854775808",
            "1~9223372036854775807~9223372036854775807", "@{2013-02-29}", "@{2013-13-01}", "@{2013-00-10}",
            "@{2013-01-05T24:00}", "@{2013-01-05T12:60}", "@{2013-01-05T12:00:60Z}", "@{2013-01-05T12}",
            "@{2013-01-05T12:00:00.Z}", "@{2013-01-05T12:00:00+24:00}", "@{2013-01-05T12:00:00Zulu}", "@{20130105}",
            "@{0001-01-01}", "@{9999-12-31}", "@{2013-01-05} ", "two words", "tab\there", "bell\u{7}", "a\u{202e}b",
            "a..b", "a@b", "a{b", "-flag", ".hidden", "-\u{301}", "a..\u{301}", String(repeating: "x", count: 256),
            "\u{0}", "@{\u{0}}", "@\n",
        ])
    func `What is no position is refused with a remedy`(text: String) {
        let error = #expect(throws: DatabaseError.self) { try LogPosition(text) }
        #expect(error?.code == .invalidPosition)
        #expect(error?.message.contains("Write ") == true)
    }

    @Test(
        arguments: [
            ("1..3", "1..3"), ("1..", "1.."), ("..3", "3"), ("3", "3"), ("..", ".."), ("@~2..@", "@~2..@"),
            ("@{10.minutes.ago}..@", "@{600 seconds ago}..@"), ("v1.2..v1.3", "v1.2..v1.3"),
            ("@{now}", "@{0 seconds ago}"),
        ])
    func `A range is read, and its shortest form is the same range`(text: String, form: String) throws {
        let range = try LogRange(text)
        #expect(range.description == form)
        #expect(try LogRange(form) == range)
    }

    @Test(arguments: ["", "1...3", "1..2..3", "..~", "a b..", "@{1..2", "1..@{..}", ". .", "."])
    func `What is no range is refused with a remedy`(text: String) {
        let error = #expect(throws: DatabaseError.self) { try LogRange(text) }
        #expect(error?.code == .invalidPosition)
    }

    @Test func `Whatever is typed is read to the same again, or refused`() throws {
        let pieces = [
            "@", "~", "^", "{", "}", "..", ".", "0", "7", "42", "18446744073709551615", " ", "ago", "minutes", "day",
            "2013-01-05", "T", ":", "12:00", "Z", "+", "-", "é", "e\u{301}", "\u{0}", "\u{1b}[2J", "now", "x",
            "\u{200d}",
        ]
        for seed in UInt64(0)..<20_000 {
            var random = SplitMix64(seed: seed)
            let text = (0..<random.below(9)).map { _ in pieces[random.below(pieces.count)] }.joined()
            do {
                let position = try LogPosition(text)
                #expect(try LogPosition(position.description) == position, "seed \(seed): \(text.debugDescription)")
            } catch {
                #expect(error.code == .invalidPosition, "seed \(seed): \(text.debugDescription)")
            }
            do {
                let range = try LogRange(text)
                #expect(try LogRange(range.description) == range, "seed \(seed): \(text.debugDescription)")
            } catch {
                #expect(error.code == .invalidPosition, "seed \(seed): \(text.debugDescription)")
            }
        }
    }

    @Test func `Every nanosecond there is can be written and read`() throws {
        for seed in UInt64(0)..<20_000 {
            var random = SplitMix64(seed: seed)
            let edges: [Int64] = [.min, .min + 1, -1_000_000_000, -1, 0, 1, 951_782_400_000_000_000, .max - 1, .max]
            let time = seed < edges.count ? edges[Int(seed)] : Int64(bitPattern: random.next())
            let text = try LogTime(Self.text(time)).description
            #expect(try LogTime(text).nanosecondsSince1970(now: 0) == time, "seed \(seed): \(text)")
        }
    }

    // 48 of 100 printed times were a millisecond before their commit, and led to the one before it.
    @Test func `A printed time leads back to its commit, and a time means the whole unit of its last digit`() throws {
        for seed in UInt64(0)..<2000 {
            var random = SplitMix64(seed: seed)
            let time = Int64.random(in: -9_000_000_000_000_000_000...9_000_000_000_000_000_000, using: &random)
            let digits = random.below(10)
            let printed = try LogTime(ISOTime.text(time, fractionDigits: digits))
            let (first, last) = (printed.nanosecondsSince1970(now: 0), printed.lastNanosecondsSince1970(now: 0))
            let unit = (digits..<9).reduce(Int64(1)) { length, _ in length * 10 }
            #expect(
                first <= time && time <= last && last - first == unit - 1, "seed \(seed), \(digits) digits: \(time)")
            #expect(first % unit == 0, "seed \(seed)")
        }
        for (text, seconds) in [("2013-01-05", 86_400), ("2013-01-05 12:00", 60), ("2013-01-05T12:00:07Z", 1)]
            as [(String, Int64)]
        {
            let time = try LogTime(text)
            let length = time.lastNanosecondsSince1970(now: 0) - time.nanosecondsSince1970(now: 0) + 1
            #expect(length == seconds * 1_000_000_000, "\(text)")
        }
        for text in ["10 minutes ago", "today", "now"] {
            let time = try LogTime(text)
            #expect(time.lastNanosecondsSince1970(now: 5) == time.nanosecondsSince1970(now: 5), "\(text)")
        }
    }

    @Test func `Days are those of the calendar`() throws {
        let style = Date.ISO8601FormatStyle().year().month().day()
        for day in stride(from: -100_000, through: 100_000, by: 37) {
            let text = Date(timeIntervalSince1970: Double(day) * 86_400).formatted(style)
            #expect(try LogTime(text).nanosecondsSince1970(now: 0) == Int64(day) * 86_400_000_000_000, "\(text)")
        }
    }

    @Test func `Counting back stops at the ends of time`() throws {
        let ages = try LogTime("9223372036854775807 seconds ago")
        #expect(ages.nanosecondsSince1970(now: 0) == -.max)
        #expect(ages.nanosecondsSince1970(now: -2) == .min)
        #expect(try LogTime("today").nanosecondsSince1970(now: .min) == .min)
        #expect(try LogTime("today").nanosecondsSince1970(now: 86_400_000_000_001) == 86_400_000_000_000)
        #expect(try LogTime("today").nanosecondsSince1970(now: -1) == -86_400_000_000_000)
    }

    /// A moment in nanoseconds, written with Foundation's calendar.
    private static func text(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let seconds = rest < 0 ? whole - 1 : whole
        let date = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let digits = String(rest < 0 ? rest + 1_000_000_000 : rest)
        return date.dropLast() + "." + String(repeating: "0", count: 9 - digits.count) + digits + "Z"
    }
}

/// Positions, where they lie in a log.
@Suite(.bounded) struct LogPositionResolvingTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Commits at the given seconds since 1970, one record each.
    private func makeLog(_ seconds: [Int64]) async throws -> ReplayReader {
        let now = Mutex<Int64>(0)
        var options = DatabaseOptions()
        options.clock = { now.withLock { $0 } }
        options.durability = .relaxed
        let path = FilePath(folder("log.yaprak"))
        let database = try await Database.open(at: path, options: options, collections: .shopBooks)
        for second in seconds {
            now.withLock { $0 = second * 1_000_000_000 }
            try await database.write { $0[.shopBooks]["x"] = ShopBook(title: "\(second)", rank: 0) }
        }
        try await database.close()
        return try ReplayReader(path)
    }

    @Test func `A time is the newest commit at or before it, though the clock was set back`() async throws {
        for seed in UInt64(0)..<12 {
            var random = SplitMix64(seed: seed)
            let times = (0..<150).map { index in Int64(index / 3) + Int64(random.below(40)) }
            try? FileManager.default.removeItem(atPath: folder("log.yaprak"))
            let reader = try await makeLog(times)
            for second in Int64(-1)...100 {
                let expected = times.lastIndex { $0 <= second }.map { UInt64($0 + 1) } ?? 0
                let found = try reader.commitNumber(atOrBefore: second * 1_000_000_000)
                #expect(found.rawValue == expected, "seed \(seed), second \(second)")
            }
        }
    }

    @Test func `In a backup, which has no log, a time before it is out of reach`() async throws {
        var options = DatabaseOptions()
        options.clock = { 3000 * 1_000_000_000 }
        let database = Database.inMemory(options: options)
        try await database.write { $0[.shopBooks]["x"] = ShopBook(title: "", rank: 0) }
        try await database.backup(to: FilePath(folder("backup.yaprak")))
        var reader = try ReplayReader(FilePath(folder("backup.yaprak")))
        reader.clock = { 4000 * 1_000_000_000 }
        #expect(try reader.oldestCommitNumber() == nil)
        #expect(try reader.commitNumber(at: LogPosition("@{now}")) == 1)
        #expect(try reader.commitNumber(atOrBefore: 3000 * 1_000_000_000) == 1)
        for time in [0, 2999 * 1_000_000_000] as [Int64] {
            let error = #expect(throws: DatabaseError.self) { try reader.commitNumber(atOrBefore: time) }
            #expect(error?.code == .commitOutOfReach)
        }
    }

    @Test func `Relative times count from the reader's clock`() async throws {
        var reader = try await makeLog([1000, 2000, 3000, 4000])
        reader.clock = { 4100 * 1_000_000_000 }
        #expect(try reader.commitNumber(at: LogPosition("@{100 seconds ago}")) == 4)
        #expect(try reader.commitNumber(at: LogPosition("@{101 seconds ago}")) == 3)
        #expect(try reader.commitNumber(at: LogPosition("@{20 minutes ago}~1")) == 1)
        #expect(try reader.commitNumber(at: LogPosition("@{yesterday}")) == 0)
        #expect(try reader.commitNumber(at: LogPosition("@{now}^^")) == 2)
    }

    // After a clock was set back, `@{10 minutes ago}` led somewhere without a word.
    @Test func `A time that a clock makes doubtful is answered with a warning`() async throws {
        /// The commit, and what was said.
        func ask(_ text: String, _ seconds: [Int64], now: Int64) async throws -> (CommitNumber, [String]) {
            try? FileManager.default.removeItem(atPath: folder("log.yaprak"))
            var reader = try await makeLog(seconds)
            let log = Log()
            reader.clock = { now * 1_000_000_000 }
            reader.warn = { log.add($0) }
            return (try reader.commitNumber(at: LogPosition(text)), log.lines)
        }
        let ago = "@{100 seconds ago}"
        var (number, said) = try await ask(ago, [1000, 2000, 3000], now: 3100)
        #expect(number == 3 && said.isEmpty)
        // Set back after the answer, before it, and so far that nothing is old enough.
        for (seconds, expected) in [([1000, 5000, 3050], 1), ([1000, 5000, 3000], 3), ([9000, 3050], 0)]
            as [([Int64], UInt64)]
        {
            (number, said) = try await ask(ago, seconds, now: 3100)
            #expect(number.rawValue == expected && said.count == 1, "\(seconds): \(said)")
            #expect(said.first?.contains("was set back after commit") == true)
        }
        // Set back since the newest commit, or ahead when that was made: the count starts at another now.
        (number, said) = try await ask(ago, [1000, 9000], now: 3100)
        #expect(number == 1 && said.first?.contains("the newest commit says 1970-01-01T02:30:00Z") == true, "\(said)")
        // Far from the answer, and of a fixed time that is over, nothing is doubtful.
        (number, said) = try await ask(ago, [5000, 1000, 2000, 3000], now: 3100)
        #expect(number == 4 && said.isEmpty)
        (number, said) = try await ask("@{1970-01-01 00:20}", [1000, 9000], now: 3100)
        #expect(number == 1 && said.isEmpty)
    }

    @Test func `The tool says on standard error what it warns of, once`() async throws {
        _ = try await makeLog([1000, 5000, 3050])
        let outcome = await yaprak("log", folder("log.yaprak"), "@{1970-01-01 00:20}..@", "--oneline")
        #expect(outcome.code == 0 && outcome.lines.count == 2)
        #expect(
            outcome.err.split(separator: "\n").count == 1 && outcome.err.hasPrefix("yaprak: the clock was set back"))
    }

    @Test func `Ranges leave out where they start and contain where they end`() async throws {
        let reader = try await makeLog([1, 2, 3, 4])
        func numbers(_ text: String) throws -> ClosedRange<CommitNumber>? {
            try reader.commitNumbers(in: LogRange(text))
        }
        #expect(try numbers("1..3") == 2...3)
        #expect(try numbers("..3") == 1...3)
        #expect(try numbers("3") == 1...3)
        #expect(try numbers("2..") == 3...4)
        #expect(try numbers("..") == 1...4)
        #expect(try numbers("0..@") == 1...4)
        #expect(try numbers("@..") == nil)
        #expect(try numbers("3..3") == nil)
        #expect(try numbers("4..1") == nil)
    }

    @Test func `What does not exist is out of reach, with what there is`() async throws {
        let reader = try await makeLog([1, 2])
        for text in ["3", "@~3", "2~3", "0~1", "@{1969-12-31}~1", "9223372036854775807"] {
            let error = #expect(throws: DatabaseError.self) { try reader.commitNumber(at: LogPosition(text)) }
            #expect(error?.code == .commitOutOfReach, "\(text)")
        }
        #expect(try reader.commitNumber(at: LogPosition("@~2")) == 0)
    }

    @Test func `A tag is a position until it is deleted`() async throws {
        let reader = try await makeLog([1, 2, 3])
        let name = try #require(LogTag.Name("release"))
        #expect(try reader.tags().isEmpty)
        #expect(try reader.setTag(name, to: 2) == nil)
        #expect(try reader.setTag(#require(LogTag.Name("e\u{301}te")), to: 1) == nil)
        #expect(try reader.commitNumber(at: LogPosition("release")) == 2)
        #expect(try reader.commitNumber(at: LogPosition("release~2")) == 0)
        #expect(try reader.commitNumber(at: LogPosition("été~1".replacing("été", with: "\u{e9}te"))) == 0)
        #expect(try reader.setTag(name, to: 3) == 2)
        #expect(try reader.tags().map(\.number) == [3, 1])
        #expect(try reader.removeTag(name) == 3)
        #expect(try reader.removeTag(name) == nil)
        let error = #expect(throws: DatabaseError.self) { try reader.commitNumber(at: LogPosition("release")) }
        #expect(error?.code == .notFound)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder("log.yaprak")).contains("tags.lock") == false)
    }

    // Some letters are one character with the space behind them, and no call could read the tags any more.
    @Test func `What a tag may be called can be read from the file of tags, and in a range`() async throws {
        let reader = try await makeLog([1, 2, 3])
        for text in ["\u{d4e}", "a\u{111c2}", "\u{301}", "\u{11a84}", "v1.0", "é"] {
            let name = try #require(LogTag.Name(text))
            _ = try reader.setTag(name, to: 2)
            #expect(try reader.tags().map(\.name) == [name], "\(text)")
            #expect(try reader.commitNumber(at: LogPosition(text)) == 2)
            #expect(try reader.removeTag(name) == 2)
        }
        for text in ["v1.", ".v1", "a..b", "a."] { #expect(LogTag.Name(text) == nil) }
        let pieces = ["a", ".", "1", "é"]
        for number in 0..<256 {
            let text = (0..<4).map { pieces[number >> (2 * $0) & 3] }.joined()
            if LogTag.Name(text) == nil { continue }
            let position = try LogPosition(text)
            #expect(try LogRange("\(text)..@").after == position && LogRange("@..\(text)").through == position)
            for range in [LogRange(after: position), LogRange(through: position)] {
                #expect(try LogRange(range.description) == range, "\(text)")
            }
        }
    }

    @Test func `A tag that ends with a dot, as they could once, is read and deleted, and no new one is made`()
        async throws
    {
        let reader = try await makeLog([1, 2])
        let path = folder("log.yaprak")
        _ = try folder.write("v1. 2\nx 1\n", to: "log.yaprak/tags")
        #expect(try reader.tags().map(\.name.description) == ["v1.", "x"])
        #expect(try reader.commitNumber(at: LogPosition("x")) == 1)
        #expect(try reader.commitNumber(at: LogPosition("v1.")) == 2)
        #expect(try reader.commitNumber(at: LogPosition("v1.~1")) == 1)
        #expect(try LogRange("1..v1.").through == LogPosition("v1."))
        for words in [["v2."], ["v1.", "1", "--force"]] {
            #expect(await yaprak(["tag", path] + words).code == 64)
        }
        #expect(await yaprak("tag", path, "v1.", "--delete").code == 0)
        #expect(try reader.tags().map(\.name.description) == ["x"])
    }

    @Test(
        arguments: [
            "x", "x ", " 1", "x 1 2", "x -1", "x +1", "x 1.0", "x 99999999999999999999", "x 9223372036854775808", "1 1",
            "a..b 1", "a~ 1", "x 1\nx 2", "x 1\r\n", "\u{1b}[2J 1", "x\t1", "x 1\u{0}",
        ])
    func `A file of tags that is damaged is refused, and only tags need it`(content: String) async throws {
        let reader = try await makeLog([1, 2])
        _ = try folder.write(content, to: "log.yaprak/tags")
        for call in [
            { _ = try reader.tags() }, { _ = try reader.commitNumber(at: LogPosition("x")) },
            { _ = try reader.setTag(LogTag.Name("y")!, to: 1) },
        ] {
            let error = #expect(throws: DatabaseError.self) { try call() }
            #expect(error?.code == .corruptTags)
        }
        #expect(try reader.commitNumber(at: LogPosition("@")) == 2)
        #expect(try String(contentsOfFile: folder("log.yaprak/tags"), encoding: .utf8) == content)
    }

    @Test func `A hostile file of tags is refused before it is read`() async throws {
        let reader = try await makeLog([1])
        let tags = folder("log.yaprak/tags")
        try Data(repeating: 0x61, count: (1 << 20) + 1).write(to: URL(fileURLWithPath: tags))
        #expect(throws: DatabaseError.self) { try reader.tags() }
        try Data([0xff, 0x20, 0x31]).write(to: URL(fileURLWithPath: tags))
        #expect(throws: DatabaseError.self) { try reader.tags() }
        try FileManager.default.removeItem(atPath: tags)
        try FileManager.default.createSymbolicLink(atPath: tags, withDestinationPath: "/dev/zero")
        #expect(throws: DatabaseError.self) { try reader.tags() }
        try FileManager.default.removeItem(atPath: tags)
        #expect(mkfifo(tags, 0o600) == 0)
        #expect(throws: DatabaseError.self) { try reader.tags() }
    }

    @Test func `Two who write tags don't lose each other's`() async throws {
        let reader = try await makeLog([1])
        _ = try folder.write("", to: "log.yaprak/tags.lock")
        let error = #expect(throws: DatabaseError.self) { try reader.setTag(LogTag.Name("x")!, to: 1) }
        #expect(error?.code == .alreadyOpen)
        #expect(try reader.tags().isEmpty)
        try FileManager.default.removeItem(atPath: folder("log.yaprak/tags.lock"))
        _ = try reader.setTag(LogTag.Name("x")!, to: 1)
        #expect(try reader.tags().count == 1)
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

extension RecordCollection where Object == [String: String], Metadata == NoMetadata {
    fileprivate static var tables: Self { Self("tables") }
}

/// Stored data must not be able to speak to the terminal of who looks at it.
@Suite(.bounded) struct EscapingTests {
    static let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\u{8}"

    @Test(arguments: ["table", "json", "ndjson", "csv", "markdown"])
    func `Control characters of keys, values, names and origins are escaped`(format: String) async throws {
        let folder = try Folder()
        let path = folder("evil.yaprak")
        let evil = Self.evil
        let database = try await Database.open(at: .init(path), collections: .shopBooks)
        try await database.write(origin: evil) { transaction in
            transaction[.shopBooks][evil] = ShopBook(title: evil, rank: 1)
            transaction.setInfo(evil)
        }
        try await database.close()
        for verb in [
            ["log", path], ["log", path, "--oneline"], ["get", path, "books", evil], ["stats", path],
            ["get", path, evil, evil],
        ] {
            // CSV in a pipe is for programs: a line break in a text is a line break there.
            for isTerminal in format == "csv" ? [true] : [true, false] {
                let outcome = await yaprak(verb + ["--format", format], onTerminal: isTerminal)
                for scalar in (outcome.out + outcome.err).unicodeScalars where scalar != "\n" {
                    if format == "csv", scalar == "\r" { continue }
                    #expect(!Self.canSteer(scalar), "\(verb) prints U+\(String(scalar.value, radix: 16))")
                }
            }
        }
    }

    @Test(arguments: ["table", "json", "ndjson", "csv", "markdown"])
    func `Control characters of the names of fields are escaped`(format: String) async throws {
        let folder = try Folder()
        // Without a bracket, a dot or a dollar sign, for which a name is quoted.
        let evil = "\u{1b}]52;c;cm0K\u{7}\u{9b}31m\u{202e}|"
        let database = try await Database.open(at: .init(folder("names.yaprak")), collections: .tables)
        try await database.write { $0[.tables]["k"] = ["id": "k", evil: "1"] }
        try await database.close()
        for verb in ["ls", "export"] {
            let outcome = await yaprak([verb, folder("names.yaprak"), "tables", "--format", format], onTerminal: true)
            for scalar in (outcome.out + outcome.err).unicodeScalars where scalar != "\n" {
                if format == "csv", scalar == "\r" { continue }
                #expect(!Self.canSteer(scalar), "\(verb) prints U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    // Shells print what they are offered as it is. Only the controls of ASCII were left out, and not U+009B or U+202E.
    @Test(arguments: ["bash", "zsh", "fish"], ["\u{9b}31m", "\u{202e}abc", "\u{2066}abc"])
    func `A shell is offered no name that could control its terminal`(shell: String, evil: String) async throws {
        let folder = try Folder()
        let path = folder("evil.yaprak"), named = RecordCollection<[String: String], NoMetadata>("evil" + evil)
        let database = try await Database.open(at: .init(path), collections: .tables, named)
        try await database.write { transaction in
            for key in ["plain", "evil" + evil] { transaction[.tables][key] = [:] }
            transaction[named]["k"] = [:]
        }
        try await database.close()
        for (words, offered) in [(["ls", path], "tables"), (["get", path, "tables"], "plain")] {
            let process = Process.inRepository(), out = Pipe()
            process.executableURL = BuiltProgram.url("yaprak")
            process.arguments =
                ["---completion", words[0], "--", "positional@\(words.count - 1)", "\(words.count + 1)", "0", "yaprak"]
                + words + [""]
            process.environment = ProcessInfo.processInfo.environment.merging(["SAP_SHELL": shell]) { $1 }
            process.standardOutput = out
            try process.run()
            let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            // The script of zsh gets a line of a space behind them.
            let lines: [String] = text.split(separator: "\n").map(String.init).filter { (line: String) in line != " " }
            #expect(lines == [offered], "\(words)")
        }
    }

    @Test func `A column of CSV that is nested too deep is refused`() async throws {
        let folder = try Folder()
        let head = "id," + Array(repeating: "a", count: 40_000).joined(separator: ".")
        try "\(head)\n1,2\n".write(toFile: folder("deep.csv"), atomically: false, encoding: .utf8)
        let outcome = await yaprak(
            "load", folder("deep.csv"), folder("deep.yaprak"), "--collection", "c", "--key", "id")
        #expect(outcome.code == 64 && outcome.err.contains("nested too deep"), "\(outcome.err)")
    }

    // Every other message had it escaped.
    @Test func `The name of a file with bad lines is escaped`() async throws {
        let folder = try Folder()
        let file = try folder.write("{\"id\":\"a\"}\nno json\n", to: "in\u{1b}[2J\u{9b}31m\u{7}\n.ndjson")
        let outcome = await yaprak("load", file, folder("db.yaprak"), "--collection", "c", "--key", "id", "--skip-bad")
        #expect(outcome.code == 0 && outcome.err.contains("in\\u001b[2J"), "\(outcome)")
        for scalar in (outcome.out + outcome.err).unicodeScalars where scalar != "\n" {
            #expect(!Self.canSteer(scalar), "U+\(String(scalar.value, radix: 16))")
        }
        // Nor does the name make a line that looks like the tool's.
        #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome.err)")
    }

    private static func canSteer(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar == "\u{202e}"
    }

    @Test func `A mark behind a sign that is escaped changes nothing`() {
        #expect(Array("a\"\u{301}b".escaping(["\"": "\"\""]).utf8) == Array("a\"\"\u{301}b".utf8))
        #expect(
            "<\u{301}|".escaping(["<": "&lt;", "|": "\\|"]).unicodeScalars.elementsEqual(
                "&lt;\u{301}\\|".unicodeScalars))
    }

    @Test func `Harmless text stays as it is`() {
        for text in ["", "London", "Nūrābād", "北京", "شهرک", "👩‍👩‍👧 x", "\u{301}abc", "🏽", "abc\u{600}"] {
            // Byte for byte: marks at an end join what stands there.
            #expect(Array(text.plain.utf8) == Array(text.utf8))
        }
        #expect("a\u{1b}b".plain == "a\\u001bb")
    }

    @Test func `Columns count what a terminal shows`() {
        #expect("London".columns == 6)
        #expect("北京".columns == 4)
        #expect("e\u{301}".columns == 1)
        for wide in ["✅", "⭐", "❌", "🇹🇷", "🟢", "🫠", "🀄", "❤️"] { #expect(wide.columns == 2, "\(wide)") }
        for narrow in ["✔", "→", "é", "█"] { #expect(narrow.columns == 1, "\(narrow)") }
        #expect("abcdef".cut(to: 4) == "abc…")
        #expect("北京北京".cut(to: 5) == "北京…")
        #expect("7".padded(to: 3, leading: true) == "  7")
        #expect(18_112_512.bytesText == "18.1 MB")
        #expect(999.bytesText == "999 B")
    }

    @Test func `Numbers are grouped, and what is counted is in the number it has`() {
        #expect(1_234_567.grouped == "1,234,567")
        #expect((-1000).grouped == "-1,000")
        #expect([0, 1, 2].map { $0.counted("file") } == ["0 files", "1 file", "2 files"])
        #expect(UInt64(2000).counted("entry", "entries") == "2,000 entries" && 1.word("is", "are") == "is")
        let one: ClosedRange<CommitNumber> = 6...6, several: ClosedRange<UInt64> = 6...1234
        #expect(one.commitsText() == "commit 6" && several.commitsText() == "commits 6 to 1234")
        #expect(several.commitsText(isGrouped: true) == "commits 6 to 1,234")
        #expect(one.commitsText("was", "were") == "commit 6 was")
        #expect(several.commitsSentence("was", "were") == "Commits 6 to 1234 were")
    }
}

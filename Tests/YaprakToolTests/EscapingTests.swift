import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

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

    private static func canSteer(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar == "\u{202e}"
    }

    @Test func `Harmless text stays as it is`() {
        for text in ["", "London", "Nūrābād", "北京", "شهرک", "👩‍👩‍👧 x"] { #expect(text.plain == text) }
        #expect("a\u{1b}b".plain == "a\\u001bb")
    }

    @Test func `Columns count what a terminal shows`() {
        #expect("London".columns == 6)
        #expect("北京".columns == 4)
        #expect("e\u{301}".columns == 1)
        #expect("abcdef".cut(to: 4) == "abc…")
        #expect("北京北京".cut(to: 5) == "北京…")
        #expect("7".padded(to: 3, leading: true) == "  7")
        #expect(1_234_567.grouped == "1,234,567")
        #expect((-1000).grouped == "-1,000")
        #expect(18_112_512.bytesText == "18.1 MB")
        #expect(999.bytesText == "999 B")
    }
}

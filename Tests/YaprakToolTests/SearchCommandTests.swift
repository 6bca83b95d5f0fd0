import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakTool

/// `yaprak search` over records of any form.
@Suite(.bounded) struct SearchCommandTests {
    struct Anything: Codable, Sendable {
        var value: CBORValue
        init(_ value: CBORValue) { self.value = value }
        init(from decoder: any Decoder) throws { value = try CBORValue(from: decoder) }
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    @Test func `Records of any form are looked at, with many fields, nested, or no map at all`() async throws {
        let folder = try Folder()
        let path = folder("any.yaprak")
        let things = RecordCollection<Anything, NoMetadata>("things")
        let database = try await Database.open(at: FilePath(path), collections: things)
        var deep = CBORValue.text("needle")
        for _ in 0..<200 { deep = .array([deep]) }
        let (nested, wide) = (
            deep, CBORValue.map((0..<100).map { .init(.text("f\($0)"), .text($0 == 90 ? "needle" : "hay")) })
        )
        try await database.write { transaction in
            transaction[things]["deep"] = Anything(.map([.init("inside", nested)]))
            transaction[things]["wide"] = Anything(wide)
            transaction[things]["text"] = Anything(.text("a Needle, alone"))
            transaction[things]["number"] = Anything(.unsigned(7))
            transaction[things]["apart"] = Anything(.map([.init("a", .array([.text("one"), .text("two")]))]))
        }
        try await database.close()
        func keys(_ arguments: String...) async -> [String] {
            let outcome = await yaprak(["search", path] + arguments + ["--format", "ndjson"])
            return outcome.lines.compactMap { $0.firstMatch(of: #/"key":"(\w+)"/#).map { String($0.1) } }
        }
        #expect(await keys("needle") == ["deep", "text", "wide"])
        #expect(await keys("inside: needle") == ["deep"])
        #expect(await keys("needle", "--field", "f90") == ["wide"])
        #expect(await keys("needle", "-n", "1") == ["deep"])
        #expect(await keys("needle NOT hay") == ["deep", "text"])
        // A field has its own texts, wherever it stands in a record with many.
        #expect(await keys("f90: needle") == ["wide"])
        #expect(await keys("f90: needle f63: hay f99: hay") == ["wide"])
        #expect(await keys("f63: needle") == [])
        #expect(await keys("f90: hay") == [])
        #expect(await keys("needle NOT f99: hay") == ["deep", "text"])
        #expect(await keys("\"hay hay\"") == [])
        let found = await yaprak("search", path, "needle", "--format", "ndjson").lines
        #expect(found.contains(#"{"collection":"things","key":"wide","found":"f90: [needle]"}"#), "\(found)")
        func fields(_ range: Range<Int>) -> String { "{\(range.map { "f\($0)" }.joined(separator: " "))}: needle" }
        #expect(await keys(fields(28..<91)) == ["wide"])
        #expect(await yaprak("search", path, fields(28..<92)).code == 64)
        #expect(await yaprak("search", path, "absent").code == 1)
        #expect(await yaprak("search", path, "needle", "--collection", "none").code == 3)
        #expect(await yaprak("search", path, "AND").code == 64)
    }

    /// Records with many names took all the room, and the query was compiled again for each record behind them.
    @Test func `The query is compiled once for records of the same fields, whatever comes before them`() async throws {
        let folder = try Folder()
        let path = folder("names.yaprak")
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        let database = try await Database.open(at: FilePath(path), collections: things)
        @Sendable func object(_ prefix: String, _ count: Int) -> CBORValue {
            .map((0..<count).map { .init(.text("\(prefix)\($0)"), .text("hay")) })
        }
        try await database.write { transaction in
            for number in 0..<70 { transaction[things]["a\(number)"] = object("id\(number) ", 1_000) }
            for number in 0..<50 { transaction[things]["b\(number)"] = object("name", 10) }
            // More names than are kept of all together.
            for number in 0..<3 { transaction[things]["c\(number)"] = object("field", 64_001) }
            for number in 0..<50 { transaction[things]["d\(number)"] = object("name", 10) }
        }
        try await database.close()
        let scanner = RecordScanner(query: .word("needle"), field: nil)
        for record in try ReplayReader(FilePath(path)).snapshot().untyped("things") {
            #expect(scanner.snippet(of: record) == nil)
        }
        #expect(scanner.madeCount == 70 + 1 + 1)
    }

    /// All were forgotten for the first that was too many, again and again: none was known when it came back.
    @Test func `The query is seldom compiled where records have a few more sets of fields than are kept`()
        async throws
    {
        let folder = try Folder()
        let path = folder("sets.yaprak")
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        let database = try await Database.open(at: FilePath(path), collections: things)
        try await database.write { transaction in
            for round in 0..<3 {
                for number in 0..<1_100 {
                    // Keys in the order of their numbers.
                    let object = CBORValue.map([.init(.text("field\(number)"), .text("hay"))])
                    transaction[things]["\(round)/\(10_000 + number)"] = object
                }
            }
        }
        try await database.close()
        let scanner = RecordScanner(query: .word("needle"), field: nil)
        for record in try ReplayReader(FilePath(path)).snapshot().untyped("things") {
            #expect(scanner.snippet(of: record) == nil)
        }
        #expect(scanner.madeCount < 1_500, "\(scanner.madeCount) for 3,300 records")
    }
}

import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakReplay

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

    private func count() throws -> Int {
        try ReplayReader(.init(database)).snapshot().count(inCollectionNamed: "things")
    }

    @Test func `Lines become records, a batch per commit`() async throws {
        let lines = (1...25).map { "{\"id\":\($0),\"name\":\"thing \($0)\"}" }.joined(separator: "\n")
        let outcome = try await load(lines, "--batch", "10")
        #expect(outcome.code == 0)
        #expect(outcome.out == #"{"records":25,"inserted":25,"replaced":0,"bad":0,"commits":3,"newest":3}"# + "\n")
        #expect(await yaprak("get", database, "things", "17").out.contains(#""name":"thing 17""#))
        // Again: the same records, replaced.
        let again = try await load(lines)
        #expect(again.out == #"{"records":25,"inserted":0,"replaced":25,"bad":0,"commits":1,"newest":4}"# + "\n")
        #expect(try count() == 25)
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
        #expect(outcome.out.contains(#""records":2,"inserted":2,"replaced":0,"bad":5"#))
        #expect(outcome.err.split(separator: "\n").count == 5)
        #expect(outcome.err.contains("in.ndjson:3: the object has no field"))
        #expect(try count() == 2)
    }

    @Test func `The whole of the cities loads, compressed as it is`() async throws {
        let outcome = await yaprak(
            "load", fixture("cities"), database, "--collection", "things", "--key", "id", "--batch", "5000")
        #expect(
            outcome.out == #"{"records":34006,"inserted":34006,"replaced":0,"bad":0,"commits":7,"newest":7}"# + "\n")
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

    @Test func `The fixtures are what their README says`() throws {
        for (name, lineCount, byteCount) in [("cities", 34_006, 7_534_167), ("departures-2013-01", 85_497, 8_790_433)] {
            let lines = try LineReader(fixture(name))
            while try lines.next() != nil {}
            #expect(lines.number == lineCount)
            #expect(lines.lineBytes == byteCount)
        }
    }
}

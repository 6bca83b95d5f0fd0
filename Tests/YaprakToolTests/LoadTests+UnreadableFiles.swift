import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import YaprakTool

/// Files that can't be read on from some place: what is before it is loaded.
extension LoadTests {
    // The last whole item was lost, and the error named the one before it.
    @Test(arguments: [
        ("[{\"id\":1},{\"id\":2}", 2, "ends too early, behind item 2"),
        ("[{\"id\":1},{\"id\":2}\n", 2, "ends too early, behind item 2"),
        ("[{\"id\":1},{\"id\":2},", 2, "ends too early, behind item 2"),
        ("[{\"id\":1},{\"id\":2},{\"id\":3", 2, "ends too early, behind item 2"),
        ("[{\"id\":1},{\"id\":2},4", 2, "ends too early, behind item 2"),
        ("[{\"id\":1},{\"id\":2}}", 2, "a comma is missing behind item 2"),
        ("[{\"id\":1},]", 1, "item 2 is missing behind a comma"),
        ("[{\"id\":1}] x", 1, "something follows the array"), ("[", 0, "ends too early, behind item 0"),
    ])
    func `Of an array that is cut or goes wrong every whole item before that is loaded`(
        text: String, count: Int, reason: String
    ) async throws {
        let file = try folder.write(text, to: "cut.json")
        let outcome = await yaprak("load", file, database, "--collection", "things", "--key", "id")
        #expect(outcome.code == 64 && outcome.err.contains(reason), "\(outcome.err)")
        #expect(try self.count() == count)
    }

    /// Parts of a file, and a read that fails behind them.
    private func failing(behind parts: [String]) -> ByteSource {
        var rest = parts[...]
        return ByteSource { buffer in
            guard let part = rest.popFirst() else { throw Errno.ioError }
            buffer.copyBytes(from: Array(part.utf8))
            return part.utf8.count
        }
    }

    // The records of the commit that was not yet full were lost.
    @Test(arguments: [
        ("ndjson", ["{\"id\":1}\n{\"id\"", ":2}\n{\"id\":3}"]), ("json", ["[{\"id\":1},{\"id\"", ":2}"]),
        ("json", ["[{\"id\":1},{\"id\":2}", ",{\"id\":3"]), ("csv", ["id\r1", "\r2\r"]), ("csv", ["id\n1\n2\n", "3"]),
    ])
    func `Whole records before a read that fails are loaded`(form: String, parts: [String]) async throws {
        let made = try await Database.open(at: FilePath(database), options: DatabaseOptions())
        let bytes = failing(behind: parts)
        // Looking for the form ends there, too.
        _ = try bytes.peek()
        let source = try RecordSource(
            bytes, try #require(RecordSource.Form(rawValue: form)), separator: UInt8(ascii: ","))
        var result = Loader.Result()
        do {
            _ = try await Loader(database: made, collection: "things", key: KeyRule(field: "id"))
                .run(source, into: &result)
            Issue.record("the read did not fail")
        } catch {
            #expect(error as? Errno == .ioError, "\(error)")
        }
        #expect(result.records == 2 && result.inserted == 2 && result.badCount == 0)
        #expect(made.snapshot.count(inCollectionNamed: "things") == 2)
        try await made.close()
    }

    // They were skipped without a word, and nothing said how much was loaded.
    @Test(arguments: [
        ("json", "[{\"id\":1},{\"x\":2},{\"id\":3},", 2, "item 3: the array ends too early"),
        ("csv", "id,n\n1,2\n,3\n3,4\n5,\"x\n", 3, "line 4: the quote of line 5 is not closed"),
    ])
    func `Bad rows that were skipped before a file can't be read on are named, and what was loaded is counted`(
        form: String, text: String, bad: Int, reason: String
    ) async throws {
        let file = try folder.write(text, to: "cut.\(form)")
        let outcome = await yaprak(
            "load", file, database, "--collection", "things", "--key", "id", "--skip-bad", "--batch", "1")
        #expect(outcome.code == 64, "\(outcome.err)")
        #expect(outcome.err.contains("cut.\(form):\(bad): the object has no field"), "\(outcome.err)")
        #expect(outcome.err.contains("cut.\(form) can't be read on behind \(reason)"), "\(outcome.err)")
        #expect(outcome.err.contains("2 records are in the database"), "\(outcome.err)")
        #expect(
            outcome.out == #"{"records":2,"inserted":2,"replaced":0,"unchanged":0,"bad":1,"commits":2,"newest":2}"#
                + "\n")
        #expect(try count() == 2)
    }

    // All blocks that were read at once with it were lost.
    @Test func `Of a damaged LZ4 frame the records of every block before the damage are loaded`() async throws {
        let file = folder("rot.ndjson.lz4")
        for blocks in 1...3 {
            let lines = (1...blocks * 4).map { "{\"id\":\($0)}\n" }
            let parts = (0..<blocks).map { lines[$0 * 4..<$0 * 4 + 4].joined() }
            // The last line goes on in the block that is damaged.
            let bytes = lz4(parts.dropLast() + [parts[blocks - 1] + "{\"id\""], damaged: true)
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            let outcome = await yaprak("load", file, database, "--collection", "things", "--key", "id")
            #expect(outcome.code == 64 && outcome.err.contains("the LZ4 frame is damaged: ERROR_"), "\(outcome.err)")
            #expect(outcome.err.contains("behind line \(blocks * 4)"), "\(outcome.err)")
            #expect(try count() == blocks * 4)
        }
    }
}

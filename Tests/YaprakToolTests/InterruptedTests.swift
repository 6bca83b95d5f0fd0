import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR

@testable import YaprakTool

/// Ctrl-C where it went unheard: in checks, counts and differences.
@Suite(.bounded) struct InterruptedTests {
    let folder: Folder
    let path: String

    init() async throws {
        folder = try Folder()
        path = folder("many.yaprak")
        let many = RecordCollection<Int, NoMetadata>("many")
        let database = try await Database.open(at: FilePath(path), collections: many)
        try await database.write { transaction in
            for number in 0..<600 { transaction[many]["\(number)"] = number }
        }
        try await database.close()
    }

    private func run(_ words: [String], isInterrupted: @escaping @Sendable () -> Bool) async -> Outcome {
        let console = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(
            [words[0], path] + words.dropFirst(), in: .init(console: console, isInterrupted: isInterrupted))
        return Outcome(out: console.out.text, err: console.err.text, code: code)
    }

    // In the shell the first Ctrl-C did nothing to these, and the second ended the shell.
    @Test(arguments: [
        ["verify"], ["verify", "--level", "0"], ["stats"], ["repair"], ["export-test", "1"], ["diff", "0", "1"],
        ["diff", "0", "1", "--stat"], ["diff", "0", "1", "--format", "table"],
    ])
    func `A subcommand that is interrupted says so, and gives no answer`(words: [String]) async {
        let outcome = await run(words) { true }
        #expect(outcome.code == 130 && outcome.err == "yaprak: interrupted (interrupted)\n", "\(outcome)")
        #expect(!outcome.out.contains("result"))
    }

    @Test func `A repair that is interrupted has written all or nothing`() async {
        let target = folder("repaired.yaprak")
        let early = await run(["repair", "--into", target]) { true }
        #expect(early.code == 130 && !FileManager.default.fileExists(atPath: target), "\(early)")
        let late = await run(["repair", "--into", target]) { FileManager.default.fileExists(atPath: target) }
        #expect(late.code == 130 && late.err.contains("was not verified"), "\(late)")
        #expect(await yaprak("verify", target).code == 0)
        #expect(await yaprak("ask", target, "count(many)").out.contains("600"))
    }
}

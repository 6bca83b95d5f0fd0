import Foundation
import TestSupport
import Testing
import ToolSupport

/// `export-test`: the files in the folder Exported are what it prints, and run with all the other tests.
///
/// `YAPRAK_UPDATE_PAGES=1 swift test --filter ExportTestTests` writes what is printed now.
@Suite(.bounded) struct ExportTestTests {
    private static let files = package.appendingPathComponent("Tests/YaprakToolTests/Exported")

    @Test(arguments: [["3"], ["8", "--touched-only"]])
    func `What is printed is a test that is compiled and run here`(arguments: [String]) async throws {
        let folder = try Folder()
        try await PageDatabases.provide(for: ["shop.yaprak"], in: folder)
        let outcome = await yaprak(["export-test", folder("shop.yaprak")] + arguments)
        #expect(outcome.code == 0, "\(outcome.err)")
        let file = Self.files.appendingPathComponent("Commit\(arguments[0])Tests.swift")
        if ProcessInfo.processInfo.environment["YAPRAK_UPDATE_PAGES"] == "1" {
            try Data(outcome.out.utf8).write(to: file)
        }
        #expect(outcome.out == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test func `Data that looks like the end of a literal, or like an escape, stays data`() async throws {
        let folder = try Folder()
        let lines = [
            ###"{"id":"\"\"\"#","x":"\\#(1 + 1) \"##"}"###, ###"{"id":"b","x":"\"\"\""}"###,
            ###"{"id":"c","x":"`##`\n"}"###,
        ]
        let file = try folder.write(lines.joined(separator: "\n"), to: "x.ndjson")
        let database = folder("x.yaprak")
        #expect(await yaprak("load", file, database, "--collection", "x", "--key", "id").code == 0)
        let outcome = await yaprak("export-test", database, "1")
        #expect(outcome.code == 0)
        #expect(outcome.out.contains("= ###\"\"\"\n"))
        #expect(outcome.out.components(separatedBy: "\"\"\"###").count == 2)
    }

    @Test func `A commit that is not there, and a file that is, are refused`() async throws {
        let folder = try Folder()
        try await makeShop(at: folder("shop.yaprak"))
        #expect(await yaprak("export-test", folder("shop.yaprak"), "0").code == 3)
        #expect(await yaprak("export-test", folder("shop.yaprak"), "4").code == 3)
        let path = folder("Commit2Tests.swift")
        #expect(await yaprak("export-test", folder("shop.yaprak"), "2", "--output", path).code == 0)
        #expect(await yaprak("export-test", folder("shop.yaprak"), "2", "--output", path).code == 5)
    }
}

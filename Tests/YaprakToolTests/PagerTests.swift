import Foundation
import SystemPackage
import TestSupport
import Testing

/// What a terminal shows where the pager is missing, or is closed before the end.
@Suite(.bounded) struct PagerTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    /// The tool on a terminal, with no pager named but those given.
    private func run(_ words: [String], _ environment: [String]) throws -> (text: String, code: PseudoTerminal.Ending) {
        let names = ["-u", "PAGER", "-u", "YAPRAK_PAGER"]
        let terminal = try PseudoTerminal(
            "/usr/bin/env", names + environment + [BuiltProgram.url("yaprak").path] + words, columns: 80, rows: 24)
        let code = terminal.end()
        return (terminal.text, code)
    }

    // The shell said "less: not found", nothing else was shown, and the exit code was 0.
    @Test func `Where there is no less, a terminal shows the data all the same`() throws {
        let (text, code) = try run(["log", shop, "--oneline"], ["PATH=" + folder("")])
        #expect(code == .exited(0) && !text.contains("not found"), "\(text)")
        #expect(text.contains("opening day") && text.split(separator: "\r\n").count == 4, "\(text)")
    }

    // It was 0: the two are equal, and nothing is damaged.
    @Test func `To a reader of the beginning alone an answer is not 0`() async throws {
        let lines = (1...5000).map { "{\"id\":\($0),\"text\":\"some words\"}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "many", "--key", "id", "--batch", "5000").code == 0)
        for (words, expected) in [(["diff", shop, "@^"], Int32(141)), (["ls", shop, "many"], 0)] {
            let process = Process.inRepository(), out = Pipe()
            process.executableURL = BuiltProgram.url("yaprak")
            process.arguments = words
            process.standardOutput = out
            try process.run()
            #expect(!out.fileHandleForReading.availableData.isEmpty)
            try out.fileHandleForReading.close()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == expected, "\(words)")
        }
        // What is read to the end has its own code.
        #expect(await yaprak("diff", shop, "@^").code == 1)
    }

    @Test func `An answer that is known by then is given to who reads nothing, too`() async throws {
        // Of each more than is held back before it is written.
        let long = "{\"id\":\"a\",\"text\":\"\(String(repeating: "some words ", count: 10_000))\"}"
        let lines = [long] + (1...2000).map { "{\"id\":\($0),\"text\":\"some words\"}" }
        let file = try folder.write(lines.joined(separator: "\n"), to: "long.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "long", "--key", "id").code == 0)
        for (words, expected) in [
            (["ask", shop, "count(long) == 2001"], Int32(0)), (["ask", shop, "count(long) == 1"], 1),
            (["ask", shop, "long['a']"], 0),
            (["search", shop, "words"], 0), (["search", shop, "nowhere"], 1),
            (["grep", shop, "words"], 0), (["grep", shop, "nowhere"], 1),
        ] {
            let process = Process.inRepository(), out = Pipe()
            process.executableURL = BuiltProgram.url("yaprak")
            process.arguments = words
            process.standardOutput = out
            process.standardError = FileHandle.nullDevice
            try out.fileHandleForReading.close()
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == expected, "\(words)")
        }
    }

    @Test(arguments: [["log"], ["diff", "1", "3"], ["verify"]])
    func `A pager that can't be run is said, and is no success`(words: [String]) throws {
        let (text, code) = try run([words[0], shop] + words.dropFirst(), ["YAPRAK_PAGER=no-such-pager"])
        #expect(code == .exited(6), "\(text)")
        #expect(text.contains("--no-pager prints directly") && text.contains("(pagerFailed)"), "\(text)")
    }

    // "Nothing was shown" was all, and the second try was 5: the directory was there.
    @Test func `A pager that can't be run hides no repair that was made`() async throws {
        let target = folder("new.yaprak")
        let (text, code) = try run(["repair", shop, "--into", target], ["YAPRAK_PAGER=no-such-pager"])
        #expect(code == .exited(6) && text.contains("(pagerFailed)"), "\(text)")
        #expect(text.contains("what was written to \(target) verifies"), "\(text)")
        #expect(await yaprak("verify", target).code == 0)
    }
}

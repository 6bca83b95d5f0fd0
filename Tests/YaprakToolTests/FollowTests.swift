import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakReplay

@testable import YaprakTool

/// Another process writes as fast as it can, and the tool looks on.
@Suite(.bounded) struct FollowTests {
    let folder: Folder
    let path: String

    init() throws {
        folder = try Folder()
        path = folder("live.yaprak")
    }

    @Test func `Following a process at full speed misses no commit`() async throws {
        let writer = try LiveWriter(path)
        defer { writer.stop() }
        let outcome = await yaprak("log", path, "..", "--follow", "--format", "ndjson", "-n", "1500")
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(try numbers(of: outcome) == Array(1...1500))
        let patched = await yaprak("log", path, "1400..", "--follow", "--patch", "--format", "ndjson", "-n", "300")
        #expect(try numbers(of: patched) == Array(1401...1700))
    }

    @Test func `Who comes back with a cursor gets every commit once`() async throws {
        let writer = try LiveWriter(path)
        defer { writer.stop() }
        var random = SplitMix64(seed: 7)
        var seen: [Int] = [], cursor: String?
        for _ in 0..<12 {
            let arguments = ["tail", path, "-n", "\(1 + random.below(150))"] + (cursor.map { ["--from", $0] } ?? [])
            let outcome = await yaprak(arguments + (random.chance(50) ? ["--follow"] : []))
            #expect(outcome.code == 0, "\(outcome.err)")
            seen += try numbers(of: outcome)
            if let last = outcome.lines.last { cursor = try savedCursor(of: last) }
        }
        #expect(seen == Array(1...seen.count))
        #expect(seen.count > 12)
        writer.stop()
        // The newest commits may have been promised to nobody. What is there is handed over, to the end.
        let rest = await yaprak("tail", path, "--from", try #require(cursor))
        seen += try numbers(of: rest)
        #expect(seen == Array(1...seen.count))
        let newest = try ReplayReader(FilePath(path)).newestCommitNumber()
        #expect(newest.rawValue == UInt64(seen.count))
    }

    @Test func `Ctrl-C ends following where it is whole, with 130`() async throws {
        try await makeShop(at: path)
        for arguments in [
            ["log", path, "..", "--follow", "--oneline"],
            ["log", path, "..", "--follow", "--format", "json", "--patch"],
            ["tail", path, "--follow"], ["log", path, "--follow"],
        ] {
            let asked = Atomic(0)
            let (out, err) = (TextSink(), TextSink())
            let code = await Invocation.run(
                arguments,
                in: .init(
                    console: Console(out: out, err: err),
                    isInterrupted: { asked.add(1, ordering: .relaxed).newValue > 5 }))
            #expect(code == 130, "\(arguments)")
            #expect(err.text.isEmpty)
            #expect(out.text.isEmpty || out.text.hasSuffix("\n"))
        }
    }

    @Test func `A real Ctrl-C ends a real process with 130, and what it printed is whole`() async throws {
        try await makeShop(at: path)
        let process = Process.inRepository()
        process.executableURL = BuiltProgram.url("yaprak")
        process.arguments = ["tail", path, "--follow"]
        let out = Pipe()
        process.standardOutput = out
        try process.run()
        var text = ""
        while text.split(separator: "\n").count < 3 {
            text += String(decoding: out.fileHandleForReading.availableData, as: UTF8.self)
        }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(text.hasSuffix("\n"))
        #expect(out.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }

    @Test func `A cursor of another history is refused, not misread`() async throws {
        try await makeShop(at: path)
        try await makeShop(at: folder("other.yaprak"))
        let last = try #require(await yaprak("tail", path).lines.last)
        let cursor = try savedCursor(of: last)
        #expect(await yaprak("tail", path, "--from", cursor).code == 0)
        #expect(await yaprak("tail", folder("other.yaprak"), "--from", cursor).code == 5)
        // A copy from before the last commit goes another way.
        let parts = cursor.split(separator: "-").map(String.init)
        #expect(await yaprak("tail", path, "--from", "\(parts[0])-2-\(parts[2])").code == 5)
        #expect(await yaprak("tail", path, "--from", "\(parts[0])-4-\(parts[2])").code == 3)
        #expect(await yaprak("tail", path, "--from", "\(parts[0])-0").lines.count == 3)
        for bad in [
            "\(parts[0])-0-\(parts[2])", "\(parts[0])-3", "\(parts[0])--\(parts[2])", "-3-", parts[0], cursor + "0",
        ] {
            #expect(throws: DatabaseError.self) { try LogCursor(text: bad) }
        }
    }

    // It was the name of a tag, and exit code 3, on which a consumer starts from the beginning.
    @Test(arguments: ["--after", "--from"])
    func `A cursor that was cut off is no position`(option: String) async throws {
        try await makeShop(at: path)
        let cursor = try savedCursor(of: try #require(await yaprak("tail", path).lines.last))
        let parts = cursor.split(separator: "-").map(String.init)
        for bad in [
            "\(parts[0])-\(parts[1])", "\(parts[0])-", String(cursor.dropLast()), "\(parts[0].uppercased())-3-x",
            cursor + "0",
        ] {
            let outcome = await yaprak("tail", path, option, bad)
            #expect(outcome.code == 64 && outcome.err.contains("is not a cursor"), "\(bad): \(outcome)")
        }
        #expect(await yaprak("tail", path, option, String(cursor.prefix(8)) + "-tag").code == 3)
    }

    private func numbers(of outcome: Outcome) throws -> [Int] {
        try outcome.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["commit"] as? Int)
        }
    }

    private func savedCursor(of line: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["cursor"] as? String)
    }
}

/// A process that writes until it is stopped, and keeps every commit.
private final class LiveWriter {
    private let process = Process.inRepository()

    /// Returns when it has made its first commits.
    init(_ path: String) throws {
        process.executableURL = BuiltProgram.url("CrashWriter")
        process.arguments = [path, "keep"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        _ = pipe.fileHandleForReading.availableData
        // Somebody has to read what it says, or it waits for that.
        Thread.detachNewThread { while !pipe.fileHandleForReading.availableData.isEmpty {} }
    }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

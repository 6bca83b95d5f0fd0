import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakTool

/// Exit codes and errors are an interface for scripts.
@Suite(.bounded) struct ExitCodeTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    @Test func `What is not there is 3, said on standard error alone`() async {
        for arguments in [
            ["stats", folder("none")], ["get", shop, "books", "zzz"], ["get", shop, "authors", "abc"],
            ["get", shop, "books", "abc", "--at", "9"], ["log", shop, "9"], ["log", shop, "@~4"],
            ["log", shop, "no-such-tag"],
        ] {
            let outcome = await yaprak(arguments)
            #expect(outcome.code == 3, "\(arguments)")
            #expect(outcome.out.isEmpty)
            #expect(outcome.err.hasPrefix("yaprak: "))
        }
    }

    @Test func `Errors are JSON where JSON was asked for`() async throws {
        let outcome = await yaprak("get", shop, "books", "zzz", "--format", "json")
        let error = try JSONDecoder().decode([String: AnyValue].self, from: Data(outcome.err.utf8))
        #expect(Set(error.keys) == ["code", "message", "hint", "place", "exit"])
        #expect(outcome.err.contains(#""code":"notFound""#))
        #expect(outcome.err.contains(#""place":{"commits":[3,3],"collection":"books","key":"zzz"}"#))
        let usage = await yaprak("log", shop, "--format", "json", "-n", "x")
        #expect(usage.err.hasPrefix(#"{"code":"usage","message":"#))
        #expect(usage.code == 64)
    }

    @Test(arguments: [
        ["nonsense"], ["verify", "x", "--level", "7"], ["log", "x", "5...2"], ["log", "x", "@{soon}"], ["load", "x"],
        ["stats"],
    ])
    func `Wrong arguments are 64`(arguments: [String]) async {
        let outcome = await yaprak(arguments)
        #expect(outcome.code == 64)
        #expect(outcome.out.isEmpty)
        #expect(!outcome.err.isEmpty)
    }

    // They were said to be invalid, and nothing else.
    @Test(arguments: [
        (["fork", "x", "y", "--at", "@{soon}"], "\"soon\" is not a time"),
        (["get", "x", "c", "k", "--at", "@{soon}"], "\"soon\" is not a time"),
        (["compact", "x", "--keep", "checkpoints=1"], "two at least"),
        (["compact", "x", "--keep", "age=1y"], "age=30d"),
    ])
    func `A bad position and a bad rule have a reason`(arguments: [String], reason: String) async {
        let outcome = await yaprak(arguments)
        #expect(outcome.code == 64 && outcome.err.contains(reason), "\(outcome)")
    }

    @Test func `A healthy database is 0, a changed byte is 4 and named`() async throws {
        #expect(await yaprak("verify", shop).code == 0)
        #expect(await yaprak("verify", shop, "--level", "0").code == 0)
        let segment = try #require(FileManager.default.contentsOfDirectory(atPath: shop + "/wal").first)
        let url = URL(fileURLWithPath: shop + "/wal/" + segment)
        var bytes = try Data(contentsOf: url)
        bytes[4096 + 80] ^= 1
        try bytes.write(to: url)
        let outcome = await yaprak("verify", shop, "--format", "json")
        #expect(outcome.code == 4)
        #expect(outcome.out.contains(#""result":"corrupt""#))
        #expect(outcome.out.contains(segment))
        #expect(await yaprak("log", shop).code == 4)
    }

    // It was 3, as for a commit that retention removed.
    @Test func `A damaged backup is 4, and its checkpoint is named`() async throws {
        let copy = folder("copy.yaprak")
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        try await database.backup(to: FilePath(copy))
        try await database.close()
        let checkpoint = try #require(FileManager.default.contentsOfDirectory(atPath: copy + "/ckpt").first)
        let url = URL(fileURLWithPath: copy + "/ckpt/" + checkpoint)
        var bytes = try Data(contentsOf: url)
        bytes[4096 + 104] ^= 2
        try bytes.write(to: url)
        for arguments in [["get", copy, "books", "abc"], ["ls", copy], ["dump", copy]] {
            let outcome = await yaprak(arguments)
            #expect(outcome.code == 4, "\(arguments): \(outcome.err)")
            #expect(outcome.err.contains(checkpoint) && outcome.err.contains("corruptCheckpoint"), "\(outcome.err)")
        }
        #expect(await yaprak("get", copy, "books", "abc", "--at", "9").code == 3)
    }

    // It was 4, as for a damaged file, and a script would have restored a backup.
    @Test func `A limit is 6: nothing is damaged`() async throws {
        let tags = shop + "/tags"
        try Data(String(repeating: "a 1\n", count: 1 << 19).utf8).write(to: URL(fileURLWithPath: tags))
        let outcome = await yaprak("tag", shop, "--format", "json")
        #expect(outcome.code == 6 && outcome.err.contains(#""code":"overLimit""#), "\(outcome.err)")
        #expect(outcome.err.contains(#""exit":6}"#), "\(outcome.err)")
        let help = await yaprak("--help")
        #expect(help.out.replacing("\n", with: " ").contains("at a limit"), "\(help.out)")
    }

    @Test func `A database that another holds open is 6 to who would write`() async throws {
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        let file = try folder.write(#"{"id":"x"}"#, to: "one.ndjson")
        let outcome = await yaprak("load", file, shop, "--collection", "c", "--key", "id", "--format", "json")
        #expect(outcome.code == 6)
        #expect(outcome.err.contains(#""code":"alreadyOpen""#))
        try await database.close()
    }

    /// Each verb's words, and none for the tool itself.
    private static let verbs =
        [[]] + YaprakCommand.configuration.subcommands.map { [$0.configuration.commandName ?? "?"] }

    @Test func `Every verb has a page, and what every verb prints is on it`() throws {
        for verb in Self.verbs.dropFirst().map(\.[0]) {
            let page = try #require(Page.all(in: "Tool").first { $0.testDescription == "Tool-\(verb)" }, "\(verb)")
            let commands = Page.commands(in: try page.text())
            #expect(commands.contains { $0.words.count > 1 && $0.words[1] == verb }, "\(verb)")
        }
    }

    @Test(arguments: verbs)
    func `Help is 0, on standard output, and no line is too long`(verb: [String]) async {
        let outcome = await yaprak(verb + ["--help"])
        #expect(outcome.code == 0)
        #expect(outcome.err.isEmpty)
        #expect(outcome.lines.allSatisfy { $0.count <= 100 })
        #expect(outcome.out.contains("USAGE: yaprak"))
    }
}

/// Any JSON.
private struct AnyValue: Decodable {
    init(from decoder: any Decoder) throws {}
}

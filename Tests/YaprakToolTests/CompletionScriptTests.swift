import Foundation
import TestSupport
import Testing
import Yaprak

@testable import YaprakTool

/// The scripts of `yaprak completions`, in the shells they are for: Tab on a terminal.
@Suite(.bounded) struct CompletionScriptTests {
    /// A shell that reads the script, and how it is started without anyone's settings.
    enum Shell: String, CaseIterable, CustomTestStringConvertible {
        case bash, zsh, fish

        var testDescription: String { rawValue }

        var path: String? {
            ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + rawValue }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        var arguments: [String] {
            switch self {
            case .bash: ["--norc", "--noprofile", "-i"]
            case .zsh: ["-f", "-i"]
            case .fish: ["--no-config", "-i"]
            }
        }

        func setup(_ script: String) -> String {
            switch self {
            case .bash: "PS1='ready: '; source '\(script)'"
            case .zsh:
                "PS1='ready: '; bindkey -e; autoload -Uz compinit; compinit -u -D; source '\(script)'; "
                    + "compdef _yaprak yaprak"
            case .fish: "function fish_prompt; echo -n 'ready: '; end; source '\(script)'"
            }
        }
    }

    static let installed = Shell.allCases.filter { $0.path != nil }
    static let missing = Shell.allCases.filter { $0.path == nil }

    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
        // A name that a shell would run, if the script let it.
        let keys = ["$(touch hacked)", "new york", "`touch hacked`", "plain", "semi;colon"]
        let lines = keys.map { "{\"id\":\"\($0)\"}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "some.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "odd", "--key", "id").code == 0)
        let one = try folder.write("{\"id\":\"`touch hacked`\"}", to: "one.ndjson")
        #expect(await yaprak("load", one, shop, "--collection", "run", "--key", "id").code == 0)
        #expect(await yaprak("tag", shop, "opening", "1").code == 0)
        try await addView("byRank", to: shop)
    }

    /// A shell that has read the script, in the folder.
    private func start(_ shell: Shell) throws -> PseudoTerminal {
        let script = folder("script.\(shell)")
        let process = Process.inRepository(), out = Pipe()
        process.executableURL = BuiltProgram.url("yaprak")
        process.arguments = ["completions", shell.rawValue]
        process.standardOutput = out
        try process.run()
        try out.fileHandleForReading.readDataToEndOfFile().write(to: URL(fileURLWithPath: script))
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let tools = BuiltProgram.url("yaprak").deletingLastPathComponent().path
        // fish wants to be the terminal's own program.
        let setsid = "/usr/bin/setsid", path = try #require(shell.path)
        let words = FileManager.default.isExecutableFile(atPath: setsid) ? [setsid, "--ctty", "--wait", path] : [path]
        let terminal = try PseudoTerminal(
            words[0], words.dropFirst() + shell.arguments, columns: 400, rows: 50,
            environment: [
                "PATH": tools + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder(""), "INPUTRC": "/dev/null",
                "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": folder("data"), "XDG_CONFIG_HOME": folder("config"),
            ])
        terminal.type("cd '\(folder(""))'; " + shell.setup(script) + "; echo is''set\r")
        try terminal.wait(for: "isset")
        terminal.settle(milliseconds: 200)
        return terminal
    }

    /// The last word that the shell passes to a command when Tab was pressed at the end of a line.
    private func last(_ terminal: PseudoTerminal, _ line: String) throws -> String? {
        let start = terminal.text.count
        terminal.type(line + "\t")
        terminal.settle(milliseconds: 1500)
        // Another command in front shows how the shell reads the completed line.
        terminal.type("\u{1}printf '<%s>' \u{5}; echo d''one\r")
        try terminal.wait(for: "done", after: start)
        terminal.settle(milliseconds: 200)
        let printed = terminal.text.dropFirst(start).split(separator: "\n").last { $0.contains("<yaprak>") } ?? ""
        // zsh takes the sign behind a directory back.
        let word = printed.matches(of: /<([^<>]*)>/).map { String($0.1) }.last
        return word.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Lines, and the last word of each after Tab.
    private func expect(_ lines: [(String, String)], in shell: Shell) throws {
        let terminal = try start(shell)
        for (line, word) in lines { #expect(try last(terminal, line) == word, "\(line)") }
        terminal.type("exit\r")
        _ = terminal.end()
    }

    @Test(arguments: installed)
    func `Subcommands, help, options and paths are completed`(shell: Shell) throws {
        try expect(
            [
                ("yaprak bis", "bisect"), ("yaprak help bis", "bisect"), ("yaprak ls sho", "shop.yaprak"),
                ("yaprak load so", "some.ndjson"), ("yaprak export shop.yaprak books --eac", "--each-collection"),
                ("yaprak export shop.yaprak books --output so", "some.ndjson"),
            ], in: shell)
    }

    @Test(arguments: installed)
    func `Collections, keys, tags and views of the database are completed`(shell: Shell) throws {
        try expect(
            [
                ("yaprak ls shop.yaprak bo", "books"), ("yaprak get shop.yaprak books ab", "abc"),
                ("yaprak ls shop.yaprak books --at op", "opening"), ("yaprak view show shop.yaprak by", "byRank"),
            ], in: shell)
    }

    // bash ran a key in `…`: it took offers for names of files, and left what stood in them as it was.
    @Test(arguments: installed)
    func `A key that a shell would run stays a text`(shell: Shell) throws {
        try expect(
            [
                ("yaprak get shop.yaprak odd \\$", "$(touch hacked)"),
                ("yaprak get shop.yaprak odd \\`", "`touch hacked`"),
                ("yaprak get shop.yaprak odd ne", "new york"), ("yaprak get shop.yaprak odd se", "semi;colon"),
                ("yaprak get shop.yaprak odd 'ne", "new york"), ("yaprak get shop.yaprak run ", "`touch hacked`"),
            ], in: shell)
        #expect(!FileManager.default.fileExists(atPath: folder("hacked")))
    }

    @Test(.enabled(if: !missing.isEmpty), arguments: missing)
    func `A shell that is not installed is skipped`(shell: Shell) {
        withKnownIssue("there is no \(shell.rawValue) here: its script is untested") { Issue.record("not installed") }
    }
}

import ArgumentParser
import Foundation
import TestSupport
import Testing
import ToolSupport

@testable import YaprakTool

/// The pages of the tool say what it prints: every command in them is run.
///
/// `YAPRAK_UPDATE_PAGES=1 swift test --filter PageTests` writes what is printed now into the pages. Look at the difference
/// before you believe it.
@Suite(.bounded, .serialized) struct PageTests {
    private static let updates = ProcessInfo.processInfo.environment["YAPRAK_UPDATE_PAGES"] == "1"

    @Test(arguments: Page.all(in: "Tool") + Page.all(in: "Tutorials"))
    func `A page shows what the tool prints`(page: Page) async throws { try await check(page, width: 100) }

    @Test(arguments: [40, 80, 140]) func `Each subcommand prints what it should on narrow and wide terminals`(
        width: Int
    ) async throws {
        let page = Page(url: package.appendingPathComponent("Tests/Golden/Tool-\(width).md"))
        let shown = Set(Page.commands(in: try page.text()).compactMap { $0.words.dropFirst().first })
        let known = YaprakCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        #expect(Set(known).subtracting(shown) == Self.notInGolden)
        try await check(page, width: width)
    }

    /// What reads lines of its own has tests of its own.
    private static let notInGolden: Set<String> = ["inspect", "shell"]

    /// Whether this build has the subcommand, and what stood before it could be run.
    private static func isBuiltIn(_ words: [String]) -> Bool {
        #if SQLite
            true
        #else
            words.dropFirst().first != "import" && !words.contains("new.yaprak")
        #endif
    }

    private func check(_ page: Page, width: Int) async throws {
        let text = try page.text()
        let folder = try Folder()
        // Pages name databases as somebody would who stands in their folder. The suite is serialized for that.
        let before = FileManager.default.currentDirectoryPath
        #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
        defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
        var outputs: [[String]] = []
        for command in Page.commands(in: text) {
            #expect(command.words.first == "yaprak", "\(page.testDescription):\(command.line + 1)")
            guard Self.isBuiltIn(command.words) else {
                outputs.append(command.expected)
                continue
            }
            try await PageDatabases.provide(for: command.words, in: folder)
            let printed = await output(of: Array(command.words.dropFirst()), width: width)
            let isExpected = Page.matches(printed[...], command.expected[...])
            outputs.append(isExpected ? command.expected : printed)
            if !isExpected, !Self.updates {
                Issue.record(
                    """
                    \(page.testDescription).md, line \(command.line + 1): \(command.words.joined(separator: " "))
                    expected:
                    \(command.expected.joined(separator: "\n"))
                    printed:
                    \(printed.joined(separator: "\n"))
                    """)
            }
        }
        if Self.updates {
            try Data(Page.text(text, with: outputs).utf8).write(to: page.url)
        }
    }

    /// What a command prints on a terminal that has no colors, as lines.
    private func output(of arguments: [String], width: Int) async -> [String] {
        let console = Console(out: TextSink(), err: TextSink(), isTerminal: true, width: width)
        let code = await Invocation.run(arguments, in: .init(console: console, clock: { PageDatabases.now }))
        var lines = (console.out.text + console.err.text).replacing("\r\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines + (code == 0 ? [] : ["[\(code)]"])
    }

    @Test func `A page is read and written by its blocks`() {
        let text = """
            # Title
            $ not a command
            ```console
            $ yaprak log 'a b' "c\\"d" e\\ f ''
            old
            [3]
            $ yaprak two
            ```
            ```swift
            $ neither
            ```
            """
        let commands = Page.commands(in: text)
        #expect(commands.map(\.words) == [["yaprak", "log", "a b", "c\"d", "e f", ""], ["yaprak", "two"]])
        #expect(commands.map(\.expected) == [["old", "[3]"], []])
        let changed = Page.text(text, with: [["new"], ["one", "two"]])
        #expect(Page.commands(in: changed).map(\.expected) == [["new"], ["one", "two"]])
        #expect(changed.split(separator: "\n").count == text.split(separator: "\n").count + 1)
    }

    @Test(
        arguments: [
            ("a", "a", true), ("a", "b", false), ("abc", "a…c", true), ("abc", "…", true), ("ac", "a…c", true),
            ("abcd", "a…c", false), ("a\nb", "a\nb", true), ("a\nb", "a", false), ("a\nx\ny\nb", "a\n…\nb", true),
            ("a\nb", "a\n…\nb", true), ("a\nx", "a\n…\nb", false), ("a1b2c", "a…b…c", true), ("", "", true),
            ("x", "", false),
            ("aba", "ab…ba", false),
        ])
    func `Three dots stand for any text, a line of them for any lines`(printed: String, expected: String, fits: Bool) {
        let lines = { (text: String) in text.isEmpty ? [] : text.split(separator: "\n").map(String.init) }
        #expect(Page.matches(lines(printed)[...], lines(expected)[...]) == fits)
    }
}

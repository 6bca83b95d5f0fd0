import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakLocks

@testable import YaprakTool

/// `yaprak DATABASE`: subcommands, one a line.
@Suite(.bounded) struct ShellTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    /// A shell for a database; before each line something may happen.
    private func run(
        _ lines: String..., isInteractive: Bool = false, path: String? = nil,
        before: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> Outcome {
        let left = Mutex(lines[...])
        let console = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(
            [path ?? shop],
            in: .init(
                console: console,
                lines: { _ in
                    LineInput(isInteractive: isInteractive) { _ in
                        let line = left.withLock { $0.popFirst() }
                        if let line { before(line) }
                        return line
                    }
                }))
        return Outcome(out: console.out.text, err: console.err.text, code: code)
    }

    @Test func `Lines are subcommands of the database, and the last one's code is the shell's`() async {
        let outcome = await run(
            "ask 'count(books)'", "", "# nothing", "get books abc --at 1", "ls nothing", "log -1 --oneline # newest")
        #expect(outcome.lines.count == 3 && outcome.lines[0] == "{\"commit\":3,\"value\":1}")
        #expect(outcome.err.contains("there is no collection \"nothing\"") && outcome.code == 0)
        #expect(await run("ls nothing").code == 3)
        #expect(await run("ls nothing", "exit", "ls").out.isEmpty)
        #expect(await run("ask 'count(books", "lgo").err.contains("the quote ' is not closed"))
        #expect(await run("lgo").err.contains("Did you mean \"log\"?"))
        #expect(await run("help").out.contains("SUBCOMMANDS"))
    }

    @Test func `Every subcommand answers as it does alone`() async {
        for words in [
            ["log", "--patch"], ["log", "--patch", "--reverse"], ["show", "2"], ["ls", "books", "--at", "1"],
            ["diff", "1", "@"],
            ["diff", "3", "1"], ["get", "books", "abc", "--history"], ["ask", "sum(books, .rank)", "--every", "1"],
            ["bisect", "--where", "count(books) > 1"], ["blame", "books", "abc"], ["grep", "Dune"], ["dump"], ["stats"],
            ["tail", "--patch"], ["replay", "--speed", "max", "--patch"], ["export", "books"], ["verify"],
        ] {
            let alone = await yaprak([words[0], shop] + words.dropFirst())
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            // Each after another one that left the cursor elsewhere.
            let after = await run("ls --at 1 --format csv", quoted)
            let head = await run("ls --at 1 --format csv")
            #expect(after.out == head.out + alone.out && after.code == alone.code, "\(words): \(after.err)")
        }
    }

    // Nothing that went to a commit, or looked at records, asked whether it was interrupted: on a long log it went on for
    // minutes.
    @Test(arguments: [
        ("ask 'count(many)'", 100), ("ls many", 100), ("bisect --where 'count(many) > 299'", 100),
        ("ask 'count(many, .n >= 0)'", 450), ("ask 'count(many, .n >= 0)' --by .n", 450),
        ("ask 'count(many, .n >= 0)' --by .n", 750), ("verify", 2), ("verify --level 1", 2), ("stats", 2),
        ("repair", 2), ("export-test 300", 2), ("view ls", 2),
    ])
    func `What Ctrl-C ends on its way says so, and the next line goes on`(line: String, moment: Int) async throws {
        let many = RecordCollection<CBORValue, NoMetadata>("many")
        let path = folder("many.yaprak")
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        let database = try await Database.open(at: FilePath(path), options: options, collections: many)
        for n in 1...300 { try await database.write { $0[many]["\(n)"] = ["n": .unsigned(UInt64(n))] } }
        try await database.close()
        for lines in [[line], [line, "ask 'count(many)'"]] {
            let left = Mutex(lines[...])
            let asked = Atomic(0)
            let console = Console(out: TextSink(), err: TextSink())
            let code = await Invocation.run(
                [path],
                in: .init(
                    console: console,
                    isInterrupted: {
                        let count = asked.add(1, ordering: .relaxed).newValue
                        return count > moment && left.withLock { $0.count } == lines.count - 1
                    },
                    lines: { _ in LineInput(isInteractive: false) { _ in left.withLock { $0.popFirst() } } }))
            #expect(asked.load(ordering: .relaxed) > moment)
            #expect(console.err.text.contains("interrupted"))
            if lines.count == 1 {
                #expect(code == 130)
            } else {
                #expect(code == 0 && console.out.text.hasSuffix("{\"commit\":300,\"value\":300}\n"))
            }
        }
    }

    // The note about names goes to the last commit once more. Where that was interrupted, the log ended with 0.
    @Test func `A log in which nothing is found hears Ctrl-C also when it is printed`() async throws {
        let many = RecordCollection<Int, NoMetadata>("many")
        let path = folder("many.yaprak")
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        let database = try await Database.open(at: FilePath(path), options: options, collections: many)
        for n in 1...1500 { try await database.write { $0[many]["now"] = n } }
        try await database.close()
        // A cursor that went from the end to commit 700, and from there to the beginning, has to read on to get back.
        let left = Mutex(["ask 'count(many)'", "log ..700 --where 'exists(nix[$key])' --format json"][...])
        let console = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(
            [path],
            in: .init(
                console: console, isInterrupted: { console.out.text.hasSuffix("[]\n") },
                lines: { _ in LineInput(isInteractive: false) { _ in left.withLock { $0.popFirst() } } }))
        #expect(code == 130 && console.err.text.contains("interrupted"), "\(code): \(console.err.text)")
    }

    @Test func `What one line wrote the next one sees`() async throws {
        let file = try folder.write("{\"id\":\"x\"}", to: "x.ndjson")
        let outcome = await run(
            "ask 'count(books)'", "load \(file) --collection books --key id", "ask 'count(books)'", "undo",
            "ask 'count(books)'")
        let values = outcome.lines.filter { $0.contains("value") }
        #expect(
            values == ["{\"commit\":3,\"value\":1}", "{\"commit\":4,\"value\":2}", "{\"commit\":5,\"value\":1}"],
            "\(outcome.err)")
    }

    // It went on with the directory that it had opened, and wrote to the one at the path: it undid another commit than it showed.
    @Test(arguments: [false, true])
    func `A shell reads the directory to which its path leads now`(isLink: Bool) async throws {
        let shop = self.shop, moved = folder("moved.yaprak"), link = folder("current")
        let others = folder("others"), other = others + "/shop.yaprak"
        try FileManager.default.createDirectory(atPath: others, withIntermediateDirectories: false)
        for key in ["x", "y", "z"] {
            let file = try folder.write("{\"id\":\"\(key)\"}", to: "in.ndjson")
            #expect(await yaprak("load", file, other, "--collection", "books", "--key", "id").code == 0)
        }
        if isLink { try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path) }
        let outcome = await run(
            "ask 'count(books)'", "# move", "ask 'count(books)'", "verify", "undo", "ask 'count(books)'",
            path: isLink ? link + "/shop.yaprak" : shop
        ) { line in
            guard line == "# move" else { return }
            let files = FileManager.default
            if isLink {
                try? files.removeItem(atPath: link)
                try? files.createSymbolicLink(atPath: link, withDestinationPath: others)
            } else {
                try? files.moveItem(atPath: shop, toPath: moved)
                try? files.moveItem(atPath: other, toPath: shop)
            }
        }
        let values = outcome.lines.filter { $0.contains("value") }
        #expect(
            values == ["{\"commit\":3,\"value\":1}", "{\"commit\":3,\"value\":3}", "{\"commit\":4,\"value\":2}"],
            "\(outcome.err)")
        #expect(outcome.code == 0 && outcome.out.contains(#""result":"clean""#), "\(outcome)")
        #expect(outcome.err.contains("undoing commit 3 of"), "\(outcome.err)")
        // Once, not before each line from there on.
        #expect(outcome.err.components(separatedBy: "another directory is at").count == 2, "\(outcome.err)")
    }

    @Test func `Where nothing is at the path any more, each line that needs the database says so`() async throws {
        let shop = self.shop, moved = folder("moved.yaprak")
        let move: @Sendable (String) -> Void = { line in
            if line == "# away" { try? FileManager.default.moveItem(atPath: shop, toPath: moved) }
            if line == "# back" { try? FileManager.default.moveItem(atPath: moved, toPath: shop) }
        }
        let back = await run("# away", "ls", "ls --format json", "help", "# back", "ls", before: move)
        #expect(back.code == 0 && back.out.contains("SUBCOMMANDS"), "\(back)")
        #expect(back.out.hasSuffix("{\"collection\":\"books\",\"records\":1}\n"), "\(back.out)")
        #expect(back.err.contains("yaprak: There is nothing at \(shop)."), "\(back.err)")
        #expect(back.err.contains(#""code":"notFound""#) && !back.err.contains("another directory"), "\(back.err)")
        let away = await run("ls", "# away", "ls", before: move)
        #expect(away.code == 3 && away.lines.count == 1, "\(away)")
    }

    // The option was taken for the file, and the database for its value.
    @Test(arguments: [
        ("load a.csv --key id", "load a.csv DB --key id"), ("load --key id a.csv", "load --key id a.csv DB"),
        ("load --key=id --skip-bad a.csv", "load --key=id --skip-bad a.csv DB"),
        ("load --batch 5 - --key id", "load --batch 5 - DB --key id"), ("load -- -a.csv", "load -- -a.csv DB"),
        ("load", "load"), ("load --key id", "load --key id"), ("view", "view"), ("view ls", "view ls DB"),
        ("view show v --limit 1", "view show DB v --limit 1"), ("ls --keys books", "ls DB --keys books"),
        ("help ls", "help ls"), ("ls --help", "ls --help"), ("grep -F -- --help", "grep DB -F -- --help"),
    ])
    func `The database stands where the subcommand takes it`(line: String, arguments: String) throws {
        let made = ShellWords.arguments(try ShellWords.split(line), for: "DB")
        #expect(made.joined(separator: " ") == arguments)
    }

    /// A real shell in the folder, with lines from a pipe.
    private func pipe(_ lines: String, into arguments: [String]) throws -> (out: String, code: Int32) {
        let process = Process.inRepository(), input = Pipe(), out = Pipe()
        process.executableURL = BuiltProgram.url("yaprak")
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, out)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        try input.fileHandleForWriting.close()
        let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }

    // Its path was taken for an option, in each line.
    @Test func `A database whose name begins with a dash has a shell, too`() throws {
        try FileManager.default.moveItem(atPath: shop, toPath: folder("-d.yaprak"))
        let (out, code) = try pipe("ls\n", into: ["shell", "--", "-d.yaprak"])
        #expect(code == 0 && out == "{\"collection\":\"books\",\"records\":1}\n", "\(out)")
    }

    // It read the lines behind it, which then never ran.
    @Test func `A command that bisect runs does not read the lines of the shell`() throws {
        let (out, code) = try pipe("bisect --run 'cat >/dev/null; false'\nls\n", into: ["shop.yaprak"])
        #expect(code == 0 && out.contains("\"firstBad\":1,"))
        #expect(out.hasSuffix("{\"collection\":\"books\",\"records\":1}\n"), "\(out)")
    }

    @Test(
        arguments: [
            ("a 'b c' \"d\\\"e\" f\\ g '' #x", ["a", "b c", "d\"e", "f g", ""]), ("  ", []), ("a#b", ["a#b"]),
            ("\"a\\nb\"", ["a\\nb"]),
        ] as [(String, [String])])
    func `A line is split as a shell splits it`(line: String, words: [String]) throws {
        #expect(try ShellWords.split(line) == words)
    }

    // Each character copied the word so far: half a minute and more for the longest line.
    @Test(arguments: ["", "'", "\""])
    func `A line may be long, but not longer than a line may be`(quote: String) throws {
        let word = String(repeating: "x", count: LineInput.lineBytesMax - 2 * quote.utf8.count)
        #expect(try ShellWords.split(quote + word + quote) == [word])
        #expect(throws: ShellWords.TooLong.self) { try ShellWords.split(quote + word + quote + "x") }
    }

    // It kept the width that the terminal had when the shell began.
    @Test func `Tables have the width that the terminal has now`() async throws {
        let text = String(repeating: "word ", count: 20) + "end"
        let file = try folder.write("{\"id\":\"a\",\"text\":\"\(text)\"}", to: "long.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "long", "--key", "id").code == 0)
        let terminal = try PseudoTerminal("yaprak", [shop], columns: 60, rows: 24)
        try terminal.wait(for: "shop> ")
        terminal.type("ls long\n")
        try terminal.wait(for: "…\r\n")
        let seen = terminal.text.count
        terminal.resize(columns: 150, rows: 24)
        terminal.type("ls long\n")
        try terminal.wait(for: "word end", after: seen)
        terminal.type("\u{4}")
        #expect(terminal.end() == .exited(0))
    }

    @Test func `A person gets a prompt, and Ctrl-D ends`() throws {
        let terminal = try PseudoTerminal("yaprak", [shop], columns: 80, rows: 24)
        try terminal.wait(for: "shop> ")
        terminal.type("ask 'count(books)'\n")
        try terminal.wait(for: "\r\n1\r\n")
        terminal.type("\u{4}")
        #expect(terminal.end() == .exited(0))
        #expect(terminal.isAsBefore)
    }
}

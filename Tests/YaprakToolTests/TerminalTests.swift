import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import YaprakTool

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Real processes on real terminals and pipes: what is left of a terminal when they end, and when they end.
@Suite(.bounded) struct TerminalTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    private func step(columns: Int = 80) throws -> PseudoTerminal {
        try PseudoTerminal("yaprak", ["replay", shop, "--step"], columns: columns, rows: 24)
    }

    // SIGTERM left the alternate screen, a hidden cursor and keys without echo.
    @Test(arguments: [SIGTERM, SIGHUP]) func `A signal that ends the program gives the terminal back`(signal: Int32)
        throws
    {
        let terminal = try step()
        try terminal.wait(for: "commit 1 of 3")
        #expect(!terminal.isAsBefore)
        kill(terminal.process.processIdentifier, signal)
        #expect(terminal.end() == .killed(signal))
        #expect(terminal.text.hasSuffix("\u{1b}[?25h\u{1b}[?1049l"))
        #expect(terminal.isAsBefore)
    }

    // A CSV or NDJSON that was cut looks complete: it had the name that was asked for from the beginning.
    @Test(arguments: ["dump", "export"], [SIGINT, SIGKILL])
    func `A program that is ended while it writes a file leaves none of that name`(
        word: String, signal: Int32
    ) async throws {
        let path = folder("large.yaprak"), things = RecordCollection<[String: String], NoMetadata>("things")
        let database = try await Database.open(at: FilePath(path), collections: things)
        let text = String(repeating: "some words ", count: 200)
        try await database.write { transaction in
            for index in 0..<16_000 { transaction[things]["\(index)"] = ["t": text] }
        }
        try await database.close()
        let directory = folder("out"), process = Process.inRepository()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        process.executableURL = BuiltProgram.url("yaprak")
        let collection = word == "export" ? ["things"] : []
        process.arguments = [word, path] + collection + ["--output", directory + "/out.ndjson"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        var begun: [String] = []
        for _ in 0..<20_000 where begun.isEmpty && process.isRunning {
            begun = try FileManager.default.contentsOfDirectory(atPath: directory)
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(begun.count == 1 && begun[0].hasPrefix(".out.ndjson-"), "\(begun)")
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        let left = try FileManager.default.contentsOfDirectory(atPath: directory)
        if signal == SIGINT {
            #expect(process.terminationReason == .exit && process.terminationStatus == 130)
            #expect(left.isEmpty)
        } else {
            #expect(process.terminationReason == .uncaughtSignal && left == begun)
        }
    }

    #if os(Linux)
        @Test(arguments: [["log"], ["diff", "1", "3"]])
        func `An answer that can't be written is an error, whatever its exit code would be`(words: [String]) throws {
            let process = Process.inRepository(), err = Pipe()
            process.executableURL = BuiltProgram.url("yaprak")
            process.arguments = [words[0], shop] + words.dropFirst()
            process.standardOutput = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            process.standardError = err
            try process.run()
            let text = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 6 && text.contains("ioFailed"), "\(process.terminationStatus) \(text)")
        }
    #endif

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "0", "x"])
    func `A width of the terminal that is no width ends nothing`(columns: String) throws {
        let process = Process.inRepository(), out = Pipe()
        process.executableURL = BuiltProgram.url("yaprak")
        process.arguments = ["log", shop, "--format", "table"]
        process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": columns]) { $1 }
        process.standardOutput = out
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0 && !text.isEmpty)
    }

    // After Ctrl-Z and `fg` keys were echoed, and came with the return key only.
    @Test func `A program that was stopped and goes on has its keys again`() throws {
        let terminal = try step(), program = terminal.process.processIdentifier
        try terminal.wait(for: "commit 1 of 3")
        kill(program, SIGTSTP)
        let end = Date(timeIntervalSinceNow: 20)
        while !terminal.isAsBefore, Date() < end { terminal.settle(milliseconds: 20) }
        // It may not have stopped yet: the first of these signals would come too early.
        while terminal.isAsBefore, Date() < end {
            kill(program, SIGCONT)
            terminal.settle(milliseconds: 50)
        }
        #expect(!terminal.isAsBefore)
        terminal.type("n")
        try terminal.wait(for: "commit 2 of 3", seconds: 20)
        terminal.type("q")
        #expect(terminal.end() == .exited(0))
        #expect(terminal.isAsBefore)
    }

    // The last digit of F1 and F5 made them the keys home and page up.
    @Test func `A function key is no other key`() throws {
        let terminal = try step()
        try terminal.wait(for: "commit 1 of 3")
        terminal.type("\u{1b}[F")
        try terminal.wait(for: "commit 3 of 3")
        terminal.type("\u{1b}[11~\u{1b}[15~\u{1b}[D")
        try terminal.wait(for: "commit 2 of 3", seconds: 20)
        terminal.type("q")
        #expect(terminal.end() == .exited(0))
    }

    #if os(Linux)
        // What was opened next took the numbers of the closed ones, here descriptors of Dispatch. Output went there.
        @Test func `A program without standard files opens no others in their place`() throws {
            let process = Process.inRepository(), input = Pipe(), path = folder("closed.yaprak")
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", #"exec "$0" load - "$1" --collection c --key id >&- 2>&-"#, BuiltProgram.url("yaprak").path, path,
            ]
            process.standardInput = input
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data("{\"id\":1}\n".utf8))
            let end = Date(timeIntervalSinceNow: 60)
            while !FileManager.default.fileExists(atPath: path + "/LOCK"), Date() < end { usleep(10_000) }
            for number in 1...2 {
                let link = "/proc/\(process.processIdentifier)/fd/\(number)"
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
            }
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            // As before, what can't be written is an error.
            #expect(process.terminationReason == .exit && process.terminationStatus == 6)
        }
    #endif

    @Test func `Keys, a resize and q on a real terminal`() throws {
        let terminal = try step()
        try terminal.wait(for: "commit 1 of 3")
        terminal.type("\u{1b}[C")
        try terminal.wait(for: "commit 2 of 3")
        let seen = terminal.text.count
        terminal.resize(columns: 40, rows: 10)
        // The screen is drawn again without a key, and no line is longer than it.
        try terminal.wait(for: "commit 2 of 3", after: seen)
        #expect(terminal.text.dropFirst(seen).contains("\u{1b}[2J"))
        terminal.type("q")
        #expect(terminal.end() == .exited(0))
        #expect(terminal.isAsBefore)
    }

    @Test func `The live board ends with q, and leaves the terminal as it was`() throws {
        let terminal = try PseudoTerminal(
            "DeparturesBoard",
            [
                "--live", "--path", folder("live.yaprak"), "--data", fixture("departures-2013-01"), "--durability",
                "none",
            ],
            columns: 90, rows: 24)
        try terminal.wait(for: "q ends")
        terminal.type("q")
        #expect(terminal.end() == .exited(130))
        #expect(terminal.isAsBefore && terminal.text.contains("\u{1b}[?1049l"))
    }

    @Test func `A wrong name of the events is reported, and no database is left behind`() throws {
        let process = Process.inRepository(), err = Pipe()
        process.executableURL = BuiltProgram.url("DeparturesBoard")
        process.arguments = ["--path", folder("none.yaprak"), "--data", folder("absent.ndjson")]
        process.standardError = err
        try process.run()
        let text = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 3 && text.contains("absent.ndjson"))
        #expect(!FileManager.default.fileExists(atPath: folder("none.yaprak")))
    }

    // While the database was idle, `tail --follow | head -2` never ended.
    @Test(arguments: [
        ["tail", "--follow"], ["log", "..", "--follow", "--oneline"], ["replay", "--speed", "0.00001x"],
    ])
    func `Following ends when nobody reads any more`(words: [String]) throws {
        let process = Process.inRepository(), out = Pipe()
        process.executableURL = BuiltProgram.url("yaprak")
        process.arguments = [words[0], shop] + words.dropFirst()
        process.standardOutput = out
        try process.run()
        #expect(!out.fileHandleForReading.availableData.isEmpty)
        try out.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test(arguments: [40, 80, 140]) func `A bar of progress and records share no line of a terminal`(columns: Int)
        throws
    {
        let lines = (1...3000).map { "{\"id\":\($0)}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        let load = try PseudoTerminal(
            "yaprak", ["load", file, folder("many.yaprak"), "--collection", "c", "--key", "id", "--batch", "10"],
            columns: columns, rows: 24)
        #expect(load.end() == .exited(0))
        let dump = try PseudoTerminal(
            "yaprak", ["dump", folder("many.yaprak"), "--no-pager"], columns: columns, rows: 24)
        #expect(dump.end() == .exited(0))
        #expect(!dump.text.contains("\u{1b}") && dump.text.split(separator: "\r\n").count == 3001)
    }
}

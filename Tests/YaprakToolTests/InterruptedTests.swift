import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakLocks
import YaprakReplay

@testable import YaprakTool

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
        ["diff", "0", "1", "--stat"],
    ])
    func `A subcommand that is interrupted says so, and gives no answer`(words: [String]) async {
        let outcome = await run(words) { true }
        #expect(outcome.code == 130 && outcome.err == "yaprak: interrupted (interrupted)\n", "\(outcome)")
        #expect(!outcome.out.contains("result"))
    }

    /// A database of two commits, the second of which gives a view 600 rows.
    private func makeView() async throws -> String {
        let many = RecordCollection<Int, NoMetadata>("many"), view = ManualView("v", of: many)
        let path = folder("view.yaprak")
        let database = try await Database.open(at: FilePath(path), collections: many)
        try await database.register(view)
        try await database.write { transaction in
            transaction[many]["first"] = 0
            try transaction.append("first", to: "all", in: view)
        }
        try await database.write { transaction in
            for number in 0..<600 {
                transaction[many]["\(number)"] = number
                try transaction.append("\(number)", to: "all", in: view)
            }
        }
        try await database.close()
        return path
    }

    // None of them asked.
    @Test(arguments: [["ls"], ["ls", "--at", "2"], ["show", "v"], ["diff", "v", "1", "2"]])
    func `A subcommand of views is interrupted while it reads, and while it prints`(words: [String]) async throws {
        let path = try await makeView()
        let arguments: [String] = ["view", words[0], path] + words.dropFirst() + ["--format", "json"]
        let early = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(arguments, in: .init(console: early, isInterrupted: { true }))
        #expect(code == 130 && early.err.text.contains("interrupted") && early.out.text.isEmpty, "\(early.err.text)")
        let late = Console(out: TextSink(), err: TextSink())
        let end = await Invocation.run(
            arguments, in: .init(console: late, isInterrupted: { !late.out.text.isEmpty }))
        let printed = try JSONSerialization.jsonObject(with: Data(late.out.text.utf8)) as? [Any]
        let (expected, count) = words[0] == "ls" ? (Int32(0), 1) : (130, 256)
        #expect(end == expected && printed?.count == count, "\(late.err.text)\(late.out.text)")
    }

    // It was heard while the changes were collected, and no more while they were printed.
    @Test func `A table of differences is interrupted while it is printed`() async {
        // Two looks at 600 changes that are collected, the third at those that are printed.
        let outcome = await run(["diff", "0", "1", "--format", "table"], looks: 2)
        #expect(outcome.code == 130 && outcome.err == "yaprak: interrupted (interrupted)\n", "\(outcome.err)")
        #expect(outcome.lines.first == "many" && outcome.lines.count < 1000, "\(outcome.lines.count)")
    }

    // The bracket at the end was missing.
    @Test(arguments: [
        ["diff", "0", "1"], ["grep", "7"], ["search", "7"], ["ls", "many"], ["get", "many", "7", "--history"],
    ])
    func `JSON that is interrupted is JSON`(words: [String]) async throws {
        let outcome = await run(words + ["--format", "json"]) { true }
        #expect(outcome.code == 130, "\(outcome.err)")
        let printed = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [Any]
        #expect(printed != nil && (words[0] != "diff" || printed?.count == 255), "\(outcome.out)")
    }

    /// Runs a subcommand that is interrupted after so many looks.
    private func run(_ words: [String], looks most: Int) async -> Outcome {
        let looks = Mutex(0)
        return await run(words) {
            looks.withLock { looks in
                looks += 1
                return looks > most
            }
        }
    }

    // Where it was interrupted between two looks of the walk over records, the bracket at the end was missing.
    @Test(arguments: [
        ["export", "many"], ["export", "many", "--columns", "$key"], ["export", "many", "--where", ". >= 0"],
    ])
    func `An export in JSON is JSON or nothing, whenever it is interrupted`(words: [String]) async throws {
        // Where a condition is asked of each record, most moments are alike.
        let moments = Array(0..<12) + [255, 256, 257, 258, 512, 600, 601, 602, 603, 5000]
        var ended = 0
        for moment in moments {
            let outcome = await run(words + ["--format", "json"], looks: moment)
            if outcome.code == 0 { ended += 1 }
            #expect(outcome.code == 0 || outcome.code == 130, "\(moment): \(outcome.err)")
            guard !outcome.out.isEmpty else { continue }
            let printed = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [Any]
            #expect(printed != nil && (outcome.code == 130 || printed?.count == 600), "\(moment)")
        }
        #expect(ended > 0 && ended < moments.count)
    }

    // Nothing was printed of those before; then the last of them was missing, where Ctrl-C came behind it.
    @Test(arguments: [2, 255], [[], ["--collection", "few"]])
    func `Counts that are interrupted are of collections that were counted to their end`(
        size: Int, filter: [String]
    ) async throws {
        let few = RecordCollection<Int, NoMetadata>("few")
        let database = try await Database.open(at: FilePath(path), collections: few)
        try await database.write { transaction in
            for number in 0..<size { transaction[few]["\(number)"] = number }
        }
        try await database.close()
        // The first look is at the 256th change.
        let outcome = await run(["diff", "0", "2", "--stat", "--format", "json"] + filter) { true }
        #expect(outcome.code == 130 && outcome.err.contains("interrupted"), "\(outcome.err)")
        #expect(
            outcome.out == "[{\"collection\":\"few\",\"inserted\":\(size),\"changed\":0,\"removed\":0}]\n",
            "\(outcome.out)")
        // A table ends with a sum.
        let table = await run(["diff", "0", "2", "--stat", "--format", "table"] + filter) { true }
        #expect(table.code == 130 && table.out.isEmpty, "\(table)")
    }

    // Ctrl-C was heard while the order was found out, and no more after that.
    @Test(arguments: [
        (["ls", "many", "--keys", "--format", "ndjson"], 511),
        // The columns are found in a walk of their own, before anything is printed.
        (["export", "many", "--columns", "$key", "--format", "csv"], 0),
    ])
    func `Records in an order are interrupted while they are walked`(words: [String], linesMax: Int) async {
        // One look at each of 600 records for the order, then one for every 256 that are walked.
        let outcome = await run(words + ["--sort", "."], looks: 600 + 1)
        #expect(outcome.code == 130 && outcome.lines.count <= linesMax, "\(outcome.lines.count): \(outcome.err)")
    }

    // A condition that looks through a collection was asked of 256 records before Ctrl-C was heard, and one for the order, too.
    @Test(arguments: [
        ["ls", "many", "--keys", "--where", "count(many, . >= 0) > 0"],
        ["ls", "many", "--keys", "--sort", "count(many, . >= 0)"],
        ["export", "many", "--where", "count(many, . >= 0) > 0"],
    ])
    func `A condition that looks through a collection for each record is interrupted meanwhile`(words: [String]) async {
        let outcome = await run(words, looks: 1500)
        #expect(outcome.code == 130 && outcome.lines.count < 4, "\(outcome)")
    }

    // All changes of a commit were asked between two looks.
    @Test(arguments: [["log"], ["log", "--reverse"], ["revert", "1", "--dry-run"], ["revert", "1"]])
    func `A condition that looks through a collection for each change is interrupted meanwhile`(
        words: [String]
    ) async {
        let looks = Mutex(0)
        let outcome = await run(words + ["--where", "count(many, . >= 0) became 600"]) {
            looks.withLock { looks in
                looks += 1
                return looks > 1500
            }
        }
        #expect(outcome.code == 130 && outcome.out.isEmpty, "\(outcome)")
        #expect(looks.withLock { $0 } < 1600)
        #expect(await yaprak("ask", path, "count(many)").out.contains("600"))
    }

    // It was asked at commits only: of 20 GB with a few records that are wanted, not before the end.
    @Test func `A load is interrupted also where it commits nothing`() async throws {
        let database = try await Database.open(at: FilePath(folder("loaded.yaprak")), options: DatabaseOptions())
        let head = #"{"yaprak":"dump","version":1,"commit":1,"records":{"rare":1,"many":5000}}"#
        let lines =
            [#"{"collection":"rare","key":"1","object":1}"#]
            + (0..<5000).map { #"{"collection":"many","key":"\#($0)","object":1}"# }
        let dump = LineReader(try ByteSource(folder.write(lines.joined(separator: "\n"), to: "lines.ndjson")))
        var loader = DumpLoader(database: database, header: try ReplayDumpHeader(Array(head.utf8)[...]))
        loader.collection = "rare"
        loader.isInterrupted = { true }
        var loaded = DumpLoader.Result(), shown = 0
        try await loader.run(dump, "lines.ndjson", into: &loaded) { _ in shown += 1 }
        #expect(loaded.isInterrupted && dump.number == DumpLoader.linesUnasked && shown == 1)
        #expect(loaded.records == 1 && database.snapshot.count(inCollectionNamed: "rare") == 1)

        let source = try RecordSource(
            ByteSource(folder.write(lines.joined(separator: "\n"), to: "bad.ndjson")), .ndjson, separator: 0x2c)
        var skipping = Loader(database: database, collection: "c", key: KeyRule(field: "absent"))
        skipping.skipsBad = true
        skipping.isInterrupted = { true }
        var result = Loader.Result()
        #expect(try await skipping.run(source, into: &result) == nil)
        #expect(result.isInterrupted && result.badCount == DumpLoader.linesUnasked && result.records == 0)
        try await database.close()
    }

    #if os(Linux)
        // The first Ctrl-C was lost in the read, and the second took what was read with it.
        @Test func `Ctrl-C ends a load whose input stalls, and keeps what was read`() async throws {
            let target = folder("stalled.yaprak")
            let terminal = try PseudoTerminal(
                "yaprak", ["load", "-", target, "--collection", "c", "--key", "id"], columns: 80, rows: 24)
            terminal.type("{\"id\":1}\n")
            let program = terminal.process.processIdentifier, end = Date(timeIntervalSinceNow: 60)
            // It listens once it has the first line and the database.
            while !Self.catchesInterrupts(program), Date() < end { terminal.settle(milliseconds: 20) }
            kill(program, SIGINT)
            #expect(terminal.end() == .exited(130))
            #expect(terminal.text.contains("1 record is in the database"), "\(terminal.text)")
            #expect(await yaprak("ask", target, "count(c)").out.contains("\"value\":1"))
        }

        /// Whether a process has a handler for SIGINT, which is the second bit.
        private static func catchesInterrupts(_ process: Int32) -> Bool {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
            return caught.flatMap { UInt64($0, radix: 16) }.map { $0 & 2 != 0 } ?? false
        }
    #endif

    @Test func `A repair that is interrupted has written all or nothing`() async {
        let target = folder("repaired.yaprak")
        let early = await run(["repair", "--into", target]) { true }
        #expect(early.code == 130 && !FileManager.default.fileExists(atPath: target), "\(early)")
        let late = await run(["repair", "--into", target]) { FileManager.default.fileExists(atPath: target) }
        #expect(late.code == 130 && late.err.contains("was not verified"), "\(late)")
        #expect(await yaprak("verify", target).code == 0)
        #expect(await yaprak("ask", target, "count(many)").out.contains("600"))
    }

    private func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }

    // It went on to its end.
    @Test(arguments: [
        ["fork"], ["fork", "--at", "1"], ["compact", "--into"], ["compact", "--purge-history", "--into"],
    ])
    func `A new directory is made whole or not at all, whenever it is interrupted`(words: [String]) async throws {
        let before = try names()
        var isMade = false, moment = 0
        while !isMade, moment < 300 {
            let target = folder("made.yaprak")
            let arguments = words[0] == "fork" ? ["fork", target] + words.dropFirst() : words + [target]
            let outcome = await run(arguments, looks: moment)
            let isThere = FileManager.default.fileExists(atPath: target)
            isMade = outcome.code == 0
            #expect(isMade || outcome.code == 130 && outcome.err.contains("interrupted"), "\(moment): \(outcome)")
            #expect(isThere == (isMade || outcome.err.contains("was not compacted")), "\(moment): \(outcome)")
            if isThere {
                #expect(await yaprak("verify", target).code == 0, "\(moment)")
                #expect(await yaprak("ask", target, "count(many)").out.contains("600"), "\(moment)")
                try FileManager.default.removeItem(atPath: target)
            }
            #expect(try names() == before, "nothing else is left: \(moment)")
            moment += 1
        }
        #expect(isMade && moment > 3, "\(moment)")
    }

    @Test func `Work in place says after Ctrl-C that it goes on`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Interruption.listen()
            let isDone = try Invocation.unstoppable {
                raiseInterrupt()
                return true
            }
            guard isDone, Interruption.isRequested else { exit(1) }
            // What comes after it is silent.
            Interruption.forget()
            raiseInterrupt()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.ranges(of: "\(Invocation.goesOn)").count == 1, "\(text)")
    }

    // It said so until the first checkpoint of the result was verified, too, although it ended there at once.
    @Test func `A repair says after Ctrl-C that it goes on as long as it writes`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = try Folder(), path = folder("few.yaprak")
            let few = RecordCollection<Int, NoMetadata>("few")
            let database = try await Database.open(at: FilePath(path), collections: few)
            try await database.write { $0[few]["a"] = 1 }
            try await database.checkpoint()
            try await database.close()
            Interruption.listen()
            // Each look at Ctrl-C is one moment: while it plans, before it writes, and while it verifies.
            let code = await Invocation.run(
                ["repair", path, "--into", folder("repaired.yaprak")],
                in: .init(
                    console: Console(out: TextSink(), err: TextSink()),
                    isInterrupted: {
                        raiseInterrupt()
                        Interruption.forget()
                        return false
                    }))
            guard code == 0, FileManager.default.fileExists(atPath: folder("repaired.yaprak")) else { exit(1) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.ranges(of: "\(RepairCommand.writesOn)").count == 1, "\(text)")
    }

    // What changes a database in its place is not stopped half way.
    @Test(arguments: [["checkpoint"], ["compact", "--yes"], ["compact", "--purge-history", "--yes"]])
    func `Work on a database in place is not begun after Ctrl-C, and once begun it is done`(
        words: [String]
    ) async throws {
        let before = try names()
        let early = await run(words) { true }
        #expect(early.code == 130 && early.out.isEmpty, "\(early)")
        #expect(try names() == before)
        let late = await run(words, looks: 1)
        #expect(late.code == 0 && late.out.contains("\"commit\":1"), "\(late)")
        #expect(await yaprak("verify", path).code == 0)
        #expect(await yaprak("ask", path, "count(many)").out.contains("600"))
    }
}

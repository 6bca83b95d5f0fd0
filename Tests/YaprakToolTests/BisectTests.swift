import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakReplay

@testable import YaprakTool

/// `yaprak bisect`: what it finds, how often it looks, what commands get to see and what is left of it.
@Suite(.bounded) struct BisectTests {
    let folder: Folder
    let database: String

    init() throws {
        folder = try Folder()
        database = folder("db.yaprak")
    }

    /// Makes a counter that is one more with each commit, from 1 on, and a mark that is there from `mark` on.
    private func count(
        to last: Int, mark: Int, checkpointsEach: Int = 0, durability: Durability = .relaxed
    ) async throws {
        var options = DatabaseOptions()
        options.durability = durability
        options.retention = .all
        options.checkpoints = .manual
        let counter = RecordCollection<Int, NoMetadata>("counter")
        let database = try await Database.open(at: FilePath(database), options: options, collections: counter)
        for number in 1...last {
            try await database.write { transaction in
                transaction[counter]["now"] = number
                if number == mark { transaction[counter]["mark"] = number }
            }
            if checkpointsEach > 0, number % checkpointsEach == 0 { try await database.checkpoint() }
        }
        try await database.close()
    }

    private func probes(_ outcome: Outcome) -> Int { outcome.lines.count { $0.hasPrefix(#"{"probe":"#) } }

    @Test func `Every planted commit is found by any question in at most ⌈log₂ n⌉ + 1 probes`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let mark = 1 + random.below(200)
        try await count(to: 200, mark: mark, checkpointsEach: 60)
        for question in [
            ["--where", #"exists(counter["mark"])"#], ["--where", "counter['now'] >= \(mark)"],
            ["--key-exists", "counter", "mark"],
        ] {
            let outcome = await yaprak(["bisect", database] + question)
            #expect(outcome.code == 0, "seed \(seed): \(outcome.err)")
            #expect(
                outcome.lines.last?.hasPrefix(#"{"firstBad":\#(mark),"commit":{"commit":\#(mark),"#) == true,
                "seed \(seed)")
            #expect(probes(outcome) <= 9, "seed \(seed): ⌈log₂ 200⌉ + 1 is 9")
        }
        let good = max(0, mark - 3)
        let outcome = await yaprak(
            "bisect", database, "--good", "\(good)", "--bad", "\(min(200, good + 7))", "--key-exists", "counter", "mark"
        )
        #expect(outcome.lines.last?.hasPrefix(#"{"firstBad":\#(mark),"#) == true, "seed \(seed)")
        #expect(probes(outcome) <= 4)
    }

    @Test func `What is nowhere, everywhere or the wrong way round is 1 or 64, after one look at most`() async throws {
        try await count(to: 20, mark: 5)
        let never = await yaprak("bisect", database, "--where", "count(counter) > 2")
        #expect(never.code == 1 && probes(never) == 1 && never.err.contains("commit 20 is good"))
        let misspelt = await yaprak("bisect", database, "--where", "count(countre) > 2", "--format", "table")
        #expect(misspelt.code == 3 && misspelt.err.contains(#"no collection "countre" at commit 20"#))
        #expect(misspelt.err.contains(#"Did you mean "counter"?"#), "\(misspelt.err)")
        #expect(await yaprak("bisect", database, "--key-exists", "countre", "now").code == 3)
        let asJSON = await yaprak("bisect", database, "--where", "count(countre) > 2", "--format", "json")
        let printed = try JSONSerialization.jsonObject(with: Data(asJSON.out.utf8)) as? [Any]
        #expect(asJSON.code == 3 && printed?.count == 1, "what was printed ends as JSON does")
        // It found commit 2: a name that is nowhere is empty everywhere.
        let slip = await yaprak("bisect", database, "--good", "1", "--where", "count(countre) == 0")
        #expect(slip.code == 3 && probes(slip) == 1 && slip.err.contains(#"Did you mean "counter"?"#), "\(slip)")
        let always = await yaprak("bisect", database, "--where", "count(counter) < 9")
        #expect(always.code == 1 && probes(always) == 0 && always.err.contains("for the empty database"))
        #expect(await yaprak("bisect", database, "--good", "9", "--bad", "9", "--where", "true").code == 64)
        #expect(await yaprak("bisect", database, "--good", "21", "--where", "true").code == 3)
        #expect(await yaprak("bisect", database).code == 64)
        #expect(await yaprak("bisect", database, "--where", "true", "--run", "true").code == 64)
        let dashed = await yaprak("bisect", database, "--key-exists", "counter", "-a")
        #expect(dashed.code == 64 && dashed.err.contains(#"--where 'exists(collection["-key"])'"#), "\(dashed)")
        #expect(await yaprak("bisect", database, "--key-exists", "counter").code == 64)
    }

    @Test(arguments: [true, false])
    func `A collection that was emptied since the good end is no slip`(all: Bool) async throws {
        try await count(to: 20, mark: 5)
        let counter = RecordCollection<Int, NoMetadata>("counter")
        let opened = try await Database.open(at: FilePath(database), collections: counter)
        try await opened.write { if all { $0.removeAll() } else { $0[counter].removeAll() } }
        try await opened.close()
        // A removal of everything is no reason to take another name for one that was there.
        let slip = await yaprak("bisect", database, "--good", "1", "--where", "count(countre) == 0")
        #expect(slip.code == 3 && slip.err.contains(#"no collection "countre""#), "\(slip)")
        let outcome = await yaprak("bisect", database, "--good", "1", "--where", "count(counter) == 0")
        #expect(outcome.code == 0 && outcome.lines.last?.hasPrefix(#"{"firstBad":21,"#) == true, "\(outcome)")
    }

    // The empty database has no collection at all: what had moved to another collection was refused, with 3.
    @Test func `A collection that some commit has is no slip, even if neither end has it`() async throws {
        try await count(to: 20, mark: 5)
        let counter = RecordCollection<Int, NoMetadata>("counter"), brief = RecordCollection<Int, NoMetadata>("brief")
        var options = DatabaseOptions()
        options.retention = .all
        options.checkpoints = .manual
        let opened = try await Database.open(at: FilePath(database), options: options, collections: counter, brief)
        try await opened.write { transaction in
            transaction[counter].removeAll()
            transaction[brief]["moved"] = 20
        }
        try await opened.close()
        let moved = await yaprak("bisect", database, "--where", "count(brief) > 0 and count(counter) == 0")
        #expect(moved.code == 0 && moved.lines.last?.hasPrefix(#"{"firstBad":21,"#) == true, "\(moved)")
        let slip = await yaprak("bisect", database, "--where", "count(brief) > 0 and count(countre) == 0")
        #expect(slip.code == 3 && probes(slip) == 1 && slip.err.contains(#"no collection "countre""#), "\(slip)")

        let again = try await Database.open(at: FilePath(database), options: options, collections: counter, brief)
        try await again.write { transaction in
            transaction[brief].removeAll()
            transaction[counter]["now"] = 22
        }
        try await again.close()
        // It came after the good end, and went before the bad one.
        let later = await yaprak(
            "bisect", database, "--good", "1", "--where", "counter['now'] > 21 and count(brief) == 0")
        #expect(later.code == 0 && later.lines.last?.hasPrefix(#"{"firstBad":22,"#) == true, "\(later)")
    }

    // The bracket at the end was missing.
    @Test func `JSON of a search that is interrupted is JSON`() async throws {
        try await count(to: 20, mark: 5)
        var counts: Set<Int> = [], isFound = false, moment = 0
        while !isFound, moment < 500 {
            let looks = Atomic(0), most = moment
            let console = Console(out: TextSink(), err: TextSink())
            let code = await Invocation.run(
                ["bisect", database, "--key-exists", "counter", "mark", "--format", "json"],
                in: .init(
                    console: console, isInterrupted: { looks.add(1, ordering: .relaxed).newValue > most }))
            isFound = code == 0
            let printed = try JSONSerialization.jsonObject(with: Data(console.out.text.utf8)) as? [Any]
            #expect(printed != nil && (isFound || code == 130), "\(moment): \(console.out.text)")
            counts.insert(printed?.count ?? 0)
            moment += 1
        }
        #expect(isFound && counts.count > 3, "\(counts)")
    }

    // Nothing was said before the whole log was read.
    @Test func `A name that neither end has is mentioned before a long log is read to its end`() async throws {
        try await count(to: Int(BisectCommand.commitsUnmentioned) + 50, mark: 5)
        let question = ["bisect", database, "--good", "1", "--where", "count(countre) == 0"]
        let said = #"names a collection "countre", and there is none at commit 1050. Did you mean "counter"?"#
        let slip = await yaprak(question)
        #expect(slip.code == 3 && slip.err.contains(said) && probes(slip) == 1, "\(slip)")
        let console = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(
            question, in: .init(console: console, isInterrupted: { console.err.text.contains("countre") }))
        #expect(code == 130 && console.err.text.contains(said), "\(console.err.text)")
    }

    @Test func `A bad expression is shown with a mark below the place`() async throws {
        try await count(to: 1, mark: 1)
        let outcome = await yaprak("bisect", database, "--where", "count(counter) > \u{1b} 2")
        #expect(outcome.code == 64)
        #expect(
            outcome.err.hasSuffix(
                "(badExpression)\n    count(counter) > \\u001b 2\n                     ^\n"), "\(outcome.err)")
        let json = await yaprak("bisect", database, "--where", "nix(", "--format", "json")
        #expect(json.err.hasPrefix(#"{"code":"badExpression","#))
        #expect(json.lines.isEmpty)
    }

    @Test func `A pruned log is searched as far back as it reaches, and its end is no proof`() async throws {
        try await count(to: 40, mark: 3, checkpointsEach: 10)
        // What retention does: the log before a checkpoint goes.
        let names = try FileManager.default.contentsOfDirectory(atPath: database + "/wal").sorted()
        #expect(names.count > 2)
        for name in names.dropLast(2) { try FileManager.default.removeItem(atPath: database + "/wal/" + name) }
        let reader = try ReplayReader(FilePath(database))
        let floor = try reader.oldestReachableCommitNumber()
        #expect(floor > 3 && floor < 40)
        let outcome = await yaprak("bisect", database, "--key-exists", "counter", "mark")
        #expect(outcome.code == 0)
        #expect(outcome.lines.last?.hasPrefix(#"{"firstBad":\#(floor),"isOldestInReach":true"#) == true, "\(outcome)")
        #expect(outcome.err.contains("may have held earlier"))
        let later = await yaprak("bisect", database, "--where", "counter['now'] > \(floor)")
        #expect(later.lines.last?.hasPrefix(#"{"firstBad":\#(floor.rawValue + 1),"commit""#) == true)
    }

    /// Makes a counter of 70 commits, of which a repair lost the 25th: states begin again with the 40th.
    private func countWithHole() async throws -> ReplayRepair.Hole {
        // Each commit in a frame of its own.
        try await count(to: 70, mark: 1, checkpointsEach: 40, durability: .always)
        let source = folder("source"), reader = try ReplayReader(FilePath(database))
        var commits = reader.commits(from: 25, through: 25).makeAsyncIterator()
        let place = try #require(try await commits.next()).place
        try FileManager.default.moveItem(atPath: database, toPath: source)
        let file = URL(fileURLWithPath: source + "/" + (place.file ?? ""))
        var bytes = try Data(contentsOf: file)
        bytes[Int(place.offset ?? 0) + 9] ^= 2
        try bytes.write(to: file)
        let repair = try ReplayReader(FilePath(source)).repair()
        _ = try repair.perform(to: FilePath(database))
        try #require(repair.lastCommitNumber == 70)
        let hole = try #require(repair.holes.first)
        try #require(hole.loss.commits.lowerBound == 25 && hole.nextStateCommitNumber == 40)
        return hole
    }

    // Its state can't be reached, and that was an error, although nothing else needs it.
    @Test func `Commits behind a hole are played also where nothing of the collection is found`() async throws {
        _ = try await countWithHole()
        for words in [
            ["replay", database, "--speed", "max", "--from", "30", "--until", "30"], ["log", database, "29..30"],
        ] {
            let played = await yaprak(words + ["--collection", "counter"])
            #expect(played.code == 0 && !played.out.isEmpty, "\(played)")
            let outcome = await yaprak(words + ["--collection", "nix"])
            #expect(outcome.code == 0 && outcome.out.isEmpty && outcome.err.isEmpty, "\(outcome)")
        }
        let known = await yaprak(
            "replay", database, "--speed", "max", "--from", "41", "--until", "42", "--collection", "nix")
        #expect(known.code == 3, "\(known)")
    }

    // The first probe in a hole ended the search, with an error.
    @Test(arguments: [false, true])
    func `A hole that a repair left is skipped with what is behind it, and hides only what began there`(
        runsCommand: Bool
    ) async throws {
        let hole = try await countWithHole()
        let lost = hole.loss.commits.lowerBound.rawValue, next = hole.nextStateCommitNumber.rawValue
        for first in [2, lost - 1, lost, 30, next, next + 1, 66] {
            let question =
                runsCommand
                ? ["--run", "test \"$YAPRAK_COMMIT\" -lt \(first)"] : ["--where", "counter['now'] >= \(first)"]
            let outcome = await yaprak(["bisect", database] + question)
            if (lost...next).contains(first) {
                #expect(outcome.code == 1, "\(first): \(outcome)")
                #expect(outcome.err.contains("the first bad one is among \(lost) to \(next)"), "\(first): \(outcome)")
                #expect(outcome.err.contains("commits \(lost) to \(next - 1) are skipped: "), "\(first): \(outcome)")
            } else {
                #expect(outcome.code == 0, "\(first): \(outcome)")
                #expect(outcome.lines.last?.hasPrefix(#"{"firstBad":\#(first),"#) == true, "\(first): \(outcome)")
            }
            #expect(probes(outcome) <= 11, "\(first): \(outcome)")
        }
    }

    // MARK: Commands

    @Test func `A command gets a database of its own at each commit, and none is left behind`() async throws {
        try await count(to: 30, mark: 17)
        let log = folder("seen.txt"), scratch = folder("scratch")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        // Good below 17; commits 14 to 16 can't be judged.
        let command = """
            test -d "$YAPRAK_DATABASE/ckpt" || exit 99
            echo "$YAPRAK_COMMIT $(stat -c %a "$(dirname "$YAPRAK_DATABASE")" 2>/dev/null || echo 700)" >> '\(log)'
            touch "$YAPRAK_DATABASE/../rubbish"
            case "$YAPRAK_COMMIT" in 14|15) exit 125;; esac
            test "$YAPRAK_COMMIT" -lt 17 && exit 0
            exit 3
            """
        let outcome = await yaprak("bisect", database, "--run", command, "--scratch", scratch)
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(outcome.lines.last?.hasPrefix(#"{"firstBad":17,"#) == true, "\(outcome.out)")
        let seen = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(seen.count == probes(outcome))
        #expect(seen.allSatisfy { $0.hasSuffix(" 700") }, "the folder is nobody else's: \(seen)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
    }

    @Test func `The database that a command gets is the one of that commit, to read and to write`() async throws {
        try await count(to: 12, mark: 5)
        let tool = try #require(builtTool())
        let more = try folder.write("{\"id\":\"x\"}", to: "x.ndjson")
        let command = """
            '\(tool)' get "$YAPRAK_DATABASE" counter now | grep -q '"object":'"$YAPRAK_COMMIT"'}' || exit 128
            '\(tool)' load '\(more)' "$YAPRAK_DATABASE" --collection extra --key id >/dev/null || exit 129
            '\(tool)' get "$YAPRAK_DATABASE" counter mark >/dev/null && exit 1
            exit 0
            """
        let outcome = await yaprak("bisect", database, "--run", command)
        #expect(outcome.lines.last?.hasPrefix(#"{"firstBad":5,"#) == true, "\(outcome)")
        #expect(await yaprak("get", database, "extra", "x").code == 3)
    }

    @Test(arguments: [
        ("exit 125", 1, "only skipped commits are left"), ("exit 200", 64, "0 to 127 are answers"),
        ("kill -9 $$", 64, "signal 9"), ("no-such-command-here", 64, "can't run"), ("exit 0", 1, "is good"),
    ])
    func `What is no answer ends the search`(command: String, code: Int32, message: String) async throws {
        try await count(to: 5, mark: 2)
        let outcome = await yaprak("bisect", database, "--run", command)
        #expect(outcome.code == code)
        #expect(outcome.err.contains(message), "\(outcome.err)")
    }

    @Test func `Ctrl-C ends the command and the search with 130, and takes the databases away`() async throws {
        try await count(to: 5, mark: 2)
        let tool = try #require(builtTool())
        let scratch = folder("scratch"), started = folder("started")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        let process = Process.inRepository()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = [
            "bisect", database, "--run", "touch '\(started)'; exec sleep 60", "--scratch", scratch,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<3000 where !FileManager.default.fileExists(atPath: started) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).count == 1)
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
    }
}

/// The tool as it was built beside the tests.
func builtTool() -> String? {
    // The tests' own program lies beside it, in a bundle on Apple's systems.
    var folder = BuiltProgram.tests.resolvingSymlinksInPath()
    for _ in 0..<6 {
        folder.deleteLastPathComponent()
        let tool = folder.appendingPathComponent("yaprak").path
        if FileManager.default.isExecutableFile(atPath: tool) { return tool }
    }
    let tool = package.appendingPathComponent(".build/debug/yaprak").path
    return FileManager.default.isExecutableFile(atPath: tool) ? tool : nil
}

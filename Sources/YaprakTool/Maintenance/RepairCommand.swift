import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct RepairCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Recovers what can be read of a damaged database, into a new directory.",
        usage: "yaprak repair <database> [--into <directory>] [<options>]",
        discussion: """
            Without --into nothing is written: it prints what would be kept and what would be lost. With it the result is \
            written there, and verified. The damaged directory is never changed; it must not be in use.

            --truncate, the default, keeps the newest state that can be reached, and all readable history before it. \
            Commits that can't be read, and that a later checkpoint includes, leave a marked hole. --salvage also keeps \
            commits after the newest state that can be reached: empty commits replace those between that can't be read, \
            and verify reports that from then on. --copy takes missing parts from a copy. --rebuild-derived drops the \
            stored state of views.

              yaprak repair shop.yaprak --copy backup.yaprak --into repaired.yaprak

            Exit codes: 0 nothing is lost; 1 commits or history are lost; 3 not found; 5 the target exists; 6 in use or \
            unreadable; 7 written by a newer version; 4 or 8 the result does not verify.
            """)

    @Argument(help: "The damaged database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp("The directory to make; it must not exist.", valueName: "directory"), completion: .directory)
    var into: String?

    @Flag(help: "Keep the newest state that can be reached, and its history; the default.")
    var truncate = false

    @Flag(help: "Skip what can't be read.")
    var salvage = false

    @Option(
        name: .customLong("copy"), help: ArgumentHelp("A copy to take missing parts from.", valueName: "directory"),
        completion: .directory)
    var donor: String?

    // What it was called before; --from is a place in the log everywhere else.
    @Option(name: .customLong("from"), help: .hidden)
    var donorBefore: String?

    @Flag(help: "Drop the stored state of views, damaged or not.")
    var rebuildDerived = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if truncate, salvage { throw ValidationError("--truncate stops where --salvage continues: give one of them") }
    }

    func run() async throws {
        let console = Invocation.console
        var options = ReplayRepair.Options()
        options.salvages = salvage
        options.dropsDerived = rebuildDerived
        options.donor = (donor ?? donorBefore).map { FilePath($0) }
        let reader = try ReplayReader.open(database)
        if donor == nil, donorBefore == nil, try reader.isBlank() {
            guard into == nil else {
                throw Failure(
                    "notFound", "nothing was ever committed to \(database), so there is nothing to write", exitCode: 3)
            }
            return try PropertyWriter.write(
                [("would keep", "nothing: nothing was ever committed here, and nothing is damaged")],
                json: ["first": 0, "last": 0, "checkpoints": [], "losses": [], "holes": []],
                output.format(on: console), console)
        }
        let repair = try reader.repair(options, unless: Invocation.isInterrupted)
        var verification: ReplayVerification?
        if let into {
            var bar = ProgressBar(console, "verifying", unit: "commits")
            defer { bar.finish() }
            // What is written goes on to its end. The verification, which asks before it reads, does not.
            Interruption.explain(Self.writesOn)
            defer { Interruption.explain(nil) }
            let isInterrupted = Invocation.isInterrupted
            if isInterrupted() { throw CancellationError() }
            let isUnwanted: @Sendable () -> Bool = {
                Interruption.explain(nil)
                return isInterrupted()
            }
            do {
                verification = try repair.perform(to: FilePath(into), unless: isUnwanted) { progress in
                    bar.update(
                        done: Int(clamping: progress.done), of: Int(clamping: progress.total),
                        counted: progress.commitCount)
                }
            } catch is CancellationError {
                throw Failure(
                    "interrupted", "interrupted; what could be recovered is in \(into), and was not verified",
                    exitCode: 130, hint: "`yaprak verify` does it.")
            }
        }
        let paged = try paging.console()
        try PropertyWriter.write(
            lines(repair, verification), json: json(repair, verification), output.format(on: paged), paged)
        // What the result is, is said first: it is there, whether anybody was shown a page or not.
        var unshown: Failure?
        do { try Pager.finish() } catch { unshown = error }
        if let verification, verification.severity != .clean, let into {
            let worst = verification.findings.first { $0.severity == verification.severity }
            throw Failure(
                "resultDamaged", "what was written to \(into) does not verify: \(worst?.message ?? "")",
                place: worst?.place ?? .init(), exitCode: verification.severity.exitCode)
        }
        if let unshown {
            guard let into else { throw unshown }
            throw Failure(
                unshown.code, "\(unshown.message); what was written to \(into) verifies", exitCode: unshown.exitCode,
                hint: "`yaprak repair` without --into says what was lost; --no-pager prints directly.")
        }
        if !repair.losses.isEmpty || !repair.holes.isEmpty { throw ExitCode(1) }
    }

    /// What the first Ctrl-C says while it writes.
    static let writesOn: StaticString =
        "yaprak: this is written to its end, and not verified; another Ctrl-C ends the program at once\n"

    private func lines(
        _ repair: ReplayRepair, _ verification: ReplayVerification?
    ) -> [(name: String, text: String)] {
        var lines = [
            (into == nil ? "would keep" : "kept", Self.kept(repair)),
            (
                "checkpoints",
                repair.checkpoints.isEmpty ? "none" : repair.checkpoints.map(\.description).joined(separator: ", ")
            ),
        ]
        for number in repair.checkpointsWithoutDerived {
            lines.append(("without views", "checkpoint \(number)"))
        }
        for file in repair.damagedCheckpoints { lines.append(("damaged", file.plain)) }
        for hole in repair.holes {
            lines.append(("hole", Self.text(hole.loss)))
            let readable = hole.loss.commits.upperBound.next()
            if readable < hole.nextStateCommitNumber {
                let last = CommitNumber(hole.nextStateCommitNumber.rawValue - 1)
                let whose = readable == last ? "its state" : "their states"
                lines.append(("", "\((readable...last).commitsText()) can be read, but \(whose) can't be reached"))
            }
            lines.append(("", "the next state is that of checkpoint \(hole.nextStateCommitNumber)"))
        }
        for loss in repair.losses { lines.append(("lost", Self.text(loss))) }
        for commit in repair.lostCommits.prefix(20) {
            let names = commit.collections.isEmpty ? "nothing" : commit.collections.joined(separator: ", ")
            lines.append(("", "\(commit.commitNumber)  \(commit.nanosecondsSince1970.isoTime)  \(names.plain)"))
        }
        if repair.lostCommits.count > 20 {
            lines.append(("", "and \((repair.lostCommits.count - 20).grouped) more that can be read"))
        }
        if let verification, let into {
            lines.append(("into", into.plain))
            lines.append(("verified", verification.severity.rawValue))
        } else {
            lines.append(("written", "nothing; --into DIRECTORY does it"))
        }
        return lines
    }

    private static func kept(_ repair: ReplayRepair) -> String {
        let first = repair.firstCommitNumber
        let history = first > 0 ? ", the history since commit \(first)" : " and all its history"
        let holes = repair.holes.count
        let but = holes == 0 ? "" : holes == 1 ? ", with a hole" : ", with " + holes.counted("hole")
        return "the state up to commit \(repair.lastCommitNumber)\(history)\(but)"
    }

    private static func text(_ loss: ReplayRepair.Loss) -> String {
        let place = loss.place.file.map { " (\($0), byte \(loss.place.offset ?? 0))" } ?? ""
        return "\(loss.commits.commitsText()): \(loss.message)\(place)".plain
    }

    private static func json(_ loss: ReplayRepair.Loss) -> CBORValue {
        [
            "commits": [.number(loss.commits.lowerBound), .number(loss.commits.upperBound)],
            "file": loss.place.file.map { .text($0) } ?? .null,
            "offset": loss.place.offset.map { .unsigned($0) } ?? .null, "message": .text(loss.message),
        ]
    }

    private func json(_ repair: ReplayRepair, _ verification: ReplayVerification?) -> CBORValue {
        [
            "first": .number(repair.firstCommitNumber), "last": .number(repair.lastCommitNumber),
            "checkpoints": .array(repair.checkpoints.map { .number($0) }),
            "withoutDerived": .array(repair.checkpointsWithoutDerived.map { .number($0) }),
            "damagedCheckpoints": .array(repair.damagedCheckpoints.map { .text($0) }),
            "salvaged": .bool(repair.isSalvaged),
            "losses": .array(repair.losses.map { Self.json($0) }),
            "holes": .array(
                repair.holes.map { hole in
                    ["loss": Self.json(hole.loss), "nextState": .number(hole.nextStateCommitNumber)]
                }),
            "lostCommits": .array(
                repair.lostCommits.map { commit in
                    [
                        "commit": .number(commit.commitNumber), "time": .text(commit.nanosecondsSince1970.isoTime),
                        "ns": .integer(commit.nanosecondsSince1970),
                        "origin": .text(commit.origin), "collections": .array(commit.collections.map { .text($0) }),
                    ]
                }),
            "into": into.map { .text($0) } ?? .null,
            "verified": verification.map { .text($0.severity.rawValue) } ?? .null,
        ]
    }
}

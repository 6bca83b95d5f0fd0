import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct VerifyCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks that every acknowledged byte is there and is what was written.",
        discussion: """
            Level 0 checks names, headers, the chain from file to file, and gaps. Level 1 also checks every checksum, \
            decompresses everything and reads every item. Level 2 also replays the log from each checkpoint to the next \
            and compares the two, record by record if their digests differ; it lists records that were set aside. It \
            needs the memory of the database's state. Reads only, even while a program is writing.

            Exit codes: 0 clean; 2 only a torn tail that was never acknowledged; 3 not found; 4 corrupt; 6 \
            unreadable; 7 written by a newer version; 8 only data that can be rebuilt are damaged.
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(help: ArgumentHelp("How thorough: 0, 1 or 2.", valueName: "level"))
    var level = 2

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        guard ReplayVerification.Level(rawValue: level) != nil else { throw ValidationError("--level is 0, 1 or 2") }
    }

    func run() async throws {
        let report = try Self.verify(
            ReplayReader.open(database), .init(rawValue: level) ?? .replay, Invocation.console)
        let console = try paging.console()
        try PropertyWriter.write(lines(report, console), json: json(report), output.format(on: console), console)
        if report.severity != .clean { throw ExitCode(report.severity.exitCode) }
    }

    /// Checks with a progress bar.
    static func verify(
        _ reader: ReplayReader, _ level: ReplayVerification.Level, _ console: Console
    ) throws -> ReplayVerification {
        var bars = [
            ReplayProgress.Phase.checking: ProgressBar(console, "checking", unit: "commits"),
            .replaying: ProgressBar(console, "replaying", unit: "commits"),
        ]
        defer { for phase in bars.keys { bars[phase]?.finish() } }
        return try reader.reading(unless: Invocation.isInterrupted) { reader in
            try reader.verify(level) { progress in
                bars[progress.phase]?.update(
                    done: Int(clamping: progress.done), of: Int(clamping: progress.total),
                    counted: progress.commitCount)
            }
        }
    }

    private func lines(_ report: ReplayVerification, _ console: Console) -> [(name: String, text: String)] {
        let color: Console.Color = report.severity == .clean ? .good : report.severity == .corrupt ? .bad : .warning
        var lines = [
            ("result", console.paint(report.severity.rawValue, color)),
            ("level", "\(level)"),
            ("newest commit", report.newestCommitNumber.description),
            (
                "checked",
                "\(report.commitCount.counted("commit")) in \(report.segmentCount.counted("segment")) of the log, "
                    + "\(report.checkpointCount.counted("checkpoint")), \(report.frameCount.counted("frame"))"
            ),
        ]
        if level == 2 {
            lines.append(("replayed", "and compared with \(report.comparedCheckpointCount.counted("checkpoint"))"))
        }
        for record in report.setAside {
            lines.append(("set aside", "\(record.collectionName.plain) \(record.key.plain)"))
        }
        let more = report.setAsideRecordCount - report.setAside.count
        if more > 0 { lines.append(("set aside", "and \(more.grouped) more")) }
        for finding in report.findings {
            let place = [finding.place.file, finding.place.offset.map { "byte \($0)" }].compactMap { $0 }
            let text = place.isEmpty ? finding.message : place.joined(separator: ", ") + ": " + finding.message
            lines.append((finding.severity == .clean ? "note" : finding.severity.rawValue, text.plain))
        }
        return lines
    }

    private func json(_ report: ReplayVerification) -> CBORValue {
        [
            "result": .text(report.severity.rawValue),
            "level": .count(level),
            "newest": .number(report.newestCommitNumber),
            "commits": .count(report.commitCount),
            "segments": .count(report.segmentCount),
            "checkpoints": .count(report.checkpointCount),
            "frames": .count(report.frameCount),
            "compared": .count(report.comparedCheckpointCount),
            "setAside": .array(
                report.setAside.map { ["collection": .text($0.collectionName), "key": .text($0.key)] }),
            "setAsideCount": .count(report.setAsideRecordCount),
            "findings": .array(
                report.findings.map { finding in
                    [
                        "severity": .text(finding.severity.rawValue),
                        "file": finding.place.file.map { .text($0) } ?? .null,
                        "offset": finding.place.offset.map { .unsigned($0) } ?? .null,
                        "commits": finding.place.commits.map { [.number($0.lowerBound), .number($0.upperBound)] }
                            ?? .null,
                        "collection": finding.place.collectionName.map { .text($0) } ?? .null,
                        "key": finding.place.key.map { .text($0) } ?? .null,
                        "message": .text(finding.message),
                    ]
                }),
        ]
    }
}

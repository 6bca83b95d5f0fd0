import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks that every promised byte is there and is what was written.",
        discussion: """
            Level 0 checks names, headers, the chain from file to file, and gaps. Level 1 also checks every checksum, \
            decompresses everything and reads every item. Reads only, also while a program is writing.

            Exit codes: 0 clean; 2 only a torn tail that was never promised; 4 corrupt; 6 unreadable; 7 written by a \
            newer version; 8 only what can be rebuilt is damaged.
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Option(help: ArgumentHelp("How thorough: 0 or 1.", valueName: "level"))
    var level = 1

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard ReplayVerification.Level(rawValue: level) != nil else { throw ValidationError("--level is 0 or 1") }
    }

    func run() async throws {
        let console = Invocation.console
        let report = try ReplayReader.open(database).verify(.init(rawValue: level)!)
        try PropertyWriter.write(lines(report, console), json: json(report), output.format(on: console), console)
        if report.severity != .clean { throw ExitCode(report.severity.exitCode) }
    }

    private func lines(_ report: ReplayVerification, _ console: Console) -> [(name: String, text: String)] {
        let color: Console.Color = report.severity == .clean ? .good : report.severity == .corrupt ? .bad : .warning
        var lines = [
            ("result", console.paint(report.severity.rawValue, color)),
            ("level", "\(level)"),
            ("newest commit", report.newest.description),
            (
                "looked at",
                "\(report.commitCount.grouped) commits in \(report.segmentCount) segments of the log, "
                    + "\(report.checkpointCount) checkpoints, \(report.frameCount.grouped) frames"
            ),
        ]
        for finding in report.findings {
            let place = [finding.place.file, finding.place.offset.map { "byte \($0)" }].compactMap { $0 }
            lines.append((finding.severity.rawValue, (place.joined(separator: ", ") + ": " + finding.message).plain))
        }
        return lines
    }

    private func json(_ report: ReplayVerification) -> CBORValue {
        [
            "result": .text(report.severity.rawValue),
            "level": .count(level),
            "newest": .number(report.newest),
            "commits": .count(report.commitCount),
            "segments": .count(report.segmentCount),
            "checkpoints": .count(report.checkpointCount),
            "frames": .count(report.frameCount),
            "findings": .array(
                report.findings.map { finding in
                    [
                        "severity": .text(finding.severity.rawValue),
                        "file": finding.place.file.map { .text($0) } ?? .null,
                        "offset": finding.place.offset.map { .unsigned($0) } ?? .null,
                        "commits": finding.place.commits.map { [.number($0.lowerBound), .number($0.upperBound)] }
                            ?? .null,
                        "message": .text(finding.message),
                    ]
                }),
        ]
    }
}

import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Counts records, commits and bytes.",
        discussion: "Reads the whole log and the newest checkpoint; takes no lock.")

    @Argument(help: "The database's directory.")
    var database: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let statistics = try ReplayReader.open(database).statistics()
        try PropertyWriter.write(
            lines(statistics), json: json(statistics), output.format(on: console), console)
    }

    private func lines(_ statistics: ReplayStatistics) -> [(name: String, text: String)] {
        var lines = [("identity", statistics.databaseID), ("newest commit", statistics.newest.description)]
        if let commits = statistics.commits, let times = statistics.nanosecondsSince1970 {
            lines += [
                ("commits in log", "\(commits.lowerBound) to \(commits.upperBound)"),
                ("made", "\(times.lowerBound.isoTime) to \(times.upperBound.isoTime)"),
                (
                    "changes in log",
                    "\(statistics.changeCount.grouped), \(statistics.rawByteCount.bytesText) before compression"
                ),
            ]
        }
        lines.append(("log", "\(statistics.logBytes.bytesText) in \(files(statistics.segments.count, "segment"))"))
        lines.append(
            ("checkpoints", "\(statistics.checkpointBytes.bytesText) in \(files(statistics.checkpoints.count, "file"))")
        )
        for (index, entry) in statistics.records.enumerated() {
            lines.append((index == 0 ? "records" : "", "\(entry.count.grouped) in \(entry.collection.plain)"))
        }
        return lines
    }

    private func files(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func json(_ statistics: ReplayStatistics) -> CBORValue {
        let commits = statistics.commits.map { CBORValue.array([.number($0.lowerBound), .number($0.upperBound)]) }
        let times = statistics.nanosecondsSince1970.map {
            CBORValue.array([.text($0.lowerBound.isoTime), .text($0.upperBound.isoTime)])
        }
        return [
            "identity": .text(statistics.databaseID),
            "newest": .number(statistics.newest),
            "commits": commits ?? .null,
            "times": times ?? .null,
            "changes": .count(statistics.changeCount),
            "rawBytes": .unsigned(statistics.rawByteCount),
            "logBytes": .unsigned(statistics.logBytes),
            "checkpointBytes": .unsigned(statistics.checkpointBytes),
            "records": .map(statistics.records.map { .init(.text($0.collection), .count($0.count)) }),
            "segments": .array(
                statistics.segments.map {
                    [
                        "file": .text($0.file), "bytes": .unsigned($0.byteCount), "first": .number($0.first),
                        "last": $0.last.map { .number($0) } ?? .null, "sealed": .bool($0.isSealed),
                    ]
                }),
            "checkpoints": .array(
                statistics.checkpoints.map {
                    [
                        "file": .text($0.file), "bytes": .unsigned($0.byteCount), "commit": .number($0.number),
                        "time": .text($0.nanosecondsSince1970.isoTime),
                    ]
                }),
        ]
    }
}

import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Counts records, commits and bytes.",
        usage: "yaprak stats <database> [--svg <file>] [--by <axis>] [<options>]",
        discussion: """
            Reads the whole log and the newest checkpoint; takes no lock. On a terminal it plots how many commits were \
            made when, or, with --by commit, how many records which commits changed; --svg writes the plot as a picture. A few \
            commits made long before or after the others don't stretch the axis of time: they are named below it.

              yaprak stats world.yaprak
              yaprak stats world.yaprak --svg activity.svg
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp(
            "The file for the picture; with -, only the picture is written, to standard output.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var svg: String?

    @Flag(help: "Replace the picture if it is there.")
    var overwrite = false

    @Option(help: "What the axis counts: time, or commit.")
    var by = ActivityPlot.Axis.time

    @Flag(inversion: .prefixedNo, help: "Show the plot on a terminal.")
    var plot = true

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if overwrite, svg == nil || svg == "-" { throw ValidationError("--overwrite goes with --svg FILE") }
    }

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let statistics = try reader.reading(unless: Invocation.isInterrupted) { try $0.statistics() }
        if let svg {
            guard let plot = try plot(statistics, reader, barsMax: ActivityPlot.pictureBarsMax) else {
                throw Failure(
                    "notFound", "there are no commits in the log to draw", exitCode: 3,
                    hint: "A checkpoint knows no times of commits.")
            }
            let name = FilePath(database).lastComponent?.string ?? database
            let numbers = statistics.commits.map { ", " + $0.commitsText(isGrouped: true) } ?? ""
            let picture = plot.svg(title: "\(name)\(numbers)")
            let console = Invocation.console
            if svg == "-" { return try console.out.write(picture) }
            try FileOptions.write(to: svg, overwrites: overwrite, on: console) { try $0.out.write(picture) }
            try console.err.write("\(svg.plain) written\n")
        }
        let console = try paging.console()
        let format = output.format(on: console)
        try PropertyWriter.write(lines(statistics), json: json(statistics), format, console)
        let width = console.width
        if format == .table, plot,
            let plot = try self.plot(statistics, reader, barsMax: ActivityPlot.barsMax(width: width))
        {
            try console.out.write("\n")
            for line in plot.lines(width: width) { try console.out.write(line + "\n") }
        }
    }

    private func plot(_ statistics: ReplayStatistics, _ reader: ReplayReader, barsMax: Int) throws -> ActivityPlot? {
        switch by {
        case .time: ActivityPlot(statistics, barsMax: barsMax)
        case .commit: try ActivityPlot(statistics, by: reader, barsMax: barsMax)
        }
    }

    private func lines(_ statistics: ReplayStatistics) -> [(name: String, text: String)] {
        var lines = [
            ("identity", statistics.databaseID.isEmpty ? "none before the first commit" : statistics.databaseID),
            ("newest commit", statistics.newestCommitNumber.description),
        ]
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
        lines.append(("log", "\(statistics.logByteCount.bytesText) in \(statistics.segments.count.counted("segment"))"))
        let files = statistics.checkpoints.count.counted("file")
        lines.append(("checkpoints", "\(statistics.checkpointByteCount.bytesText) in \(files)"))
        for (index, entry) in statistics.records.enumerated() {
            lines.append((index == 0 ? "records" : "", "\(entry.count.grouped) in \(entry.collectionName.plain)"))
        }
        return lines
    }

    private func json(_ statistics: ReplayStatistics) -> CBORValue {
        let commits = statistics.commits.map { CBORValue.array([.number($0.lowerBound), .number($0.upperBound)]) }
        let times = statistics.nanosecondsSince1970.map {
            CBORValue.array([.text($0.lowerBound.isoTime), .text($0.upperBound.isoTime)])
        }
        return [
            "identity": statistics.databaseID.isEmpty ? .null : .text(statistics.databaseID),
            "newest": .number(statistics.newestCommitNumber),
            "commits": commits ?? .null,
            "times": times ?? .null,
            "ns": statistics.nanosecondsSince1970.map { [.integer($0.lowerBound), .integer($0.upperBound)] } ?? .null,
            "changes": .count(statistics.changeCount),
            "rawBytes": .unsigned(statistics.rawByteCount),
            "logBytes": .unsigned(statistics.logByteCount),
            "checkpointBytes": .unsigned(statistics.checkpointByteCount),
            "records": .map(statistics.records.map { .init(.text($0.collectionName), .count($0.count)) }),
            "segments": .array(
                statistics.segments.map {
                    [
                        "file": .text($0.file), "bytes": .unsigned($0.byteCount),
                        "first": .number($0.firstCommitNumber),
                        "last": $0.lastCommitNumber.map { .number($0) } ?? .null, "sealed": .bool($0.isSealed),
                    ]
                }),
            "checkpoints": .array(
                statistics.checkpoints.map {
                    [
                        "file": .text($0.file), "bytes": .unsigned($0.byteCount), "commit": .number($0.commitNumber),
                        "time": .text($0.nanosecondsSince1970.isoTime), "ns": .integer($0.nanosecondsSince1970),
                    ]
                }),
        ]
    }
}

import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

/// What the play came to: flights by status, the log against the data, speed, verification.
struct Summary {
    let statuses: [(status: Flight.Status, count: Int)]
    let statistics: ReplayStatistics
    let verification: ReplayVerification
    let result: Playback.Result

    /// Reads the closed database's files.
    /// - Throws: errors of reading.
    init(of snapshot: Snapshot, _ reader: ReplayReader, _ result: Playback.Result) throws {
        var counts: [Flight.Status: Int] = [:]
        for row in snapshot[.flights] { counts[row.object.status, default: 0] += 1 }
        statuses = Flight.Status.allCases.map { ($0, counts[$0] ?? 0) }
        statistics = try reader.statistics()
        verification = try reader.verify()
        self.result = result
    }

    /// The lines of the summary, each a label and what it says.
    var lines: [(label: String, text: String)] {
        let flights = statuses.map { "\($0.status.rawValue) \($0.count.grouped)" }.joined(separator: ", ")
        var lines = [
            ("flights", flights),
            (
                "commits",
                "\(statistics.newestCommitNumber.rawValue.grouped) in all, \(result.commits.grouped) by this run"
                    + speed
            ),
            ("log", log),
            ("checkpoints", "\(statistics.checkpoints.count), \(statistics.checkpointByteCount.bytesText)"),
            (
                "verify",
                "\(verification.severity.rawValue): \(verification.commitCount.counted("commit")), "
                    + "\(verification.frameCount.counted("frame")), \(verification.findings.count.counted("finding"))"
            ),
        ]
        for finding in verification.findings where finding.severity != .clean { lines.append(("", finding.message)) }
        return lines
    }

    private var speed: String {
        guard result.seconds > 0 else { return "" }
        return ", \(Int(Double(result.commits) / result.seconds).grouped) per second"
    }

    private var log: String {
        let log = statistics.logByteCount.bytesText
        // Where retention has removed commits, the events of the others are no match.
        guard result.rawBytes > 0, statistics.commits?.lowerBound == 1 else { return log }
        let ratio = Int((Double(statistics.logByteCount) / Double(result.rawBytes) * 100).rounded())
        return "\(log) for \(result.rawBytes.bytesText) of NDJSON events (\(ratio) %)"
    }

    /// Prints the lines.
    func show(on console: Console) throws {
        for line in lines {
            try console.out.write(console.paint(line.label.padded(to: 13), .faint) + line.text + "\n")
        }
    }
}

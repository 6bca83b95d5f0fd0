import Foundation

/// Two builds side by side: what several runs of each said, row by row, and whether the newer one got worse.
///
/// Counts (allocations, syncs, bytes) may grow by 5 in 100, medians of times by 10. The peers are the same code in both
/// builds: what they differ by is the machine's doing, and stands beside.
struct Comparison {
    private static let countsMost = 1.05
    private static let timesMost = 1.10

    private struct Row {
        var measure: String
        var what: String
        var unit: Unit
        var before: [Double] = []
        var after: [Double] = []
        var peersBefore: [String: [Double]] = [:]
        var peersAfter: [String: [Double]] = [:]
    }

    private var order: [String] = []
    private var rows: [String: Row] = [:]

    /// Reads reports in JSON, one file for each run.
    init(before: [String], after: [String]) throws {
        for path in before { try add(path, isAfter: false) }
        for path in after { try add(path, isAfter: true) }
    }

    private mutating func add(_ path: String, isAfter: Bool) throws {
        let findings = try JSONDecoder().decode([Finding].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        var seen = Set<String>()
        for finding in findings {
            let key = "\(finding.measure) \(finding.what) \(finding.unit.rawValue)"
            if rows[key] == nil {
                order.append(key)
                rows[key] = Row(measure: finding.measure, what: finding.what, unit: finding.unit)
            }
            // A row for each peer repeats our figure.
            if seen.insert(key).inserted {
                if isAfter { rows[key]?.after.append(finding.ours) } else { rows[key]?.before.append(finding.ours) }
            }
            guard let theirs = finding.theirs else { continue }
            if isAfter {
                rows[key]?.peersAfter[finding.peer, default: []].append(theirs)
            } else {
                rows[key]?.peersBefore[finding.peer, default: []].append(theirs)
            }
        }
    }

    /// Prints the rows.
    /// - Returns: whether none got worse.
    func report() -> Bool {
        print(Self.line(["", "measure", "before", "after", "ratio", "most", "peers", ""]))
        var failures = 0, judged = 0
        for row in order.compactMap({ rows[$0] }) {
            guard !row.before.isEmpty, !row.after.isEmpty else {
                print(
                    Self.line([
                        row.measure, row.what, Self.text(row.before, row.unit), Self.text(row.after, row.unit), "", "",
                        "",
                        row.before.isEmpty ? "new" : "gone",
                    ]))
                // What threw in one of the builds is a row of its own.
                if row.what.hasPrefix("threw"), row.before.isEmpty { failures += 1 }
                continue
            }
            judged += 1
            let (before, after) = (Self.median(row.before), Self.median(row.after))
            let isTime = row.unit == .nanoseconds || row.unit.isBetterIfMore
            let most = isTime ? Self.timesMost : Self.countsMost
            let ratio = row.unit.isBetterIfMore ? Self.ratio(after, before) : Self.ratio(before, after)
            let passes = ratio <= most
            if !passes { failures += 1 }
            let peers = row.peersBefore.compactMap { name, values in
                row.peersAfter[name].map {
                    row.unit.isBetterIfMore
                        ? Self.ratio(Self.median($0), Self.median(values))
                        : Self.ratio(Self.median(values), Self.median($0))
                }
            }
            print(
                Self.line([
                    row.measure, row.what, Finding.text(before, row.unit), Finding.text(after, row.unit),
                    String(format: "%.3f", ratio), "≤ " + Finding.short(most),
                    peers.isEmpty
                        ? "" : String(format: "%.2f…%.2f", peers.min() ?? 1, peers.max() ?? 1),
                    passes ? "pass" : "FAIL",
                ]))
        }
        print("\n\(judged) rows, \(failures) worse than allowed")
        return failures == 0 && judged > 0
    }

    private static func median(_ values: [Double]) -> Double { Series(name: "", samples: values).median }

    private static func text(_ values: [Double], _ unit: Unit) -> String {
        values.isEmpty ? "" : Finding.text(median(values), unit)
    }

    private static func ratio(_ before: Double, _ after: Double) -> Double {
        before == after ? 1 : before == 0 ? .infinity : after / before
    }

    private static let widths = [4, 62, 10, 10, 7, 7, 12, 4]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).map { cell, width in cell + String(repeating: " ", count: max(1, width - cell.count)) }
            .joined(separator: " ")
    }
}

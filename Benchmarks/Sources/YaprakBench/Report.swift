import Foundation

/// What a measure demands of the ratio between us and a peer.
enum Target {
    /// Ours costs at most so many times the peer's.
    case atMost(Double)
    /// The peer's costs at least so many times ours.
    case timesFaster(Double)
    /// Shown, not judged.
    case none

    /// The ratio as the target speaks of it.
    func ratio(ours: Double, peer: Double) -> Double {
        if case .timesFaster = self { return peer / ours }
        return ours / peer
    }

    func isMet(by ratio: Double) -> Bool? {
        switch self {
        case .atMost(let most): ratio <= most
        case .timesFaster(let least): ratio >= least
        case .none: nil
        }
    }

    var description: String {
        switch self {
        case .atMost(let most): "≤ \(Finding.short(most))"
        case .timesFaster(let least): "≥ \(Finding.short(least))"
        case .none: ""
        }
    }
}

/// What figures are of.
enum Unit: String, Codable {
    case nanoseconds = "ns"
    case bytes = "B"
    case count = ""
    case rate = "/s"
    /// How many times as fast as a peer.
    case factor = "×"

    var isBetterIfMore: Bool { self == .rate || self == .factor }
}

/// One line of the report.
struct Finding: Codable {
    var measure: String
    var what: String
    var ours: Double
    var oursLow: Double
    var oursHigh: Double
    var peer: String
    var theirs: Double?
    var ratio: Double?
    var target: String
    var unit: Unit
    var passes: Bool?
    /// What a bare loop reached that does only what nobody can do without, as the target speaks of it.
    var bound: Double?

    var verdict: String { passes.map { $0 ? "pass" : "FAIL" } ?? "" }

    var cells: [String] {
        [
            measure, what, Self.text(ours, unit), peer, theirs.map { Self.text($0, unit) } ?? "",
            ratio.map(Self.short) ?? "", target, verdict, bound.map { "bare loop " + Self.short($0) } ?? "",
        ]
    }

    static let head = ["", "measure", "ours", "peer", "peer's", "ratio", "target", "", ""]

    static func short(_ value: Double) -> String {
        let digits = abs(value) >= 100 ? 0 : (abs(value) >= 10 ? 1 : 2)
        var text = String(format: "%.\(digits)f", value)
        while text.contains("."), text.hasSuffix("0") || text.hasSuffix(".") { text.removeLast() }
        return text
    }

    static func text(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .nanoseconds:
            if value >= 1e9 { return short(value / 1e9) + " s" }
            if value >= 1e6 { return short(value / 1e6) + " ms" }
            if value >= 1e3 { return short(value / 1e3) + " µs" }
            return short(value) + " ns"
        case .bytes:
            if value >= 1e7 { return short(value / 1e6) + " MB" }
            if value >= 1e5 { return short(value / 1e3) + " KB" }
            return short(value) + " B"
        case .rate: return value >= 1e6 ? short(value / 1e6) + " M/s" : short(value) + " /s"
        case .count, .factor: return short(value)
        }
    }
}

/// The findings so far. A table is written as they come, other formats at the end.
final class Report {
    let format: Settings.Format
    private(set) var findings: [Finding] = []

    init(_ format: Settings.Format) { self.format = format }

    /// Compares our series with a peer's.
    /// - Parameter bound: of a bare loop that does what is unavoidable, and nothing else: what it reaches stands beside.
    func compare(
        _ measure: String, _ what: String, _ ours: Series, _ peer: Series, _ target: Target,
        unit: Unit = .nanoseconds, bound: Series? = nil
    ) {
        let ratio = target.ratio(ours: ours.median, peer: peer.median)
        add(
            Finding(
                measure: measure, what: what, ours: ours.median, oursLow: ours.low, oursHigh: ours.high,
                peer: peer.name, theirs: peer.median, ratio: ratio, target: target.description, unit: unit,
                passes: target.isMet(by: ratio),
                bound: bound.map { target.ratio(ours: $0.median, peer: peer.median) }))
    }

    /// Holds a figure against a bound.
    func hold(_ measure: String, _ what: String, _ value: Double, atMost bound: Double? = nil, unit: Unit = .count) {
        add(
            Finding(
                measure: measure, what: what, ours: value, oursLow: value, oursHigh: value, peer: "",
                target: bound.map { "≤ " + Finding.text($0, unit) } ?? "", unit: unit, passes: bound.map { value <= $0 }
            ))
    }

    /// Says what could not be measured.
    func miss(_ measure: String, _ error: any Error) {
        var finding = Finding(
            measure: measure, what: "threw \(error)", ours: .nan, oursLow: 0, oursHigh: 0, peer: "", target: "",
            unit: .count, passes: false)
        finding.ours = 0
        add(finding)
    }

    /// Takes what another process has found.
    func take(_ findings: [Finding]) { findings.forEach(add) }

    private func add(_ finding: Finding) {
        // A row for each peer repeats our figure. Another figure needs another name, or `Comparison` would leave it out.
        precondition(
            findings.allSatisfy {
                $0.measure != finding.measure || $0.what != finding.what || $0.unit != finding.unit
                    || $0.ours == finding.ours
            }, "\(finding.measure) has two figures called “\(finding.what)”")
        if format == .table, findings.isEmpty { print(Self.line(Finding.head)) }
        findings.append(finding)
        if format == .table { print(Self.line(finding.cells)) }
        fflush(nil)
    }

    private static let widths = [4, 62, 10, 30, 10, 8, 9, 4, 0]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).map { cell, width in cell + String(repeating: " ", count: max(1, width - cell.count)) }
            .joined(separator: " ")
    }

    /// Writes what was not written yet.
    func finish() throws {
        switch format {
        case .table: break
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(findings), as: UTF8.self))
        case .markdown:
            for cells in [Finding.head, Finding.head.map { _ in "---" }] + findings.map(\.cells) {
                print("| " + cells.joined(separator: " | ") + " |")
            }
        }
        let failures = findings.count { $0.passes == false }
        let judged = findings.count { $0.passes != nil }
        if format != .json { print("\n\(judged - failures) of \(judged) targets met") }
    }
}

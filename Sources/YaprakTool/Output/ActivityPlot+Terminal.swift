import ToolSupport
import Yaprak

extension ActivityPlot {
    /// How many bars fit on a terminal.
    static func barsMax(width: Int) -> Int { max(10, min(width, 160) - axisWidth) }

    private static let axisWidth = 10
    private static let eighths = Array(" ▁▂▃▄▅▆▇█")

    /// The picture for a terminal, as lines.
    ///
    ///     commits per 30 minutes, 2013-01-01 00:00 to 12:00 UTC
    ///          40 ┤               ▄▄▇▇██
    ///          20 ┤       ▂▂▅▅▇▇████████
    ///           0 ┼┬───────┬───────┬─────
    ///              00:00   04:00   08:00
    func lines(width: Int, height: Int = 8) -> [String] {
        let room = Self.barsMax(width: width)
        // Few bars are drawn broader.
        let barWidth = max(1, min(8, room / commits.count))
        let panel = panels[0]
        let (top, marks) = Self.scale(panel.values)
        let labels = Dictionary(marks.map { (row(of: $0, top, height), $0) }, uniquingKeysWith: { first, _ in first })
        var lines = ["\(panel.title), \(spanText)"]
        for row in (1...height).reversed() {
            let label = labels[row].map { $0.grouped } ?? ""
            let bars = panel.values.map { value -> String in
                let filled = Double(value) / Double(top) * Double(height * 8) - Double((row - 1) * 8)
                // One commit is seen beside a thousand.
                let eighth = value > 0 && row == 1 ? max(1, Int(filled.rounded())) : Int(filled.rounded())
                return String(repeating: Self.eighths[max(0, min(8, eighth))], count: barWidth)
            }
            lines.append(axis(label, labels[row] == nil ? "│" : "┤") + Self.trimmed(bars.joined()))
        }
        let ticks = ticks(max: max(2, commits.count * barWidth / 12)).map { tick in
            (column: Int(tick.place * Double(barWidth)), label: tick.label)
        }
        var line = Array(repeating: Character("─"), count: commits.count * barWidth)
        for tick in ticks where tick.column < line.count { line[tick.column] = "┬" }
        lines.append(axis("0", "┼") + String(line))
        var words = ""
        for tick in ticks where tick.column + tick.label.count <= room {
            words = words.padded(to: tick.column) + tick.label + " "
        }
        lines.append(String(repeating: " ", count: Self.axisWidth) + Self.trimmed(words))
        if let outsidersText { lines.append(outsidersText) }
        return lines
    }

    /// The row whose upper edge is at a value.
    private func row(of value: Int, _ top: Int, _ height: Int) -> Int {
        Int((Double(value) / Double(top) * Double(height)).rounded())
    }

    private func axis(_ label: String, _ mark: String) -> String {
        label.padded(to: Self.axisWidth - 2, leading: true) + " " + mark
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}

import ToolSupport
import Yaprak

/// The board as a terminal shows it while it changes: a column for each airport.
///
///     let board = LiveBoard(console: console, screen: try Screen(console))
///     let follower = ListFollower(database, sections) { shown, update in try await board.show(shown, update) }
///
/// A row has the time at which the flight is expected to leave, and by how much it is late; rows that the last update
/// brought, moved or changed are marked.
struct LiveBoard: Sendable {
    let console: Console
    let screen: Screen
    /// Whether the list has late flights only.
    var isLateOnly = false

    private static let cellWidth = 25
    private static let gap = "  "

    /// Draws, and waits a moment: at most twenty times a second; what happens meanwhile comes as one update.
    func show<View: OrderedView>(_ shown: ShownList, _ update: ListUpdate<View>) async throws {
        var totals: [String: Int] = [:]
        for name in shown.sections.map(\.name) {
            // What the mappings know: rows that are shown, and rows behind them.
            totals[name] = update.mappings.rangePosition(of: name).map { $0.length + $0.offsetFromEnd } ?? 0
        }
        let minute = Playback.clock(of: update.new)?.minute ?? Minute(count: 0)
        try screen.show(lines(shown, totals, minute, update.new.commitNumber, Screen.currentSize))
        try await Task.sleep(for: .milliseconds(50))
    }

    /// The lines of the screen.
    func lines(
        _ shown: ShownList, _ totals: [String: Int], _ minute: Minute, _ commit: CommitNumber, _ size: Screen.Size
    ) -> [String] {
        let fitting = max(1, (size.columns + Self.gap.count) / (Self.cellWidth + Self.gap.count))
        let rowsMax = max(0, min(BoardViews.rowsMax, size.rows - 4))
        var sections = shown.sections.prefix(fitting)
        for index in sections.indices { sections[index].rows.removeLast(max(0, sections[index].rows.count - rowsMax)) }
        let width = sections.count * (Self.cellWidth + Self.gap.count) - Self.gap.count
        func spread(_ left: String, _ right: String) -> String {
            left + right.padded(to: max(right.columns + 1, width - left.columns), leading: true)
        }
        var lines = [
            console.paint(
                spread(isLateOnly ? " Late departures" : " Departures", "\(minute.date)  \(minute.clock)"), .strong),
            sections.map { console.paint(head(of: $0, totals[$0.name] ?? 0), .info) }.joined(separator: Self.gap),
        ]
        for row in 0..<rowsMax {
            let cells = sections.map { section in
                row < section.rows.count
                    ? cell(section.rows[row], isFresh: shown.freshKeys.contains(section.rows[row].key))
                    : "".padded(to: Self.cellWidth)
            }
            lines.append(cells.joined(separator: Self.gap))
        }
        lines.append("")
        lines.append(console.paint(spread(" commit \(commit.rawValue.grouped)", "q ends"), .faint))
        return lines
    }

    private func head(of section: ShownList.Section, _ total: Int) -> String {
        let count = total > section.rows.count ? "\(section.rows.count) of \(total)" : "\(total)"
        return " " + section.name + count.padded(to: Self.cellWidth - section.name.columns - 1, leading: true)
    }

    private func cell(_ line: ShownList.Line, isFresh: Bool) -> String {
        let flight = line.flight
        let number = "\(flight.carrier) \(flight.number)".plain.cut(to: 7).padded(to: 8)
        let text = "\(flight.expected.clock)  \(number)\(flight.destination.plain.cut(to: 3).padded(to: 3))"
        let delay = (flight.delay ?? 0) > 0 ? "+\(flight.delay ?? 0)" : ""
        let late = delay.padded(to: Self.cellWidth - 1 - text.columns, leading: true)
        return (isFresh ? console.paint("›", .info) + console.paint(text, .strong) : " " + text)
            + (delay.isEmpty ? late : console.paint(late, flight.isLate ? .warning : .faint))
    }
}

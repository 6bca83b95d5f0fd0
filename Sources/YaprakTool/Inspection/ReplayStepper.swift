import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

/// One commit on the screen, and keys to go to others.
///
///     commit 42 of 31108  2013-01-01T05:17:00.000Z  board
///     ───────────────────────────────────────────────────
///     flights
///       ~ UA1545-01-EWR-IAH
///           status: "scheduled" → "departed"
///
///     → next  ← back  PgDn +10  PgUp -10  Home first  End last  q quit
struct ReplayStepper {
    private let cursor: HistoryCursor
    private let numbers: ClosedRange<CommitNumber>
    private let console: Console

    /// - Throws: `ValidationError` if there is no terminal; errors of reading.
    init(_ reader: ReplayReader, _ numbers: ClosedRange<CommitNumber>, on console: Console) throws {
        guard console.isAddressable else { throw ValidationError("--step needs a terminal") }
        self.numbers = numbers
        self.console = console
        cursor = try reader.cursor(at: CommitNumber(numbers.lowerBound.rawValue - 1))
    }

    /// Shows commits until the user quits.
    func run() throws {
        guard let keys = Invocation.keys() else { throw ValidationError("--step reads keys from a terminal") }
        let screen = try Screen(console)
        defer { screen.leave() }
        var shown = try cursor.next()
        while let step = shown {
            try screen.show(lines(of: step, Screen.currentSize))
            guard let key = keys(), let target = target(of: key, from: step.commit.commitNumber) else { return }
            if target == step.commit.commitNumber { continue }
            try cursor.seek(to: CommitNumber(target.rawValue - 1))
            shown = try cursor.next()
        }
    }

    /// The commit to show next; nil to quit.
    private func target(of key: Keyboard.Key, from number: CommitNumber) -> CommitNumber? {
        switch key {
        case .right, .down, .character("\n"), .character(" "), .character("n"), .character("j"):
            number.moved(by: 1, in: numbers)
        case .left, .up, .character("p"), .character("k"): number.moved(by: -1, in: numbers)
        case .pageDown: number.moved(by: 10, in: numbers)
        case .pageUp: number.moved(by: -10, in: numbers)
        case .home, .character("g"): numbers.lowerBound
        case .end, .character("G"): numbers.upperBound
        case .interrupt, .character("q"): nil
        default: number
        }
    }

    private func lines(of step: ReplayStep, _ size: Screen.Size) throws -> [String] {
        let commit = step.commit
        let width = max(20, size.columns - 1)
        let paper = Console(
            out: TextSink(), err: TextSink(), isTerminal: true, width: width, usesColor: console.usesColor)
        if let info = commit.info { try paper.out.write("info \(info.cell(columnsMax: width - 5))\n") }
        if commit.removesAll { try paper.out.write("- everything\n") }
        try PatchPrinter(console: paper).write(ShownChange.of(step, ChangeFilter()), indent: "")
        let head = "commit \(commit.commitNumber) of \(numbers.upperBound)"
        let place = "  \(commit.isoTime)\(commit.origin.isEmpty ? "" : "  ")\(commit.origin.plain)"
        let body = paper.out.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        let room = max(1, size.rows - 4)
        var lines = [console.paint(head, .strong) + place.cut(to: max(0, width - head.columns))]
        lines.append(console.paint(String(repeating: "─", count: width), .faint))
        lines += body.prefix(body.count > room ? room - 1 : room)
        if body.count > room { lines.append(console.paint("… \(body.count - room + 1) more lines", .faint)) }
        lines += Array(repeating: "", count: max(0, size.rows - 1 - lines.count))
        let keys = "→ next  ← back  PgDn +10  PgUp -10  Home first  End last  q quit"
        return lines + [console.paint(keys.cut(to: width), .faint)]
    }
}

extension CommitNumber {
    /// This many commits further, within the range.
    fileprivate func moved(by count: Int64, in range: ClosedRange<CommitNumber>) -> CommitNumber {
        let distance = count.magnitude
        if count < 0 {
            let room = rawValue - range.lowerBound.rawValue
            return CommitNumber(rawValue - min(distance, room))
        }
        return CommitNumber(rawValue + min(distance, range.upperBound.rawValue - rawValue))
    }
}

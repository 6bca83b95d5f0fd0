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
///     → ← commit  ↓ ↑ scroll  PgDn PgUp ±10  Home End first, last  : go to  space play  q quit
struct ReplayStepper {
    private let reader: ReplayReader
    private let cursor: HistoryCursor
    private let numbers: ClosedRange<CommitNumber>
    private let console: Console
    /// Whether a key was pressed that quits, asked on the way to a commit: that may be a long one.
    private var isLeft: () -> Bool = { false }

    // What is on the screen.
    private var speed: ReplaySpeed
    private var scrolled = 0
    /// What was typed behind the colon; `nil` if nothing is being typed.
    private var typed: String?
    private var message: String?
    /// When the next commit is due, and that commit; `nil` if it does not play.
    private var upcoming: (due: ContinuousClock.Instant, step: ReplayStep)?
    /// The lines of the commit that is shown. They are many for a large one, and wanted at each look at the keyboard.
    private var body: (commit: CommitNumber, width: Int, lines: [String])?

    /// No pause of a play is longer.
    private static let pauseMax = Duration.seconds(1)

    /// - Throws: ``Failure`` if there is no terminal; errors of reading.
    init(
        _ reader: ReplayReader, _ numbers: ClosedRange<CommitNumber>, speed: ReplaySpeed, on console: Console
    ) throws {
        guard console.isAddressable else { throw Failure("usage", "--step needs a terminal", exitCode: 64) }
        self.reader = reader
        self.numbers = numbers
        self.speed = speed
        self.console = console
        cursor = try reader.warmCursor(
            at: CommitNumber(numbers.lowerBound.rawValue - min(1, numbers.lowerBound.rawValue)))
    }

    /// Shows commits until the user quits.
    mutating func run() throws {
        guard let next = Invocation.keys() else {
            throw Failure("usage", "--step reads keys from a terminal", exitCode: 64)
        }
        let keys = PressedKeys(next)
        isLeft = { keys.isQuitPressed() }
        let screen = try Screen(console)
        defer { screen.leave() }
        guard var step = try cursor.next() else { return }
        while true {
            // Also when nothing was pressed: the terminal may have another size now.
            try screen.show(lines(of: step, Screen.currentSize))
            switch keys.next(waitMilliseconds) {
            case .end: return
            case .timeout:
                guard let upcoming, upcoming.due <= .now else { continue }
                step = upcoming.step
                scrolled = 0
                try play(after: step)
            case .key(let key):
                message = nil
                if typed != nil {
                    try type(key, &step)
                } else if try !press(key, &step) {
                    return
                }
            }
        }
    }

    /// How long to wait for a key before the screen is looked after.
    private var waitMilliseconds: Int {
        guard let upcoming else { return 250 }
        let left = upcoming.due - .now
        return max(
            0, min(250, Int(left.components.seconds) * 1000 + Int(left.components.attoseconds / 1_000_000_000_000_000)))
    }

    // MARK: Keys

    /// Does what a key says; `false` to quit.
    private mutating func press(_ key: Keyboard.Key, _ step: inout ReplayStep) throws -> Bool {
        let number = step.commit.commitNumber
        switch key {
        case .interrupt, .escape, .character("q"): return false
        case .right, .character("\n"), .character("n"), .character("l"):
            try go(to: number.moved(by: 1, in: numbers), &step)
        case .left, .character("p"), .character("h"): try go(to: number.moved(by: -1, in: numbers), &step)
        case .pageDown: try go(to: number.moved(by: 10, in: numbers), &step)
        case .pageUp: try go(to: number.moved(by: -10, in: numbers), &step)
        case .home, .character("g"): try go(to: numbers.lowerBound, &step)
        case .end, .character("G"): try go(to: numbers.upperBound, &step)
        case .down, .character("j"): scrolled += 1
        case .up, .character("k"): scrolled = max(0, scrolled - 1)
        case .character(" "):
            if upcoming == nil { try play(after: step) } else { upcoming = nil }
        case .character("+"), .character("-"):
            speed = speed.times(key == .character("+") ? 2 : 0.5)
            if upcoming != nil { try play(after: step) }
        case .character(":"):
            upcoming = nil
            typed = ""
        case .character(let digit) where digit.isASCII && digit.isNumber:
            upcoming = nil
            typed = String(digit)
        default: break
        }
        return true
    }

    /// A key while a position is being typed.
    private mutating func type(_ key: Keyboard.Key, _ step: inout ReplayStep) throws {
        switch key {
        case .character("\n"):
            let text = typed ?? ""
            typed = nil
            do {
                let number = text.isEmpty ? step.commit.commitNumber : try reader.commitNumber(at: LogPosition(text))
                guard numbers.contains(number) else {
                    message = "commit \(number) is not among \(numbers.lowerBound) to \(numbers.upperBound)"
                    return
                }
                try go(to: number, &step)
            } catch let error as DatabaseError {
                message = error.message.plain
            }
        case .character(let character): typed?.append(character)
        case .backspace: typed = typed.flatMap { $0.isEmpty ? nil : String($0.dropLast()) }
        case .escape, .interrupt: typed = nil
        default: break
        }
    }

    private mutating func go(to target: CommitNumber, _ step: inout ReplayStep) throws {
        upcoming = nil
        guard target != step.commit.commitNumber else { return }
        do {
            try cursor.seek(to: CommitNumber(target.rawValue - min(1, target.rawValue)), unless: isLeft)
        } catch is CancellationError {
            // The key that quits is still to be taken.
            return
        }
        guard let found = try cursor.next() else { return }
        step = found
        scrolled = 0
    }

    /// Makes the commit after this one the next to be shown, at the pace of the log; stops at the last.
    private mutating func play(after step: ReplayStep) throws {
        upcoming = nil
        let number = step.commit.commitNumber
        guard number < numbers.upperBound else { return }
        if cursor.commitNumber != number { try cursor.seek(to: number) }
        guard let next = try cursor.next() else { return }
        let pause = speed.pause(from: step.commit.nanosecondsSince1970, to: next.commit.nanosecondsSince1970)
        upcoming = (.now + min(pause, Self.pauseMax), next)
    }

    // MARK: The screen

    private mutating func lines(of step: ReplayStep, _ size: Screen.Size) throws -> [String] {
        let commit = step.commit
        let width = max(20, size.columns - 1)
        let body = try body(of: step, width)
        let head = "commit \(commit.commitNumber) of \(numbers.upperBound)"
        let place = "  \(commit.isoTime)\(commit.origin.isEmpty ? "" : "  ")\(commit.origin.plain)"
        let room = max(1, size.rows - 4)
        let isLong = body.count > room
        scrolled = isLong ? min(scrolled, body.count - room + 1) : 0
        var lines = [console.paint(head, .strong) + place.cut(to: max(0, width - head.columns))]
        lines.append(console.paint(String(repeating: "─", count: width), .faint))
        lines += body.dropFirst(scrolled).prefix(isLong ? room - 1 : room)
        if isLong {
            let below = max(0, body.count - scrolled - room + 1)
            lines.append(console.paint("lines \(scrolled + 1) to \(body.count - below) of \(body.count)", .faint))
        }
        lines += Array(repeating: "", count: max(0, size.rows - 1 - lines.count))
        return lines + [lastLine(width)]
    }

    private mutating func body(of step: ReplayStep, _ width: Int) throws -> [String] {
        let commit = step.commit
        if let body, body.commit == commit.commitNumber, body.width == width { return body.lines }
        let paper = Console(
            out: TextSink(), err: TextSink(), isTerminal: true, width: width, usesColor: console.usesColor)
        if let info = commit.info { try paper.out.write("info \(info.cell(columnsMax: width - 5))\n") }
        if commit.removesAll { try paper.out.write("- everything\n") }
        let printer = PatchPrinter(console: paper, fieldBytesMax: 1 << 20)
        try printer.write(ShownChange.of(step, ChangeFilter()), indent: "")
        let lines = paper.out.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        body = (commit.commitNumber, width, lines)
        return lines
    }

    private func lastLine(_ width: Int) -> String {
        if let typed { return "go to: \(typed.plain)▏".cut(to: width) }
        if let message { return console.paint(message.cut(to: width), .warning) }
        let play = upcoming == nil ? "space play" : "▶ \(speed)  space stop  + - speed"
        let keys = "→ ← commit  ↓ ↑ scroll  \(play)  : go to  PgDn PgUp ±10  Home End  q quit"
        return console.paint(keys.cut(to: width), .faint)
    }
}

extension ReplayStepper {
    /// The keys that are pressed, and those that were pressed while nobody waited for one.
    private final class PressedKeys {
        private let wait: (_ milliseconds: Int) -> Keyboard.Event
        private var kept: [Keyboard.Event] = []
        private var askedCount = 0

        init(_ wait: @escaping (_ milliseconds: Int) -> Keyboard.Event) { self.wait = wait }

        /// Waits for the next key, unless one was kept.
        func next(_ milliseconds: Int) -> Keyboard.Event {
            kept.isEmpty ? wait(milliseconds) : kept.removeFirst()
        }

        /// Whether a key came that quits, which is the next then: what was pressed before it is about a commit that is not
        /// reached. Other keys are kept. Looks at the keyboard now and then, without waiting.
        func isQuitPressed() -> Bool {
            askedCount += 1
            guard askedCount.isMultiple(of: 16) else { return false }
            var event = wait(0)
            while event != .timeout {
                kept.append(event)
                if event == .end { break }
                event = wait(0)
            }
            guard let first = firstThatQuits else { return false }
            kept.removeFirst(first)
            return true
        }

        /// The first key that quits, of those that are kept. A position may be typed ahead, with any letter, until Return or Esc.
        private var firstThatQuits: Int? {
            var isTyping = false
            for (index, event) in kept.enumerated() {
                switch event {
                case .end, .key(.interrupt): return index
                case .key(.character("\n")): isTyping = false
                case .key(.escape):
                    if !isTyping { return index }
                    isTyping = false
                case .key(.character(let sign)):
                    if !isTyping, sign == "q" { return index }
                    if sign == ":" || sign.isASCII && sign.isNumber { isTyping = true }
                default: break
                }
            }
            return nil
        }
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

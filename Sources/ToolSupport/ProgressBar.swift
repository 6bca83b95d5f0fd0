import YaprakModel

/// The progress of a long operation: how far it is, how fast, and when it ends. Shown on a terminal only.
///
///     var bar = ProgressBar(console, "loading", unit: "records")
///     bar.update(done: 4_096, of: 100_000, counted: 12)
///     bar.finish()
///
///     loading  ████████████▌             48 %  31,200/s  0:04 left
package struct ProgressBar {
    private let console: Console
    private let label: String
    private let unit: String
    private let started: ContinuousClock.Instant
    private var drawn: ContinuousClock.Instant?
    private var origin: Int?

    /// A bar that is not shown yet.
    package init(_ console: Console, _ label: String, unit: String = "") {
        self.console = console
        self.label = label
        self.unit = unit
        started = .now
    }

    /// Redraws the bar, at most ten times a second.
    ///
    /// The rate is that of `counted`, the end that of `done`; without a total no end is shown.
    package mutating func update(done: Int, of total: Int?, counted: Int) {
        guard console.isWatched else { return }
        if origin == nil { origin = done }
        let now = ContinuousClock.now
        if let drawn, now - drawn < .milliseconds(100) { return }
        drawn = now
        let line = line(done: done, of: total, counted: counted, after: seconds(now - started))
        try? console.err.write("\r\u{1b}[K" + line)
        try? console.err.flush()
    }

    /// Removes the bar.
    package mutating func finish() {
        guard console.isWatched, drawn != nil else { return }
        drawn = nil
        try? console.err.write("\r\u{1b}[K")
        try? console.err.flush()
    }

    /// The line at `time` seconds after the start.
    package func line(done: Int, of total: Int?, counted: Int, after time: Double) -> String {
        let rate = time > 0 ? Double(counted) / time : 0
        let rateText = "\(Int(rate).grouped)\(unit.isEmpty ? "" : " " + unit)/s"
        guard let total, total > 0 else { return "\(label)  \(counted.grouped)  \(rateText)" }
        let share = min(1, Double(done) / Double(total))
        let begun = Double(origin ?? 0) / Double(total)
        let left = share > begun ? time * (1 - share) / (share - begun) : 0
        let percent = "\(Int(share * 100)) %".padded(to: 5, leading: true)
        let tail = "\(percent)  \(rateText)  \(clock(left)) left"
        let room = min(40, console.width - label.columns - tail.columns - 6)
        guard room >= 8 else { return "\(label)  \(tail)" }
        return "\(label)  \(bar(share, room))  \(tail)"
    }

    private func bar(_ share: Double, _ width: Int) -> String {
        let eighths = Int(share * Double(width * 8))
        var bar = String(repeating: "█", count: eighths / 8)
        if eighths % 8 > 0 { bar.append(Array("▏▎▍▌▋▊▉")[eighths % 8 - 1]) }
        return bar + String(repeating: "·", count: width - bar.count)
    }

    private func clock(_ time: Double) -> String {
        // A false length in the head of a file makes it any number.
        let whole = Int(min(time, 1e9).rounded(.up))
        let rest = String(whole % 60)
        return "\(whole / 60):\(rest.count == 1 ? "0" : "")\(rest)"
    }
}

/// A duration in seconds.
package func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

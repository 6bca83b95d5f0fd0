import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

/// Commits over time, or their changes by number, in bars of one length: the data of both pictures.
struct ActivityPlot {
    /// What the axis counts.
    enum Axis: String, CaseIterable, ExpressibleByArgument {
        /// Nanoseconds.
        case time
        /// Commits, by their numbers.
        case commit
    }

    let axis: Axis
    /// How long a bar is, in nanoseconds or commits.
    let interval: Int64
    /// Where the first bar begins: a multiple of the interval.
    let start: Int128
    /// The commits of each bar.
    private(set) var commits: [Int]
    /// The changes of each bar.
    private(set) var changes: [Int]

    /// A mark on the axis of time.
    struct Tick {
        /// How far along the axis, in bars.
        let place: Double
        let label: String
    }

    /// Commits that were made so long before or after all others that an axis with them would show nothing else.
    private(set) var outsiders: [ReplayActivity.Slice] = []

    /// Commits over time, in at most `barsMax` bars; nil if there are no commits.
    init?(_ statistics: ReplayStatistics, barsMax: Int) {
        guard let times = statistics.nanosecondsSince1970 else { return nil }
        let activity = statistics.activity
        var slices = activity.slices
        outsiders = Self.removeOutsiders(of: &slices)
        // Wide numbers: the times of a hostile log are anything.
        var low = Int128(times.lowerBound), high = Int128(times.upperBound)
        if !outsiders.isEmpty, let first = slices.first, let last = slices.last {
            low = max(low, Int128(first.nanosecondsSince1970))
            high = min(high, Int128(last.nanosecondsSince1970) + Int128(activity.sliceNanoseconds) - 1)
        }
        let count = { (interval: Int64) in Self.floor(high, interval) - Self.floor(low, interval) + 1 }
        let fitting = Self.intervals.first { $0 >= activity.sliceNanoseconds && count($0) <= Int128(max(1, barsMax)) }
        guard let interval = fitting ?? Self.intervals.last, let bars = Int(exactly: count(interval)) else {
            return nil
        }
        axis = .time
        self.interval = interval
        start = Self.floor(low, interval) * Int128(interval)
        commits = Array(repeating: 0, count: bars)
        changes = commits
        for slice in slices {
            // A slice may begin before the first commit in it does.
            let place = Self.floor(max(Int128(slice.nanosecondsSince1970), low), interval) - Self.floor(low, interval)
            let bar = min(bars - 1, max(0, Int(clamping: place)))
            commits[bar] += slice.commitCount
            changes[bar] += slice.changeCount
        }
    }

    /// The changes of each commit by its number, in at most `barsMax` bars.
    init?(_ statistics: ReplayStatistics, by reader: ReplayReader, barsMax: Int) throws {
        guard let numbers = statistics.commits else { return nil }
        let low = Int128(numbers.lowerBound.rawValue), high = Int128(numbers.upperBound.rawValue)
        let count = { (interval: Int64) in Self.floor(high, interval) - Self.floor(low, interval) + 1 }
        guard let interval = Self.countIntervals.first(where: { count($0) <= Int128(max(1, barsMax)) }),
            let bars = Int(exactly: count(interval))
        else { return nil }
        axis = .commit
        self.interval = interval
        start = Self.floor(low, interval) * Int128(interval)
        commits = Array(repeating: 0, count: bars)
        changes = commits
        var all = reader.commits(from: numbers.lowerBound, through: numbers.upperBound).makeAsyncIterator()
        while let commit = try all.next() {
            if Invocation.isInterrupted() { throw CancellationError() }
            let bar = Int(Self.floor(Int128(commit.commitNumber.rawValue), interval) - Self.floor(low, interval))
            commits[bar] += 1
            changes[bar] += commit.changeCount
        }
    }

    /// Takes away what stands alone at either end: at most a hundredth of the commits, farther from the others than four
    /// times what they span.
    private static func removeOutsiders(of slices: inout [ReplayActivity.Slice]) -> [ReplayActivity.Slice] {
        let total = slices.reduce(0) { $0 + $1.commitCount }
        guard total >= 10 else { return [] }
        var left = max(1, total / 100), removed: [ReplayActivity.Slice] = []
        func time(_ index: Int) -> Int128 { Int128(slices[index].nanosecondsSince1970) }
        while slices.count > 2 {
            let last = slices.count - 1
            let below = time(1) - time(0), above = time(last) - time(last - 1)
            let index = above >= below ? last : 0
            let rest = index == 0 ? time(last) - time(1) : time(last - 1) - time(0)
            guard slices[index].commitCount <= left, max(below, above) > 4 * max(1, rest) else { break }
            left -= slices[index].commitCount
            removed.append(slices.remove(at: index))
        }
        return removed.sorted { $0.nanosecondsSince1970 < $1.nanosecondsSince1970 }
    }

    private static func floor(_ time: Int128, _ interval: Int64) -> Int128 {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: Int128(interval))
        return remainder < 0 ? quotient - 1 : quotient
    }

    // MARK: Time

    private static let second: Int64 = 1_000_000_000
    private static let day: Int64 = 86_400 * second

    /// The lengths that people read with ease, from a microsecond to 500 years.
    static let intervals: [Int64] = {
        let below = (3...8).flatMap { power in [1, 2, 5].map { $0 * (0..<power).reduce(1) { n, _ in n * 10 } } }
        let clock: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        let days: [Int64] = [1, 2, 5, 7, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
        return below.map { Int64($0) } + clock.map { $0 * second } + days.map { $0 * day }
    }()

    private static let countIntervals: [Int64] = (0...17).flatMap { power in
        [1, 2, 5].map { $0 * (0..<power).reduce(Int64(1)) { number, _ in number * 10 } }
    }

    /// What is drawn: each picture's title and its bars.
    var panels: [(title: String, values: [Int])] {
        switch axis {
        case .time: [("commits per \(intervalText)", commits), ("changed records per \(intervalText)", changes)]
        case .commit: [("changed records per \(intervalText)", changes)]
        }
    }

    /// Which commits are not in the bars; `nil` if all are.
    var outsidersText: String? {
        guard !outsiders.isEmpty else { return nil }
        let count = outsiders.reduce(0) { $0 + $1.commitCount }
        let times = outsiders.prefix(3).map {
            String($0.nanosecondsSince1970.isoTime.prefix(16)).replacing("T", with: " ")
        }
        return "\(count.counted("commit")) not shown, made about \(times.joined(separator: ", "))"
            + (outsiders.count > 3 ? " …" : "")
    }

    /// The interval in words: `minute`, `5 minutes`.
    var intervalText: String {
        if axis == .commit { return interval == 1 ? "commit" : interval.counted("commit") }
        let units: [(Int64, String)] = [
            (Self.day, "day"), (3600 * Self.second, "hour"), (60 * Self.second, "minute"), (Self.second, "second"),
            (1_000_000, "millisecond"), (1000, "microsecond"),
        ]
        let (length, name) = units.first { interval % $0.0 == 0 } ?? (1, "nanosecond")
        let count = interval / length
        return count == 1 ? name : count.counted(name)
    }

    /// Marks for the axis of time, at most `countMax`.
    func ticks(max countMax: Int) -> [Tick] {
        let span = Int128(interval) * Int128(commits.count)
        let intervals = axis == .time ? Self.intervals : Self.countIntervals
        let step =
            intervals.first { $0 >= interval && span / Int128($0) < Int128(Swift.max(1, countMax)) }
            ?? intervals[intervals.count - 1]
        var ticks: [Tick] = []
        var time = Self.floor(start + Int128(step) - 1, step) * Int128(step)
        while time <= start + span, ticks.count < 100 {
            if let exact = Int64(exactly: time) {
                ticks.append(
                    Tick(
                        place: Double(time - start) / Double(interval),
                        label: axis == .time ? Self.label(exact, step: step) : exact.grouped))
            }
            time += Int128(step)
        }
        return ticks
    }

    private static func label(_ time: Int64, step: Int64) -> String {
        let text = time.isoTime  // 2013-01-05T12:00:00.000Z
        if step >= day { return String(text.prefix(10)) }
        let clock = text.dropFirst(11)
        if step >= 60 * second { return String(clock.prefix(5)) }
        if step >= second { return String(clock.prefix(8)) }
        // Seconds, with the digits in which neighbours differ: the line above has the rest.
        let digits = step >= 1_000_000 ? 3 : step >= 1000 ? 6 : 9
        return String(ISOTime.text(time, fractionDigits: digits).dropFirst(17).dropLast())
    }

    /// From when to when, for a person: `2013-01-01 00:00 to 12:00 UTC`.
    var spanText: String {
        if axis == .commit {
            let first = max(1, Int64(clamping: start))
            let end = max(first, Int64(clamping: start + Int128(interval) * Int128(commits.count)) - 1)
            return (UInt64(first)...UInt64(end)).commitsText(isGrouped: true)
        }
        let end = Int64(clamping: start + Int128(interval) * Int128(commits.count))
        let (from, to) = (Int64(clamping: start).isoTime, end.isoTime)
        let digits = interval >= 60 * Self.second ? 16 : interval >= Self.second ? 19 : 23
        let text = { (time: String) in time.prefix(digits).replacing("T", with: " ") }
        if interval >= Self.day { return "\(from.prefix(10)) to \(to.prefix(10))" }
        let isOneDay = from.prefix(10) == to.prefix(10)
        return "\(text(from)) to \(isOneDay ? String(text(to).dropFirst(11)) : String(text(to))) UTC"
    }

    // MARK: Counts

    /// A round number that the highest bar does not pass, and the numbers to mark up to it.
    static func scale(_ values: [Int]) -> (top: Int, marks: [Int]) {
        let most = max(1, values.max() ?? 1)
        var power = 1
        while most / power >= 10, let next = Int(exactly: Double(power) * 10) { power = next }
        let step = [1, 2, 5, 10].map { $0 * power / 2 }.first { $0 > 0 && most <= $0 * 4 } ?? power * 10
        let top = (most + step - 1) / step * step
        return (top, Array(stride(from: 0, through: top, by: step)))
    }
}

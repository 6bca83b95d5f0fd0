import ToolSupport
import Yaprak
import YaprakReplay

/// Commits over time, in bars of one length: the data of both pictures.
struct ActivityPlot {
    /// How long the time of a bar is, in nanoseconds.
    let interval: Int64
    /// When the first bar begins: a multiple of the interval.
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

    /// At most `barsMax` bars; nil if there are no commits.
    init?(_ statistics: ReplayStatistics, barsMax: Int) {
        guard let times = statistics.nanosecondsSince1970 else { return nil }
        let activity = statistics.activity
        // Wide numbers: the times of a hostile log are anything.
        let low = Int128(times.lowerBound), high = Int128(times.upperBound)
        let count = { (interval: Int64) in Self.floor(high, interval) - Self.floor(low, interval) + 1 }
        let fitting = Self.intervals.first { $0 >= activity.sliceNanoseconds && count($0) <= Int128(max(1, barsMax)) }
        guard let interval = fitting ?? Self.intervals.last, let bars = Int(exactly: count(interval)) else {
            return nil
        }
        self.interval = interval
        start = Self.floor(low, interval) * Int128(interval)
        commits = Array(repeating: 0, count: bars)
        changes = commits
        for slice in activity.slices {
            // A slice may begin before the first commit in it does.
            let place = Self.floor(max(Int128(slice.nanosecondsSince1970), low), interval) - Self.floor(low, interval)
            let bar = min(bars - 1, max(0, Int(clamping: place)))
            commits[bar] += slice.commitCount
            changes[bar] += slice.changeCount
        }
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

    /// The interval in words: `minute`, `5 minutes`.
    var intervalText: String {
        let units: [(Int64, String)] = [
            (Self.day, "day"), (3600 * Self.second, "hour"), (60 * Self.second, "minute"), (Self.second, "second"),
            (1_000_000, "millisecond"), (1000, "microsecond"),
        ]
        let (length, name) = units.first { interval % $0.0 == 0 } ?? (1, "nanosecond")
        let count = interval / length
        return count == 1 ? name : "\(count.grouped) \(name)s"
    }

    /// Marks for the axis of time, at most `countMax`.
    func ticks(max countMax: Int) -> [Tick] {
        let span = Int128(interval) * Int128(commits.count)
        let step =
            Self.intervals.first { $0 >= interval && span / Int128($0) < Int128(Swift.max(1, countMax)) }
            ?? Self.intervals[Self.intervals.count - 1]
        var ticks: [Tick] = []
        var time = Self.floor(start + Int128(step) - 1, step) * Int128(step)
        while time <= start + span, ticks.count < 100 {
            if let exact = Int64(exactly: time) {
                ticks.append(
                    Tick(
                        place: Double(time - start) / Double(interval), label: Self.label(exact, step: step)))
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
        return String(clock.prefix(step >= second ? 8 : 12))
    }

    /// From when to when, for a person: `2013-01-01 00:00 to 12:00 UTC`.
    var spanText: String {
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

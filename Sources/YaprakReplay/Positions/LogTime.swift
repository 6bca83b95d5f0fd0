public import YaprakModel

/// A moment, written by a person: fixed, or counted back from now.
///
///     let time = try LogTime("2 hours 30 minutes ago")
///     print(time.nanosecondsSince1970(now: clock()))
///
/// | written | means |
/// | --- | --- |
/// | `2013-01-05T12:00:30.5Z`, `2013-01-05T12:00+02:00` | ISO 8601; seconds and what is smaller may be left out |
/// | `2013-01-05 12:00` | the same; without a zone it is UTC |
/// | `2013-01-05` | that day, UTC |
/// | `10 minutes ago`, `1 day 2 hours ago` | seconds, minutes, hours, days (of 24 hours), weeks; dots serve as spaces |
/// | `yesterday`, `now` | 24 hours ago, and none |
/// | `today` | the beginning of this day, UTC |
///
/// A fixed time means the whole unit of its last digit: a day, a minute, a second, a millisecond, so that a time that was printed
/// with three digits finds what was made within that millisecond. It begins at ``nanosecondsSince1970(now:)`` and ends with
/// ``lastNanosecondsSince1970(now:)``. What is counted back from now is a moment: the two are the same.
public struct LogTime: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case fixed(Int64, ISOTime.Unit)
        case before(seconds: Int64)
        case today
    }

    let form: Form

    init(_ form: Form) { self.form = form }

    /// Reads a time.
    ///
    /// - Throws: `invalidPosition`, with what was expected. - Complexity: O(length).
    public init(_ text: String) throws(DatabaseError) {
        guard let form = Self.parse(text) else {
            throw DatabaseError(
                .invalidPosition,
                "\(quoted(text)) is not a time. Write 2013-01-05, 2013-01-05 12:00, 2013-01-05T12:00:00Z, 10 "
                    + "minutes ago, yesterday or now."
            )
        }
        self.form = form
    }

    /// The last moment of the unit, in nanoseconds since 1970: a thing was made at this time or before it if it was made then or
    /// earlier. O(1).
    ///
    ///     try LogTime("1970-01-01 00:01").lastNanosecondsSince1970(now: 0)     // 119_999_999_999
    public func lastNanosecondsSince1970(now: Int64) -> Int64 {
        let first = nanosecondsSince1970(now: now)
        guard case .fixed(_, let unit) = form else { return first }
        let (last, isLate) = first.addingReportingOverflow(unit.nanoseconds - 1)
        return isLate ? .max : last
    }

    /// The moment, or the first one of the unit, in nanoseconds since 1970; the farthest there is where a count goes beyond.
    /// O(1).
    public func nanosecondsSince1970(now: Int64) -> Int64 {
        switch form {
        case .fixed(let nanoseconds, _): return nanoseconds
        case .before(let seconds):
            let (span, isLong) = seconds.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
            let (time, isEarly) = now.subtractingReportingOverflow(isLong ? .max : span)
            return isEarly ? .min : time
        case .today:
            let day = Self.nanosecondsPerSecond * 86_400
            let into = now % day
            let (time, isEarly) = now.subtractingReportingOverflow(into < 0 ? into + day : into)
            return isEarly ? .min : time
        }
    }

    /// Whether it counts from now.
    var isRelative: Bool { if case .fixed = form { false } else { true } }

    static let nanosecondsPerSecond: Int64 = 1_000_000_000

    private static func parse(_ text: String) -> Form? {
        // A dot stands for a space where spaces would have to be quoted, as in git; in a fixed time it is a fraction's.
        let words = text.lowercased().split { $0 == " " || $0 == "." || $0 == "_" }
        switch words {
        case ["now"]: return .before(seconds: 0)
        case ["yesterday"]: return .before(seconds: 86_400)
        case ["today"]: return .today
        default: break
        }
        if words.last == "ago" { return seconds(words.dropLast()).map { .before(seconds: $0) } }
        return ISOTime.moment(text).map { .fixed($0.nanoseconds, $0.unit) }
    }

    private static func seconds(_ words: ArraySlice<Substring>) -> Int64? {
        guard !words.isEmpty, words.count % 2 == 0, words.count <= 16 else { return nil }
        var total: Int64 = 0
        for index in stride(from: words.startIndex, to: words.endIndex, by: 2) {
            guard words[index].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(words[index]),
                let unit = unit(words[index + 1])
            else { return nil }
            let (span, isLong) = count.multipliedReportingOverflow(by: unit)
            let (sum, isLonger) = total.addingReportingOverflow(span)
            guard !isLong, !isLonger else { return nil }
            total = sum
        }
        return total
    }

    private static func unit(_ word: Substring) -> Int64? {
        switch word {
        case "s", "sec", "secs", "second", "seconds": 1
        case "m", "min", "mins", "minute", "minutes": 60
        case "h", "hour", "hours": 3600
        case "d", "day", "days": 86_400
        case "w", "week", "weeks": 604_800
        default: nil
        }
    }
}

extension LogTime: CustomStringConvertible {
    /// The time in a form that reads back as the same.
    public var description: String {
        switch form {
        case .fixed(let nanoseconds, let unit): ISOTime.text(nanoseconds, to: unit)
        case .before(let seconds): "\(seconds) \(seconds.word("second")) ago"
        case .today: "today"
        }
    }
}

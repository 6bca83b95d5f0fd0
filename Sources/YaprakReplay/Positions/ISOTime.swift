/// ISO 8601 in the proleptic Gregorian calendar, to the nanosecond; no leap seconds, as the clocks of computers go.
package enum ISOTime {
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    private static let secondsPerDay: Int64 = 86_400

    /// How exactly a time is written.
    enum Unit: Sendable, Hashable {
        case day, minute
        /// The second, or so many digits of it.
        case digits(Int)

        /// How long it is.
        var nanoseconds: Int64 {
            switch self {
            case .day: secondsPerDay * nanosecondsPerSecond
            case .minute: 60 * nanosecondsPerSecond
            case .digits(let count): (count..<9).reduce(1) { length, _ in length * 10 }
            }
        }
    }

    /// Nanoseconds since 1970 and the unit of what is written; nil if the text is no time, or one that does not fit (before
    /// 1677, after 2262).
    static func moment(_ text: String) -> (nanoseconds: Int64, unit: Unit)? {
        guard let parts = parts(of: text) else { return nil }
        var (seconds, fraction) = (parts.seconds, parts.fraction)
        // Both parts get one sign, so that the earliest moments that fit don't overflow half-way.
        if seconds < 0, fraction > 0 {
            seconds += 1
            fraction -= nanosecondsPerSecond
        }
        let (whole, isLarge) = seconds.multipliedReportingOverflow(by: nanosecondsPerSecond)
        let (sum, isLarger) = whole.addingReportingOverflow(fraction)
        return isLarge || isLarger ? nil : (sum, parts.unit)
    }

    /// Seconds since 1970 and the nanoseconds after them, of any year of four digits; nil if the text is no time.
    package static func seconds(_ text: String) -> (whole: Int64, nanoseconds: Int64)? {
        parts(of: text).map { ($0.seconds, $0.fraction) }
    }

    private static func parts(of text: String) -> (seconds: Int64, fraction: Int64, unit: Unit)? {
        var reader = ISOTimeReader(text)
        guard let day = reader.day() else { return nil }
        var seconds = day * secondsPerDay, fraction: Int64 = 0
        if !reader.isAtEnd {
            guard reader.take("T") || reader.take("t") || reader.take(" "), let time = reader.timeOfDay() else {
                return nil
            }
            seconds += time.seconds
            fraction = time.nanoseconds
        }
        return reader.isAtEnd ? (seconds, fraction, reader.unit) : nil
    }

    /// The time to a unit, so that it reads back as the same time of the same unit.
    static func text(_ nanoseconds: Int64, to unit: Unit) -> String {
        switch unit {
        case .day: String(text(nanoseconds, fractionDigits: 0).dropLast("T00:00:00Z".count))
        case .minute: text(nanoseconds, fractionDigits: 0).dropLast(":00Z".count) + "Z"
        case .digits(let count): text(nanoseconds, fractionDigits: count)
        }
    }

    /// `2013-01-05T12:00:00Z`, with as many digits of the second as it takes, or with `fractionDigits` of them.
    package static func text(_ nanoseconds: Int64, fractionDigits: Int? = nil) -> String {
        let (seconds, fraction) = floorDivision(nanoseconds, nanosecondsPerSecond)
        let (day, time) = floorDivision(seconds, secondsPerDay)
        let date = civil(day)
        var digits = padded(fraction, 9)
        if let fractionDigits {
            digits = String(digits.prefix(fractionDigits))
        } else {
            while digits.last == "0" { digits.removeLast() }
        }
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
            + (digits.isEmpty ? "" : "." + digits) + "Z"
    }

    // MARK: Days

    /// Days from 1970-01-01 to a date. (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
    static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years begin with March, so that the leap day is the last of its year.
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(shifted, 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date so many days from 1970-01-01.
    static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// Reads the parts of a time; each part has its width, so no number here is larger than four digits, or nine.
private struct ISOTimeReader {
    private var rest: ArraySlice<UInt8>
    /// The unit of what was read so far.
    private(set) var unit = ISOTime.Unit.day

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func day() -> Int64? {
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
            (1...12).contains(month), (1...ISOTime.daysInMonth(month, of: year)).contains(day)
        else { return nil }
        return ISOTime.days(year, month, day)
    }

    mutating func timeOfDay() -> (seconds: Int64, nanoseconds: Int64)? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        var second: Int64 = 0, nanoseconds: Int64 = 0
        unit = .minute
        if take(":") {
            guard let number = number(2), number < 60 else { return nil }
            second = number
            unit = .digits(0)
            if take(".") {
                guard let fraction = fraction() else { return nil }
                nanoseconds = fraction.nanoseconds
                unit = .digits(fraction.digits)
            }
        }
        guard let zone = zone() else { return nil }
        return (hour * 3600 + minute * 60 + second - zone, nanoseconds)
    }

    /// Seconds east of Greenwich.
    private mutating func zone() -> Int64? {
        if isAtEnd || take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hour = number(2), hour < 24 else { return nil }
        if isAtEnd { return sign * hour * 3600 }
        _ = take(":")
        guard let minute = number(2), minute < 60 else { return nil }
        return sign * (hour * 3600 + minute * 60)
    }

    private mutating func fraction() -> (nanoseconds: Int64, digits: Int)? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }.prefix(9)
        guard !digits.isEmpty, let value = number(digits.count) else { return nil }
        return ((digits.count..<9).reduce(value) { value, _ in value * 10 }, digits.count)
    }

    private mutating func number(_ width: Int) -> Int64? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}

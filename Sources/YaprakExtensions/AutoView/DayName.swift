import struct Foundation.Date

/// The days of the Gregorian calendar, as names that order as they do.
enum DayName {
    /// `nil` for a date out of the years 0 to 9999, or one whose number is NaN.
    static func name(of date: Date, secondsFromGMT seconds: Int) -> String? {
        let days = ((date.timeIntervalSince1970 + Double(seconds)) / 86_400).rounded(.down)
        // The first day of the year 0, and the last of the year 9999, counted from 1970.
        guard days >= -719_528, days <= 2_932_896 else { return nil }
        let (year, month, day) = civil(daysSince1970: Int(days))
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Year, month and day of a day, by Howard Hinnant's `civil_from_days`.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

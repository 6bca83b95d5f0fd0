import YaprakCore

public import struct Foundation.Date

// Groups by values that are no names.
extension Grouping {
    /// By an integer of the object: a group for each number, called what the number is in decimal digits. `nil` leaves the
    /// record out.
    ///
    ///     .byObject { $0.year }                       // groups "1965", "2020"
    ///
    /// Names of groups order as text. Where a list shows numbers of several lengths, or negative ones, give its mappings an
    /// order: `order: { Int($0)! < Int($1)! }`.
    public static func byObject<Number: BinaryInteger & SendableMetatype>(
        _ group: @escaping @Sendable (_ object: Object) -> Number?
    ) -> Self {
        Self(.object) { $0.lendObject(to: group).map { String($0) } }
    }

    /// By the day of a date of the object: groups such as `"2026-11-21"`, which order as the days do. `nil`, and what is out of
    /// the years 0 to 9999, leaves the record out.
    ///
    ///     .byDay { $0.received }
    ///
    /// - Parameter seconds: the time zone, as its distance from Greenwich. The zone of the machine takes no part, so that a
    ///   view is the same on each.
    public static func byDay(
        secondsFromGMT seconds: Int = 0, _ date: @escaping @Sendable (_ object: Object) -> Date?
    ) -> Self {
        Self(.object) { box in
            box.lendObject(to: date).flatMap { DayName.name(of: $0, secondsFromGMT: seconds) }
        }
    }
}

import ArgumentParser

/// A minute of the play, counted from 1 January 2013, 00:00, New York time.
///
///     Minute("2013-01-15 17:00")!.count == 21_180
struct Minute: Hashable, Comparable, Sendable {
    var count: Int

    /// What events and arguments may have: January, and the first days of February.
    static let counts = 0..<50_000

    static func < (a: Self, b: Self) -> Bool { a.count < b.count }
    /// Wraps around: a flight in the files of a database may have any delay.
    static func + (a: Self, minutes: Int) -> Self { Self(count: a.count &+ minutes) }

    private static let months = ["Jan", "Feb"]
    private static let weekdays = ["Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Mon"]

    private var day: Int { count / 1440 }

    /// `17:00`.
    var clock: String { "\(two(count % 1440 / 60)):\(two(count % 60))" }

    /// `Tue 15 Jan 2013`.
    var date: String { "\(Self.weekdays[day % 7]) \(day % 31 + 1) \(Self.months[day / 31]) 2013" }

    private func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension Minute: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        count = try container.decode(Int.self)
        guard Self.counts.contains(count) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(count) is no minute of the play")
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }
}

extension Minute: CustomStringConvertible {
    /// `2013-01-15 17:00`.
    var description: String { "2013-\(two(day / 31 + 1))-\(two(day % 31 + 1)) \(clock)" }
}

extension Minute: ExpressibleByArgument {
    /// Reads `2013-01-15 17:00`, `2013-01-15` or a number of minutes.
    init?(_ text: String) {
        if let count = Int(text) {
            guard Self.counts.contains(count) else { return nil }
            self.init(count: count)
            return
        }
        let parts = text.split { $0 == "-" || $0 == " " || $0 == "T" || $0 == ":" }.map { Int($0) ?? -1 }
        guard parts.count == 3 || parts.count == 5, parts[0] == 2013, (1...2).contains(parts[1]),
            (1...(parts[1] == 1 ? 31 : 2)).contains(parts[2])
        else { return nil }
        let time = parts.count == 5 ? Array(parts[3...]) : [0, 0]
        guard (0..<24).contains(time[0]), (0..<60).contains(time[1]) else { return nil }
        self.init(count: ((parts[1] - 1) * 31 + parts[2] - 1) * 1440 + time[0] * 60 + time[1])
    }

    init?(argument: String) { self.init(argument) }
}

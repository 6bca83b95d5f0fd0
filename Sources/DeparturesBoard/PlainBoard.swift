/// The board computed from the events, without the engine: a fold over a dictionary, a filter and a sort.
///
///     var plain = try PlainBoard(Timetable(data))
///     try plain.advance(to: minute)
///     plain.sections(where: \.isLate)
///
/// Slow, short, and right at a glance: what the views say is compared with it.
struct PlainBoard {
    /// The flights by key.
    private(set) var flights: [String: Flight] = [:]
    private let timetable: Timetable
    private var ahead: [DepartureEvent]?

    init(_ timetable: Timetable) throws {
        self.timetable = timetable
        ahead = try timetable.nextMinute()
    }

    /// Goes on to a minute, its events included.
    mutating func advance(to minute: Minute) throws {
        while let events = ahead, events[0].at <= minute {
            for event in events {
                if let flight = event.flight { flights[event.key] = flight } else { flights[event.key]?.apply(event) }
            }
            ahead = try timetable.nextMinute()
        }
    }

    /// The sections of the board: what waits at each airport, and is included, by expected time and key.
    func sections(where isIncluded: (Flight) -> Bool = { _ in true }) -> [ShownList.Section] {
        BoardViews.airports.map { airport in
            let waiting = flights.filter { $0.value.waitsAt == airport && isIncluded($0.value) }
            let rows = waiting.sorted { ($0.value.expected, $0.key) < ($1.value.expected, $1.key) }
                .prefix(BoardViews.rowsMax)
                .map { ShownList.Line(key: $0.key, flight: $0.value) }
            return ShownList.Section(name: airport, rows: rows)
        }
    }
}

/// One line of the data: something that happened to a flight at a minute.
struct DepartureEvent: Codable, Sendable {
    /// What can happen.
    enum Operation: String, Codable, Sendable {
        case schedule, delay, depart, arrive, cancel
    }

    var at: Minute
    var op: Operation
    /// The flight's key.
    var key: String
    /// The flight as of its first event.
    var flight: Flight?
    /// The delay of a departure.
    var minutes: Int?
    /// The delay of an arrival.
    var delay: Int?
}

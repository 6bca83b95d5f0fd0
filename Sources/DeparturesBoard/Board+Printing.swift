import ToolSupport
import Yaprak

extension Board {
    /// Prints the board as a terminal shows it.
    func show(on console: Console) throws {
        let title = "Departures  \(airport)"
        let time = "\(minute.date)  \(minute.clock)"
        let width = 60
        try console.out.write(
            console.paint(title + time.padded(to: width - title.columns, leading: true), .strong) + "\n")
        try console.out.write(
            console.paint("TIME   FLIGHT    TO    STATUS".padded(to: width - 5) + "MILES", .faint) + "\n")
        for line in lines { try console.out.write(text(of: line.flight, width, console) + "\n") }
        if lines.isEmpty { try console.out.write("No departures are known at this time.\n") }
    }

    private func text(of flight: Flight, _ width: Int, _ console: Console) -> String {
        let number = "\(flight.carrier) \(flight.number)".plain.padded(to: 10)
        let start = "\(flight.scheduled.clock)  \(number)\(flight.destination.plain.padded(to: 6))"
        let (status, color) = status(of: flight)
        let miles = flight.distance.grouped
        return start + console.paint(status.padded(to: width - start.columns - miles.columns), color) + miles
    }

    private func status(of flight: Flight) -> (String, Console.Color) {
        switch flight.status {
        case .scheduled:
            flight.scheduled < minute ? ("boarding", .info) : ("on time", .good)
        case .delayed:
            ("delayed \(flight.delay ?? 0) min, expected \(flight.expected.clock)", .warning)
        case .cancelled: ("cancelled", .bad)
        case .departed: ("departed \(flight.expected.clock)", .faint)
        case .arrived: ("arrived", .faint)
        }
    }
}

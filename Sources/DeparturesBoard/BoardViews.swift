import Yaprak

extension Flight {
    /// The airport where it waits to leave; `nil` once it has left or will not.
    var waitsAt: String? {
        switch status {
        case .scheduled, .delayed: origin
        case .departed, .arrived, .cancelled: nil
        }
    }

    /// Whether it leaves at least 15 minutes late.
    var isLate: Bool { (delay ?? 0) >= 15 }
}

/// The views of the board, and the lists that show them.
///
///     let origins = try await BoardViews.register(in: database)
///     for row in database.snapshot[BoardViews.departures]["JFK"].prefix(20) { print(row.object.number) }
enum BoardViews {
    /// A view of flights by a value of theirs.
    typealias Departures = AutoView<Record<Flight, NoMetadata>>

    /// Flights that have not left: a group for each airport, in the order in which they are expected to leave.
    ///
    /// A delay moves the row, a departure removes it, both in the same commit. Stored in checkpoints, from which the next
    /// opening restores it.
    static let departures = Departures(
        "departures", versionTag: "1", of: .flights, groupedBy: \.waitsAt, sortedBy: \.expected,
        persistence: .everyCommit)

    /// Those of them that leave at least 15 minutes late.
    static let late = FilteredView("late", versionTag: "1", of: departures, where: \.isLate)

    /// The airports, in the order of the sections.
    static let airports = ["EWR", "JFK", "LGA"]
    /// How many flights a section shows.
    static let rowsMax = 20

    /// A list with a section for each airport, of the next flights there.
    static func sections<View: OrderedView>(of view: View) -> ViewMappings<View> {
        var sections = ViewMappings(view, groups: airports)
        sections.setRangeForAllGroups(.fixed(length: rowsMax, from: .beginning))
        return sections
    }

    /// How the views came about when they were registered.
    struct Origins: Sendable, CustomStringConvertible {
        let departures: ExtensionHost.Origin
        let late: ExtensionHost.Origin

        var description: String { "departures \(departures), late \(late)" }
    }

    /// Registers the views: adopted from a checkpoint if there is one, else populated from the flights.
    /// - Throws: as `Database.register`.
    static func register(in database: Database) async throws -> Origins {
        let departures = try await database.register(departures)
        let late = try await database.register(late)
        return Origins(departures: await departures.origin, late: await late.origin)
    }
}

import ArgumentParser
import ToolSupport
import Yaprak

/// The example of search: the world's cities, found as one types, and the cities nearest to the best of them.
@main
struct CitySearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "CitySearch",
        abstract: "Finds the world's cities by their names, as you type, and by place.",
        discussion: """
            On a terminal: type a name, in any script; Escape or Ctrl-C ends. The list follows while another task edits the \
            cities. With a query the ten best are printed, and the cities around the first. With --check everything is \
            compared with a look at every city.

              CitySearch
              CitySearch 'name: san* NOT santiago'
              CitySearch --check

            Exit codes: 0 all is well; 1 something was not found, or found and not there; 64 a malformed query.
            """)

    @Argument(help: "What to find, in the query language of full-text indexes.")
    var query: String?

    @Option(help: ArgumentHelp("The cities: NDJSON, plain or in LZ4 frames.", valueName: "file"))
    var data = "Fixtures/cities.ndjson.lz4"

    @Flag(help: "Compare what is found with a look at every city.")
    var check = false

    func run() async throws {
        let console = Console.standard()
        defer { try? console.flush() }
        if check {
            guard try await CityCheck(CityIndexes.database(of: data), console).run() else { throw ExitCode(1) }
            return
        }
        if let query {
            do {
                let parsed = try CityIndexes.names.query(query)
                return try show(parsed, in: await CityIndexes.database(of: data), console)
            } catch let error as SearchQueryError {
                throw ValidationError(error.description)
            }
        }
        guard let keyboard = Keyboard() else { throw ValidationError("give a query, or run it on a terminal") }
        defer { keyboard.leave() }
        try await TypeAhead(CityIndexes.database(of: data), console, keyboard).run()
    }

    /// The best ten, and what lies around the first.
    private func show(_ query: SearchQuery, in database: Database, _ console: Console) throws {
        let snapshot = database.snapshot
        let reader = snapshot[CityIndexes.names]
        let hits = reader.top(10, for: query)
        for hit in hits {
            let found = reader.snippet(of: hit.record, for: query, terms: 6).marked("[", "]").split(separator: "\n")
            try console.out.write(
                "\(hit.record.object.country)  \(hit.record.object.name): \(found.joined(separator: " · "))\n")
        }
        guard let place = hits.first?.record.object.place else { throw ExitCode(1) }
        try console.out.write("around it:\n")
        for hit in snapshot[CityIndexes.places].nearest(6, to: place).dropFirst() {
            try console.out.write("  \(Int(hit.distance / 1000)) km  \(hit.record.object.name)\n")
        }
    }
}

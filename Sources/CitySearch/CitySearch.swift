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

            Exit codes: 0 all is well; 1 something was not found, or found and not there; 3 there is no file of cities, or it \
            has none; 64 a malformed query.
            """)

    @Argument(help: "What to find, in the query language of full-text indexes.")
    var query: String?

    @Option(help: ArgumentHelp("The cities: NDJSON, plain or in LZ4 frames.", valueName: "file"))
    var data = "Fixtures/cities.ndjson.lz4"

    @Flag(help: "Compare what is found with a look at every city.")
    var check = false

    func run() async throws {
        let console = Console.standard()
        do {
            try await answer(on: console)
            try console.flush()
        } catch let error as InputError {
            try console.err.write("CitySearch: \(error)\n")
            try console.flush()
            throw ExitCode(3)
        } catch let error where !(error is ExitCode) && console.out.hasLostReader {
            // The reader has seen enough, as that of `CitySearch … | head` has.
        } catch {
            try? console.flush()
            throw error
        }
    }

    /// Does what the arguments ask for.
    func answer(on console: Console) async throws {
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
            let (city, names) = (hit.record.object, found.map { String($0).plain }.joined(separator: " · "))
            try console.out.write("\(city.country.plain)  \(city.name.plain): \(names)\n")
        }
        guard let first = hits.first?.record, let place = first.object.place else { throw ExitCode(1) }
        try console.out.write("around it:\n")
        // Another city may be at the same place: what is left out is the one that was found.
        for hit in snapshot[CityIndexes.places].nearest(6, to: place).filter({ $0.record.key != first.key }).prefix(5) {
            try console.out.write("  \(Int(hit.distance / 1000)) km  \(hit.record.object.name.plain)\n")
        }
    }
}

import ToolSupport
import Yaprak
import YaprakLocks

/// Asks the indexes and every city the same.
struct CityCheck {
    let database: Database
    let console: Console

    init(_ database: Database, _ console: Console) {
        self.database = database
        self.console = console
    }

    /// Whether all answers are the same.
    func run() async throws -> Bool {
        var isRight = try words()
        isRight = try places() && isRight
        return try await typing() && isRight
    }

    private func say(_ what: String, _ count: Int, wrong: Int) throws -> Bool {
        let outcome = wrong == 0 ? "all the same" : "\(wrong) \(wrong.word("differs", "differ"))"
        try console.out.write("\(what): \(count) compared, \(outcome)\n")
        return wrong == 0
    }

    /// The folded words of a city's names.
    private static func terms(_ city: City) -> [String] {
        [city.name, city.otherNames].flatMap { WordTokenizer().tokens(in: $0, for: .document).map(\.term) }
    }

    private static func finds(_ prefix: String, _ terms: [String]) -> Bool {
        terms.contains { $0.utf8.starts(with: prefix.utf8) }
    }

    private func words() throws -> Bool {
        let snapshot = database.snapshot
        let reader = snapshot[CityIndexes.names]
        let cities = snapshot[.cities].map { (key: $0.key, terms: Self.terms($0.object)) }
        var wrong = 0
        for number in 0..<100 {
            let terms = cities[number * 331 % cities.count].terms
            let prefix = String((terms.first ?? "a").prefix(1 + number % 5))
            let expected = cities.filter { Self.finds(prefix, $0.terms) }.map(\.key)
            if reader.keys(matching: .prefix(prefix)) != expected { wrong += 1 }
        }
        return try say("beginnings of names", 100, wrong: wrong)
    }

    private func places() throws -> Bool {
        let snapshot = database.snapshot
        let reader = snapshot[CityIndexes.places]
        var wrong = 0
        for number in 0..<40 {
            let center = GeoCoordinate(
                latitude: Double(number * 37 % 180) - 90, longitude: Double(number * 101 % 360) - 180)
            let found = reader.nearest(10, to: center).map(\.distance)
            let expected = snapshot[.cities].compactMap { $0.object.place?.distance(to: center) }.sorted().prefix(10)
            if zip(found, expected).contains(where: { abs($0 - $1) > 0.01 }) || found.count != expected.count {
                wrong += 1
            }
        }
        return try say("nearest cities", 40, wrong: wrong)
    }

    /// Types names while another task edits, and compares the list in the end.
    private func typing() async throws -> Bool {
        let editing = Task { try await CityIndexes.edit(database, pause: .milliseconds(2)) }
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self, bufferingPolicy: .bufferingNewest(1))
        let typist = Task {
            // Also if something fails: the list waits for what is typed.
            defer { typed.finish() }
            for name in ["istanbul", "san", "münchen", "東京", "saint"] {
                for length in 1...name.count {
                    typed.yield(.typing(String(name.prefix(length))))
                    try? await Task.sleep(for: .milliseconds(30))
                }
            }
            editing.cancel()
            try await editing.value
            typed.yield(.typing("saint p"))
        }
        let seen = Mutex(Seen())
        let showing = Task {
            for try await update in database.updates(
                of: ViewMappings(CityIndexes.bySize), searching: queries, in: CityIndexes.names)
            {
                // The one before is released after the lock.
                _ = seen.withLock { seen in
                    defer { seen.latest = update }
                    seen.updates += 1
                    seen.rows += update.rowChanges.count
                    return seen.latest
                }
            }
        }
        defer { showing.cancel() }
        try await typist.value
        // The last query is looked up a moment after it was typed.
        let expected = database.snapshot[CityIndexes.bySize]["cities"].filter { row in
            let terms = Self.terms(row.object)
            return Self.finds("saint", terms) && Self.finds("p", terms)
        }
        .map(\.key)
        var isRight = false
        for _ in 0..<100 where !isRight {
            try await Task.sleep(for: .milliseconds(50))
            let shown = seen.withLock { $0.latest }.map { update in
                update.new.sections(of: update.mappings).flatMap { $0.map(\.key) }
            }
            isRight = shown == expected
        }
        showing.cancel()
        try await showing.value
        let (updates, rows) = seen.withLock { ($0.updates, $0.rows) }
        let changed = rows.counted("changed row")
        try console.out.write("typed beside an editor: \(updates.counted("update")) with \(changed)\n")
        return try say("lists in the end", 1, wrong: isRight ? 0 : 1)
    }

    private struct Seen {
        var updates = 0
        var rows = 0
        var latest: ListUpdate<AutoView<Record<City, NoMetadata>>>?
    }
}

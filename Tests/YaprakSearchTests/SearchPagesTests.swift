import TestSupport
import Testing
import Yaprak

// snippet: search-message
struct Message: Codable, Sendable {
    var title: String
    var body: String
}

extension RecordCollection where Object == Message, Metadata == NoMetadata {
    static var messages: Self { Self("messages") }
}
// end

// snippet: place-station
struct Station: Codable, Sendable {
    var name: String
    var coordinate: GeoCoordinate?
}

extension RecordCollection where Object == Station, Metadata == NoMetadata {
    static var stations: Self { Self("stations") }
}
// end

/// The programs of the pages about search.
@Suite(.bounded) struct SearchPagesTests {
    @Test func `The search of the page about words finds what it says`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            transaction[.messages]["a"] = Message(title: "Spice harvest on Arrakis", body: "The worm came.")
            transaction[.messages]["b"] = Message(title: "Harvest festival", body: "No spice, no sandworm.")
        }

        // snippet: search-register
        let text = FullTextIndex("messages.text", of: .messages, \.title, \.body)
        try await database.register(text)

        let reader = database.snapshot[text]
        for hit in reader.top(10, for: .words("spice harvest")) {
            print(hit.key, hit.score, hit.record.object.title)
        }
        print(reader.count(matching: .word("worm")), reader.keys(matching: .prefix("arr")))
        // end
        #expect(reader.top(10, for: .words("spice harvest")).count == 2)
        #expect(reader.count(matching: .word("worm")) == 1 && reader.keys(matching: .prefix("arr")) == ["a"])

        // snippet: search-columns
        let weighed = FullTextIndex(
            "messages.weighed", of: .messages,
            columns: [
                SearchColumn("title", \.title, weight: 4),
                SearchColumn("body", \.body),
                SearchColumn("length") { $0.object.body.count > 1000 ? "long" : "short" },
            ])
        // end
        try await database.register(weighed)
        #expect(database.snapshot[weighed].top(1, for: .word("harvest")).count == 1)
        #expect(database.snapshot[weighed].count(matching: try weighed.query("length: short")) == 2)

        // snippet: search-queries
        let typed = SearchQuery.typing("spi har")  // what is in a search field: every word is a beginning
        let built = SearchQuery.all(of: [
            .phrase("spice harvest"), .prefix("arrak").within("title"), .fuzzy("messiha", distance: 1),
        ])
        let parsed = try text.query("\"spice harvest\" title: arrak* messiha~1 NOT worm")
        // end
        #expect(reader.keys(matching: typed) == ["a", "b"])
        #expect(parsed == built.excluding(.word("worm")))

        // snippet: search-error
        do {
            _ = try text.query("(spice OR harvest")
        } catch {
            print(error)  // a closing parenthesis is missing for this one, at column 1
        }
        // end
        #expect(throws: SearchQueryError.self) { try text.query("(spice OR harvest") }

        // snippet: search-snippet
        let query = SearchQuery.words("spice worm")
        for hit in reader.top(3, for: query) {
            print(reader.snippet(of: hit.record, for: query, terms: 12).marked("[", "]"))
            let ranges = reader.highlights(in: "title", of: hit.record, for: query)  // to draw them in the title
            print(ranges.map { hit.record.object.title[$0] })
        }
        if reader.count(matching: .word("sandwrom")) == 0 {
            print(reader.suggestions(for: "sandwrom").map(\.term))  // ["sandworm"]
        }
        // end
        #expect(reader.suggestions(for: "sandwrom").map(\.term) == ["sandworm"])
    }

    @Test func `The list of the page about words follows what is typed`() async throws {
        let database = Database.inMemory()
        let byTitle = AutoView("byTitle", of: .messages, groupedBy: { _ in "all" }, sortedBy: \.title)
        let text = FullTextIndex("messages.text", of: .messages, \.title, \.body)
        try await database.register(byTitle)
        try await database.register(text)
        try await database.write { transaction in
            transaction[.messages]["a"] = Message(title: "Spice", body: "")
            transaction[.messages]["b"] = Message(title: "Harvest", body: "")
        }

        // snippet: search-list
        var sections = ViewMappings(byTitle)
        sections.setSearch(.typing("spi"), in: text)
        try sections.update(to: database.snapshot)
        print(sections.itemCount)
        // end
        #expect(sections.itemCount == 1)

        // snippet: search-results
        let found = SearchResultsView("found", of: byTitle, in: text)
        try await database.register(found)
        try await database.write { try $0.setQuery(of: found, to: .word("spice")) }
        print(database.snapshot[found]["all"].map(\.key))
        // end
        #expect(database.snapshot[found]["all"].map(\.key) == ["a"])

        // snippet: search-results-own
        let byLetter = SearchResultsView(
            "byLetter", in: text, groupedBy: { String($0.title.prefix(1)) }, sortedBy: \.title)
        try await database.register(byLetter)
        try await database.write { try $0.setQuery(of: byLetter, to: .word("spice")) }
        print(database.snapshot[byLetter].groupNames)
        // end
        #expect(database.snapshot[byLetter].groupNames.count == 1 && database.snapshot[byLetter].count == 1)

        // snippet: search-typing
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self, bufferingPolicy: .bufferingNewest(1))
        let list = Task {
            for try await update in database.updates(of: ViewMappings(byTitle), searching: queries, in: text) {
                print(update.isReload ? "reload" : "\(update.rowChanges)")
            }
        }
        for text in ["s", "sp", "spi"] { typed.yield(.typing(text)) }
        typed.yield(nil)  // all rows again
        // end
        try await database.close()
        try await list.value
    }

    @Test func `The places of the page about places are found`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            for (key, name, latitude, longitude) in [
                ("s", "Sirkeci", 41.015, 28.977), ("u", "Üsküdar", 41.026, 29.015), ("k", "Söğütlüçeşme", 40.99, 29.04),
                ("f", "Suva", -18.14, 178.44),
            ] {
                transaction[.stations][key] = Station(
                    name: name, coordinate: GeoCoordinate(latitude: latitude, longitude: longitude))
            }
            transaction[.stations]["none"] = Station(name: "Somewhere")
        }

        // snippet: place-register
        let places = SpatialIndex("stations.place", of: .stations, at: \.coordinate)
        try await database.register(places)

        let here = GeoCoordinate(latitude: 41.01, longitude: 28.98)
        let reader = database.snapshot[places]
        for hit in reader.nearest(3, to: here) {
            print(hit.record.object.name, Int(hit.distance), "m")
        }
        // end
        #expect(reader.nearest(3, to: here).map(\.key) == ["s", "u", "k"])

        // snippet: place-box
        let city = GeoBox(south: 40.8, west: 28.6, north: 41.3, east: 29.4)
        print(reader.keys(in: city), reader.count(in: city))
        let fiji = GeoBox(south: -20, west: 176, north: -12, east: -178)  // across the antimeridian
        print(reader.records(in: fiji).map(\.object.name))
        // end
        #expect(reader.keys(in: city) == ["k", "s", "u"] && reader.keys(in: fiji) == ["f"])

        // snippet: place-distance
        let near = reader.hits(within: 2_000, of: here)
        print(near.map(\.key))

        // Lazily: as many as it takes.
        let named = reader.byDistance(from: here).lazy.filter { $0.record.object.name.hasPrefix("S") }.prefix(2)
        print(named.map(\.key))
        // end
        #expect(near.map(\.key) == ["s"] && named.map(\.key) == ["s", "k"])
    }
}

import Foundation
import GRDB
import Yaprak

/// A city of the fixtures.
private struct City: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "city"
    var id: String
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var timezone: String

    static func all() throws -> [City] {
        let decoder = JSONDecoder()
        return try Fixture.lines(of: "cities.ndjson").map { try decoder.decode(City.self, from: Data($0)) }
    }
}

extension RecordCollection where Object == City, Metadata == NoMetadata {
    fileprivate static var cities: Self { Self("cities") }
}

extension Measure {
    /// Real data in real views: the cities of the world, by country, by time zone and by hemisphere, kept while they are
    /// loaded, a thousand in each transaction.
    static var citiesLoad: Measure {
        Measure(id: "CITIES") { settings, report in
            let cities = try City.all()
            guard !cities.isEmpty else { throw UsageError("the cities are not in Fixtures") }
            let byCountry = AutoView(
                "country", of: .cities, groupedBy: \.country, sortedBy: \.population, order: .descending)
            let byZone = AutoView("zone", of: .cities, groupedBy: \.timezone, sortedBy: \.name)
            let byHemisphere = AutoView(
                "hemisphere", of: .cities, groupedBy: { $0.latitude < 0 ? "south" : "north" }, sortedBy: \.latitude)

            func load(_ database: Yaprak.Database) async throws {
                for start in stride(from: 0, to: cities.count, by: 1000) {
                    try await database.write { transaction in
                        for city in cities[start..<min(cities.count, start + 1000)] {
                            transaction[.cities][city.id] = city
                        }
                    }
                }
            }
            let series = try await interleave(
                [
                    Contender(name: "Yaprak, three views") {
                        let database = Database.inMemory()
                        try await database.register(byCountry)
                        try await database.register(byZone)
                        try await database.register(byHemisphere)
                        let cost = try await time(cities.count) { try await load(database) }
                        sink &+= UInt64(database.snapshot[byZone]["Europe/Istanbul"].count)
                        return cost
                    },
                    Contender(name: "Yaprak, views registered after") {
                        let database = Database.inMemory()
                        return try await time(cities.count) {
                            try await load(database)
                            try await database.register(byCountry)
                            try await database.register(byZone)
                            try await database.register(byHemisphere)
                        }
                    },
                    Contender(name: "GRDB memory, three indexes") {
                        let queue = try Self.indexedQueue()
                        return try time(cities.count) {
                            for start in stride(from: 0, to: cities.count, by: 1000) {
                                try queue.write { db in
                                    for city in cities[start..<min(cities.count, start + 1000)] { try city.insert(db) }
                                }
                            }
                        }
                    },
                ], runs: settings.runs, isolated: true)
            report.compare(
                "CITIES", "load \(cities.count) cities into three views, per city", series[0], series[2],
                .none)
            report.compare(
                "CITIES", "the same, views registered when all are there", series[1], series[2], .none)
        }
    }

    private static func indexedQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE city(id TEXT NOT NULL PRIMARY KEY, name TEXT, country TEXT, population INTEGER,
                        latitude REAL, timezone TEXT);
                    CREATE INDEX city_country ON city(country, population DESC);
                    CREATE INDEX city_zone ON city(timezone, name);
                    CREATE INDEX city_hemisphere ON city(latitude < 0, latitude);
                    """)
        }
        return queue
    }
}

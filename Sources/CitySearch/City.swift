import Foundation
import ToolSupport
import Yaprak

/// A city of the fixtures.
struct City: Codable, Sendable {
    var id: String
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var longitude: Double
    var alternateNames: [String]?

    var place: GeoCoordinate? { GeoCoordinate(latitude: latitude, longitude: longitude) }
    var otherNames: String { alternateNames?.joined(separator: "\n") ?? "" }
}

extension RecordCollection where Object == City, Metadata == NoMetadata {
    static var cities: Self { Self("cities") }
}

/// What the cities are found by.
enum CityIndexes {
    /// By their names, of which the first counts most.
    static let names = FullTextIndex(
        "cities.names", of: .cities,
        columns: [SearchColumn("name", \.name, weight: 3), SearchColumn("other", \.otherNames)])
    /// By their places.
    static let places = SpatialIndex("cities.places", of: .cities, at: \.place)
    /// All of them, the largest first.
    static let bySize = AutoView(
        "cities.bySize", of: .cities, groupedBy: { _ in "cities" }, sortedBy: \.population, order: .descending)

    /// A database in memory with the cities of a file.
    static func database(of path: String) async throws -> Database {
        let lines = try LineReader(path)
        let decoder = JSONDecoder()
        var cities: [City] = []
        while let line = try lines.next() { cities.append(try decoder.decode(City.self, from: Data(line))) }
        let all = cities
        let database = Database.inMemory()
        try await database.write { transaction in for city in all { transaction[.cities][city.id] = city } }
        try await database.register(bySize)
        try await database.register(names)
        try await database.register(places)
        return database
    }

    /// Somebody else's work: cities grow, and are renamed now and then, until the task is cancelled.
    static func edit(_ database: Database, pause: Duration) async throws {
        let keys = database.snapshot[.cities].map(\.key)
        var count = 0
        while !Task.isCancelled {
            let key = keys[count * 7919 % keys.count]
            let renames = count % 5 == 0
            try await database.write { transaction in
                transaction[.cities][key]?.population += 1000
                if renames { transaction[.cities][key]?.name += " ✎" }
            }
            count += 1
            try? await Task.sleep(for: pause)
        }
    }
}

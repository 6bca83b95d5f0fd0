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
    /// - Throws: `InputError` if there is no such file, or if it does not have cities.
    static func database(of path: String) async throws -> Database {
        let all = try cities(of: path)
        let database = Database.inMemory()
        try await database.write { transaction in for city in all { transaction[.cities][city.id] = city } }
        try await database.register(bySize)
        try await database.register(names)
        try await database.register(places)
        return database
    }

    private static func cities(of path: String) throws -> [City] {
        var cities: [City] = []
        var number = 0
        do {
            let lines = try LineReader(path)
            let decoder = JSONDecoder()
            while let line = try lines.next() {
                number = lines.number
                cities.append(try decoder.decode(City.self, from: Data(line)))
            }
        } catch let error as DecodingError {
            throw InputError("line \(number) of \(path) is no city: \(error)")
        } catch {
            throw InputError("the cities in \(path): \(error). Give their file with --data.")
        }
        guard !cities.isEmpty else { throw InputError("\(path) has no cities. Give another file with --data.") }
        return cities
    }

    /// Somebody else's work: cities grow, and are renamed now and then, until the task is cancelled.
    static func edit(_ database: Database, pause: Duration) async throws {
        let keys = database.snapshot[.cities].map(\.key)
        var count = 0
        while !Task.isCancelled {
            let key = keys[count * 7919 % keys.count]
            let renames = count % 5 == 0
            do {
                try await database.write { transaction in
                    transaction[.cities][key]?.population &+= 1000
                    if renames { transaction[.cities][key]?.name += " ✎" }
                }
            } catch is CancellationError {
                // It was cancelled while another had the turn to write: nothing was written.
                return
            }
            count += 1
            try? await Task.sleep(for: pause)
        }
    }
}

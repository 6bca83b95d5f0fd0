import Yaprak

/// The records of the tests that go through a database.
struct City: Codable, Sendable, Hashable {
    var name = ""
    var country = "tr"
    var people = 0
    var tags: [String] = []
}

struct Visit: Codable, Sendable, Hashable {
    var count = 0
}

extension RecordCollection where Object == City, Metadata == Visit {
    static var cities: Self { Self("cities") }
}

typealias CityRow = Record<City, Visit>
typealias CityView = AutoView<CityRow>

extension CityView {
    /// Cities by country, the largest first.
    static var byCountry: CityView {
        AutoView("byCountry", of: .cities, groupedBy: \.country, sortedBy: \.people, order: .descending)
    }

    /// Cities by each of their tags.
    static var byTag: CityView { AutoView("byTag", of: .cities, groupedByEach: \.tags, sortedBy: \.name) }
}

extension Database {
    /// A database with views and some cities in it.
    static func cities(_ cities: KeyValuePairs<String, City> = [:]) async throws -> Database {
        let database = Database.inMemory()
        try await database.register(CityView.byCountry)
        try await database.register(CityView.byTag)
        try await database.put(cities)
        return database
    }

    func put(_ cities: KeyValuePairs<String, City>) async throws {
        try await write { transaction in
            for (key, city) in cities { transaction[.cities][key] = city }
        }
    }
}

import Yaprak
import YaprakTesting

// snippet: testing-fixture
struct City: Codable, Sendable, Hashable {
    var id: String
    var name: String
    var country: String
    var population: Int
}

extension RecordCollection where Object == City, Metadata == NoMetadata {
    static var cities: Self { Self("cities") }
}

let byCountry = AutoView(
    "byCountry", versionTag: "1", of: .cities, groupedBy: \.country, sortedBy: { -$0.population })

extension Fixture {
    static let cities = Fixture { database in  // built once, when the first test asks for it
        try await database.load(.ndjson("../../Fixtures/cities.ndjson.lz4"), into: .cities, key: "id")
        try await database.register(byCountry)
    }
}
// end

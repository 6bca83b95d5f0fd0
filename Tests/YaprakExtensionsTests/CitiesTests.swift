import Foundation
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import YaprakExtensions

struct City: Codable, Sendable, Hashable {
    var id: String
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var timezone: String
    var alternateNames: [String]
}

extension RecordCollection where Object == City, Metadata == NoMetadata {
    static var cities: Self { Self("cities") }
}

/// 34,006 real cities in three views and a filter: names in all scripts, groups of all sizes.
@Suite(.bounded) struct CitiesTests {
    static func load() throws -> [City] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let lines = try LineReader(package.appendingPathComponent("Fixtures/cities.ndjson.lz4").path)
        let decoder = JSONDecoder()
        var cities: [City] = []
        while let line = try lines.next() { cities.append(try decoder.decode(City.self, from: Data(line))) }
        return cities
    }

    @Test func `Three views of all cities are what the records say, before and after a thousand changes`() async throws
    {
        let cities = try Self.load()
        #expect(cities.count == 34_006)
        let byCountry = AutoView(
            "country", of: .cities, groupedBy: \.country, sortedBy: \.population, order: .descending)
        let byZone = AutoView("zone", of: .cities, groupedBy: \.timezone, sortedBy: \.name, persistence: .checkpoints)
        let byName = AutoView(
            "names", of: .cities,
            groupedByEach: { Set($0.alternateNames.compactMap { $0.unicodeScalars.first.map { String($0) } }) },
            sortedBy: \.latitude)
        let large = FilteredView("large", of: byCountry) { $0.population >= 1_000_000 }

        let database = Database.inMemory()
        try await database.register(byZone)
        try await database.write { for city in cities { $0[.cities][city.id] = city } }
        try await database.register(byCountry)
        try await database.register(byName)
        try await database.register(large)

        func check(_ snapshot: Snapshot) throws {
            for state in [snapshot[byCountry].state, snapshot[byZone].state, snapshot[byName].state] {
                #expect(state.verify().isSound)
            }
            #expect(snapshot[large].state.verify(parent: snapshot[byCountry].state).isSound)
            let countries = Dictionary(grouping: snapshot[.cities], by: \.object.country)
            #expect(snapshot[byCountry].groupNames == countries.keys.sorted())
            for (country, rows) in countries {
                let sorted = rows.sorted {
                    ($1.object.population, $0.key) < ($0.object.population, $1.key)
                }
                #expect(snapshot[byCountry][country].map(\.key) == sorted.map(\.key), "\(country)")
                #expect(
                    snapshot[large][country].map(\.key)
                        == sorted.filter { $0.object.population >= 1_000_000 }.map(\.key), "\(country)")
            }
            for name in ["Asia/Tokyo", "Europe/Istanbul", "America/New_York"] {
                let group = snapshot[byZone][name]
                #expect(group.map(\.object.name) == group.map(\.object.name).sorted(), "\(name)")
            }
        }

        let before = database.snapshot
        try check(before)
        var random = SplitMix64(seed: 34_006)
        for _ in 0..<20 {
            let base = random
            random = try await database.write { transaction in
                var random = base
                for _ in 0..<50 {
                    let city = cities[random.below(cities.count)]
                    if random.chance(10) {
                        transaction[.cities].remove(city.id)
                    } else {
                        transaction[.cities][city.id]?.population = random.below(2_000_000)
                        if random.chance(20) {
                            transaction[.cities][city.id]?.country = cities[random.below(cities.count)].country
                        }
                    }
                }
                return random
            }
        }
        try check(database.snapshot)
        try check(database.fork().snapshot)
        #expect(before[byCountry].count == 34_006)
        for name in database.snapshot[byCountry].state.namesOfDifferingGroups(from: before[byCountry].state) {
            let (old, new) = (before[byCountry].state, database.snapshot[byCountry].state)
            let x = (0..<old.count(ofGroup: name)).map { old.placement(inGroup: name, at: $0) }
            let y = (0..<new.count(ofGroup: name)).map { new.placement(inGroup: name, at: $0) }
            try ModelTests.check(new.difference(from: old, ofGroup: name), x, y, name)
        }
    }
}

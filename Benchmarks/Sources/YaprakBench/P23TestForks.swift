import Foundation
import GRDB
import Yaprak

/// What the tests need of a city. SQLite has the same, in columns.
private struct NamedCity: Codable, Sendable {
    var id: String
    var name: String
    var population: Int
}

extension RecordCollection where Object == NamedCity, Metadata == NoMetadata {
    fileprivate static var namedCities: Self { Self("cities") }
}

extension Measure {
    /// P23: a thousand tests on one fixture, the cities of the world, each with a state of its own: a fork; a copy in memory of a
    /// SQLite file; a savepoint on one copy that is rolled back.
    static var testForks: Measure {
        Measure(id: "P23") { settings, report in
            let lines = Fixture.lines(of: "cities.ndjson")
            guard !lines.isEmpty else { throw UsageError("the cities are not in Fixtures") }
            let decoder = JSONDecoder()
            let cities = try lines.map { try decoder.decode(NamedCity.self, from: Data($0)) }
            let fixture = Yaprak.Database.inMemory()
            try await fixture.write { transaction in
                for city in cities { transaction[.namedCities][city.id] = city }
            }
            let path = try settings.freshDirectory("P23") + "/cities.sqlite"
            let file = try DatabaseQueue(path: path)
            try await file.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE city (id TEXT PRIMARY KEY, name TEXT NOT NULL, population INTEGER NOT NULL)
                        WITHOUT ROWID
                        """)
                for city in cities {
                    try database.execute(
                        sql: "INSERT INTO city VALUES (?, ?, ?)", arguments: [city.id, city.name, city.population])
                }
            }
            let memory = try DatabaseQueue()
            try file.backup(to: memory)
            let id = cities[cities.count / 2].id
            let tests = 1_000

            @Sendable func test(_ database: GRDB.Database, _ number: Int) throws {
                try database.cachedStatement(sql: "UPDATE city SET population = ? WHERE id = ?")
                    .execute(arguments: [number, id])
                let select = try database.cachedStatement(sql: "SELECT population FROM city WHERE id = ?")
                let found = try Int.fetchOne(select, arguments: [id])
                precondition(found == number)
            }
            let unshared = fixture.fork()
            let items = Item.make(cities.count)
            let boxes = zip(cities, items).map { Boxed(key: $0.id, item: $1) }
            let bare = BareWriter(boxes)
            let bareUnshared = BareWriter(boxes)
            // Each test writes a record and reads it. Two contenders do that alone: the difference is what the state costs.
            // The last two make a state and give it up.
            let series = try await interleave(
                [
                    Contender(name: "Yaprak, fork") {
                        try await time(tests) {
                            for number in 0..<tests {
                                let fork = fixture.fork()
                                try await fork.write { $0[.namedCities][id]?.population = number }
                                precondition(fork.snapshot[.namedCities][id]?.population == number)
                            }
                        }
                    },
                    Contender(name: "GRDB, copy in memory") {
                        try time(tests / 50) {
                            for number in 0..<tests / 50 {
                                let copy = try DatabaseQueue.inMemoryCopy(fromPath: path)
                                try copy.write { try test($0, number) }
                                try copy.close()
                            }
                        }
                    },
                    Contender(name: "GRDB, savepoint") {
                        try time(tests) {
                            for number in 0..<tests {
                                try memory.writeWithoutTransaction { database in
                                    try database.inSavepoint {
                                        try test(database, number)
                                        return .rollback
                                    }
                                }
                            }
                        }
                    },
                    Contender(name: "Yaprak, one database") {
                        try await time(tests) {
                            for number in 0..<tests {
                                try await unshared.write { $0[.namedCities][id]?.population = number }
                                precondition(unshared.snapshot[.namedCities][id]?.population == number)
                            }
                        }
                    },
                    Contender(name: "GRDB, one database") {
                        try time(tests) {
                            for number in 0..<tests {
                                try memory.writeWithoutTransaction { try test($0, number) }
                            }
                        }
                    },
                    Contender(name: "Yaprak, fork for nothing") {
                        time(tests) { for _ in 0..<tests { withExtendedLifetime(fixture.fork()) {} } }
                    },
                    Contender(name: "GRDB, savepoint around nothing") {
                        try time(tests) {
                            for _ in 0..<tests {
                                try memory.writeWithoutTransaction { try $0.inSavepoint { .rollback } }
                            }
                        }
                    },
                    Contender(name: "a bare tree of its own in an actor") {
                        await time(tests) {
                            for number in 0..<tests {
                                let fork = BareWriter(of: bare)
                                await fork.update(id, items[number])
                                precondition(fork.row(id).item.rank == items[number].rank)
                            }
                        }
                    },
                    Contender(name: "one bare tree in an actor") {
                        await time(tests) {
                            for number in 0..<tests {
                                await bareUnshared.update(id, items[number])
                                precondition(bareUnshared.row(id).item.rank == items[number].rank)
                            }
                        }
                    },
                ], runs: settings.runs)
            precondition(bare.row(id) === boxes[cities.count / 2], "no update reaches the tree that others are made of")
            precondition(fixture.commitNumber == 1, "no test writes to the fixture")
            report.compare("P23", "a test on \(cities.count) cities", series[0], series[1], .timesFaster(100))
            report.compare("P23", "a test on \(cities.count) cities", series[0], series[2], .none)
            let fork = series[0].minus(series[3])
            report.compare("P23", "a state of its own for it", fork, series[1].minus(series[4]), .timesFaster(100))
            report.compare(
                "P23", "a state of its own for it", fork, series[2].minus(series[4]), .timesFaster(10),
                bound: series[7].minus(series[8]))
            report.compare("P23", "a state made and given up", series[5], series[6], .timesFaster(10))
        }
    }
}

extension Series {
    /// What these runs took longer than others of the same round.
    fileprivate func minus(_ other: Series) -> Series {
        Series(name: name, samples: zip(samples, other.samples).map { max(0, $0 - $1) })
    }
}

import TestSupport
import Testing
import Yaprak
import YaprakTesting

/// The programs of the page on testing.
@Suite(.bounded, .database(.shelf)) struct TestingPageTests {
    @Test func `Two databases are compared`() async throws {
        // snippet: testing-differences
        let database = Database.current
        let copy = database.fork()
        try await copy.write { $0[.books]["dune"]?.salesRank += 1 }
        try await copy.restore(database.snapshot)
        expectNoDifference(database, copy)
        // end
    }

    @Test func `What a block changes is reviewed as text`() async throws {
        let database = Database.current
        // snippet: testing-changes
        try await expectChanges(
            in: database,
            matches: """
                books
                  ~ dune: salesRank: 3 → 1
                  - emma: {"genre": "romance", "title": "Emma", "salesRank": 8}
                view bySalesRank
                  - romance: emma
                """
        ) {
            try await database.write { transaction in
                transaction[.books]["dune"]?.salesRank = 1
                transaction[.books].remove("emma")
            }
        }
        // end
    }

    @Test func `A fault reaches the program, and the next launch has what was promised`() async throws {
        // snippet: testing-faults
        let disk = SimulatedDisk()
        // Or: Database.open(at: "/shop", on: disk, collections: .books)
        let database = try await Database.current.fork(on: disk)

        disk.plan(.syncFails())
        let error = await #expect(throws: DatabaseError.self) { try await database.write { $0[.books].remove("dune") } }
        #expect(error?.code == .syncFailed)  // and the database is read-only from here on

        let after = disk.afterPowerCut()  // as the next launch finds it; afterKill() for a process that was killed
        let again = try await Database.open(at: "/fork", on: after, collections: .books)
        #expect(again.snapshot[.books]["dune"] != nil)
        // end
    }

    @Test func `Orders are explored`() async {
        // snippet: testing-explore
        await explore(seeds: 50) { run in
            let database = try await Fixture.shelf.fork(options: run.options)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await run.clock.sleep(for: .seconds(60))  // no time passes
                        try await database.write { $0[.books]["dune"]?.salesRank += 1 }
                    }
                }
                try await group.waitForAll()
            }
            #expect(database.snapshot[.books]["dune"]?.salesRank == 6)
        }
        // end
    }

    @Test func `A view and an index obey their laws`() async {
        // snippet: testing-laws
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) {
            let key = choices.key(among: 8)
            let book = Book(title: key, genre: choices.pick(["sci-fi", "horror"]), salesRank: choices.below(5))
            transaction[.books][key] = choices.chance(30) ? nil : book
        }
        await checkListLaw(of: bySalesRank, histories: 5, using: edit)
        await checkIndex(RecordIndex("rank", of: .books, \.genre, \.salesRank), histories: 5, using: edit)
        // end
    }
}

/// The suite of the page has a trait of ours from around it.
@Suite(.bounded) enum BoundedPageTests {
    // snippet: testing-suite
    @Suite(.database(.cities)) struct CityTests {
        @Test(arguments: ["TR", "FR"]) func `The largest city of a country comes first`(country: String) {
            let cities = Database.current.snapshot[byCountry][country]  // a fork of its own for each argument
            #expect(cities[0].object.population >= cities[1].object.population)
        }

        @Test func `A city that is removed leaves its country`() async throws {
            try await Database.current.write { $0[.cities].remove("745044") }
            #expect(!Database.current.snapshot[byCountry].contains(key: "745044"))
        }
    }
    // end
}

import TestSupport
import Testing
import Yaprak

// snippet: views-flights
struct Flight: Codable, Sendable {
    enum Status: String, Codable { case scheduled, delayed, departed, cancelled }

    var number: String
    var origin: String
    var destination: String
    var minute: Int  // of the day, as far as that is known
    var status = Status.scheduled
}

struct Gate: Codable, Sendable {
    var name: String
}

extension RecordCollection where Object == Flight, Metadata == Gate {
    static var flights: Self { Self("flights") }
}
// end

// snippet: views-airport
struct Airport: Codable, Sendable, Equatable {
    var flights: Int
    var delayed: Int
    var next: Int
}
// end

// snippet: views-trains
struct Train: Codable, Sendable {
    var line: String
    var station: String
    var minute: Int
}

extension RecordCollection where Object == Train, Metadata == NoMetadata {
    static var trains: Self { Self("trains") }
}
// end

/// The programs of the pages about views.
@Suite(.bounded) struct ViewPagesTests {
    static func fill(_ database: Database) async throws {
        try await database.write { transaction in
            for number in 0..<60 {
                transaction[.flights]["f\(number)"] = Flight(
                    number: "TK \(number)", origin: ["JFK", "EWR", "LGA"][number % 3], destination: "IST",
                    minute: 600 - number * 7 % 60)
            }
            transaction[.trains]["t1"] = Train(line: "A", station: "JFK", minute: 590)
        }
    }

    @Test func `The board of the page about views is kept`() async throws {
        let database = Database.inMemory()
        try await Self.fill(database)

        // snippet: views-register
        let departures = AutoView(
            "departures", versionTag: "1", of: .flights, groupedBy: \.origin, sortedBy: \.minute)
        try await database.register(departures)

        for row in database.snapshot[departures]["JFK"].prefix(15) {
            print(row.object.minute, row.object.destination, row.metadata?.name ?? "–")
        }
        // end

        // snippet: views-closures
        let byGate = AutoView(
            "byGate", of: .flights, groupedBy: .byMetadata { $0?.name }, sortedBy: .byObject { $0.minute })
        let byStatus = AutoView("byStatus", of: .flights, groupedBy: \.status, sortedBy: \.number)
        let byLetters = AutoView(
            "byLetters", of: .flights, groupedByEach: { [$0.origin, $0.destination] }, sortedBy: \.minute)
        let latest = AutoView(
            "latest", of: .flights, groupedBy: .everything(in: "all"), sortedBy: \.minute, order: .descending)
        // end
        try await database.register(byGate)
        try await database.register(byStatus)
        try await database.register(byLetters)
        try await database.register(latest)
        #expect(database.snapshot[byGate].isEmpty && database.snapshot[byStatus].groupNames == ["scheduled"])
        #expect(database.snapshot[byLetters]["IST"].count == 60 && database.snapshot[latest]["all"].count == 60)

        // snippet: views-read
        let board = database.snapshot[departures]
        print(board.groupNames)  // EWR, JFK, LGA
        print(board["JFK"].count)  // 20, O(1)
        print(board["JFK"][3].object.number)  // any position, O(log n)
        for row in board["JFK"][10..<20] { print(row.key) }  // a page
        print(board["JFK"].reversed().first?.key ?? "none")  // the last to leave
        print(board.place(of: "f9") ?? "nowhere")  // (group: "JFK", index: 18)
        print(board["JFK"].rows(by: \.object.minute, in: 570..<580).count)  // by binary search
        // end
        #expect(board["JFK"].count == 20 && board.place(of: "f9")?.group == "JFK")

        // snippet: views-past
        let before = database.snapshot
        try await database.write { $0[.flights]["f9"]?.minute = 700 }
        let after = database.snapshot
        let moved = (before[departures].place(of: "f9"), after[departures].place(of: "f9"))
        let changes = after[departures].rawChangeCount(since: before[departures])
        // end
        #expect(moved.0! != moved.1! && moved.1?.index == 19 && changes > 0)

        // snippet: views-write
        try await database.write { transaction in
            transaction[.flights]["f0"] = nil
            let next = try transaction.reader(of: departures)["JFK"].first  // f0 is not there any more
            print(next?.key ?? "no flights")
        }
        // end

        // snippet: views-aggregate
        let airports = AggregateView(
            "airports", of: departures, sums: [{ $0.object.status == .delayed ? 1 : 0 }],
            row: { Airport(flights: $0.count, delayed: Int($0.totals[0]), next: $0.first.object.minute) },
            sortedBy: { $0.object.next })
        try await database.register(airports)

        for airport in database.snapshot[airports]["all"] {
            print(airport.key, airport.object.flights, airport.object.delayed)  // JFK 20 0, …
        }
        // end
        #expect(database.snapshot[airports]["all"].count == database.snapshot[departures].groupCount)
        try await database.write { $0[.flights]["f9"]?.status = .delayed }
        #expect(database.snapshot[airports]["all"].first { $0.key == "JFK" }?.object.delayed == 1)

        // snippet: views-exchange
        try await database.write { transaction in
            try transaction.setSorting(of: departures, sortedBy: .byObject { $0.destination }, versionTag: "place")
            try transaction.setGrouping(
                of: departures, groupedBy: .byObject { $0.status == .departed ? nil : $0.origin }, versionTag: "waiting"
            )
        }
        // end
        #expect(database.snapshot[departures].versionTag == "waiting")

        // snippet: views-explain
        print(database.snapshot.explain("f9", in: departures))
        // "f9" is in group "JFK" at 18 of 19, sorted by "IST", after "f6" ("IST"), in view "departures".
        // end
        #expect(
            "\(database.snapshot.explain("f9", in: departures))".hasPrefix("\"f9\" is in group \"JFK\" at 18 of 19"))
    }

    @Test func `Flights and trains stand on one board`() async throws {
        let database = Database.inMemory()
        try await Self.fill(database)

        // snippet: views-mixed
        let station = AutoView(
            "station", of: .flights, .trains,
            groupedBy: .byObject { $0.origin }, .byObject { $0.station },
            sortedBy: .byObject { $0.minute }, .byObject { $0.minute })
        try await database.register(station)

        for row in database.snapshot[station]["JFK"] {
            if let flight = row.as(.flights) { print(flight.object.number, flight.object.destination) }
            if let train = row.as(.trains) { print(train.object.line) }
        }
        // end
        #expect(database.snapshot[station]["JFK"].count == 21)
    }

    @Test func `What a user puts together is kept`() async throws {
        let database = Database.inMemory()
        try await Self.fill(database)

        // snippet: views-manual
        let watched = ManualView("watched", of: .flights)
        try await database.register(watched)
        try await database.write { transaction in
            try transaction.append("f9", to: "mine", in: watched)
            try transaction.append("f3", to: "mine", in: watched)
            try transaction.move("f3", to: 0, of: "mine", in: watched)
            transaction[.flights]["f9"] = nil  // takes its row with it
        }
        print(database.snapshot[watched]["mine"].map(\.key))  // f3
        // end
        #expect(database.snapshot[watched]["mine"].map(\.key) == ["f3"])
    }

    @Test func `A filter follows its parent`() async throws {
        let database = Database.inMemory()
        try await Self.fill(database)
        let departures = AutoView("departures", of: .flights, groupedBy: \.origin, sortedBy: \.minute)
        try await database.register(departures)

        // snippet: filtered-register
        let delayed = FilteredView("delayed", of: departures) { $0.status == .delayed }
        let gated = FilteredView("gated", of: delayed, where: .byMetadata { $0 != nil })
        try await database.register(delayed)
        try await database.register(gated)

        try await database.write { $0[.flights]["f9"]?.status = .delayed }
        print(database.snapshot[delayed]["JFK"].map(\.key))  // f9
        // end
        #expect(database.snapshot[delayed]["JFK"].map(\.key) == ["f9"] && database.snapshot[gated].isEmpty)

        // snippet: filtered-search
        func show(_ text: String) async throws {
            try await database.write { transaction in
                try transaction.setFiltering(
                    of: delayed, where: .byObject { $0.destination.hasPrefix(text) }, versionTag: "search \(text)")
            }
        }
        try await show("IS")
        // end
        #expect(database.snapshot[delayed].count == 60)
        try await database.write { $0[.flights].replaceMetadata(Gate(name: "B20"), for: "f9") }

        // snippet: filtered-explain
        print(database.snapshot.explain("f3", in: gated))
        // "f3" is not in view "gated": its filter, which reads the metadata, rejects its row of view "delayed".
        // end
        #expect(
            "\(database.snapshot.explain("f3", in: gated))".hasPrefix("\"f3\" is not in view \"gated\": its filter"))
    }
}

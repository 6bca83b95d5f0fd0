import Foundation
import TestSupport
import Testing
import Yaprak

/// Views sorted by values that may be missing and by pairs, and grouped by numbers and days.
@Suite(.bounded) struct ViewValueTests {
    private struct Event: Codable, Sendable {
        var year: Int?
        var time: Date?
        var names: [String]
        var weight: Double?
    }

    private let events = RecordCollection<Event, Int>("events")

    @Test func `A view sorted by an optional has what is missing first, and one of a pair compares both`() async throws
    {
        let database = Database.inMemory()
        let byWeight = AutoView(
            "weight", of: events, groupedBy: .everything(in: "all"), sortedBy: .byObject { $0.weight })
        let byNames = AutoView(
            "names", of: events, groupedBy: .everything(in: "all"), sortedBy: .byObject { ($0.names[0], $0.names[1]) },
            order: .descending)
        let byMetadata = AutoView(
            "metadata", of: events, groupedBy: .everything(in: "all"), sortedBy: .byMetadata { $0 })
        try await database.register(byWeight)
        try await database.register(byNames)
        try await database.register(byMetadata)
        var random = SplitMix64(seed: 5)
        for _ in 0..<200 {
            let key = "e\(random.below(50))"
            let event = Event(
                year: nil, time: nil, names: ["a", "ab", "b"].shuffled(using: &random),
                weight: random.chance(30) ? nil : Double(random.below(9)))
            let metadata = random.chance(40) ? nil : random.below(5)
            try await database.write { [events] in $0[events].set(event, metadata: metadata, for: key) }
        }
        let snapshot = database.snapshot
        func expected(_ areInOrder: (Record<Event, Int>, Record<Event, Int>) -> Bool?) -> [String] {
            snapshot[events].sorted { areInOrder($0, $1) ?? ($0.key < $1.key) }.map(\.key)
        }
        func compare<Value: Comparable>(_ a: Value?, _ b: Value?) -> Bool? {
            a == b ? nil : a == nil ? true : b == nil ? false : a! < b!
        }
        #expect(snapshot[byWeight]["all"].map(\.key) == expected { compare($0.object.weight, $1.object.weight) })
        #expect(snapshot[byMetadata]["all"].map(\.key) == expected { compare($0.metadata, $1.metadata) })
        #expect(
            snapshot[byNames]["all"].map(\.key)
                == expected { a, b in
                    let (x, y) = (Array(a.object.names.prefix(2)), Array(b.object.names.prefix(2)))
                    return x == y ? nil : y.lexicographicallyPrecedes(x)
                })
    }

    @Test func `Key paths to numbers and dates group as the closures do`() async throws {
        let database = Database.inMemory()
        let byYear = AutoView("year", of: events, groupedBy: \.year, sortedBy: \.names.count)
        let byCount = AutoView("count", of: events, groupedBy: \.names.count, sortedBy: \.names.count)
        let byDay = AutoView("day", of: events, groupedByDay: \.time, sortedBy: \.names.count, order: .descending)
        try await database.register(byYear)
        try await database.register(byCount)
        try await database.register(byDay)
        try await database.write { [events] transaction in
            transaction[events]["a"] = Event(
                year: -3, time: Date(timeIntervalSince1970: 86_399), names: ["x"], weight: nil)
            transaction[events]["b"] = Event(year: 12, time: Date(timeIntervalSince1970: 0), names: [], weight: nil)
            transaction[events]["c"] = Event(year: nil, time: nil, names: ["y"], weight: nil)
        }
        let snapshot = database.snapshot
        #expect(snapshot[byYear].groupNames == ["-3", "12"] && snapshot[byYear].group(of: "c") == nil)
        #expect(snapshot[byCount].groupNames == ["0", "1"] && snapshot[byCount]["1"].map(\.key) == ["a", "c"])
        #expect(snapshot[byDay].groupNames == ["1970-01-01"] && snapshot[byDay]["1970-01-01"].map(\.key) == ["a", "b"])
    }

    @Test func `A view grouped by numbers and by days has a group for each`() async throws {
        let database = Database.inMemory()
        let byYear = AutoView("year", of: events, groupedBy: .byObject { $0.year }, sortedBy: .byKey)
        let byDay = AutoView("day", of: events, groupedBy: .byDay { $0.time }, sortedBy: .byKey)
        let east = AutoView("east", of: events, groupedBy: .byDay(secondsFromGMT: 7_200) { $0.time }, sortedBy: .byKey)
        try await database.register(byYear)
        try await database.register(byDay)
        try await database.register(east)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0)!
        var random = SplitMix64(seed: 8)
        var expected: [String: Set<String>] = [:]
        for number in 0..<300 {
            let time = Date(timeIntervalSince1970: Double(random.below(8_000_000_000)) - 4_000_000_000)
            let parts = calendar.dateComponents([.year, .month, .day], from: time)
            let name = String(format: "%04d-%02d-%02d", parts.year!, parts.month!, parts.day!)
            expected[name, default: []].insert("e\(number)")
            let event = Event(year: random.chance(20) ? nil : parts.year! - 2000, time: time, names: [], weight: nil)
            try await database.write { [events] in $0[events]["e\(number)"] = event }
        }
        let bounds: [Double?] = [
            -62_167_219_200, 253_402_300_799, -62_167_219_201, 253_402_300_800, .nan, .infinity, nil,
        ]
        for (number, seconds) in bounds.enumerated() {
            let event = Event(year: nil, time: seconds.map { Date(timeIntervalSince1970: $0) }, names: [], weight: nil)
            try await database.write { [events] in $0[events]["b\(number)"] = event }
        }
        expected["0000-01-01"] = ["b0"]
        expected["9999-12-31"] = ["b1"]
        let snapshot = database.snapshot
        #expect(snapshot[byDay].groupNames == expected.keys.sorted())
        for (name, keys) in expected { #expect(Set(snapshot[byDay][name].map(\.key)) == keys) }
        let late = Event(year: nil, time: Date(timeIntervalSince1970: 86_400 * 400 - 3_600), names: [], weight: nil)
        try await database.write { [events] in $0[events]["late"] = late }
        #expect(database.snapshot[byDay].group(of: "late") == "1971-02-04")
        #expect(database.snapshot[east].group(of: "late") == "1971-02-05")
        let years = Dictionary(grouping: snapshot[events].filter { $0.object.year != nil }) { "\($0.object.year!)" }
        #expect(Set(snapshot[byYear].groupNames) == Set(years.keys))
        for (name, rows) in years { #expect(snapshot[byYear][name].map(\.key) == rows.map(\.key).sorted()) }
    }
}

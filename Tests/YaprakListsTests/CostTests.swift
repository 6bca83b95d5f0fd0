import TestSupport
import Testing
import Yaprak
import YaprakCore
import YaprakExtensions
import YaprakLocks

@testable import YaprakLists

/// What changes cost: they follow what changed and how far windows slid, never how many rows there are.
@Suite(.bounded, .serialized) struct CostTests {
    /// A group of a million rows that nobody stores, and that counts who looks at them.
    private struct Million: GroupedRows {
        static let looks = Mutex(0)
        var shift = 0
        let groupNames = ["a"]
        func count(ofGroup group: String) -> Int { 1_000_000 + shift }
        func rowID(inGroup group: String, at index: Int) -> RowID {
            Self.looks.withLock { $0 += 1 }
            return RowID(collection: 0, key: "\(index - shift)")
        }
        func place(of row: RowID) -> [(group: String, index: Int)] { [] }
    }

    @Test func `A change in a million rows looks at a few`() {
        for range in [
            ListRange.fixed(length: 50, offset: 400_000, from: .beginning),
            .flexible(length: 50, offset: 400_000, from: .end),
        ] {
            var core = ListCore(groups: ["a"])
            core.configure {
                $0.setReversed(true, for: "a")
                $0.setRange(range, for: "a")
                $0.setDependencies([-1, 2], for: nil)
            }
            core.refresh(to: Million())
            let new = Million(shift: 3)
            var difference = RowDifference()
            difference.inserted = (0..<3).map { .init($0, new.rowID(inGroup: "a", at: $0)) }
            let view = ViewDifference(
                old: Million(), new: new, rowsHaveOnePlace: true, difference: { _ in difference }, content: { _ in [] })
            Million.looks.withLock { $0 = 0 }
            let changes = core.advance(over: view)
            #expect(changes.rowChanges.count == 0)
            #expect(Million.looks.withLock { $0 } <= 30)
        }
    }

    @Test func `A fixed window tells the rows that slide through it, and looks at no others`() {
        var core = ListCore(groups: ["a"])
        core.configure { $0.setRange(.fixed(length: 50, offset: 400_000, from: .beginning), for: "a") }
        core.refresh(to: Million())
        let new = Million(shift: 3)
        var difference = RowDifference()
        difference.inserted = (0..<3).map { .init($0, new.rowID(inGroup: "a", at: $0)) }
        let view = ViewDifference(
            old: Million(), new: new, rowsHaveOnePlace: true, difference: { _ in difference }, content: { _ in [] })
        Million.looks.withLock { $0 = 0 }
        #expect(core.advance(over: view).rowChanges.count == 6)
        #expect(Million.looks.withLock { $0 } == 6)
    }

    /// The ancestor took seconds for as many (issue 103): it corrected every index by every other.
    @Test func `Seven thousand updates are told in a blink`() async throws {
        let database = try await Database.cities()
        let count = 7000
        func write(_ add: Int) async throws {
            try await database.write { transaction in
                for number in 0..<count {
                    transaction[.cities]["c\(number)"] = City(people: (number &* 7919 &+ add &* number) % 65537)
                }
            }
        }
        try await write(0)
        var sections = ViewMappings(CityView.byCountry)
        let shown = database.snapshot
        try sections.update(to: shown)
        try await write(1)
        let clock = ContinuousClock()
        var changes: ListChanges?
        let time = try clock.measure { changes = try sections.advance(from: shown, to: database.snapshot) }
        #expect(try #require(changes).rowChanges.count > 6000)
        #expect(time < .seconds(5))
    }
}

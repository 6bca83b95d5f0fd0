import TestSupport
import Testing
import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// What changes cost: they follow what changed and how far windows slid, never how many rows there are.
@Suite(.bounded, .serialized) struct CostTests {
    /// Cities of one country, and three more that come before them.
    private func more(_ count: Int) async throws -> (old: ViewState, new: ViewState) {
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<count { transaction[.cities]["c\(number)"] = City(people: number) }
        }
        let old = database.snapshot
        try await database.write { transaction in
            for number in 0..<3 { transaction[.cities]["new\(number)"] = City(people: count + number) }
        }
        return (old[CityView.byCountry].state, database.snapshot[CityView.byCountry].state)
    }

    @Test(arguments: [5000, 20_000])
    func `A change in many rows looks at a few`(count: Int) async throws {
        let (old, new) = try await more(count)
        for range in [
            ListRange.fixed(length: 50, offset: count / 3, from: .beginning),
            .flexible(length: 50, offset: count / 3, from: .end),
        ] {
            var core = ListCore(groups: ["tr"])
            core.configure {
                $0.setReversed(true, for: "tr")
                $0.setRange(range, for: "tr")
                $0.setDependencies([-1, 2], for: nil)
            }
            core.refresh(to: old)
            let looks = CountedRows.Looks()
            let changes = core.advance(over: CountedDifference(old, new, looks))
            #expect(changes.rowChanges.count == 0)
            #expect(looks.now <= 30)
        }
    }

    // Rows were looked at as far as the greatest offset, for each change once more: a hundred updates looked at half a million.
    @Test(arguments: [false, true])
    func `Far offsets cost what stands at them, and no row is looked at twice`(isReversed: Bool) async throws {
        let count = 6000, offset = 2517
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<count { transaction[.cities]["c\(number)"] = City(people: number) }
        }
        func core(_ state: ViewState) -> ListCore {
            var core = ListCore(groups: ["tr"])
            core.configure {
                $0.setReversed(isReversed, for: "tr")
                $0.setDependencies([-1, offset], for: nil)
            }
            core.refresh(to: state)
            return core
        }
        let old = database.snapshot
        try await database.write { transaction in
            for number in 0..<100 { transaction[.cities]["c\(number * 50)"]?.name = "new" }
        }
        let updated = database.snapshot
        var looks = CountedRows.Looks()
        var list = core(old[CityView.byCountry].state)
        let updates = list.advance(
            over: CountedDifference(old[CityView.byCountry].state, updated[CityView.byCountry].state, looks))
        // Two for each that was written, but for those beyond an end.
        let dependent = updates.rowChanges.count { $0.aspects.contains(.dependency) }
        #expect(dependent == (isReversed ? 149 : 169))
        #expect(updates.rowChanges.count == 100 + dependent)
        #expect(looks.now < 3000)

        try await database.write { transaction in
            for number in 0..<100 { transaction[.cities].remove("c\(number * 50)") }
        }
        looks = CountedRows.Looks()
        list = core(updated[CityView.byCountry].state)
        let (before, after) = (updated[CityView.byCountry].state, database.snapshot[CityView.byCountry].state)
        let removals = list.advance(over: CountedDifference(before, after, looks))
        #expect(removals.rowChanges.count { if case .delete = $0.kind { true } else { false } } == 100)
        #expect(looks.now < 20 * count)
    }

    @Test func `A fixed window reports the rows that slide through it, and looks at no others`() async throws {
        let (old, new) = try await more(5000)
        var core = ListCore(groups: ["tr"])
        core.configure { $0.setRange(.fixed(length: 50, offset: 2000, from: .beginning), for: "tr") }
        core.refresh(to: old)
        let looks = CountedRows.Looks()
        #expect(core.advance(over: CountedDifference(old, new, looks)).rowChanges.count == 6)
        // The count of the group, and each row once.
        #expect(looks.now <= 8)
    }

    /// YapDatabase took seconds for as many (issue 103): it corrected every index by every other.
    @Test func `Seven thousand updates are found in a blink`() async throws {
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

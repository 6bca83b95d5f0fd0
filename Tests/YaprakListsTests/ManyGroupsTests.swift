import TestSupport
import Testing
import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// What a change costs in a list of very many groups: it looks at the groups that differ, and at no others.
@Suite(.bounded, .serialized) struct ManyGroupsTests {
    private static func name(_ number: Int) -> String {
        String(repeating: "0", count: 7 - "\(number)".count) + "\(number)"
    }

    /// Groups of one row each; then a row comes, a group goes, and a row moves to a group that had another.
    private func groups(_ count: Int) async throws -> (old: ViewState, new: ViewState) {
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<count {
                transaction[.cities]["c\(number)"] = City(country: Self.name(number), people: 9)
            }
        }
        let old = database.snapshot
        try await database.write { transaction in
            transaction[.cities]["x"] = City(country: Self.name(7), people: 1)
            transaction[.cities]["c9"] = nil
            transaction[.cities]["c\(count - 2)"] = nil
            transaction[.cities]["y"] = City(country: Self.name(count - 2), people: 10)
            transaction[.cities]["c\(count - 5)"]?.country = Self.name(count - 2)
        }
        return (old[CityView.byCountry].state, database.snapshot[CityView.byCountry].state)
    }

    private func looks(_ old: ViewState, _ new: ViewState, _ core: ListCore) -> (Int, [String]) {
        var core = core
        core.configure { settings in
            settings.setDynamic(true, for: nil)
            settings.setRange(.flexible(length: 3, from: .beginning), for: Self.name(7))
            settings.setDependencies([-1], for: nil)
        }
        core.refresh(to: old)
        let looks = CountedRows.Looks()
        let changes = core.advance(over: CountedDifference(old, new, looks))
        let found = changes.sectionChanges.map { "\($0)" } + changes.rowChanges.map { "\($0)" }
        return (looks.now, found)
    }

    @Test(arguments: [1000, 10_000])
    func `A change in very many groups looks at those that differ`(count: Int) async throws {
        let (old, new) = try await groups(count)
        let fixed = looks(old, new, ListCore(groups: (0..<count).map(Self.name)))
        let all = looks(old, new, ListCore())
        let chosen = looks(old, new, ListCore(filter: { _ in true }, order: { $0 < $1 }))
        #expect(fixed.0 <= 60 && all.0 <= 60, "\(fixed.0), \(all.0) looks")
        // Each way finds the same: the one that looks at all groups, too.
        #expect(fixed.1 == all.1 && all.1 == chosen.1)
        #expect(all.1.contains("insert 7.1 (x)") && all.1.contains { $0.hasPrefix("move") }, "\(all.1)")
    }

    @Test func `Where nothing differs, nothing is looked at`() async throws {
        let rows = try await groups(1000).old
        var core = ListCore()
        core.refresh(to: rows)
        let looks = CountedRows.Looks()
        #expect(!core.advance(over: CountedDifference(rows, rows, looks)).hasChanges)
        #expect(looks.now == 0)
    }

    @Test(arguments: [UInt64](1...3))
    func `Groups that come, go and hide are reported alike, however they are found`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let database = try await Database.cities()
        let names = (0..<12).map { "g\($0)" }
        var all = ViewMappings(CityView.byCountry)
        var chosen = ViewMappings(CityView.byCountry, filter: { _ in true }, order: { $0 < $1 })
        func configure(_ sections: inout ViewMappings<CityView>) {
            sections.setDynamic(true, for: "g3")
            sections.setRangeForAllGroups(seed == 1 ? nil : .flexible(length: 1, offset: 1, from: .beginning))
            if seed == 3 { sections.consolidate(below: 8, into: "few") }
        }
        configure(&all)
        configure(&chosen)
        var snapshot = database.snapshot
        try all.update(to: snapshot)
        try chosen.update(to: snapshot)
        for step in 0..<200 {
            let seed2 = random.next()
            try await database.write { transaction in
                var random = SplitMix64(seed: seed2)
                for _ in 0...random.below(4) {
                    let key = "c\(random.below(20))"
                    transaction[.cities][key] =
                        random.chance(25) ? nil : City(country: names[random.below(12)], people: random.below(9))
                }
            }
            let next = random.chance(10) ? snapshot : database.snapshot
            let found = try all.advance(from: snapshot, to: next)
            #expect(found == (try chosen.advance(from: snapshot, to: next)), "seed \(seed), step \(step)")
            #expect(all.allGroups == chosen.allGroups && all.visibleGroups == chosen.visibleGroups)
            #expect(all.itemCount == chosen.itemCount)
            for group in names { #expect(all.section(forGroup: group) == chosen.section(forGroup: group)) }
            snapshot = next
        }
    }
}

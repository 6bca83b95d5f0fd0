import TestSupport
import Testing
import Yaprak
import YaprakCore
import YaprakExtensions
import YaprakLocks

@testable import YaprakLists

/// What a change costs in a list of very many groups: it looks at the groups that differ, and at no others.
@Suite(.bounded, .serialized) struct ManyGroupsTests {
    /// Groups of one row each that nobody stores, and that count who looks at them.
    private struct Groups: GroupedRows {
        static let looks = Mutex(0)
        let count: Int
        /// Numbers whose group has other rows, or none.
        var others: [Int: [String]] = [:]

        static func name(_ number: Int) -> String { String(repeating: "0", count: 7 - "\(number)".count) + "\(number)" }

        var groupNames: [String] {
            Self.looks.withLock { $0 += count }
            return (0..<count).filter { !(others[$0]?.isEmpty ?? false) }.map(Self.name)
        }
        private func rows(_ group: String) -> [String] {
            Self.looks.withLock { $0 += 1 }
            let number = Int(group)!
            return others[number] ?? (number < count ? [group] : [])
        }
        func count(ofGroup group: String) -> Int { rows(group).count }
        func rowID(inGroup group: String, at index: Int) -> RowID { RowID(collection: 0, key: rows(group)[index]) }
        func place(of row: RowID) -> [(group: String, index: Int)] { [] }
    }

    private func looks(_ count: Int, _ core: ListCore) -> (Int, [String]) {
        var core = core
        core.configure { settings in
            settings.setDynamic(true, for: nil)
            settings.setRange(.flexible(length: 3, from: .beginning), for: Groups.name(7))
            settings.setDependencies([-1], for: nil)
        }
        let old = Groups(count: count)
        core.refresh(to: old)
        // A row comes, a group goes, and a row moves to a group that is new or was empty.
        let new = Groups(
            count: count,
            others: [7: [Groups.name(7), "x"], 9: [], count - 5: [], count - 2: ["y", Groups.name(count - 5)]])
        let names = [7, 9, count - 5, count - 2].map(Groups.name)
        let view = ViewDifference(
            old: old, new: new, rowsHaveOnePlace: true, differingGroups: names,
            difference: { group in
                var difference = RowDifference()
                let rows = (0..<new.count(ofGroup: group)).map { new.rowID(inGroup: group, at: $0) }
                if rows.isEmpty { difference.removed = [.init(0, old.rowID(inGroup: group, at: 0))] }
                if rows.count == 2 {
                    difference.inserted = rows.enumerated().filter { $1.key != group }.map { .init($0, $1) }
                    if !rows.contains(where: { $0.key == group }) {
                        difference.removed = [.init(0, old.rowID(inGroup: group, at: 0))]
                    }
                }
                return difference
            }, content: { _ in [] })
        Groups.looks.withLock { $0 = 0 }
        let changes = core.advance(over: view)
        let told = changes.sectionChanges.map { "\($0)" } + changes.rowChanges.map { "\($0)" }
        return (Groups.looks.withLock { $0 }, told)
    }

    @Test func `A change in very many groups looks at those that differ`() {
        for count in [1000, 20_000] {
            let fixed = looks(count, ListCore(groups: (0..<count).map(Groups.name)))
            let all = looks(count, ListCore())
            let chosen = looks(count, ListCore(filter: { _ in true }, order: { $0 < $1 }))
            #expect(fixed.0 <= 60 && all.0 <= 60, "\(fixed.0), \(all.0) looks")
            // Each way tells the same: the one that looks at all groups, too.
            #expect(fixed.1 == all.1 && all.1 == chosen.1)
            #expect(all.1.contains("insert 7.1 (x)") && all.1.contains { $0.hasPrefix("move") }, "\(all.1)")
        }
    }

    @Test func `Where nothing differs, nothing is looked at`() {
        var core = ListCore()
        let rows = Groups(count: 20_000)
        core.refresh(to: rows)
        let view = ViewDifference(
            old: rows, new: rows, rowsHaveOnePlace: true, differingGroups: [],
            difference: { _ in RowDifference() }, content: { _ in [] })
        Groups.looks.withLock { $0 = 0 }
        #expect(!core.advance(over: view).hasChanges)
        #expect(Groups.looks.withLock { $0 } == 0)
    }

    @Test(arguments: [UInt64](1...3))
    func `Groups that come, go and hide are told alike, however they are found`(seed: UInt64) async throws {
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
            let told = try all.advance(from: snapshot, to: next)
            #expect(told == (try chosen.advance(from: snapshot, to: next)), "seed \(seed), step \(step)")
            #expect(all.allGroups == chosen.allGroups && all.visibleGroups == chosen.visibleGroups)
            #expect(all.numberOfItemsInAllGroups == chosen.numberOfItemsInAllGroups)
            for group in names { #expect(all.section(forGroup: group) == chosen.section(forGroup: group)) }
            snapshot = next
        }
    }
}

import TestSupport
import Testing
import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// The law once more, through a database: any two snapshots, any view, forwards and backwards.
@Suite(.bounded) struct DatabaseLawTests {
    static let countries = ["de", "fr", "it", "tr"]

    private func history(_ random: inout SplitMix64) async throws -> (
        snapshots: [Snapshot], large: FilteredView<CityView>
    ) {
        let database = try await Database.cities()
        let large = FilteredView("large", of: CityView.byCountry) { $0.people > 30 }
        let byHand = ManualView("byHand", of: .cities)
        try await database.register(large)
        try await database.register(byHand)
        var snapshots = [database.snapshot]
        for commit in 0..<16 {
            let seed = random.next()
            try await database.write { transaction in
                var random = SplitMix64(seed: seed)
                for _ in 0..<(1 + random.below(8)) {
                    let key = "c\(random.below(30))"
                    switch random.below(10) {
                    case 0..<4:
                        let tags = ["old", "sea", "hill"].filter { _ in random.chance(40) }
                        transaction[.cities][key] = City(
                            name: "n\(random.below(9))", country: Self.countries[random.below(4)],
                            people: random.below(60), tags: tags)
                    case 4: transaction[.cities][key] = nil
                    case 5: transaction[.cities][key]?.people += 7
                    case 6: _ = transaction[.cities].touchObject(for: key)
                    case 7: _ = transaction[.cities].replaceMetadata(Visit(count: random.below(9)), for: key)
                    default:
                        if transaction[.cities][key] != nil, database.snapshot[byHand].place(of: key) == nil {
                            _ = try? transaction.append(key, to: random.chance(50) ? "seen" : "missed", in: byHand)
                        }
                    }
                }
                if commit == 9 {
                    try transaction.setSorting(
                        of: CityView.byCountry, sortedBy: .byObject { $0.name }, versionTag: "by name")
                }
            }
            snapshots.append(database.snapshot)
        }
        return (snapshots, large)
    }

    private func judge<View: OrderedView>(
        _ view: View, groups: [String], _ snapshots: [Snapshot], _ seed: UInt64
    ) throws where View.Element == CityRow {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            var sections =
                random.chance(40)
                ? ViewMappings(view, groups: groups)
                : random.chance(50) ? ViewMappings(view) : ViewMappings(view, order: { $0 > $1 })
            if random.chance(50) { sections.setDynamicForAllGroups(true) }
            if random.chance(30) { sections.setReversed(true, for: groups[0]) }
            if random.chance(60) { sections.setRangeForAllGroups(.random(&random)) }
            if random.chance(30) { sections.setDrawingDependenciesForAllGroups([-1]) }
            if random.chance(30) { sections.consolidate(below: random.below(20), into: "all") }
            var shown = snapshots[random.below(snapshots.count)]
            try sections.update(to: shown)
            for _ in 0..<4 {
                let next = snapshots[random.below(snapshots.count)]
                let before = try list(shown, sections)
                let old = sections
                let changes = try sections.advance(from: shown, to: next)
                let after = try list(next, sections)
                #expect(!changes.isReload)
                let result = try before.applying(changes) { Int($0.key.dropFirst()) }
                #expect(result == after, "seed \(seed), \(shown.commitNumber) → \(next.commitNumber)")
                let told = Set(changes.rowChanges.compactMap(\.target))
                for (section, rows) in next.sections(of: sections).enumerated() {
                    for (number, row) in rows.enumerated() where !told.contains(ListPath(section: section, row: number))
                    {
                        let path = shown.paths(forKey: row.key, in: old).first { path in
                            old.place(at: path)?.group
                                == sections.place(at: ListPath(section: section, row: number))?.group
                        }
                        let was = try #require(path.flatMap { shown.row(at: $0, in: old) })
                        #expect(was.isIdentical(to: row), "seed \(seed): \(row.key) changed without a word")
                    }
                }
                shown = next
            }
        }
    }

    private func list<View: OrderedView>(_ snapshot: Snapshot, _ sections: ViewMappings<View>) throws -> ShownList {
        let list = ShownList(
            sections: snapshot.sections(of: sections).map { section in
                ShownList.Section(name: section.name, rows: section.map { Int($0.key.dropFirst())! })
            })
        #expect(
            snapshot.itemIDs(of: sections).map { $0.items.map(\.key) } == list.sections.map { $0.rows.map { "c\($0)" } }
        )
        return list
    }

    @Test(arguments: [UInt64](1...8))
    func `Any two snapshots of any view are joined by changes that are right`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let (snapshots, large) = try await history(&random)
        try judge(CityView.byCountry, groups: Self.countries, snapshots, seed)
        try judge(CityView.byTag, groups: ["sea", "old"], snapshots, seed)
        try judge(large, groups: Self.countries.reversed(), snapshots, seed)
        try judge(ManualView("byHand", of: .cities), groups: ["seen", "missed"], snapshots, seed)
    }
}

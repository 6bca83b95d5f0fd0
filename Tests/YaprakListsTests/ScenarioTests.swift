import Foundation
import TestSupport
import Testing
import Yaprak

/// What YapDatabase's unit tests say about views and mappings, as facts: contents before and after, options, and the
/// changes it reported. Ours are the same, all of them, as sets: the order of emission is no promise.
///
/// Each runs through a database, once in a view that is arranged explicitly and once in one that closures arrange.
@Suite(.bounded) struct ScenarioTests {
    @Test(arguments: try Scenario.all.filter { $0.kind == "changeset" })
    func `A change set of rows arranged explicitly is YapDatabase's`(scenario: Scenario) async throws {
        try await check(scenario, ManualView<ScenarioRow>.new)
    }

    @Test(arguments: try Scenario.all.filter { $0.kind == "changeset" })
    func `A change set of rows arranged by closures is YapDatabase's`(scenario: Scenario) async throws {
        try await check(scenario, AutoView<ScenarioRow>.new)
    }

    @Test(arguments: try Scenario.all.filter { $0.kind == "query" })
    func `A query is answered as in YapDatabase`(scenario: Scenario) async throws {
        try await checkQueries(scenario, ManualView<ScenarioRow>.new)
        try await checkQueries(scenario, AutoView<ScenarioRow>.new)
    }

    private func check(_ scenario: Scenario, _ view: some ScenarioWriting) async throws {
        let database = Database.inMemory()
        try await database.register(view)
        var writer = try await database.write { transaction in
            var writer = ScenarioWriter(view)
            try writer.fill(scenario.initial!, in: &transaction)
            return writer
        }
        let old = database.snapshot
        var sections = scenario.sections(of: view)
        try sections.update(to: old)
        #expect(scenario.shown(sections, in: old) == scenario.visibleBefore!)
        try scenario.check(scenario.queries(when: "before"), sections)
        writer = try await database.write { [writer] transaction in
            var writer = writer
            for op in scenario.ops! { try writer.perform(op, in: &transaction) }
            return writer
        }
        let new = database.snapshot
        #expect(writer.keys == scenario.final!.filter { !$0.value.isEmpty })
        let foreseen = try sections.changes(from: old, to: new)
        let before = sections
        let changes = try sections.advance(from: old, to: new)
        #expect(changes == foreseen && before.commitNumber == old.commitNumber)
        #expect(scenario.shown(sections, in: new) == scenario.visibleAfter!)
        try scenario.check(scenario.queries(when: "after"), sections)
        for (group, range) in scenario.rangesAfter ?? [:] {
            #expect(sections.rangePosition(of: group)?.length == range.length)
            let offset = sections.storedOffsets(of: group)?.fromBeginning
            #expect(range.length == 0 || offset == range.offsetFromBeginning)
        }
        #expect(try scenario.visibleBefore!.applying(changes, to: scenario.visibleAfter!))
        #expect(Set(changes.sectionChanges.map(\.kind)) == Set(scenario.expectedSections!.map(\.kind)))
        #expect(changes.rowChanges.map { "\($0)" }.sorted() == scenario.expectedRows!.map(\.description).sorted())
        for row in scenario.expectedRows! where row.type == "update" {
            let names: [String: RowAspects] = ["object": .object, "metadata": .metadata, "dependency": .dependency]
            let aspects = RowAspects((row.changes ?? []).compactMap { names[$0] })
            #expect(changes.rowChanges.contains { "\($0)" == row.description && $0.aspects == aspects })
        }
        let back = try sections.advance(from: new, to: old)
        #expect(try scenario.visibleAfter!.applying(back, to: scenario.shown(sections, in: old)))
    }

    private func checkQueries(_ scenario: Scenario, _ view: some ScenarioWriting) async throws {
        let database = Database.inMemory()
        try await database.register(view)
        var sections = scenario.sections(of: view)
        let refreshes = scenario.mappings.config.filter { $0.set == "refresh" }
        #expect(!refreshes.isEmpty)
        for (number, step) in refreshes.enumerated() {
            try await database.write { transaction in
                for group in try transaction.reader(of: view).groupNames {
                    let keys = try transaction.reader(of: view)[group].map(\.key)
                    try view.removeAll(of: group, keys, in: &transaction)
                }
                var writer = ScenarioWriter(view)
                for (group, count) in step.counts! {
                    try writer.fill([group: (0..<count).map { "\(number)-\(group)-\($0)" }], in: &transaction)
                }
            }
            try sections.update(to: database.snapshot)
            try scenario.check(scenario.queries(when: number == 0 ? "before" : "after"), sections)
        }
    }
}

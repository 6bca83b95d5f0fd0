import Foundation
import TestSupport
import Testing
import YaprakCore

@testable import YaprakLists

/// What the ancestor's unit tests say about views and mappings, as facts: contents before and after, options, and the
/// changes it reported. Ours are the same, all of them, as sets: the order of emission is no promise.
@Suite(.bounded) struct ScenarioTests {
    @Test(arguments: try Scenario.all.filter { $0.kind == "changeset" })
    func `A change set is the ancestor's, and leads to its list`(scenario: Scenario) throws {
        let contents = ScenarioContents(scenario)
        var core = try scenario.core()
        core.refresh(to: contents.old)
        #expect(scenario.shown(core, contents.old) == scenario.visibleBefore!)
        try scenario.check(scenario.queries(when: "before"), core)
        let changes = core.advance(over: contents.view)
        #expect(scenario.shown(core, contents.new) == scenario.visibleAfter!)
        try scenario.check(scenario.queries(when: "after"), core)
        for (group, range) in scenario.rangesAfter ?? [:] {
            let window = try #require(core.layout.group(named: group)).window
            #expect(window.count == range.length)
            #expect(window.isEmpty || window.lowerBound == range.offsetFromBeginning)
        }
        #expect(try scenario.visibleBefore!.applying(changes, to: scenario.visibleAfter!))
        let sections = Set(changes.sectionChanges.map(\.kind))
        #expect(sections == Set(scenario.expectedSections!.map(\.kind)))
        let rows = changes.rowChanges.map { "\($0)" }.sorted()
        #expect(rows == scenario.expectedRows!.map(\.description).sorted())
        for row in scenario.expectedRows! where row.type == "update" {
            let names: [String: RowAspects] = ["object": .object, "metadata": .metadata, "dependency": .dependency]
            let aspects = RowAspects((row.changes ?? []).compactMap { names[$0] })
            #expect(changes.rowChanges.contains { "\($0)" == row.description && $0.aspects == aspects })
        }
    }

    @Test(arguments: try Scenario.all.filter { $0.kind == "query" })
    func `A query is answered as the ancestor does`(scenario: Scenario) throws {
        var core = try scenario.core()
        let refreshes = scenario.mappings.config.filter { $0.set == "refresh" }
        for (number, step) in refreshes.enumerated() {
            let counts = step.counts!
            let groups = scenario.mappings.groups.names ?? counts.keys.sorted()
            core.fit(groups) { counts[$0] ?? 0 }
            try scenario.check(scenario.queries(when: number == 0 ? "before" : "after"), core)
        }
        #expect(refreshes.isEmpty == false)
    }
}
